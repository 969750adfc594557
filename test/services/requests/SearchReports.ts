import type { Inputs } from "./Inputs.js"

const asked = {
  currentPeriod: { start: "2026-11-01", end: "2026-11-07" },
  pastPeriod: { start: "2026-10-25", end: "2026-10-31" },
  orderBy: { field: "avgPosition", mode: "asc" }
}
const page = { positionCluster: "all", limit: 1000, offset: 0 }

export const inputs: Inputs = {
  getSearchReport: { payload: { ...asked, ...page } },
  getSearchReportGroups: { payload: { ...asked, ...page, subjectIds: [7] } },
  getSearchReportDetails: { payload: { ...asked, ...page, nmIds: [1001] } },
  getProductSearchTexts: { payload: { ...asked, nmIds: [1001], topOrderBy: "orders", limit: 30 } },
  getProductSearchOrders: {
    payload: { period: asked.currentPeriod, nmId: 1001, searchTexts: ["кеды"] }
  }
}
