/** Random policy sets over random accounts: what `Match` answers against a naive reading of the rules, row by row. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Reason from "../../src/domain/Reason.js"
import * as Window from "../../src/domain/Window.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Funnel from "../../src/engine/facts/Funnel.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import type { Level } from "../../src/engine/facts/Level.js"
import * as Levels from "../../src/engine/facts/Level.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { Clause, Condition, Expr, Policy } from "../../src/engine/language/Policy.js"
import * as Example from "../decide/Example.js"
import { clause, compare, fact, literal, target } from "../decide/Example.js"
import * as Cases from "./Cases.js"
import * as Interpreter from "./Interpreter.js"
import * as Random from "./Random.js"
import * as Truth from "./Truth.js"

const week = Window.last(7)
const before = Window.last(7, 7)

/** Facts that rows of a level can be asked about, its own and coarser ones. */
const numbersOf = (level: Level): ReadonlyArray<Expr> => {
  const account = [fact("account.balance")]
  const campaign = [
    ...account,
    fact("campaign.budget"),
    fact("campaign.orders", week),
    fact("campaign.spend", week)
  ]
  switch (level) {
    case "account":
    case "promotion":
    case "promotion_item":
      return account
    case "campaign":
      return campaign
    case "item":
      return [...account, fact("item.stock"), fact("item.price")]
    case "campaign_item":
      return [...campaign, fact("campaign_item.bid"), fact("item.stock")]
    case "cluster":
      return [
        ...campaign,
        fact("campaign_item.bid"),
        fact("item.stock"),
        fact("cluster.bid"),
        fact("cluster.orders", week),
        fact("cluster.orders", before)
      ]
  }
}

const keys = [
  "account.balance",
  "campaign.budget",
  "campaign.orders@7d",
  "campaign.spend@7d",
  "campaign_item.bid",
  "item.stock",
  "cluster.bid",
  `cluster.orders@${Window.key(week)}`,
  `cluster.orders@${Window.key(before)}`
]

const amount = fc.constantFrom(-1, 0, 1, 2, 3, 4, Number.POSITIVE_INFINITY)
const cell = (gaps: number) =>
  fc.oneof(
    { weight: 6, arbitrary: amount.map((value) => Cells.known(value)) },
    {
      weight: gaps,
      arbitrary: fc
        .constantFrom(...Reason.reasons.slice(1))
        .map((word) => Cells.unknown(word as Reason.Reason))
    }
  )

/** Clusters of a few campaigns and items, campaigns without a cluster, and items nobody advertises. */
const account = fc.constantFrom(0, 1, 6).chain((gaps) =>
  fc.record({
    rows: fc.array(
      fc.record({
        campaignId: fc.integer({ min: 1, max: 4 }),
        itemId: fc.integer({ min: 1, max: 4 }),
        cells: fc.tuple(...keys.map(() => cell(gaps))),
        query: fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom("кеды", "боты").map((text) => Cells.known(text)) },
          { weight: gaps, arbitrary: fc.constant(Cells.unknown("failed")) }
        ),
        labels: fc.oneof(
          {
            weight: 6,
            arbitrary: fc.constantFrom("", "a", "a, b", "ab, c").map((text) => Cells.known(text))
          },
          { weight: gaps, arbitrary: fc.constant(Cells.unknown("stale")) }
        )
      }),
      { maxLength: 16 }
    ),
    bare: fc.integer({ min: 0, max: 2 })
  })
)
type Account = typeof account extends fc.Arbitrary<infer A> ? A : never

const tableOf = ({ bare, rows }: Account): Table.Table => {
  const table = Table.make("cluster")
  rows.forEach((row, index) => {
    const number = table.add(target(row.campaignId, row.itemId, `${index}`))
    for (const [at, key] of keys.entries()) table.set(number, key, row.cells[at]!)
    table.set(number, "cluster.query", row.query)
    for (const level of ["campaign", "item", "cluster"])
      table.set(number, `${level}.labels:labels`, row.labels)
  })
  for (let n = 0; n < bare; n++) table.addKey(target(10 + n))
  return table
}

