import { assert, describe, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Rejected from "../../src/engine/decide/limits/Rejected.js"
import * as Review from "../../src/engine/decide/Review.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import * as Example from "./Example.js"
import { lowerBid, pause, plan, policy, rub, setBid } from "./Example.js"

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
})
