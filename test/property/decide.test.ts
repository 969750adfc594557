import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import { type Action, type Policy, tiers } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import * as Example from "../decide/Example.js"
import {
  addMinus,
  lowerBid,
  pause,
  policy,
  raiseBid,
  removeMinus,
  rub,
  setBid,
  start
} from "../decide/Example.js"

const roubles = fc.integer({ min: 50, max: 900 }).map(rub)
const by = fc.oneof(
  fc.integer({ min: 1, max: 5000 }).map((basisPoints) => ({ _tag: "Percent" as const, basisPoints })),
  fc.integer({ min: 1, max: 9 }).map((steps) => ({ _tag: "Steps" as const, steps }))
)
const bidAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ by, cap: roubles }).map(raiseBid),
  fc.record({ by, floor: roubles }).map(lowerBid),
  fc.record({ to: roubles, cap: roubles }).map(setBid),
  fc
    .record({
      to: roubles,
      cap: roubles,
      floor: roubles,
      maxStepBasisPoints: fc.integer({ min: 1, max: 5000 })
    })
    .map(setBid)
)
const anyAction = fc.oneof(
  { weight: 4, arbitrary: bidAction },
  { weight: 1, arbitrary: fc.constantFrom(addMinus(12), removeMinus) }
)
const statusAction = fc.constantFrom(pause, start)

const limits = fc.record(
  {
    movePerDayBasisPoints: fc.integer({ min: 0, max: 5000 }),
    changesPerRun: fc.integer({ min: 0, max: 6 }),
    shareOfScopeBasisPoints: fc.integer({ min: 1000, max: 10_000 })
  },
  { requiredKeys: [] }
)
const mode = fc.constantFrom("apply" as const, "preview" as const)
const when = fc.integer({ min: 0, max: 6 }).map((n) => [Example.ordersAtLeast(n)])

const tier = fc.constantFrom(...tiers)
/** More rules below the first; the first that matches acts. */
const below = fc.array(fc.record({ when, action: anyAction }), { maxLength: 3 })

const policies = (withLimits = limits): fc.Arbitrary<ReadonlyArray<Policy>> =>
  fc
    .array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            action: anyAction,
            each: fc.constant("cluster" as const),
            when,
            mode,
            tier,
            below,
            limits: withLimits
          })
        },
        {
          weight: 1,
          arbitrary: fc.record({
            action: statusAction,
            each: fc.constant("campaign" as const),
            when: fc.constant([]),
            mode,
            tier,
            below: fc.constant([]),
            limits: withLimits
          })
        }
      ),
      { minLength: 1, maxLength: 4 }
    )
    .map((all) =>
      all.map(({ action, below: rest, ...more }, index) => {
        const made = policy(`0${index}`, action, more)
        return { ...made, rules: [...made.rules, ...rest] }
      })
    )

const facts = fc.record(
  {
    "cluster.bid": fc.option(fc.integer({ min: 1, max: 90_000 }), { nil: undefined }),
    "cluster.in_minus": fc.option(fc.boolean(), { nil: undefined }),
    "cluster.orders@7d": fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
    "cluster.spend@7d": fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined })
  },
  { requiredKeys: [] }
)
const shared = fc.record(
  {
    "campaign_item.min_bid": fc.option(fc.integer({ min: 1, max: 40_000 }), { nil: undefined }),
    "campaign.status": fc.constantFrom("ready", "active", "paused", "completed", undefined),
    "campaign.payment": fc.constantFrom("cpm", "cpm", "cpc", undefined),
    "account.bid_step.cpm": fc.constantFrom(100, 500, undefined)
  },
  { requiredKeys: [] }
)
const rows = fc.tuple(fc.array(facts, { minLength: 1, maxLength: 8 }), shared).map(([all, common]) =>
  all.map((own, index) => ({
    target: Example.target(1 + (index % 2), 1, `кеды ${index}`),
    facts: { ...own, ...common }
  }))
)
const situation = fc.record({ rows, policies: policies() })

