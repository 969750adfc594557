import * as Either from "effect/Either"
import { assert, describe, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Permit from "../../src/engine/door/Permit.js"
import * as Funnel from "../../src/engine/facts/Funnel.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { AccountLimits, Policy } from "../../src/engine/language/Policy.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"
import { addMinus, around, campaigns, plan, policy, raiseBid, rules } from "./Example.js"

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    target: Example.target(777, 1001, `кеды ${index}`),
    facts: { "cluster.spend@7d": 7000 * ((index * 7) % count) }
  }))

const review = (policies: ReadonlyArray<Policy>, limits: Partial<AccountLimits> = {}, count = 5) =>
  Review.review(plan({ rows: rows(count), policies, limits }), {
    rules: rules(policies, limits),
    ...around,
    campaigns: campaigns(rows(count))
  })

const heldBy = (reviewed: Review.ReviewedPlan) =>
  Said.held(reviewed.plan.held).map(({ by, limit, over }) => ({ by, limit, over }))

const by = (name: string): Change["origin"] => ({ by: "policy", name, line: 3 })

describe("limits", () => {
  it("let everything through when nothing is over", () => {
    const reviewed = review([policy("01", raiseBid())])
    assert.deepStrictEqual(
      [reviewed.plan.changes.length, reviewed.appliable.length, reviewed.plan.held],
      [5, 5, []]
    )
  })

  it("changes_per_run keeps the bids with the largest spend and shows the others as held", () => {
    const reviewed = review([policy("01", raiseBid(), { limits: { changesPerRun: 2 } })])
    assert.deepStrictEqual(
      reviewed.plan.changes.map((change) => change.spendPerDayKopecks),
      [4000, 3000]
    )
    assert.deepStrictEqual(heldBy(reviewed)[0], {
      by: "changes_per_run",
      limit: "rules/01.yaml limits.changes_per_run 2",
      over: "5 changes, 3 over"
    })
    assert.deepStrictEqual(
      [reviewed.plan.held.length, reviewed.plan.summary.held, reviewed.plan.summary.changes],
      [3, 3, 2]
    )
  })

  it("changes_per_run lets overlays end, and bids come down to max_bid, before anything else moves", () => {
    const made = review([policy("01", raiseBid())]).plan
    const [ends, breaks, ...others] = made.changes.map((change, index) => ({
      ...change,
      spendPerDayKopecks: 1000 * index
    }))
    const ending = {
      ...ends!,
      origin: by("night"),
      action: "adjust_bid" as const,
      after: 30_000,
      details: {
        ...ends!.details,
        overlay: { policy: "night", basisPoints: 0, baseBeforeKopecks: 30_000, baseKopecks: 30_000 }
      }
    } as Change
    const lowering = { ...breaks!, origin: by("limits/max-bid"), action: "set_bid" as const, after: 30_000 }
    const policies = [
      policy("01", raiseBid()),
      policy("night", Example.lowerBid()),
      policy("limits/max-bid", Example.setBid(), { isOfLimits: true })
    ]
    const limits = { changesPerRun: 3 }
    const { plan: reviewed } = Review.review(
      { ...made, changes: [ending, lowering, ...others] },
      { rules: rules(policies, limits), ...around, campaigns: campaigns(rows(5)) }
    )
    assert.deepStrictEqual(
      reviewed.changes.map((change) => [change.origin.name, change.spendPerDayKopecks]),
      [
        ["night", 0],
        ["limits/max-bid", 1000],
        ["01", 4000]
      ]
    )
  })

  it("share_of_scope lets pass what a policy takes back: what it paused is not in its scope any more", () => {
    const policies = [policy("01", raiseBid(), { limits: { shareOfScopeBasisPoints: 1_000 } })]
    const made = plan({ rows: rows(5), policies })
    const undoes = { runId: "run", changeId: "change", policy: "01" }
    const back = { ...made, changes: made.changes.map((change) => ({ ...change, undoes })) }
    const went = (one: Plan) =>
      Review.review(one, { rules: rules(policies), ...around, campaigns: campaigns(rows(5)) }).plan.changes
        .length
    assert.deepStrictEqual([went(made), went(back)], [0, 5])
  })

  it("changes_per_run takes those that are applied at once before those that wait for a person", () => {
    const reviewed = review(
      [
        policy("01", raiseBid(), { mode: "approve", each: "cluster" }),
        policy("02", Example.lowerBid(), { each: "campaign_item", when: [] })
      ],
      { changesPerRun: 3 },
      3
    )
    assert.deepStrictEqual(
      reviewed.appliable.map((change) => change.origin.name),
      ["02"]
    )
  })

  it("changes_per_run holds all minus phrases of a policy that wants too many", () => {
    const reviewed = review([policy("02", addMinus(), { limits: { changesPerRun: 4 } })])
    assert.deepStrictEqual([reviewed.plan.changes.length, reviewed.plan.held.length], [0, 5])
  })

  it("changes_per_run adds the minus phrases that save most where the policy says worst_first, below the account's number too", () => {
    const limits = { changesPerRun: 4, excess: "worst_first" } as const
    const policies = [policy("02", addMinus(), { limits })]
    const made = plan({ rows: rows(5), policies })
    const spending = made.changes.map((change, i) => ({ ...change, spendPerDayKopecks: [3, 9, 1, 7, 5][i]! }))
    const went = (account: Partial<AccountLimits>) => {
      const { plan: reviewed } = Review.review(
        { ...made, changes: spending },
        { rules: rules(policies, account), ...around, campaigns: campaigns(rows(5)) }
      )
      return reviewed.changes.map(({ spendPerDayKopecks }) => spendPerDayKopecks)
    }
    assert.deepStrictEqual(
      [went({}), went({ changesPerRun: 2 })],
      [
        [3, 9, 7, 5],
        [9, 7]
      ]
    )
  })

  it("changes_per_run of the account spans all policies", () => {
    const noSpend = Example.compare(Example.fact("cluster.spend", Example.week), "=", Example.rub(0))
    const policies = [
      policy("01", raiseBid()),
      policy("02", addMinus(), { when: [Example.clause("spend = 0 ₽", noSpend)] })
    ]
    const reviewed = review(policies, { changesPerRun: 3 })
    const kinds = reviewed.plan.changes.map((change) => change.action)
    assert.deepStrictEqual(
      [
        kinds.filter((kind) => kind === "add_minus").length,
        kinds.filter((kind) => kind === "raise_bid").length
      ],
      [1, 2]
    )
  })

  it("changes_per_run of a campaign counts only campaigns that match, or may match", () => {
    const named = (name: string) =>
      Example.clause(
        `campaign.name = "${name}"`,
        Example.compare(Example.fact("campaign.name"), "=", Example.literal(name, { _tag: "Text" }))
      )
    const policies = [policy("01", raiseBid())]
    const matching = review(policies, { campaigns: [{ where: [named("Кеды")], changesPerRun: 1 }] })
    const other = review(policies, { campaigns: [{ where: [named("Боты")], changesPerRun: 1 }] })
    assert.deepStrictEqual([matching.plan.changes.length, other.plan.changes.length], [1, 5])
  })

  it("share_of_scope holds the whole policy", () => {
    const reviewed = review([policy("01", raiseBid())], { shareOfScopeBasisPoints: 2000 })
    assert.deepStrictEqual(heldBy(reviewed)[0], {
      by: "share_of_scope",
      limit: "_shared/limits.yaml account.share_of_scope 20%",
      over: "5 of 5 rows in scope would change, 1 may"
    })
    assert.strictEqual(reviewed.plan.held.length, 5)
  })

  it("share_of_scope with worst_first lets those go that spend most", () => {
    const lowered = (excess?: "worst_first") => [
      policy("01", Example.lowerBid(), {
        limits: { shareOfScopeBasisPoints: 4_000, ...(excess === undefined ? {} : { excess }) }
      })
    ]
    const went = (policies: ReadonlyArray<Policy>) => {
      const made = plan({ rows: rows(5), policies })
      const spending = made.changes.map((change, i) => ({
        ...change,
        spendPerDayKopecks: [3, 9, 1, 7, 5][i]!
      }))
      const { plan: reviewed } = Review.review(
        { ...made, changes: spending },
        { rules: rules(policies), ...around, campaigns: campaigns(rows(5)) }
      )
      return reviewed.changes.map(({ spendPerDayKopecks }) => spendPerDayKopecks)
    }
    assert.deepStrictEqual([went(lowered()), went(lowered("worst_first"))], [[], [9, 7]])
  })

  it("share_of_scope keeps no overlay from ending, though nothing is in scope then", () => {
    const during = { fromMinute: 20 * 60, toMinute: 22 * 60 }
    const adjust = {
      _tag: "AdjustBid",
      basisPoints: 2500,
      cap: Example.rub(900),
      placement: "search"
    } as const
    const boost = policy("boost", { ...adjust, span: Example.span }, { during })
    const overlay = { policy: "boost", basisPoints: 2500, baseKopecks: 32_000, afterKopecks: 40_000 }
    const limits = { shareOfScopeBasisPoints: 2000 }
    const made = plan({
      rows: rows(5),
      policies: [boost],
      limits,
      slots: rows(5).map((_, index) => ({ slot: `cluster_bid:777/1001/кеды ${index}`, overlay }))
    })
    const reviewed = Review.review(made, {
      rules: rules([boost], limits),
      ...around,
      campaigns: campaigns(rows(5))
    })
    assert.deepStrictEqual(
      [reviewed.plan.changes.map(({ after }) => after), reviewed.plan.held],
      [Array.from({ length: 5 }, () => 32_000), []]
    )
  })

  it("spend_per_day holds what is dearer while a campaign of the account could not be read", () => {
    const policies = [policy("01", raiseBid())]
    const limits = { spendPerDayKopecks: 900_000_000 as never }
    const made = plan({ rows: rows(1), policies, limits })
    const known = campaigns([{ target: Example.target(777), facts: { "campaign.spend@today": 0 } }])
    const heldWith = (campaignsUnread: number) =>
      Review.review(made, {
        rules: rules(policies, limits),
        ...around,
        campaigns: known,
        campaignsUnread
      }).plan.held.map(Said.over)
    assert.deepStrictEqual(heldWith(0), [])
    assert.deepStrictEqual(heldWith(1), ["today's spend is unknown: 1 campaign could not be read"])
    assert.deepStrictEqual(heldWith(3), ["today's spend is unknown: 3 campaigns could not be read"])
  })

  it("never_touch holds what matches, and what may match because nobody knows", () => {
    const policies = [policy("01", raiseBid())]
    const limits = {
      neverTouch: [
        Example.clause('campaign.name matches "TEST*"', {
          _tag: "Matches",
          value: Example.fact("campaign.name"),
          pattern: "test*"
        })
      ]
    }
    const made = plan({ rows: rows(1), policies, limits })
    const under = (facts: Example.Facts) =>
      Review.review(made, {
        rules: rules(policies, limits),
        ...around,
        campaigns: campaigns([{ target: Example.target(777), facts }])
      }).plan.held.map((held) => held.by)
    assert.deepStrictEqual(under({}), [])
    assert.deepStrictEqual(under({ "campaign.name": "TEST 1" }), ["never_touch"])
    assert.deepStrictEqual(under({ "campaign.name": undefined }), ["never_touch"])
    const nobody = { rules: rules(policies, limits), ...around, campaigns: campaigns([]) }
    assert.strictEqual(Review.review(made, nobody).plan.held.length, 1)
  })

  it("the kill switch holds everything", () => {
    const policies = [policy("01", raiseBid())]
    assert.strictEqual(review(policies, { killSwitch: true }).appliable.length, 0)
    const made = plan({ rows: rows(2), policies })
    const context = {
      rules: rules(policies),
      ...around,
      campaigns: campaigns(rows(2)),
      killSwitch: "file STOP exists"
    }
    assert.deepStrictEqual(
      Review.review(made, context).plan.held.map((held) => [held.by, Said.limit(held)]),
      [
        ["kill_switch", "file STOP exists"],
        ["kill_switch", "file STOP exists"]
      ]
    )
  })

  it("a bid above max_bid is held even if the clamps let it pass", () => {
    const policies = [policy("01", raiseBid())]
    const made = plan({ rows: rows(1), policies })
    const context = {
      rules: rules(policies, { maxBidKopecks: { cpm: Example.kopecks(43_000) } }),
      ...around,
      campaigns: campaigns(rows(1))
    }
    assert.deepStrictEqual(heldBy(Review.review(made, context)), [
      { by: "max_bid", limit: "_shared/limits.yaml account.max_bid.cpm 430 ₽", over: "440 ₽ is 10 ₽ over" }
    ])
  })

  it("changes of policies in preview are shown but cannot be applied", () => {
    const reviewed = review([policy("01", raiseBid(), { mode: "preview" })])
    assert.deepStrictEqual([reviewed.plan.changes.length, reviewed.appliable], [5, []])
  })

  it("reviewing twice is reviewing once", () => {
    const policies = [policy("01", raiseBid(), { limits: { changesPerRun: 2 } })]
    const once = review(policies)
    const twice = Review.review(once.plan, {
      rules: rules(policies),
      ...around,
      campaigns: campaigns(rows(5))
    })
    assert.deepStrictEqual(twice.plan, once.plan)
  })
})

