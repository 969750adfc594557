import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Analyse from "../../src/engine/language/analysis/Analyse.js"
import * as Boxes from "../../src/engine/language/analysis/Boxes.js"
import * as Fights from "../../src/engine/language/analysis/Fights.js"
import * as Witness from "../../src/engine/language/analysis/Witness.js"
import type { Clause, Condition, Expr } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import {
  clause,
  compare,
  fact,
  literal,
  lowerBid,
  policy,
  raiseBid,
  target,
  week
} from "../decide/Example.js"
import * as Random from "./Random.js"

const counts = ["cluster.views", "cluster.orders", "cluster.clicks"] as const
const amounts = ["cluster.bid", "campaign_item.bid", "cluster.cpo"] as const
const statuses = ["ready", "active", "paused", "completed", "declined", "deleted"]
const texts = ["кеды", "белые кеды", "боты", "Кеды 2", ""]
const status = FactType.oneOf("campaign status", statuses)

const named = (id: string): Expr => fact(id, /views|orders|clicks|ctr|cpo/.test(id) ? week : undefined)
const { op } = Random
const small = fc.integer({ min: 0, max: 4 })
const count = fc.constantFrom(...counts).map(named)
const amount = fc.constantFrom(...amounts).map(named)
const money = small.map((n) => literal(n * 100, FactType.money))
const share = fc.integer({ min: 0, max: 10 }).map((n) => literal(n / 10, FactType.ratio))

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(count, op, small).map(([left, o, n]) => compare(left, o, literal(n, FactType.count))),
  fc.tuple(small, op, count).map(([n, o, right]) => compare(literal(n, FactType.count), o, right)),
  fc.tuple(amount, op, fc.oneof(money, amount)).map(([left, o, right]) => compare(left, o, right)),
  fc.tuple(op, share).map(([o, n]) => compare(named("cluster.ctr"), o, n)),
  fc.tuple(count, small, small).map(
    ([value, low, high]): Condition => ({
      _tag: "Between",
      value,
      low: literal(low, FactType.count),
      high: literal(high, FactType.count)
    })
  ),
  fc.tuple(count, fc.array(small, { minLength: 1, maxLength: 3 })).map(
    ([value, options]): Condition => ({
      _tag: "In",
      value,
      options: options.map((n) => literal(n, FactType.count))
    })
  ),
  fc
    .tuple(amount, op, amount, money)
    .map(([left, o, a, b]) =>
      compare(left, o, { _tag: "Arithmetic", type: FactType.money, op: "+", left: a, right: b })
    ),
  fc.subarray(statuses, { minLength: 1 }).map(
    (words): Condition => ({
      _tag: "In",
      value: fact("campaign.status"),
      options: words.map((word) => literal(word, status))
    })
  ),
  fc.constantFrom(...statuses).map((word) => compare(fact("campaign.status"), "!=", literal(word, status))),
  fc.constant<Condition>({ _tag: "IsTrue", value: fact("cluster.in_minus") }),
  fc
    .subarray(["КЕД", "белые", "бот"], { minLength: 1 })
    .map((words): Condition => ({ _tag: "Contains", value: fact("cluster.query"), words })),
  fc
    .constantFrom("*ы", "*кед*", "б*")
    .map((pattern): Condition => ({ _tag: "Matches", value: fact("cluster.query"), pattern })),
  fc.constantFrom(...texts).map((word) => compare(fact("cluster.query"), "=", literal(word, FactType.text)))
)
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc
      .array(tie("condition"), { minLength: 1, maxLength: 3 })
      .map((all): Condition => ({ _tag: "And", all })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 3 }).map((any): Condition => ({ _tag: "Or", any })),
    tie("condition").map((inner): Condition => ({ _tag: "Not", condition: inner }))
  )
}))
const clauses = fc
  .array(condition, { minLength: 1, maxLength: 3 })
  .map((all): ReadonlyArray<Clause> => all.map((one) => clause("text", one)))

const rowCount = 10_000

type Row = Readonly<Record<string, number>>

/** Rows over the same few values the conditions speak of, and some unknown ones; the same in every run. */
const tableOf = (figures: (next: (below: number) => number) => Row) => {
  const table = Table.make("cluster")
  let seed = 7
  const next = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  for (let n = 0; n < rowCount; n++) {
    const row = table.add(target(n + 1, 1, "кластер"))
    const set = (id: string, value: number | string | boolean) =>
      table.set(row, id, next(20) === 0 ? Cells.unknown("absent") : Cells.known(value))
    for (const [id, value] of Object.entries(figures(next))) set(id, value)
    set("campaign.status", statuses[next(6)]!)
    set("cluster.in_minus", next(2) === 1)
    set("cluster.query", texts[next(texts.length)]!)
  }
  return table
}

