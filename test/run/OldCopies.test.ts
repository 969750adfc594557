/** A cache that serves old answers with an honest age: they prove nothing, and plans take them for unknown. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

const raise = {
  path: "rules/raise.yaml",
  text: `version: 1
name: raise
mode: apply
each: cluster
where: campaign.payment = cpm and campaign.status = active
window: 7d
when: views >= 1
do: {raise_bid: {by: 10%, cap: 900 ₽}}
limits: {changes_per_run: 2}
`
}
const options = { scale: { campaigns: 2, items: 2, clusters: 4 }, rules: [raise] }

describe("an old copy of an answer", () => {
  it("is no proof that a bid was not set: the change stays open until a fresh answer shows it", () =>
    Scenario.run(options, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes).toHaveLength(2)
        world.faults([
          { kind: "oldCopy", operation: "getClusterBids" },
          { kind: "dropAnswer", operation: "setClusterBidsMinorUnits" }
        ])
        const report = yield* world.apply(planned)
        expect(world.ledger()).toHaveLength(2)
        expect(report.rows.map(({ state }) => state)).toEqual(["unknown", "unknown"])

        world.faults([])
        yield* world.advance("5 minutes")
        const next = yield* world.apply(yield* world.plan)
        expect(next.recovered.map(({ state }) => state)).toEqual(["applied", "applied"])
        const slots = world.ledger().map(({ slot, target }) => JSON.stringify([slot, target]))
        expect(slots.length).toBe(new Set(slots).size)
      })
    ))

  it("is unknown to a plan, which says how old it was; a young one is read", () =>
    Scenario.run(options, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "oldCopy", operation: "getClusterBids" }])
        const first = yield* world.plan
        expect(first.reviewed.plan.changes).toHaveLength(2)
        yield* world.advance("20 minutes")
        const second = yield* world.plan
        expect(second.reviewed.plan.changes).toEqual([])
        expect(second.gathered.failures[0]?.message).toMatch(
          /^getClusterBids: the answer is an old copy \(200\): it was made 1[12]\d\d s ago/
        )
      })
    ))
})
