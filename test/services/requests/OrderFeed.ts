import type { Inputs } from "./Inputs.js"

export const inputs: Inputs = {
  getOrderFeed: {
    payload: {
      selectedPeriod: { start: "2026-11-01T00:00:00+03:00", end: "2026-11-08T00:00:00+03:00" },
      nmIds: [1001],
      pagination: { limit: 10_000, offset: 0 }
    }
  }
}