const rows = tableOf((next) => ({
  "cluster.views@7d": next(6),
  "cluster.orders@7d": next(6),
  "cluster.clicks@7d": next(6),
  "cluster.cpo@7d": next(20) === 0 ? Number.POSITIVE_INFINITY : next(11) * 50,
  "cluster.bid": next(11) * 50,
  "campaign_item.bid": next(11) * 50,
  "cluster.ctr@7d": next(21) / 20
}))

/** Figures that agree with each other: no more clicks than views, no more orders than clicks, no bid of nothing. */
const likelyRows = tableOf((next) => {
  const views = next(12)
  const clicks = next(Math.floor(views / 2) + 1)
  return {
    "cluster.views@7d": views,
    "cluster.orders@7d": next(clicks + 1),
    "cluster.clicks@7d": clicks,
    "cluster.cpo@7d": (next(9) + 2) * 50,
    "cluster.bid": (next(9) + 2) * 50,
    "campaign_item.bid": (next(9) + 2) * 50,
    ...(views === 0 ? {} : { "cluster.ctr@7d": clicks / views })
  }
})
const every = Int32Array.from({ length: rowCount }, (_, n) => n)
const matched = (list: ReadonlyArray<Clause>, of = rows) => Evaluate.sift(list, of, every).holds

describe("static analysis", () => {
  it("declares no pair disjoint that a random row of 10,000 matches, and shows a true row otherwise", () => {
    const seen = { disjoint: 0, witnessed: 0, open: 0 }
    fc.assert(
      fc.property(clauses, clauses, (a, b) => {
        const row = Fights.between("cluster", a, b)
        if (Fights.disjoint(a, b)) {
          seen.disjoint++
          assert.isUndefined(row)
          assert.deepEqual(matched([...a, ...b]), [])
        } else if (row !== undefined) {
          seen.witnessed++
          assert.strictEqual(Witness.satisfying("cluster", [...a, ...b], [row]), 0)
        } else {
          seen.open++
        }
      }),
      { numRuns: 400 }
    )
    assert.isAbove(seen.disjoint, 40)
    assert.isAbove(seen.witnessed, 100)
    assert.isBelow(seen.open, seen.witnessed / 3, "examples are found for most pairs that meet")
  })

  it("finds an example for nearly every pair that rows match which could occur", () => {
    let shared = 0
    let found = 0
    fc.assert(
      fc.property(clauses, clauses, (a, b) => {
        if (matched([...a, ...b], likelyRows).length === 0) return
        shared++
        if (Fights.between("cluster", a, b) !== undefined) found++
      }),
      { numRuns: 300, seed: 4 }
    )
    assert.isAtLeast(found / shared, 0.95)
  })

  it("calls no list impossible, and no clause certain, against a random row", () => {
    fc.assert(
      fc.property(clauses, (list) => {
        const holding = matched(list)
        if (Boxes.ofClauses(list).length === 0) assert.deepEqual(holding, [])
        const negated = list.map((one) => clause("not", { _tag: "Not", condition: one.condition }))
        if (Boxes.outside(list).length === 0) for (const one of negated) assert.deepEqual(matched([one]), [])
      }),
      // Of a hundred lists two are certain.
      { numRuns: 400 }
    )
  })

  it("never calls a rule shadowed that has a row of its own", () => {
    fc.assert(
      fc.property(clauses, fc.array(clauses, { minLength: 1, maxLength: 2 }), (later, earlier) => {
        if (!Boxes.isCovered(later, earlier)) return
        const any: Condition = {
          _tag: "Or",
          any: earlier.map((list): Condition => ({ _tag: "And", all: list.map((one) => one.condition) }))
        }
        assert.deepEqual(matched([...later, clause("left", { _tag: "Not", condition: any })]), [])
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("never throws, says each thing once, and says the same again", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(clauses, fc.boolean()), { maxLength: 6 }), (lists) => {
        const policies = lists.map(([when, raises], n) => {
          const action = raises ? raiseBid() : lowerBid()
          return { ...policy(`p${n}`, action), rules: [{ when, action }], tier: "normal" as const }
        })
        const found = Analyse.all(policies, undefined)
        assert.deepEqual(Analyse.all(policies, undefined), found)
        assert.strictEqual(new Set(found.map((one) => JSON.stringify(one))).size, found.length)
      }),
      { numRuns: Depth.cases(100) }
    )
  })
})
