import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

describe("a run whose statistics are wrong", () => {
  it("only looks: the plan shows its changes and says why none can be applied", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        for (let day = 0; day < 4; day++) {
          const { plan } = (yield* world.plan).reviewed
          expect(plan.observeOnly).toBeUndefined()
          yield* world.advance("24 hours")
        }
        world.faults([
          { kind: "zeros", operation: "getCampaignStats" },
          { kind: "zeros", operation: "getClusterStats" }
        ])
        const planned = yield* world.plan
        expect(planned.reviewed.appliable).toEqual([])
        expect(planned.reviewed.plan.observeOnly).toMatch(/only looks/)
        expect(planned.reviewed.plan.notices?.map(({ text }) => text)).toContain(
          planned.reviewed.plan.observeOnly
        )
        yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
        world.faults([])
        expect((yield* world.plan).reviewed.appliable.length).toBeGreaterThan(0)
      })
    ))
})
