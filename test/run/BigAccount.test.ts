/** An account of more campaigns than flow by themselves: its groups ask what single campaigns would have asked. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { measure } from "../../bench/demand/Measure.js"
import * as Scenario from "../scenario/Scenario.js"

const rules = Scenario.check(Scenario.shippedRules().filter(({ path }) => /0[123]-|_shared/.test(path)))
const quota = () => ({ burst: 1_000_000, intervalMs: 1 })

describe("an account of 1,201 campaigns", () => {
  it("is asked for in the fewest calls, and scarce calls go to exactly the rows that are left", async () => {
    const shape = { campaigns: 1201, itemsPerCampaign: 2, clustersPerItem: 1, share: 0.05 }
    const { askedPairs, calls, fewest, survivingPairs } = await Effect.runPromise(
      measure(rules, shape, quota)
    )
    expect(calls).toEqual(fewest)
    expect(askedPairs).toBe(survivingPairs)
  })
})
