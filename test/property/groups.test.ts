/** Sums over a group of campaigns, from rows of every level, against the plain interpreter. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Window from "../../src/domain/Window.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { Condition, Expr } from "../../src/engine/language/Policy.js"
import { compare, fact, literal, target } from "../decide/Example.js"
import * as Cases from "./Cases.js"
import * as Interpreter from "./Interpreter.js"
import * as Random from "./Random.js"

const spend = fact("campaign.spend", Window.last(7))
const labels = fact("campaign.labels:labels")

const amount: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 1, 2, 5, Number.POSITIVE_INFINITY).map(Cells.known) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("absent", "failed", "notFetched").map((why) => Cells.unknown(why as "failed"))
  }
)
const label: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("", "a", "a, b", "ab").map(Cells.known) },
  { weight: 1, arbitrary: fc.constant(Cells.unknown("stale")) }
)
const campaigns = fc.array(fc.record({ amount, label, items: fc.integer({ min: 0, max: 2 }) }), {
  maxLength: 6
})
type Campaign = { readonly amount: Cell; readonly label: Cell; readonly items: number }

const tableOf = (all: ReadonlyArray<Campaign>, leftOut: boolean): Table.Table => {
  const table = Table.make("cluster")
  for (const [n, one] of all.entries()) {
    table.addKey(target(n + 1))
    for (let item = 1; item <= one.items; item++) table.add(target(n + 1, item, "кеды"))
    table.setFor(target(n + 1), "campaign.spend@7d", one.amount)
    table.setFor(target(n + 1), "campaign.labels:labels", one.label)
  }
  if (leftOut) table.leaveOut("failed")
  return table
}

const number = fc.constantFrom(0, 1, 3, 7)
const summed = fc.boolean().map(
  (withDefault): Expr => ({
    _tag: "Sum",
    type: FactType.money,
    at: "account",
    over: "campaign",
    of: withDefault
      ? { _tag: "Default", type: FactType.money, value: spend, fallback: literal(1, FactType.money) }
      : spend,
    where: { _tag: "HasLabel", value: labels, labels: ["a"] }
  })
)
const asked: fc.Arbitrary<Condition> = fc
  .tuple(summed, Random.op, number, fc.boolean(), fc.boolean())
  .map(([sum, op, bound, isTurned, isNegated]) => {
    const limit = literal(bound, FactType.money)
    const made = isTurned ? compare(limit, op, sum) : compare(sum, op, limit)
    return isNegated ? { _tag: "Not", condition: made } : made
  })
const levels = ["account", "campaign", "item", "campaign_item", "cluster"] as const

describe("the sum over a group", () => {
  it(
    "is that of the campaigns with the label, from whatever row, and no less than what is known of it",
    async () => {
      await Cases.check(
        fc.property(campaigns, asked, summed, fc.constantFrom(...levels), (all, condition, sum, level) => {
          const table = tableOf(all, false).view(level)
          const rows = table.rows.map((_, row) => row)
          const { reason, truth } = Evaluate.condition(condition, table, rows)
          for (const row of rows) {
            const wanted = Interpreter.answer(condition, table, row)
            assert.deepStrictEqual({ truth: truth[row], reason: reason[row] }, { ...wanted })
            assert.deepStrictEqual(Evaluate.value(sum, table, row), Interpreter.value(sum, table, row))
          }
        }),
        1500
      )
    },
    Cases.timeoutMs
  )

  it("is unknown while campaigns could not be read, but for what is known of it already", () => {
    const all: ReadonlyArray<Campaign> = [1, 2].map(() => ({
      amount: Cells.known(5),
      label: Cells.known("a"),
      items: 0
    }))
    const [below, above] = [9, 11].map((bound) => literal(bound, FactType.money))
    const table = tableOf(all, true).view("campaign")
    const sum: Expr = {
      _tag: "Sum",
      type: FactType.money,
      at: "account",
      over: "campaign",
      of: spend,
      where: { _tag: "HasLabel", value: labels, labels: ["a"] }
    }
    const truth = (asking: Condition) => Evaluate.condition(asking, table, [0]).truth[0]
    assert.deepStrictEqual(
      [
        compare(sum, ">=", below!),
        compare(sum, "<", below!),
        compare(sum, ">=", above!),
        compare(sum, "<", above!)
      ].map(truth),
      [1, 0, 2, 2]
    )
  })
})
