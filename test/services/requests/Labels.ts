import type { Inputs } from "./Inputs.js"

const path = { orderId: 5001 }

export const inputs: Inputs = {
  getOrderLabels: { payload: { orders: [5001, 5002] } },
  deleteOrderLabel: { path, urlParams: { key: "uin" } },
  setOrderSgtins: {
    path,
    payload: { sgtins: ["010460043993125621JgXJ5.T\u001d91AB12\u001d92c2lnbmF0dXJl"] }
  },
  setOrderUin: { path, payload: { uin: "1234567890123456" } },
  setOrderImei: { path, payload: { imei: "490154203237518" } },
  setOrderGtin: { path, payload: { gtin: "4600439931256" } },
  setOrderExpiration: { path, payload: { expiration: "31.12.2027" } },
  setOrderCustomsDeclaration: { path, payload: { customsDeclaration: "10702070/010126/0001234" } }
}
