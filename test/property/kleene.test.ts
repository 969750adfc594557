import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Reason from "../../src/domain/Reason.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Confidence from "../../src/engine/facts/Confidence.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { CompareOp, Condition, Expr } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import { compare, fact, literal, target } from "../decide/Example.js"
import * as Interpreter from "./Interpreter.js"
import * as Random from "./Random.js"
import * as Truth from "./Truth.js"

const reason = fc.constantFrom(...Reason.reasons.slice(1)).map((word) => Cells.unknown(word as Reason.Reason))
const orUnknown = (value: fc.Arbitrary<number | string | boolean>): fc.Arbitrary<Cell> =>
  fc.oneof({ weight: 3, arbitrary: value.map(Cells.known) }, { weight: 1, arbitrary: reason })
const small = orUnknown(fc.integer({ min: 0, max: 4 }))

const keys = [
  "campaign_item.bid",
  "cluster.bid",
  "cluster.avg_pos",
  "campaign.budget",
  "cluster.in_minus"
] as const
const row = fc.record({
  campaignId: fc.integer({ min: 1, max: 3 }),
  itemId: fc.integer({ min: 1, max: 3 }),
  numbers: fc.tuple(small, small, small, small, orUnknown(fc.boolean())),
  query: orUnknown(fc.constantFrom("кеды", "боты", "белые кеды", ""))
})

const tableOf = (rows: ReadonlyArray<typeof row extends fc.Arbitrary<infer A> ? A : never>): Table.Table => {
  const table = Table.make("cluster")
  rows.forEach(({ campaignId, itemId, numbers, query }, index) => {
    const number = table.add(target(campaignId, itemId, `${index}`))
    for (const [at, key] of keys.entries()) table.set(number, key, numbers[at]!)
    table.set(number, "cluster.query", query)
  })
  return table
}

const leafExpr: fc.Arbitrary<Expr> = fc.oneof(
  fc.constantFrom(...keys, "campaign_item.min_bid").map((id) => fact(id)),
  fc.integer({ min: 0, max: 4 }).map((n) => literal(n, FactType.count))
)
const expr: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 3, arbitrary: leafExpr },
  { weight: 1, arbitrary: Random.arithmetic(leafExpr, leafExpr) },
  { weight: 1, arbitrary: Random.orDefault(leafExpr, leafExpr) },
  { weight: 1, arbitrary: Random.extreme(leafExpr, leafExpr) },
  { weight: 1, arbitrary: Random.figure(leafExpr, leafExpr) }
)
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(expr, Random.op, expr).map(([left, o, right]) => compare(left, o, right)),
  Random.between(expr),
  Random.among(expr, expr),
  fc.constant<Condition>({ _tag: "IsTrue", value: fact("cluster.in_minus") }),
  Random.known(expr),
  fc.constant<Condition>({ _tag: "IsKnown", value: fact("cluster.query") }),
  Random.confident(leafExpr),
  Random.op.map((o) => {
    const value = fact("cluster.query")
    const fallback = literal("кеды", FactType.text)
    return compare(
      { _tag: "Default", type: FactType.text, value, fallback },
      o,
      literal("боты", FactType.text)
    )
  }),
  fc.constant<Condition>({ _tag: "Contains", value: fact("cluster.query"), words: ["КЕД"] }),
  fc.constant<Condition>({ _tag: "Matches", value: fact("cluster.query"), pattern: "*ы" }),
  Random.op.map((o) => compare(fact("cluster.query"), o, literal("боты", FactType.text)))
)
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie("condition"), { maxLength: 3 }).map((all): Condition => ({ _tag: "And", all })),
    fc.array(tie("condition"), { maxLength: 3 }).map((any): Condition => ({ _tag: "Or", any })),
    tie("condition").map((inner): Condition => ({ _tag: "Not", condition: inner }))
  )
}))

const answer = (truth: boolean): Kleene.Answer => ({ truth: truth ? Kleene.True : Kleene.False, reason: 0 })
const unknown = (why: Reason.Reason): Kleene.Answer => ({ truth: Kleene.Unknown, reason: Reason.code(why) })

