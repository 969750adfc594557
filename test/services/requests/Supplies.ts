import type { Inputs } from "./Inputs.js"

const path = { supplyId: "PLATFORM-GI-1001" }
const trbxIds = ["PLATFORM-TRBX-1", "PLATFORM-TRBX-2"]

export const inputs: Inputs = {
  createSupply: { payload: { name: "Boots, warehouse 7" } },
  listSupplies: { urlParams: { limit: 1000, next: 0 } },
  addOrdersToSupply: { path, payload: { orders: [5001, 5002] } },
  getSupply: { path },
  deleteSupply: { path },
  getSupplyOrderIds: { path },
  deliverSupply: { path },
  getSupplyBarcode: { path, urlParams: { type: "svg" } },
  listShippingUnits: { path },
  addShippingUnits: { path, payload: { amount: 5 } },
  deleteShippingUnits: { path, payload: { trbxIds } },
  getShippingUnitStickers: { path, urlParams: { type: "png" }, payload: { trbxIds } }
}
