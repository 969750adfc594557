import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Reason from "../../src/domain/Reason.js"
import * as Window from "../../src/domain/Window.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Sift from "../../src/engine/facts/kernels/Sift.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { Clause, Condition, Expr } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import { clause, compare, fact, literal, target } from "../decide/Example.js"
import * as Interpreter from "./Interpreter.js"
import * as Random from "./Random.js"

const week = Window.last(7)
const numbers = ["campaign.budget", "campaign_item.bid", "cluster.bid", "cluster.orders@7d"] as const
const texts = ["campaign.name", "cluster.query"] as const

const unknown = fc
  .constantFrom(...Reason.reasons.slice(1))
  .map((word) => Cells.unknown(word as Reason.Reason))
const maybe = <A extends number | string | boolean>(value: fc.Arbitrary<A>, weight: number) =>
  fc.oneof({ weight: 6, arbitrary: value.map((known) => Cells.known(known)) }, { weight, arbitrary: unknown })
const text = fc.constantFrom("кеды", "белые кеды", "боты", "")
const amount = fc.constantFrom(-1, 0, 1, 2, 3, 4, Number.POSITIVE_INFINITY)

/** With weight 0 every fact is known: the loops for complete columns are others than those for gaps. */
const rows = fc.constantFrom(0, 1, 6).chain((gaps) =>
  fc.array(
    fc.record({
      campaignId: fc.integer({ min: 1, max: 3 }),
      itemId: fc.integer({ min: 1, max: 2 }),
      numbers: fc.tuple(maybe(amount, gaps), maybe(amount, gaps), maybe(amount, gaps), maybe(amount, gaps)),
      texts: fc.tuple(maybe(text, gaps), maybe(text, gaps)),
      inMinus: maybe(fc.boolean(), gaps)
    }),
    { minLength: 1, maxLength: 90 }
  )
)
type Row = typeof rows extends fc.Arbitrary<ReadonlyArray<infer A>> ? A : never

const tableOf = (all: ReadonlyArray<Row>): Table.Table => {
  const table = Table.make("cluster")
  all.forEach((row, index) => {
    const number = table.add(target(row.campaignId, row.itemId, `${index}`))
    for (const [at, key] of numbers.entries()) table.set(number, key, row.numbers[at]!)
    for (const [at, key] of texts.entries()) table.set(number, key, row.texts[at]!)
    table.set(number, "cluster.in_minus", row.inMinus)
  })
  return table
}

const numberFact = fc.constantFrom(
  fact("campaign.budget"),
  fact("campaign_item.bid"),
  fact("cluster.bid"),
  fact("cluster.orders", week),
  fact("campaign_item.min_bid")
)
const number = amount.map((value) => literal(value, FactType.number))
const textFact = fc.constantFrom(fact("campaign.name"), fact("cluster.query"))
const word = text.map((value) => literal(value, FactType.text))
const operand = fc.oneof(numberFact, number)
const sum = Random.arithmetic(operand, operand, [FactType.number, FactType.money])
const choice: fc.Arbitrary<Expr> = fc.oneof(
  Random.orDefault(numberFact, number),
  Random.extreme(numberFact, number),
  Random.figure(numberFact, number),
  // What the item's or the campaign's rows have together, seen from a cluster.
  fc.constantFrom("campaign" as const, "item" as const).map(
    (at): Expr => ({
      _tag: "Sum",
      type: FactType.number,
      at,
      over: "campaign_item",
      of: fact("campaign_item.bid")
    })
  )
)
const value = fc.oneof({ weight: 4, arbitrary: numberFact }, number, sum, choice)
const { op } = Random

