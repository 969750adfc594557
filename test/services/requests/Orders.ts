import type { Inputs } from "./Inputs.js"

const payload = { orders: [5001, 5002] }

export const inputs: Inputs = {
  listNewOrders: {},
  listOrders: { urlParams: { limit: 1000, next: 0, dateFrom: 1_793_491_200, dateTo: 1_795_996_800 } },
  getOrderStatuses: { payload },
  listReshipmentOrders: {},
  cancelOrder: { path: { orderId: 5001 } },
  getOrderStickers: { urlParams: { type: "png", width: 58, height: 40 }, payload },
  getCrossBorderStickers: { payload },
  getOrderStatusHistory: { payload },
  getOrderClients: { payload },
  listArchivedOrders: { urlParams: { year: 2026, month: 6, next: 0, limit: 1000 } }
}