/** The meaning of a condition for one row, written down without columns. */
const meaning = (asked: Condition, table: Table.Table, at: number): Kleene.Answer => {
  const value = (of: Expr) => Evaluate.value(of, table, at)
  const test = (cells: ReadonlyArray<Cell>, holds: (values: ReadonlyArray<number | string>) => boolean) => {
    for (const cell of cells) if (cell._tag === "Unknown") return unknown(cell.reason)
    const raw = cells.map((cell) => (cell._tag === "Known" ? cell.value : 0))
    return answer(holds(raw.map((v) => (typeof v === "boolean" ? Number(v) : v))))
  }
  switch (asked._tag) {
    case "Compare":
      return test([value(asked.left), value(asked.right)], ([a, b]) =>
        order(asked.op, ...Interpreter.asCompared([asked.left, asked.right], a!, b!))
      )
    case "Between":
      return Truth.and(
        meaning(compare(asked.low, "<=", asked.value), table, at),
        meaning(compare(asked.value, "<=", asked.high), table, at)
      )
    case "In":
      return asked.options
        .map((option) => meaning(compare(asked.value, "=", option), table, at))
        .reduce(Truth.or, answer(false))
    case "IsTrue":
      return test([value(asked.value)], ([a]) => a !== 0)
    case "HasLabel":
    case "Contains":
      return test([value(asked.value)], ([a]) => String(a).includes("кед"))
    case "Matches":
      return test([value(asked.value)], ([a]) => String(a).endsWith("ы"))
    case "IsKnown": {
      const { truth, reason: why } = test([value(asked.value)], () => true)
      return truth === Kleene.Unknown &&
        /absent|zeroOverZero|notApplicable|unlisted/.test(Reason.fromCode(why) ?? "")
        ? answer(false)
        : { truth, reason: why }
    }
    case "Confident":
      return test([value(asked.hits), value(asked.trials)], ([hits, trials]) =>
        Confidence.of(asked).holds(Number(hits), Number(trials), 0.3)
      )
    case "Quantified": {
      const below = table.below(table.each, asked.over)(at)
      const parts = below.map((one) => meaning(asked.condition, table.view(asked.over), one))
      if (parts.length === 0) return unknown("absent")
      return asked.quantifier === "all"
        ? parts.reduce(Truth.and, answer(true))
        : parts.reduce(Truth.or, answer(false))
    }
    case "And":
      return asked.all.map((part) => meaning(part, table, at)).reduce(Truth.and, answer(true))
    case "Or":
      return asked.any.map((part) => meaning(part, table, at)).reduce(Truth.or, answer(false))
    case "Not":
      return Truth.not(meaning(asked.condition, table, at))
  }
}

const order = (o: CompareOp, a: number | string, b: number | string): boolean =>
  ({ "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a === b, "!=": a !== b })[o]

describe("conditions over columns", () => {
  it("answer as they would for each row by itself, and an unknown answer has a reason", () => {
    fc.assert(
      fc.property(condition, fc.array(row, { minLength: 1, maxLength: 8 }), (asked, rows) => {
        const table = tableOf(rows)
        const { truth, reason: why } = Evaluate.condition(
          asked,
          table,
          rows.map((_, at) => at)
        )
        for (const at of rows.keys()) {
          assert.strictEqual(truth[at], meaning(asked, table, at).truth)
          assert.strictEqual(why[at] !== 0, truth[at] === Kleene.Unknown)
        }
      }),
      { numRuns: Depth.cases(2000) }
    )
  })

  it("answer the same in any order, alone, and across blocks", () => {
    const table = Table.make("cluster")
    const size = 5000
    for (let at = 0; at < size; at++) {
      table.add(target(1 + (at % 7), 1, `${at}`))
      table.set(at, "cluster.bid", at % 5 === 0 ? Cells.unknown("failed") : Cells.known(at % 11))
      table.set(at, "cluster.avg_pos", Cells.known(at % 3))
      table.set(at, "cluster.query", Cells.known(`кеды ${at % 100}`))
    }
    const asked: Condition = {
      _tag: "Or",
      any: [
        {
          _tag: "And",
          all: [
            compare(fact("cluster.bid"), "<", literal(5, FactType.count)),
            compare(fact("cluster.avg_pos"), "=", literal(1, FactType.count))
          ]
        },
        { _tag: "Contains", value: fact("cluster.query"), words: ["7"] }
      ]
    }
    const forward = Evaluate.condition(
      asked,
      table,
      Array.from({ length: size }, (_, at) => at)
    )
    const backward = Evaluate.condition(
      asked,
      table,
      Int32Array.from({ length: size }, (_, at) => size - 1 - at)
    )
    assert.deepStrictEqual(backward.truth.toReversed(), forward.truth)
    for (const at of [0, 1, 2047, 2048, 4999]) {
      assert.strictEqual(Evaluate.condition(asked, table, [at]).truth[0], forward.truth[at])
    }
  })

  it("reading what could not be read never turns a true into a false", () => {
    const unread = (cell: Cell) => cell._tag === "Unknown" && !Reason.isMissing(Reason.code(cell.reason))
    fc.assert(
      fc.property(condition, row, row, (asked, some, full) => {
        const filled = {
          ...some,
          numbers: some.numbers.map((cell, at) =>
            unread(cell) ? full.numbers[at]! : cell
          ) as typeof some.numbers,
          query: unread(some.query) ? full.query : some.query
        }
        const before = Evaluate.condition(asked, tableOf([some]), [0]).truth[0]
        const after = Evaluate.condition(asked, tableOf([filled]), [0]).truth[0]
        if (before !== Kleene.Unknown) assert.strictEqual(after, before)
      }),
      { numRuns: Depth.cases(2000) }
    )
  })
})
