import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

describe("a run from rules to applied changes", () => {
  it("does what it planned, nothing twice, and then has nothing left to do", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        console.log(JSON.stringify(first.reviewed.plan.summary), first.gathered.failures, first.gathered.calls)
        const report = yield* world.apply(first)
        console.log(report.status, report.counts, world.ledger().length, world.throttled())
        for (const r of report.rows.filter((r) => r.state !== "applied").slice(0,5)) console.log(r.state, r.detail, r.slot, r.change.before, r.change.after)
        const second = yield* world.plan
        console.log(second.reviewed.plan.summary)
        expect(second.reviewed.plan.changes).toEqual([])
      })
    ))
})