const number = amount.map((value) => literal(value, FactType.number))

const exprOf = (level: Level): fc.Arbitrary<Expr> => {
  const numbers = numbersOf(level)
  const leaf = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...numbers) },
    { weight: 1, arbitrary: number }
  )
  const sums: ReadonlyArray<Expr> =
    level === "item" || level === "account"
      ? [
          {
            _tag: "Sum",
            type: FactType.number,
            at: level,
            over: level === "item" ? "campaign_item" : "campaign",
            of: level === "item" ? fact("campaign_item.bid") : fact("campaign.budget")
          }
        ]
      : [
          {
            _tag: "Sum",
            type: FactType.number,
            at: "campaign",
            over: "campaign_item",
            of: {
              _tag: "Default",
              type: FactType.number,
              value: fact("campaign_item.bid"),
              fallback: literal(1, FactType.number)
            }
          }
        ]
  const [now, past] = [fact("cluster.orders", week), fact("cluster.orders", before)]
  const difference: Expr = { _tag: "Arithmetic", type: FactType.number, op: "-", left: now, right: past }
  const change: ReadonlyArray<Expr> =
    level === "cluster"
      ? [{ _tag: "Arithmetic", type: FactType.ratio, op: "/", left: difference, right: past }]
      : []
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.constantFrom(...sums, ...change) },
    { weight: 1, arbitrary: Random.arithmetic(leaf, leaf) },
    { weight: 1, arbitrary: Random.orDefault(leaf, number) },
    { weight: 1, arbitrary: Random.extreme(leaf, leaf) },
    { weight: 1, arbitrary: Random.figure(leaf, leaf) }
  )
}

/** Of the row's own level or of one it belongs to. */
const labelled = (level: Level): fc.Arbitrary<Condition> =>
  fc
    .tuple(
      fc.constantFrom(
        ...["campaign", "item", "cluster"].filter((one) => Levels.reaches(level, one as Level))
      ),
      fc.constantFrom(["a"], ["b", "c"])
    )
    .map(([one, labels]): Condition => ({ _tag: "HasLabel", value: fact(`${one}.labels:labels`), labels }))

const conditionOf = (level: Level, depth: number): fc.Arbitrary<Condition> => {
  const expr = exprOf(level)
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(expr, Random.op, number).map(([a, o, b]) => compare(a, o, b)) },
    { weight: 1, arbitrary: fc.tuple(expr, Random.op, expr).map(([a, o, b]) => compare(a, o, b)) },
    { weight: 1, arbitrary: Random.between(expr) },
    { weight: 1, arbitrary: Random.among(expr, number) },
    { weight: 1, arbitrary: Random.known(expr) },
    { weight: 1, arbitrary: Random.confident(expr) },
    ...(level === "account" ? [] : [{ weight: 1, arbitrary: labelled(level) }]),
    ...(level === "cluster"
      ? [
          {
            weight: 1,
            arbitrary: fc.constant<Condition>({
              _tag: "Contains",
              value: fact("cluster.query"),
              words: ["КЕД"]
            })
          }
        ]
      : [])
  )
  if (depth === 0) return leaf
  const inner = conditionOf(level, depth - 1)
  const over = overOf[level]
  const below = over === undefined ? [] : [{ weight: 2, arbitrary: quantified(over, depth - 1) }]
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: fc.array(inner, { maxLength: 3 }).map((all): Condition => ({ _tag: "And", all }))
    },
    {
      weight: 1,
      arbitrary: fc.array(inner, { maxLength: 3 }).map((any): Condition => ({ _tag: "Or", any }))
    },
    { weight: 1, arbitrary: inner.map((condition): Condition => ({ _tag: "Not", condition })) },
    ...below
  )
}

