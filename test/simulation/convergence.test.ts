/** The small sister of `npm run converge`: one seller, few days, the same measures and promises. */
import { describe, expect, it } from "vitest"
import * as Report from "./Report.js"

describe("the shipped rules over days of a seller", () => {
  it("keep their promises, and the measures can tell a rule that does not", {
    timeout: 180_000
  }, async () => {
    const figures = await Report.ofSeed({ seed: 3, days: 2, size: "small" })
    const totals = Report.total([figures])
    expect(totals.broken).toEqual([])
    expect(figures.throttled).toBe(0)
    expect(figures.failed).toEqual({})
    expect(figures.steadiness.targetsMoved).toBeGreaterThan(0)
    expect(figures.steadiness.edges).toBeGreaterThan(0)
  })
})