/** Facts as they are once changes have been made. */
const applied = (
  before: ReadonlyArray<Example.Row>,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Example.Row> =>
  before.map((row) => {
    const changed: Record<string, number | string | boolean> = {}
    let phrases = Number(row.facts?.["campaign_item.minus.count"] ?? 10)
    for (const change of changes) {
      if (change.subject.campaignId !== row.target.campaignId) continue
      if (change.kind === "minus_phrase") phrases += change.after === true ? 1 : -1
      if (change.kind === "campaign_status") changed["campaign.status"] = change.after
      else if (change.subject.cluster !== row.target.cluster) continue
      else changed[change.kind === "minus_phrase" ? "cluster.in_minus" : "cluster.bid"] = change.after
      if (change.action === "add_minus") changed["cluster.state"] = "excluded"
    }
    changed["campaign_item.minus.count"] = phrases
    return { target: row.target, facts: { ...row.facts, ...changed } }
  })

describe("a plan", () => {
  it("has the same bytes whatever the order of rows and policies, and another time changes no id", () => {
    const input = situation.chain((one) =>
      fc.record({
        one: fc.constant(one),
        rows: fc.shuffledSubarray([...one.rows], { minLength: one.rows.length }),
        policies: fc.shuffledSubarray([...one.policies], { minLength: one.policies.length })
      })
    )
    fc.assert(
      fc.property(input, ({ one, rows: shuffledRows, policies: shuffledPolicies }) => {
        const made = Example.plan(one)
        const inputs = Example.input({ rows: shuffledRows, policies: shuffledPolicies })
        const again = Decide.plan({ ...inputs, gathered: inputs.gathered.toReversed() })
        assert.strictEqual(JSON.stringify(again), JSON.stringify(made))
        assert.strictEqual(Example.plan({ ...one, nowMs: Example.now + 1000 }).id, made.id)
      }),
      { numRuns: Depth.cases(300) }
    )
  })

  it("changes each slot at most once, and only where every condition is true", () => {
    fc.assert(
      fc.property(situation, (one) => {
        const { changes } = Example.plan(one)
        assert.strictEqual(new Set(changes.map(Kinds.slotOf)).size, changes.length)
        assert.strictEqual(new Set(changes.map((change) => change.id)).size, changes.length)
        for (const change of changes) {
          assert.isTrue(change.reason.every((line) => line.holds === "true"))
          assert.notStrictEqual(change.before, change.after)
        }
      }),
      { numRuns: Depth.cases(500) }
    )
  })

  it("never acts on a fact that is unknown", () => {
    const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
      raise_bid: [
        "cluster.bid",
        "cluster.orders@7d",
        "campaign.payment",
        "campaign.bid_type",
        "campaign.status"
      ],
      lower_bid: ["cluster.bid", "cluster.orders@7d", "campaign.payment", "campaign_item.min_bid"],
      set_bid: ["cluster.bid", "cluster.orders@7d", "campaign.payment", "campaign_item.min_bid"],
      add_minus: ["cluster.in_minus", "cluster.orders@7d", "campaign_item.minus.count"],
      remove_minus: ["cluster.in_minus", "cluster.orders@7d"],
      pause: ["campaign.status"],
      start: ["campaign.status"]
    }
    fc.assert(
      fc.property(situation, fc.nat(), (one, pick) => {
        for (const change of Example.plan(one).changes) {
          const names = needed[change.action]!
          const blinded = { [names[pick % names.length]!]: undefined }
          const blind = one.rows.map((row) => ({ ...row, facts: { ...row.facts, ...blinded } }))
          const still = Example.plan({ ...one, rows: blind }).changes
          assert.isUndefined(
            still.find((other) => other.origin.name === change.origin.name && other.action === change.action)
          )
        }
      }),
      { numRuns: Depth.cases(300) }
    )
  })

  it("of the plan is empty: right after it was applied nothing is left to do", () => {
    const free = policies(fc.constant({}))
    fc.assert(
      fc.property(rows, free, (before, own) => {
        const made = Example.plan({ rows: before, policies: own })
        const applying = (plan: Plan) =>
          plan.changes.filter((change) =>
            own.some((one) => one.id === change.origin.name && one.mode === "apply")
          )
        const first = applying(made)
        const second = Example.plan({
          rows: applied(before, first),
          policies: own,
          slots: first.map((change) => ({ slot: Kinds.slotOf(change), lastAppliedAt: Example.now })),
          nowMs: Example.now + 5 * 60_000
        })
        assert.deepStrictEqual(applying(second), [])
      }),
      { numRuns: Depth.cases(500) }
    )
  })

  it("settles: with constant statistics and no waiting no slot swings for ever", () => {
    const free = policies(fc.constant({}))
    fc.assert(
      fc.property(rows, free, (before, own) => {
        let facts: ReadonlyArray<Example.Row> = before
        for (let run = 0; run < 1000; run++) {
          const made = Example.plan({ rows: facts, policies: own })
          const applying = made.changes.filter((change) =>
            own.some((one) => one.id === change.origin.name && one.mode === "apply")
          )
          if (applying.length === 0) return
          facts = applied(facts, applying)
        }
        assert.fail("still changing after a thousand runs")
      }),
      { numRuns: 40 }
    )
  }, 60_000)
})

describe("a review", () => {
  it("never lets more through than any limit allows, and loses nothing", () => {
    const account = fc.record(
      {
        changesPerRun: fc.integer({ min: 0, max: 8 }),
        shareOfScopeBasisPoints: fc.integer({ min: 0, max: 10_000 })
      },
      { requiredKeys: [] }
    )
    fc.assert(
      fc.property(situation, account, (one, accountLimits) => {
        const made = Example.plan(one)
        const reviewed = Review.review(made, {
          rules: Example.rules(one.policies, accountLimits),
          ...Example.around,
          campaigns: Example.campaigns(one.rows)
        })
        const { changes, held, unchanged } = reviewed.plan
        const pointless = unchanged.length - made.unchanged.length
        assert.strictEqual(changes.length + held.length + pointless, made.changes.length)
        assert.isAtMost(changes.length, accountLimits.changesPerRun ?? changes.length)
        for (const own of one.policies) {
          const count = changes.filter((change) => change.origin.name === own.id).length
          const scope = made.policies.find((summary) => summary.id === own.id)?.rowsInScope ?? 0
          const shares = [accountLimits.shareOfScopeBasisPoints, own.limits.shareOfScopeBasisPoints]
          assert.isAtMost(count, own.limits.changesPerRun ?? count)
          for (const share of shares) if (share !== undefined) assert.isAtMost(count * 10_000, share * scope)
        }
      }),
      { numRuns: Depth.cases(500) }
    )
  })
})

describe("matching", () => {
  it("never matches a row and leaves it undecided at once", () => {
    fc.assert(
      fc.property(rows, when, (all, clauses) => {
        const found = Example.matched(
          policy("01", raiseBid(), { when: clauses }),
          Example.table("cluster", all)
        )
        const open = new Set(found.rules.flatMap(({ undecided }) => [...undecided.rows]))
        assert.isFalse(found.rules.some(({ matched }) => matched.some((row) => open.has(row))))
      })
    )
  })
})
