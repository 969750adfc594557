/** What only waits for a person, beside what goes at once: judged by what reached the marketplace (decision 0122). */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Approvals from "../../src/engine/planning/Approvals.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Scenario from "../scenario/Scenario.js"

/** As the scheduler does: plan, ask for what needs a person, apply the rest. */
const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const after = yield* Approvals.afterPlan(planned.reviewed)
    yield* Cycle.apply(planned.reviewed, {
      approvedBy: "test",
      account: Scenario.account,
      chosen: after.now
    })
    return { planned, after }
  }).pipe(Effect.provide(world.context))

describe("what only waits for a person", () => {
  const file = (name: string, mode: string, rest: string): Load.File => ({
    path: `rules/${name}.yaml`,
    text: `version: 1\nname: ${name}\nmode: ${mode}\n${rest}`
  })
  const optimise = file(
    "10-optimise",
    "approve",
    "each: campaign\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\ndo: {optimise: {margin: 15%, budget: 2800 ₽, cap: {cpm: 600 ₽}}}\n"
  )
  const hiding = file(
    "minus",
    "apply",
    "each: cluster\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\nwhen: orders <= 4 and not cluster.in_minus\ndo: add_minus\n"
  )

  it("leaves a saving that both want to the rule that asks nobody, though it counts in a budget of optimise", () => {
    const phrases = (...rules: ReadonlyArray<Load.File>) =>
      Scenario.run({ rules, scale: { campaigns: 6, items: 4, clusters: 20 }, seed: 1 }, (world) =>
        Effect.gen(function* () {
          const { after, planned } = yield* cycle(world)
          const made = world
            .ledger()
            .flatMap(({ after, slot, target }) =>
              slot === "minus" ? [after].flat().map((phrase) => `${target.itemId} ${phrase}`) : []
            )
          return { made: new Set(made), after, plan: planned.reviewed.plan }
        })
      )
    return Effect.runPromise(
      Effect.gen(function* () {
        const alone = yield* Effect.promise(() => phrases(hiding))
        expect(alone.made.size).toBeGreaterThan(10)
        const { after, made, plan } = yield* Effect.promise(() => phrases(hiding, optimise))
        expect(made).toEqual(alone.made)
        expect(plan.changes.some(({ agreed = [] }) => agreed.includes("10-optimise"))).toBe(true)
        // What is saved in another rule's name pays for nothing in this plan.
        expect(after.waiting.length).toBeGreaterThan(0)
        for (const { before, budget, dailyKopecks } of plan.forecasts!) {
          const more = after.waiting.flatMap(({ change }) => {
            const share = BudgetRoom.shareOf(change)
            return share?.budget === budget ? [share.moreKopecks] : []
          })
          const spends = before!.spendKopecks.mean
          const goes = more.reduce((sum, one) => sum + one, spends)
          expect(goes).toBeLessThanOrEqual(Math.max(dailyKopecks, spends) + 50)
        }
      })
    )
  }, 60_000)
})