const question: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(numberFact, op, number).map(([a, o, b]) => compare(a, o, b)) },
  fc.tuple(value, op, value).map(([a, o, b]) => compare(a, o, b)),
  Random.between(value),
  Random.among(numberFact, number),
  Random.among(textFact, word),
  fc.tuple(textFact, op, fc.oneof(word, textFact)).map(([a, o, b]) => compare(a, o, b)),
  textFact.map((of): Condition => ({ _tag: "Contains", value: of, words: ["КЕД", "шарф"] })),
  textFact.map((of): Condition => ({ _tag: "Matches", value: of, pattern: "б*ы" })),
  fc.constant<Condition>({ _tag: "IsTrue", value: fact("cluster.in_minus") }),
  Random.known(value),
  Random.confident(numberFact)
)
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 3, arbitrary: question },
    {
      weight: 1,
      arbitrary: fc.array(tie("condition"), { maxLength: 3 }).map((all): Condition => ({ _tag: "And", all }))
    },
    {
      weight: 1,
      arbitrary: fc.array(tie("condition"), { maxLength: 3 }).map((any): Condition => ({ _tag: "Or", any }))
    },
    { weight: 1, arbitrary: tie("condition").map((inner): Condition => ({ _tag: "Not", condition: inner })) }
  )
}))

/** Clauses are drawn from a few, so that policies of a set begin alike. */
const policies = fc
  .array(condition, { minLength: 1, maxLength: 4 })
  .chain((few) =>
    fc.array(fc.array(fc.constantFrom(...few), { maxLength: 5 }), { minLength: 1, maxLength: 5 })
  )
  .map((sets) => sets.map((set) => set.map((one, at) => clause(`clause ${at}`, one))))

/** What a list of clauses means for one row, clause by clause. */
const expected = (clauses: ReadonlyArray<Clause>, table: Table.Table, row: number) => {
  const answers = clauses.map((one) => Interpreter.answer(one.condition, table, row))
  if (answers.some((one) => one.truth === Kleene.False)) return "ruled out"
  const at = answers.findIndex((one) => one.truth === Kleene.Unknown)
  return at < 0 ? "holds" : `undecided: clause ${at}, reason ${answers[at]!.reason}`
}

const given = (found: Sift.Found, asked: ReadonlyArray<number>): ReadonlyArray<string> => {
  const answers = new Map<number, string>()
  for (const row of found.holds) answers.set(row, "holds")
  found.undecided.rows.forEach((row, i) => {
    const { clauses, reasons } = found.undecided
    answers.set(row, `undecided: clause ${clauses[i]}, reason ${reasons[i]}`)
  })
  assert.strictEqual(found.ruledOut, asked.length - found.holds.length - found.undecided.rows.length)
  return asked.map((row) => answers.get(row) ?? "ruled out")
}

/** Random policy sets over random rows: `CASES=100000` takes a minute or two. */
const { CASES } = process.env
const cases = Number(CASES ?? 3000)
const batch = 1000

describe("values of an expression", () => {
  it("are for all rows at once what they are for each row", () => {
    fc.assert(
      fc.property(value, rows, fc.boolean(), (expr, all, isCompiled) => {
        const table = tableOf(all)
        const asked = Int32Array.from(all, (_, row) => row)
        const { reasons, values } = Evaluate.numbers(expr, table, asked, isCompiled)
        for (const row of asked) {
          const reason = Reason.fromCode(reasons[row]!)
          const got = reason === undefined ? Cells.known(values[row]! + 0) : Cells.unknown(reason)
          const one = Interpreter.value(expr, table, row)
          assert.deepStrictEqual(got, one._tag === "Known" ? Cells.known(Number(one.value) + 0) : one)
        }
      }),
      { numRuns: Depth.cases(1200) }
    )
  })
})

