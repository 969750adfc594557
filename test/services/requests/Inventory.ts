import type { Inputs } from "./Inputs.js"

const scope = {
  currentPeriod: { start: "2026-09-01", end: "2026-09-30" },
  stockType: "",
  skipDeletedNm: true
}
const ordered = {
  availabilityFilters: ["deficient", "balanced"],
  orderBy: { field: "avgOrders", mode: "desc" }
}

export const inputs: Inputs = {
  getPlatformWarehouseStocks: { payload: { nmIds: [1001], chrtIds: [5], limit: 250_000, offset: 0 } },
  getSellerWarehouseStocks: { payload: { nmIds: [1001], limit: 250_000, offset: 0 } },
  getStockGroups: {
    payload: { nmIDs: [1001], subjectIDs: [7], ...scope, ...ordered, limit: 1000, offset: 0 }
  },
  getStockProducts: { payload: { nmIDs: [1001], ...scope, ...ordered, limit: 1000, offset: 0 } },
  getStockSizes: {
    payload: {
      nmID: 1001,
      currentPeriod: scope.currentPeriod,
      stockType: "mp",
      orderBy: ordered.orderBy,
      includeOffice: true
    }
  },
  getStockOffices: { payload: { nmIDs: [1001], ...scope } }
}