const overOf: Partial<Record<Level, Level>> = {
  campaign: "campaign_item",
  item: "campaign_item",
  account: "campaign"
}

const quantified = (over: Level, depth: number): fc.Arbitrary<Condition> =>
  fc
    .tuple(fc.constantFrom("all" as const, "any" as const), conditionOf(over, depth))
    .map(([quantifier, condition]): Condition => ({ _tag: "Quantified", quantifier, over, condition }))

const levels = ["account", "campaign", "item", "campaign_item", "cluster"] as const
const conditions = Object.fromEntries(levels.map((level) => [level, conditionOf(level, 2)]))

/** Clauses are drawn from a few, so that policies ask alike. */
const policies: fc.Arbitrary<ReadonlyArray<Policy>> = fc
  .uniqueArray(fc.constantFrom(...levels), { minLength: 1, maxLength: 3 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((each) =>
        fc.array(conditions[each]!, { minLength: 1, maxLength: 4 }).chain((few) => {
          const clauses = fc
            .array(fc.integer({ min: 0, max: few.length - 1 }), { maxLength: 3 })
            .map((all) => all.map((n) => clause(`${each} ${n}`, few[n]!)))
          return fc
            .array(fc.record({ where: clauses, rules: fc.array(clauses, { minLength: 1, maxLength: 4 }) }), {
              minLength: 1,
              maxLength: 4
            })
            .map((all) => all.map((one) => ({ each, ...one })))
        })
      )
    )
  )
  .map((all) =>
    all.flat().map(({ each, rules, where }, n) => ({
      ...Example.policy(`p${n}`, Example.pause, { each, where }),
      rules: rules.map((when) => ({ when, action: Example.pause }))
    }))
  )

const known = (truth: boolean): Kleene.Answer => ({ truth: truth ? Kleene.True : Kleene.False, reason: 0 })

/** All of the clauses, joined by "and". */
const joined = (clauses: ReadonlyArray<Clause>, table: Table.Table, row: number): Kleene.Answer =>
  clauses.map((one) => Interpreter.answer(one.condition, table, row)).reduce(Truth.and, known(true))

/** Of one row: the rule it belongs to, the rule that stops it, or none. */
const expected = ({ rules, where }: Policy, table: Table.Table, row: number): string => {
  for (const [rule, { when }] of rules.entries()) {
    const { truth } = joined([...where, ...when], table, row)
    if (truth === Kleene.True) return `rule ${rule}`
    if (truth === Kleene.Unknown) return `stopped at ${rule}`
  }
  return "none"
}

describe("many policies with several rules each, over rows of every level", () => {
  it(
    "answer as a naive interpreter does: scope, rule and the unknown that stops",
    async () => {
      await Cases.check(
        fc.property(policies, account, fc.boolean(), (all, drawn, isCompiled) => {
          const table = tableOf(drawn)
          const answers = Match.all(all, { table: (each) => table.view(each) }, isCompiled)
          for (const [at, policy] of all.entries()) {
            const of = table.view(policy.each)
            const found = answers[at]!
            const got = new Map<number, string>()
            for (const { row, rule } of Funnel.matchedRows(found)) got.set(row, `rule ${rule}`)
            for (const { clause: open, reason, row, rule } of Funnel.undecidedRows(found)) {
              assert.isFalse(got.has(row))
              got.set(row, `stopped at ${rule}`)
              const answer = Interpreter.answer(open.condition, of, row)
              assert.deepStrictEqual(answer, { truth: Kleene.Unknown, reason })
            }
            const rows = of.rows.map((_, row) => row)
            assert.deepStrictEqual(
              rows.map((row) => got.get(row) ?? "none"),
              rows.map((row) => expected(policy, of, row))
            )
            assert.deepStrictEqual(
              [...found.scope],
              rows.filter((row) => joined(policy.where, of, row).truth === Kleene.True)
            )
          }
        }),
        150
      )
    },
    Cases.timeoutMs
  )
})