describe("sifting many policies at once", () => {
  it("answers as a naive interpreter does, row by row and clause by clause", async () => {
    const holds = fc.property(policies, rows, fc.boolean(), (sets, all, isCompiled) => {
      const table = tableOf(all)
      const asked = all.map((_, row) => row)
      const found = Sift.all(sets, table, undefined, isCompiled)
      for (const [at, clauses] of sets.entries()) {
        assert.deepStrictEqual(
          given(found[at]!, asked),
          asked.map((row) => expected(clauses, table, row))
        )
      }
    })
    for (let left = cases; left > 0; left -= batch) {
      fc.assert(holds, { numRuns: Math.min(batch, left) })
      // The runner thinks a test dead that never lets it speak.
      await new Promise(setImmediate)
    }
  }, 600_000)

  it("answers for chosen rows in the order they were asked, as for all", () => {
    fc.assert(
      fc.property(policies, rows, fc.infiniteStream(fc.boolean()), (sets, all, keep) => {
        const table = tableOf(all)
        const asked = all.map((_, row) => row).filter(() => keep.next().value)
        const whole = Sift.all(sets, table, undefined, true)
        const some = Sift.all(sets, table, asked, true)
        const chosen = new Set(asked)
        for (const at of sets.keys()) {
          const holds = Array.from(whole[at]!.holds).filter((row) => chosen.has(row))
          assert.deepStrictEqual(Array.from(some[at]!.holds), holds)
          const left = Array.from(whole[at]!.undecided.rows).filter((row) => chosen.has(row))
          assert.deepStrictEqual(Array.from(some[at]!.undecided.rows), left)
        }
      }),
      { numRuns: Depth.cases(500) }
    )
  })

  it("keeps the first unknown clause's reason however many clauses come before it", () => {
    const table = Table.make("cluster")
    table.add(target(1, 1, "a"))
    table.set(0, "cluster.bid", Cells.known(5))
    table.set(0, "cluster.in_minus", Cells.unknown("failed"))
    const holds = clause("bid", compare(fact("cluster.bid"), ">", literal(1, FactType.count)))
    const open = clause("in minus", { _tag: "IsTrue", value: fact("cluster.in_minus") })
    const absent = clause("query", { _tag: "Contains", value: fact("cluster.query"), words: ["a"] })
    for (const before of [0, 30, 31, 32, 40]) {
      const clauses = [...Array.from({ length: before }, () => holds), open, absent]
      const [found] = Sift.all([clauses, [holds]], table)
      assert.deepStrictEqual(Array.from(found!.undecided.clauses), [before])
      assert.deepStrictEqual(Array.from(found!.undecided.reasons), [Reason.code("failed")])
    }
  })

  it("finds the same across blocks, and nothing in an empty table", () => {
    const table = Table.make("cluster")
    const clauses = [clause("bid", compare(fact("cluster.bid"), "<", literal(3, FactType.count)))]
    assert.strictEqual(Sift.all([clauses], table)[0]!.holds.length, 0)
    for (let row = 0; row < 5000; row++) {
      table.add(target(1, 1, `${row}`))
      table.set(row, "cluster.bid", row % 5 === 4 ? Cells.unknown("stale") : Cells.known(row % 5))
    }
    const [found] = Sift.all([clauses], table)
    const numbered = Array.from({ length: 5000 }, (_, row) => row)
    assert.deepStrictEqual(
      Array.from(found!.holds),
      numbered.filter((row) => row % 5 < 3)
    )
    assert.deepStrictEqual(
      Array.from(found!.undecided.rows),
      numbered.filter((row) => row % 5 === 4)
    )
  })

  it("answers questions about campaigns and items alike in every block, for all rows and for chosen ones", () => {
    const table = Table.make("cluster")
    for (let row = 0; row < 6000; row++) {
      const at = table.add(target(1 + (row % 7), 1 + (row % 11), `${row}`))
      table.set(at, "cluster.bid", row % 5 === 4 ? Cells.unknown("stale") : Cells.known(row % 5))
      if (row >= 77) continue
      table.set(at, "campaign.budget", row % 7 === 3 ? Cells.unknown("failed") : Cells.known(row % 7))
      table.set(at, "campaign_item.bid", Cells.known(row % 4))
      table.set(at, "campaign.name", Cells.known(row % 7 < 4 ? "кеды" : "боты"))
    }
    const budget = clause("budget", compare(fact("campaign.budget"), "<", literal(5, FactType.money)))
    const item = clause("item", compare(fact("campaign_item.bid"), ">", literal(0, FactType.money)))
    const name = clause("name", { _tag: "Matches", value: fact("campaign.name"), pattern: "к*" })
    const bid = clause("bid", compare(fact("cluster.bid"), ">=", literal(2, FactType.money)))
    const sets = [
      [budget, name, bid],
      [budget, name, item],
      [bid, item],
      [budget, name]
    ]
    const every = table.rows.map((_, row) => row)
    for (const asked of [every, every.filter((row) => row % 3 === 0), every.toReversed()]) {
      const found = Sift.all(sets, table, asked === every ? undefined : asked, true)
      for (const [at, clauses] of sets.entries()) {
        assert.deepStrictEqual(
          given(found[at]!, asked),
          asked.map((row) => expected(clauses, table, row))
        )
      }
    }
  })
})
