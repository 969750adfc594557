import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

/** Asks for orders of clusters in campaigns that shelves may have cost it all: charges prove nothing there. */
const lower = `version: 1
name: Lower
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: cluster
where: campaign.bid_type = manual and campaign.payment = cpm and campaign.recommendations
window: 7d
when: orders <= 0
do:
  lower_bid: {by: 10%, floor: min_bid}
`
const limits = {
  path: "rules/_shared/limits.yaml",
  text: "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: 900 ₽}\n"
}
const rules = [{ path: "rules/10-lower.yaml", text: lower }, limits]
const nothingShown = [{ kind: "zeros" as const, operation: "getClusterStats" }]

describe("the second run of a day, of whose clusters nothing was shown", () => {
  it("only looks when the first one saw views for the same days, and sets no bid", () =>
    Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        expect((yield* world.plan).reviewed.plan.observeOnly).toBeUndefined()
        yield* world.advance("1 hour")
        world.faults(nothingShown)
        const doubted = yield* world.plan
        expect(doubted.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(doubted.reviewed.plan.observeOnly).toMatch(
          /cluster\.views@7d is 0 in all, earlier today it was \d+ for the same days/
        )
        yield* world.apply(doubted)
        expect(world.ledger()).toEqual([])
        world.faults([])
        yield* world.advance("1 hour")
        expect((yield* world.plan).reviewed.plan.observeOnly).toBeUndefined()
      })
    ))

  const afterOther = (from: string, to: string) => {
    const other = { path: "rules/20-other.yaml", text: lower.replace(from, to) }
    return Scenario.run({ rules: [...rules, other] }, (world) =>
      Effect.gen(function* () {
        yield* world.planOf(new Set(["20-other"]))
        yield* world.advance("1 hour")
        world.faults(nothingShown)
        const planned = yield* world.planOf(new Set(["10-lower"]))
        return planned.reviewed.plan.observeOnly
      })
    )
  }

  it("only looks when other rules saw views of the same clusters", async () => {
    expect(await afterOther("orders <= 0", "orders <= 1")).toMatch(
      /earlier today it was \d+ for the same days/
    )
  })

  it("says nothing of what other rules saw of other clusters", async () => {
    expect(await afterOther("campaign.recommendations", "not campaign.recommendations")).toBeUndefined()
  })
})
