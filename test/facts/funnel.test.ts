import { assert, describe, it } from "vitest"
import * as Funnel from "../../src/engine/facts/Funnel.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { Clause } from "../../src/engine/language/Policy.js"
import * as Example from "../decide/Example.js"
import { lowerBid, ordersAtLeast, policy, raiseBid } from "../decide/Example.js"

const table = Example.table(
  "cluster",
  [9, 4, 1, undefined].map((orders, index) => ({
    target: Example.target(index + 1, 1, `кеды ${index}`),
    facts: { "cluster.orders@7d": orders, "campaign.status": index === 1 ? undefined : "active" }
  }))
)
const statusIs = (status: string): Clause =>
  Example.clause(
    `campaign.status = ${status}`,
    Example.compare(Example.fact("campaign.status"), "=", Example.literal(status, { _tag: "Text" }))
  )
const funnel = (...whens: ReadonlyArray<ReadonlyArray<Clause>>) => ({
  ...policy("04", raiseBid()),
  rules: whens.map((when, index) => ({ when, action: index === 0 ? raiseBid() : lowerBid() }))
})
const decide = (one: ReturnType<typeof funnel>) => {
  const found = Match.policy(one, { table: () => table })
  return {
    matched: Funnel.matchedRows(found).map(({ row, rule }) => [row, rule]),
    undecided: Funnel.undecidedRows(found).map(({ row, rule, clause }) => [row, rule, clause.text])
  }
}

describe("a funnel", () => {
  it("gives each row to its first rule that is true, and stops at one that is unknown", () => {
    const all = ordersAtLeast(0)
    assert.deepStrictEqual(decide(funnel([ordersAtLeast(8)], [ordersAtLeast(3)], [all])), {
      matched: [
        [0, 0],
        [1, 1],
        [2, 2]
      ],
      undecided: [[3, 0, "orders >= 8"]]
    })
  })

  it("passes by an unknown condition when another one of its rule is false", () => {
    const found = decide(funnel([statusIs("paused"), ordersAtLeast(3)], [statusIs("active")]))
    assert.deepStrictEqual(found, {
      matched: [
        [0, 1],
        [2, 1],
        [3, 1]
      ],
      undecided: [[1, 0, "campaign.status = paused"]]
    })
  })

  it("leaves rows alone whose scope is unknown, unless no rule wants them", () => {
    const scoped = { ...funnel([ordersAtLeast(8)], [ordersAtLeast(3)]), where: [statusIs("active")] }
    assert.deepStrictEqual(decide(scoped), {
      matched: [[0, 0]],
      undecided: [
        [1, 1, "campaign.status = active"],
        [3, 0, "orders >= 8"]
      ]
    })
    const wantless = { ...funnel([ordersAtLeast(8)], [ordersAtLeast(7)]), where: [statusIs("active")] }
    assert.deepStrictEqual(decide(wantless).undecided, [[3, 0, "orders >= 8"]])
  })

  it("asks on only for rows whose rule is still open", () => {
    const first = { clauses: [ordersAtLeast(8)], complete: true }
    const rest = { clauses: [ordersAtLeast(3)], complete: false }
    assert.deepStrictEqual(Funnel.sift([first, rest], table, [0, 1, 2, 3]), { settled: [0], open: [1] })
    const later = { ...first, complete: false }
    assert.deepStrictEqual(Funnel.sift([later, rest], table, [0, 1, 2, 3]), { settled: [], open: [0, 1, 3] })
  })
})