describe("a saved plan", () => {
  const policies = [policy("01", raiseBid())]
  const saved = (): Plan => JSON.parse(JSON.stringify(review(policies).plan))
  const reload = (json: unknown, more: Partial<Review.ReloadContext> = {}) =>
    Either.merge(
      Either.map(
        Review.reload(json, {
          rules: rules(policies),
          ...around,
          campaigns: campaigns(rows(5)),
          account: "shop",
          nowMs: Example.now + 3_600_000,
          ...more
        }),
        (reviewed) => `ok ${reviewed.appliable.length}`
      )
    )

  it("comes back as it went", () => {
    assert.strictEqual(reload(saved()), "ok 5")
  })

  it("is refused when somebody edited it", () => {
    const plan = saved()
    const edited = { ...plan, changes: plan.changes.map((change) => ({ ...change, after: 44_900 })) }
    assert.match(
      reload(edited),
      /^The plan was changed after it was made.*bidhelm plan --out plan\.json --account shop makes a new one, bidhelm apply --account shop asks anew\.$/
    )
    assert.match(
      reload(edited, { accounts: 1 }),
      /bidhelm plan --out plan\.json makes a new one, bidhelm apply asks anew\.$/
    )
    assert.match(reload({ ...plan, more: 1 }), /^This is not a plan of version 2/)
    assert.match(reload({ ...plan, changes: plan.changes.slice(1) }), /^The plan was changed/)
    assert.match(reload({ ...plan, createdAt: "2026-09-02T09:00:00.000Z" }), /^The plan was changed/)
    assert.match(reload("nonsense"), /^This is not a plan of version 2/)
  })

  it("is refused for another account, when too old, from the future, or made by other rules", () => {
    assert.match(reload(saved(), { account: "other" }), /made for account "shop", not for "other"/)
    assert.match(reload(saved(), { nowMs: Example.now + 25 * 3_600_000 }), /older than 24 hours/)
    assert.match(reload(saved(), { nowMs: Example.now - 2 * 3_600_000 }), /from the future/)
    assert.match(
      reload(saved(), { rules: { ...rules(policies), hashes: { orders: "", others: "another" } } }),
      /rules have changed/
    )
  })

  it("meets the limits of today", () => {
    assert.strictEqual(reload(saved(), { killSwitch: "file STOP exists" }), "ok 0")
  })
})

