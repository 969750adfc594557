import type { Inputs } from "./Inputs.js"

const week = { start: "2026-11-01", end: "2026-11-07" }

export const inputs: Inputs = {
  getFunnelProducts: {
    payload: {
      selectedPeriod: week,
      pastPeriod: { start: "2026-10-25", end: "2026-10-31" },
      nmIds: [1001],
      skipDeletedNm: true,
      orderBy: { field: "openCard", mode: "desc" },
      limit: 1000,
      offset: 0
    }
  },
  getFunnelProductHistory: { payload: { selectedPeriod: week, nmIds: [1001], aggregationLevel: "day" } },
  getFunnelGroupedHistory: { payload: { selectedPeriod: week, brandNames: ["Bidhelm"], subjectIds: [7] } }
}
