import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type * as Load from "../../src/engine/language/Load.js"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as Scenario from "../scenario/Scenario.js"

const dayMs = 86_400_000
const moscowMs = 3 * 3_600_000

const policy = (name: string, amount: number, perDay: number, ofPolicy: number): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\neach: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: ${amount} ₽, from: balance}\nlimits: {money_per_day: ${perDay} ₽, policy_money_per_day: ${ofPolicy} ₽}\n`
})

const account = (perDay: number): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\naccount:\n  money_per_day: ${perDay} ₽\n`
})

const amount = fc.integer({ min: 20, max: 60 }).map((n) => n * 50)
const limit = fc.integer({ min: 60, max: 160 }).map((n) => n * 50)
const fault: fc.Arbitrary<ReadonlyArray<Faults.Fault>> = fc.constantFrom(
  [],
  [{ kind: "dropAnswer", operation: "depositCampaignBudget", probability: 0.5 }],
  [{ kind: "reset", operation: "depositCampaignBudget", probability: 0.5 }],
  [{ kind: "throttle", operation: "depositCampaignBudget", probability: 0.5 }],
  [{ kind: "emptyBody", operation: "depositCampaignBudget", probability: 0.3 }]
)
const step = fc.record({ hours: fc.integer({ min: 0, max: 14 }), faults: fault, twice: fc.boolean() })

describe("over random runs with faults", () => {
  it(
    "the marketplace takes no more than the limits of a day, and no deposit twice",
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.tuple(amount, amount, limit, limit, limit),
          fc.array(step, { minLength: 2, maxLength: 4 }),
          async ([first, second, perDay, ofPolicy, ofAccount], steps) => {
            const rules = [
              policy("a", first, Math.max(perDay, first), Math.max(ofPolicy, first)),
              policy("b", second, Math.max(perDay, second), Math.max(ofPolicy, second)),
              account(ofAccount)
            ]
            await Scenario.run({ rules }, (world) =>
              Effect.gen(function* () {
                let sent = 0
                let runs = 0
                for (const { faults, hours, twice } of steps) {
                  yield* world.advance(`${hours} hours`)
                  world.faults(faults)
                  const planned = yield* world.plan
                  yield* world.apply(planned)
                  if (twice) yield* world.apply(planned)
                  sent += planned.reviewed.appliable.length
                  runs += planned.reviewed.appliable.length * (twice ? 2 : 1)
                  world.faults([])
                }
                const paid = world.ledger().filter(({ slot }) => slot === "budget")
                const byDay = new Map<number, number>()
                const byCampaign = new Map<string, number>()
                for (const { after, at, before, target } of paid) {
                  const day = Math.floor((at + moscowMs) / dayMs)
                  const roubles = Number(after) - Number(before)
                  byDay.set(day, (byDay.get(day) ?? 0) + roubles)
                  const one = `${day} ${target.campaignId}`
                  byCampaign.set(one, (byCampaign.get(one) ?? 0) + roubles)
                }
                for (const roubles of byDay.values()) expect(roubles).toBeLessThanOrEqual(ofAccount)
                for (const roubles of byCampaign.values())
                  expect(roubles).toBeLessThanOrEqual(Math.max(perDay, first, second))
                expect(paid.length).toBeLessThanOrEqual(sent)
                // What certainly was not paid may be tried again by a run of its own.
                expect(world.requests("depositCampaignBudget")).toBeLessThanOrEqual(runs)
              })
            )
          }
        ),
        { numRuns: 8 }
      ),
    120_000
  )
})
