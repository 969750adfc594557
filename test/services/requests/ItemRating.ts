import type { Inputs } from "./Inputs.js"

export const inputs: Inputs = {
  getItemRating: {
    payload: {
      currentPeriod: { start: "2026-11-01", end: "2026-11-07" },
      nmIds: [1001],
      orderBy: { field: "feedbackCount", mode: "desc" },
      limit: 100,
      offset: 0
    }
  }
}
