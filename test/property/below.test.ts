import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Reason from "../../src/domain/Reason.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { Condition, Expr } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import { compare, fact, literal, target } from "../decide/Example.js"
import * as Truth from "./Truth.js"

const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }).map(Cells.known) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...Reason.reasons.slice(1)).map((word) => Cells.unknown(word as Reason.Reason))
  }
)
const pairs = fc.array(
  fc.record({
    campaign: fc.integer({ min: 1, max: 4 }),
    item: fc.integer({ min: 1, max: 4 }),
    bid: cell,
    stock: cell
  }),
  { maxLength: 30 }
)
type Pair = typeof pairs extends fc.Arbitrary<ReadonlyArray<infer A>> ? A : never

const tableOf = (all: ReadonlyArray<Pair>, extra: number): Table.Table => {
  const table = Table.make("campaign_item")
  for (const { bid, campaign, item, stock } of all) {
    const row = table.add(target(campaign, item))
    table.set(row, "campaign_item.bid", bid)
    table.set(row, "item.stock", stock)
  }
  // Campaigns of which no item is known.
  for (let n = 0; n < extra; n++) table.addKey(target(10 + n))
  return table
}

const inner = fc
  .tuple(fc.constantFrom("campaign_item.bid", "item.stock"), fc.integer({ min: 0, max: 3 }), fc.boolean())
  .map(([id, limit, negated]): Condition => {
    const made = compare(fact(id), "<", literal(limit, FactType.number))
    return negated ? { _tag: "Not", condition: made } : made
  })
const each = fc.constantFrom("campaign" as const, "item" as const, "account" as const)

const known = (truth: boolean): Kleene.Answer => ({ truth: truth ? Kleene.True : Kleene.False, reason: 0 })
const absent: Kleene.Answer = { truth: Kleene.Unknown, reason: Reason.code("absent") }

/** One row below after the other. */
const meaning = (
  quantifier: "all" | "any",
  asked: Condition,
  below: ReadonlyArray<number>,
  finer: Table.Table
): Kleene.Answer => {
  const parts = below.map((row): Kleene.Answer => {
    const { reason, truth } = Evaluate.condition(asked, finer, [row])
    return { truth: truth[0] as Kleene.Truth, reason: reason[0]! }
  })
  if (parts.length === 0) return absent
  return quantifier === "all" ? parts.reduce(Truth.and, known(true)) : parts.reduce(Truth.or, known(false))
}

const over = { campaign: "campaign_item", item: "campaign_item", account: "campaign" } as const

describe("conditions about the rows below", () => {
  it("are the conditions of those rows joined by and, or by or; over none they are absent", () => {
    fc.assert(
      fc.property(
        pairs,
        fc.integer({ min: 0, max: 2 }),
        inner,
        fc.constantFrom("all" as const, "any" as const),
        each,
        (all, extra, condition, quantifier, level) => {
          const table = tableOf(all, extra).view(level)
          const asked: Condition =
            level === "account"
              ? // Two levels down: any campaign of which the items are so.
                {
                  _tag: "Quantified",
                  quantifier: "any",
                  over: "campaign",
                  condition: { _tag: "Quantified", quantifier, over: "campaign_item", condition }
                }
              : { _tag: "Quantified", quantifier, over: over[level], condition }
          const rows = table.rows.map((_, row) => row)
          const { reason, truth } = Evaluate.condition(asked, table, rows)
          for (const row of rows) {
            const items = table.view("campaign_item")
            const below = items.rowsUnder(table.rows[row]!)
            const wanted =
              level === "account"
                ? [...table.view("campaign").rows]
                    .map((one) => meaning(quantifier, condition, items.rowsUnder(one), items))
                    .reduce(
                      (a, b) => Truth.or(a, b),
                      table.view("campaign").size === 0 ? absent : known(false)
                    )
                : meaning(quantifier, condition, below, items)
            assert.deepStrictEqual({ truth: truth[row], reason: reason[row] }, wanted)
          }
        }
      ),
      { numRuns: Depth.cases(1500) }
    )
  })

  it("sum up what is known of all rows, from whatever row below one looks", () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom("campaign" as const, "item" as const), (all, at) => {
        const items = tableOf(all, 1)
        const sum: Expr = {
          _tag: "Sum",
          type: FactType.number,
          at,
          over: "campaign_item",
          of: fact("campaign_item.bid")
        }
        for (const level of ["campaign_item", at] as const) {
          const table = items.view(level)
          for (const [row, one] of table.rows.entries()) {
            const owner = at === "item" ? { itemId: one.itemId! } : { campaignId: one.campaignId! }
            const cells = items.rowsUnder(owner).map((below) => items.get(below, "campaign_item.bid"))
            const unknown = cells.filter((found) => found._tag === "Unknown")
            const missing = unknown.find(({ reason }) => !Reason.isMissing(Reason.code(reason))) ?? unknown[0]
            const total = cells.reduce(
              (so, found) => so + (found._tag === "Known" ? Number(found.value) : 0),
              0
            )
            const wanted = missing ?? (cells.length === 0 ? Cells.unknown("absent") : Cells.known(total))
            assert.deepStrictEqual(Evaluate.value(sum, table, row), wanted)
            // The kernels agree: it is at most its own value, and unknown for the same reason.
            const atMost = compare(sum, "<=", literal(total, FactType.number))
            const { reason, truth } = Evaluate.condition(atMost, table, [row])
            assert.strictEqual(truth[0], wanted._tag === "Known" ? Kleene.True : Kleene.Unknown)
            assert.strictEqual(reason[0], wanted._tag === "Known" ? 0 : Reason.code(wanted.reason))
          }
        }
      }),
      { numRuns: Depth.cases(500) }
    )
  })

  it("answer the same for more rows below than are asked at once", () => {
    const table = Table.make("campaign_item")
    for (let n = 0; n < 3000; n++) {
      const row = table.add(target(1 + (n % 3), n + 1))
      table.set(row, "campaign_item.bid", Cells.known(n === 2999 ? 9 : 1))
    }
    const campaigns = table.view("campaign")
    const ask = (quantifier: "all" | "any") =>
      Array.from(
        Evaluate.condition(
          {
            _tag: "Quantified",
            quantifier,
            over: "campaign_item",
            condition: compare(fact("campaign_item.bid"), "<", literal(5, FactType.number))
          },
          campaigns,
          [2, 0, 1]
        ).truth
      )
    assert.deepStrictEqual(ask("all"), [Kleene.False, Kleene.True, Kleene.True])
    assert.deepStrictEqual(ask("any"), [Kleene.True, Kleene.True, Kleene.True])
  })
})