describe("the one door", () => {
  const policies = [policy("01", raiseBid())]
  const by = { approvedBy: "Anna", account: AccountName("shop") }

  it("an approved plan permits exactly its changes", () => {
    const reviewed = review(policies)
    const permit = Permit.grant(Review.approve(reviewed, by))
    assert.deepStrictEqual(
      [permit.account, permit.planId, [...permit.changes]],
      ["shop", reviewed.plan.id, reviewed.appliable.map((change) => change.id)]
    )
  })

  it("a plan is not approved for another account", () => {
    assert.throws(() => Review.approve(review(policies), { ...by, account: AccountName("other") }), /"other"/)
  })

  it("a plan that was not reviewed, or not approved, does not compile", () => {
    const unguarded = () => {
      const bare = plan({ policies })
      // @ts-expect-error a plan must be reviewed before it is approved
      Review.approve(bare, by)
      // @ts-expect-error nor can the review be written by hand
      Review.approve({ plan: bare, appliable: bare.changes }, by)
      // @ts-expect-error a reviewed plan is not an approved one
      Permit.grant(review(policies))
    }
    assert.isFunction(unguarded)
  })
})

describe("matching", () => {
  it("counts scope by where, and blames the cheapest unknown", () => {
    const named = Example.clause(
      'campaign.name = "Кеды"',
      Example.compare(Example.fact("campaign.name"), "=", Example.literal("Кеды", { _tag: "Text" }))
    )
    const dear = Example.clause(
      "bid < recommended.reach_max",
      Example.compare(Example.fact("cluster.bid"), "<", Example.fact("cluster.recommended.reach_max"))
    )
    const one = policy("01", raiseBid(), { where: [named], when: [dear, Example.ordersAtLeast(3)] })
    const table = Example.table("cluster", [
      { target: Example.target(1, 1, "а"), facts: { "cluster.recommended.reach_max": 80_000 } },
      { target: Example.target(2, 1, "а"), facts: { "campaign.name": "Боты" } },
      { target: Example.target(3, 1, "а"), facts: { "cluster.orders@7d": undefined } }
    ])
    const found = Example.matched(one, table)
    assert.deepStrictEqual(
      [
        [...found.scope],
        Funnel.matchedRows(found).map(({ row }) => row),
        Funnel.undecidedRows(found).map(({ row, clause }) => [row, clause.text])
      ],
      [[0, 2], [0], [[2, "orders >= 3"]]]
    )
    assert.strictEqual(
      Decide.plan({ ...Example.input({ policies: [] }), gathered: [found] }).policies[0]?.rowsMatched,
      1
    )
  })
})
