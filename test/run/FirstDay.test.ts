import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Scenario from "../scenario/Scenario.js"

const topUp = (limits = "money_per_day: 1000 ₽"): Load.File => ({
  path: "rules/a.yaml",
  text: `version: 1
name: a
mode: apply
each: campaign
where: ["campaign.name matches 'Поиск*основная'"]
when: budget < 1000000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {${limits}}
`
})

const daily = (text: string): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\naccount:\n  money_per_day: ${text}\n`
})

const paid = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "budget").length

/** Another store, or a person, pays: the program under test knows nothing of it. */
const payElsewhere = (world: Scenario.World, roubles: number) =>
  world.edit({ campaignId: 1_000_002, depositRoubles: roubles })

describe("in the first day of an account in a store", () => {
  it("no deposit is made, and the plan says until when and what lets it", () =>
    Scenario.run({ rules: [topUp()], firstDay: true }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.apply(planned)
        expect(planned.reviewed.plan.held.map(({ by, limit, over }) => [by, limit, over])).toEqual([
          [
            "first_day",
            "no deposit of a rule before 2026-09-02 09:00",
            `this store knows account ${Scenario.account} since 2026-09-01 09:00 only, and not what was deposited before; if no other store pays for it: bidhelm account deposits ${Scenario.account}`
          ]
        ])
        yield* world.advance("23 hours")
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(0)
        yield* world.advance("2 hours")
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(1)
      })
    ))

  it("a plan of before the store was lost pays nothing either", () =>
    Scenario.run({ rules: [topUp()] }, (known) =>
      Effect.gen(function* () {
        const { plan } = (yield* known.plan).reviewed
        expect(plan.changes).toHaveLength(1)
        yield* Effect.promise(() =>
          Scenario.run({ rules: [topUp()], firstDay: true }, (world) =>
            Effect.gen(function* () {
              const { context } = yield* world.plan
              const reloaded = Review.reload(plan, {
                ...context,
                account: Scenario.account,
                nowMs: world.now()
              })
              expect(Either.isRight(reloaded) && reloaded.right.appliable).toEqual([])
            })
          )
        )
      })
    ))

  it("a person's word lets the rules pay, and is a link of the audit chain", () =>
    Scenario.run({ rules: [topUp()], firstDay: true }, (world) =>
      Effect.gen(function* () {
        yield* world.plan
        yield* world.journal.allowDeposits(Scenario.account, "anna", world.now())
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(1)
        const known = yield* world.journal.acquaintance(Scenario.account, world.now())
        expect(known.allowed?.by).toBe("anna")
      })
    ))

  it("what the marketplace lists of today counts against every limit, whoever paid it", () =>
    Scenario.run({ rules: [topUp()], firstDay: true }, (world) =>
      Effect.gen(function* () {
        payElsewhere(world, 1000)
        yield* world.advance("10 minutes")
        yield* world.plan
        yield* world.journal.allowDeposits(Scenario.account, "anna", world.now())
        const planned = yield* world.plan
        yield* world.apply(planned)
        expect(paid(world)).toBe(0)
        expect(planned.reviewed.plan.held.map(({ by, over }) => [by, over])).toEqual([
          [
            "money_per_day",
            "1 000 ₽ deposited today or in this plan (1 000 ₽ of it not by this store, the marketplace lists it), 1 000 ₽ more is 1 000 ₽ over"
          ]
        ])
      })
    ))

  it("nothing is paid while that list cannot be read", () =>
    Scenario.run({ rules: [topUp()], firstDay: true }, (world) =>
      Effect.gen(function* () {
        yield* world.journal.allowDeposits(Scenario.account, "anna", world.now())
        world.faults([{ kind: "refuse", operation: "getPaymentHistory" }])
        const planned = yield* world.plan
        yield* world.apply(planned)
        expect(paid(world)).toBe(0)
        expect(planned.reviewed.plan.held[0]?.over).toMatch(
          /^what the marketplace lists of today could not be read: /
        )
      })
    ))
})

describe("of an account that the store knows", () => {
  it("what others paid today counts against the account's limit", () =>
    Scenario.run({ rules: [topUp("money_per_day: 9000 ₽"), daily("2000 ₽")] }, (world) =>
      Effect.gen(function* () {
        payElsewhere(world, 1500)
        yield* world.advance("10 minutes")
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(0)
        yield* world.advance("1 days")
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(1)
      })
    ))

  it("its own deposits count once, though the marketplace lists them too", () =>
    Scenario.run({ rules: [topUp("money_per_day: 9000 ₽"), daily("2000 ₽")] }, (world) =>
      Effect.gen(function* () {
        for (let run = 0; run < 3; run++) {
          yield* world.apply(yield* world.plan)
          yield* world.advance("30 minutes")
        }
        expect(paid(world)).toBe(2)
      })
    ))

  it("without a limit of the account the list costs no call", () =>
    Scenario.run({ rules: [topUp()] }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        expect(paid(world)).toBe(1)
        expect(world.requests("getPaymentHistory")).toBe(0)
      })
    ))
})
