import { assert, describe, it } from "vitest"
import { Roubles } from "../../src/domain/Money.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Agreeing from "../../src/engine/decide/limits/Agreeing.js"
import * as Limits from "../../src/engine/decide/limits/Limits.js"
import * as Rejected from "../../src/engine/decide/limits/Rejected.js"
import * as Risk from "../../src/engine/decide/limits/Risk.js"
import * as Review from "../../src/engine/decide/Review.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import * as Example from "./Example.js"
import { lowerBid, pause, plan, policy, raiseBid, rub, setBid } from "./Example.js"

const campaign = { each: "campaign", when: [] } as const

const reviewed = (policies: ReadonlyArray<Policy>, more: Partial<Review.ReviewContext> = {}) =>
  Review.review(Decide.draft(Example.input({ policies })), {
    rules: Example.rules(policies),
    ...Example.around,
    campaigns: Example.campaigns(),
    ...more
  })

const doneBy = ({ appliable, waiting }: Review.ReviewedPlan) => [
  appliable.map(({ origin }) => origin.name),
  waiting.map(({ change }) => change.origin.name)
]

describe("policies that want the very same", () => {
  it("are all named, and neither overrules the other", () => {
    const { changes } = plan({ policies: [policy("01", lowerBid()), policy("02", setBid({ to: rub(360) }))] })
    const [change] = changes
    assert.deepStrictEqual(
      [changes.length, change?.origin.name, change?.agreed, change?.overruled],
      [1, "01", ["02"], []]
    )
  })

  it("of a lower tier, or in preview, agree and stand in for nobody", () => {
    const ask = policy("01", pause, { ...campaign, mode: "approve" })
    for (const other of [{ tier: "explore" as const }, { mode: "preview" as const }]) {
      const made = reviewed([ask, policy("02", pause, { ...campaign, ...other })])
      assert.deepStrictEqual(doneBy(made), [[], ["01"]])
      assert.deepStrictEqual(made.plan.changes[0]?.agreed, ["02"])
    }
  })

  it("are done by one that asks nobody, though a person said no to one that asks", () => {
    const ask = policy("01", pause, { ...campaign, mode: "approve" })
    const stop = policy("03", pause, campaign)
    const change = Example.onlyChange(plan({ policies: [ask] }))
    const no = { by: "anna", why: undefined, until: Example.now + 1 }
    const rejected = new Map([[Rejected.keyOf(change), no]])
    assert.deepStrictEqual(doneBy(reviewed([ask, stop], { rejected })), [["03"], []])
    const other = policy("02", pause, { ...campaign, mode: "approve" })
    const held = reviewed([ask, other], { rejected })
    assert.deepStrictEqual(doneBy(held), [[], []])
    assert.deepStrictEqual(
      held.plan.held.map(({ by }) => by),
      ["rejected"]
    )
  })

  it("are asked for by the one that asks least", () => {
    const asks = { mode: "approve" as const }
    const ask = policy("01", lowerBid(), asks)
    const small = policy("02", lowerBid(), { ...asks, autoApprove: { bidChangeBasisPoints: 2_000 } })
    assert.deepStrictEqual(doneBy(reviewed([ask, small])), [[], ["02"]])
  })

  it("leave no trace of who else stood by in a plan", () => {
    const draft = Decide.draft(
      Example.input({ policies: [policy("01", pause, campaign), policy("02", pause, campaign)] })
    )
    assert.strictEqual(draft.equals?.length, 1)
    assert.notProperty(
      reviewed([policy("01", pause, campaign), policy("02", pause, campaign)]).plan,
      "equals"
    )
  })

  it("let no sum of auto_approve grow by doing part of it in another's name", () => {
    const auto = { bidChangeBasisPoints: 5_000, moneyPerDayKopecks: Example.kopecks(25_000) }
    const asks = policy("01", raiseBid(), { mode: "approve", autoApprove: auto })
    const made = reviewed([asks])
    const one = Example.onlyChange(made.plan)
    const bases = { approved: new Map<string, number>(), weekAgo: new Map<string, number>() }
    const tiers = (agreed: Partial<Change>) => {
      const own = { ...one, moneyPerDayKopecks: 10_000 } as Change
      const others = { ...one, origin: { ...one.origin, name: "02" }, agreed: ["01"], ...agreed } as Change
      const waiting = [{ change: own, auto }]
      return Risk.assess(waiting, bases, "RUB", [own, others]).map(({ tier }) => tier)
    }
    assert.deepStrictEqual(tiers({ moneyPerDayKopecks: 15_000 }), ["small"])
    assert.deepStrictEqual(tiers({ moneyPerDayKopecks: 15_001 }), ["notable"])
    assert.deepStrictEqual(tiers({ moneyPerDayKopecks: { unknown: "no views" } }), ["notable"])
    assert.deepStrictEqual(tiers({ moneyPerDayKopecks: 15_001, agreed: ["03"] }), ["small"])
  })

  it("take nothing out of a budget of optimise: where its saving is done by nobody of it, what it would pay for has no room", () => {
    const outlook = (spendKopecks: number) => ({ views: 0, orders: 0, spendKopecks, profitKopecks: 0 })
    const one = Example.onlyChange(plan({ policies: [policy("01", raiseBid())] }))
    const optimised = (id: string, cluster: string, moreKopecks: number) =>
      ({
        ...one,
        id,
        subject: { ...one.subject, cluster },
        details: {
          optimised: {
            before: outlook(100_000),
            after: outlook(100_000 + moreKopecks),
            budget: { of: "account", dailyKopecks: 100_000, spendKopecks: 100_000 }
          }
        }
      }) as unknown as Change
    const [saver, raise] = [optimised("s", "a", -50_000), optimised("r", "b", 50_000)]
    const equal = { ...saver, origin: { ...saver.origin, name: "02" }, details: {} } as unknown as Change
    const goes = (
      mode: "apply" | "approve",
      other: "apply" | "approve",
      rejected: ReadonlyMap<string, Rejected.Rejection> = new Map()
    ) => {
      const policies = [policy("01", raiseBid(), { mode }), policy("02", lowerBid(), { mode: other })]
      const draft = Decide.draft(Example.input({ policies }))
      return Limits.sort(
        { ...draft, changes: [raise, saver], equals: [equal], held: [] },
        { rules: Example.rules(policies), ...Example.around, campaigns: Example.campaigns(), rejected }
      ).changes.map(({ id, origin }) => `${id} ${origin.name}`)
    }
    for (const both of ["apply", "approve"] as const)
      assert.sameMembers([...goes(both, both)], ["s 01", "r 01"])
    // What only waits takes no saving from the one that asks nobody.
    assert.sameMembers([...goes("approve", "apply")], ["s 02"])
    assert.sameMembers([...goes("apply", "approve")], ["s 01", "r 01"])
    const no = { by: "anna", why: undefined, until: Example.now + 1 }
    assert.sameMembers([...goes("approve", "apply", new Map([[Rejected.keyOf(saver), no]]))], ["s 02"])
  })

  it("cost what the one that knows most says, whoever does it, in a saved plan too", () => {
    const policies = [policy("01", raiseBid(), { when: [] }), policy("02", raiseBid(), { mode: "approve" })]
    const rules = Example.rules(policies, { spendPerDayKopecks: Example.kopecks(100) })
    const campaigns = Example.campaigns([{ ...Example.oneRow[0]!, facts: { "campaign.spend@today": 0 } }])
    const { plan: made } = reviewed(policies, { rules, campaigns })
    assert.deepStrictEqual(
      made.held.map(({ because, change }) => [change.origin.name, because.code]),
      [["01", "spend_per_day"]]
    )
    const { plan: free } = reviewed(policies)
    assert.strictEqual(free.changes[0]?.origin.name, "01")
    const again = Review.review(free, { rules, ...Example.around, campaigns })
    assert.deepStrictEqual(
      again.plan.held.map(({ by }) => by),
      ["spend_per_day"]
    )
  })

  it("cost what one of a lower tier knows, and no more for one in preview, which bends nothing", () => {
    const made = (other: Partial<Policy>) => {
      const policies = [policy("01", raiseBid(), { when: [] }), policy("02", raiseBid(), other)]
      const rules = Example.rules(policies, { spendPerDayKopecks: Example.kopecks(100) })
      const campaigns = Example.campaigns([{ ...Example.oneRow[0]!, facts: { "campaign.spend@today": 0 } }])
      const { plan: free } = reviewed(policies)
      const { held } = reviewed(policies, { rules, campaigns }).plan
      return [
        free.changes[0]?.origin.name,
        typeof free.changes[0]?.moneyPerDayKopecks,
        held.map(({ by }) => by)
      ]
    }
    assert.deepStrictEqual(made({ tier: "explore" }), ["01", "number", ["spend_per_day"]])
    assert.deepStrictEqual(made({ mode: "preview" }), ["01", "object", []])
  })

  it("overtake in the name of the one that does it", () => {
    const deposit = {
      _tag: "Deposit" as const,
      amountRoubles: Roubles(1_000),
      from: "balance" as const,
      span: Example.span
    }
    const rows = [
      { target: Example.target(777), facts: { "campaign.budget": 50_000, "account.balance": 10_000_000 } }
    ]
    const policies = [
      policy("01", pause, campaign),
      policy("02", pause, { ...campaign, mode: "approve" }),
      policy("03", deposit, campaign)
    ]
    const { plan: made } = Review.review(Decide.draft(Example.input({ policies, rows })), {
      rules: Example.rules(policies),
      ...Example.around,
      campaigns: Example.campaigns(rows)
    })
    assert.deepStrictEqual(
      made.unchanged.map(({ because, policy: of }) => [of, because.code === "overtaken" && because.by]),
      [["03", "01"]]
    )
  })

  it("take back in the name of whose policy remembers it, where that asks nobody", () => {
    const auto = { bidChangeBasisPoints: 2_000 }
    const policies = [
      policy("01", lowerBid(), { mode: "approve", autoApprove: auto }),
      policy("02", lowerBid())
    ]
    const one = Example.onlyChange(plan({ policies: [policies[1]!] }))
    const back = {
      ...one,
      origin: { ...one.origin, name: "01" },
      undoes: { runId: "run", changeId: "x", policy: "01" }
    } as Change
    const { chosen } = Agreeing.of({ equals: [back] }, [one, back], new Map(), Example.rules(policies))
    assert.deepStrictEqual(
      chosen.map(({ origin }) => origin.name),
      ["01"]
    )
  })
})
