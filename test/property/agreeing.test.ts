import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Kopecks, Roubles } from "../../src/domain/Money.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Review from "../../src/engine/decide/Review.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import * as Example from "../decide/Example.js"
import { lowerBid, ordersAtLeast, pause, policy, raiseBid, rub, setBid } from "../decide/Example.js"

/** A policy without a name. */
interface Drawn {
  readonly action: Action
  readonly more: Partial<Policy> & { readonly when: Policy["where"] }
  /** What a person did to it. */
  readonly isOnHold: boolean
}

const deposit: Action = {
  _tag: "Deposit",
  amountRoubles: Roubles(1_000),
  from: "balance",
  span: Example.span
}
const actions: fc.Arbitrary<Action> = fc.constantFrom(
  // Both lower a bid of 400 ₽ to 360 ₽.
  lowerBid(),
  setBid({ to: rub(360) }),
  raiseBid(),
  pause,
  deposit
)
const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const limits = fc
  .record(
    {
      changesPerRun: fc.integer({ min: 0, max: 4 }),
      shareOfScopeBasisPoints: fc.integer({ min: 2_000, max: 10_000 }),
      excess: fc.constant("worst_first" as const),
      policyMoneyPerDayKopecks: fc.integer({ min: 0, max: 3 }).map((n) => Kopecks(n * 100_000))
    },
    { requiredKeys: [] }
  )
  .map((own) => ({ ...own, moneyPerDayKopecks: Kopecks(100_000) }))
const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    action: actions,
    mode: fc.constantFrom("apply" as const, "apply" as const, "approve" as const, "preview" as const),
    orders: fc.integer({ min: 0, max: 6 }),
    limits,
    auto: optional(fc.record({ bidChangeBasisPoints: fc.integer({ min: 0, max: 2_000 }) })),
    isOnHold: fc.integer({ min: 0, max: 5 }).map((n) => n === 0)
  })
  .map(({ action, auto, isOnHold, limits: own, mode, orders }) => {
    const each = action._tag === "Pause" || action._tag === "Deposit" ? "campaign" : "cluster"
    const when = each === "campaign" ? [] : [ordersAtLeast(orders)]
    const asks = mode === "approve" && auto !== undefined ? { autoApprove: auto } : {}
    return { action, isOnHold, more: { each, mode, limits: own, when, ...asks } }
  })
const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 9 })), {
  minLength: 1,
  maxLength: 6
})
const account = fc.record(
  { changesPerRun: fc.integer({ min: 0, max: 6 }), moneyPerDayKopecks: fc.constant(Kopecks(200_000)) },
  { requiredKeys: [] }
)
const situation = fc
  .record({ all: fc.array(drawn, { minLength: 2, maxLength: 5 }), rows, account })
  .chain((one) =>
    fc.record({
      one: fc.constant(one),
      order: fc.shuffledSubarray([...one.all.keys()], { minLength: one.all.length })
    })
  )
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never

/** What is reviewed under names that come in this order. */
const reviewed = (
  { account: accountLimits, all, rows: facts }: Situation["one"],
  names: ReadonlyArray<number>
) => {
  const idOf = (n: number) => `0${names.indexOf(n)}`
  const policies = all.map(({ action, more }, n) => policy(idOf(n), action, more))
  const own = facts.map(([orders, spend], n) => ({
    target: Example.target(1 + (n % 3), 1, `кеды ${n}`),
    facts: {
      "cluster.orders@7d": orders,
      "cluster.spend@7d": spend * 1_000,
      "campaign.budget": 50_000,
      "account.balance": 10_000_000
    }
  }))
  const draft = Decide.draft(Example.input({ rows: own, policies, limits: accountLimits }))
  const made = Review.review(draft, {
    rules: Example.rules(policies, accountLimits),
    ...Example.around,
    campaigns: Example.campaigns(own),
    made: { dayStartMs: Example.now, nowMs: Example.now, deposited: [] },
    stops: {
      holds: all.flatMap(({ isOnHold }, n) =>
        isOnHold ? [{ account: "shop", kind: "policy" as const, what: idOf(n), since: 0, by: "anna" }] : []
      ),
      edits: new Map(),
      unsettled: new Map(),
      editHoldMs: 0,
      nowMs: Example.now,
      zone: "Europe/Moscow"
    }
  })
  return { made, nameOf: (id: string) => names[Number(id)] }
}

const values = (changes: ReadonlyArray<Change>) =>
  changes.map((change) => `${Kinds.slotOf(change)} ${change.before} → ${change.after}`).sort()

describe("policies that agree", () => {
  it("have the same done, asked and held whatever their names are", () => {
    let agreed = 0
    fc.assert(
      fc.property(situation, ({ one, order }) => {
        const written = reviewed(one, [...one.all.keys()]).made
        const renamed = reviewed(one, order).made
        agreed += written.plan.changes.filter((change) => change.agreed !== undefined).length
        assert.deepStrictEqual(values(renamed.appliable), values(written.appliable))
        const asked = (made: typeof written) => values(made.waiting.map(({ change }) => change))
        assert.deepStrictEqual(asked(renamed), asked(written))
        const held = (made: typeof written) => values(made.plan.held.map(({ change }) => change))
        assert.deepStrictEqual(held(renamed), held(written))
      }),
      { numRuns: Depth.cases(4_000) }
    )
    assert.isAbove(agreed, 20)
  })

  it("never make two changes of one slot, nor more than the account or any of them may", () => {
    fc.assert(
      fc.property(situation, ({ one }) => {
        const { made, nameOf } = reviewed(one, [...one.all.keys()])
        const { changes, held } = made.plan
        const slots = [...changes, ...held.map(({ change }) => change)].map(Kinds.slotOf)
        assert.strictEqual(new Set(slots).size, slots.length)
        assert.isAtMost(changes.length, one.account.changesPerRun ?? changes.length)
        const deposits = changes.filter(({ kind }) => kind === "campaign_deposit").length
        assert.isAtMost(deposits * 100_000, one.account.moneyPerDayKopecks ?? Number.POSITIVE_INFINITY)
        one.all.forEach(({ isOnHold, more }, n) => {
          const own = changes.filter(({ origin }) => nameOf(origin.name) === n)
          assert.isAtMost(own.length, isOnHold ? 0 : (more.limits?.changesPerRun ?? own.length))
        })
      }),
      { numRuns: Depth.cases(2_000) }
    )
  })

  it("name one another, and the one that does it is none of them", () => {
    fc.assert(
      fc.property(situation, ({ one }) => {
        const { made } = reviewed(one, [...one.all.keys()])
        for (const change of made.plan.changes) {
          const { agreed = [], origin, overruled } = change
          assert.notInclude(agreed, origin.name)
          assert.isFalse(agreed.some((policyId) => overruled.includes(policyId)))
        }
      }),
      { numRuns: Depth.cases(400) }
    )
  })
})
