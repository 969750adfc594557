import { assert, describe, it } from "vitest"
import * as Reason from "../../src/domain/Reason.js"
import type { Given } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as DerivedFacts from "../../src/engine/facts/DerivedFacts.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Sift from "../../src/engine/facts/kernels/Sift.js"
import * as Texts from "../../src/engine/facts/Texts.js"
import * as Trace from "../../src/engine/facts/Trace.js"
import type { Condition, Expr } from "../../src/engine/language/Policy.js"
import { clause, compare, type Facts, fact, literal, rub, table, target, week } from "../decide/Example.js"

const one = (facts: Facts) => table("cluster", [{ target: target(7, 1, "женские кеды"), facts }])
const ask = (condition: Condition, facts: Facts = {}) => {
  const { truth, reason } = Evaluate.condition(condition, one(facts), [0])
  const why = Reason.fromCode(reason[0]!)
  return why === undefined ? Kleene.word(truth[0]!) : `${Kleene.word(truth[0]!)}: ${why}`
}
const orders = fact("cluster.orders", week)
const count = (n: number) => literal(n, FactType.count)
const text = (word: string) => literal(word, FactType.text)
const arithmetic = (left: Expr, op: "+" | "-" | "*" | "/", right: Expr, type = FactType.money): Expr => ({
  _tag: "Arithmetic",
  type,
  op,
  left,
  right
})
const yes = compare(orders, ">=", count(3))
const no = compare(orders, "<", count(3))
const unknown = compare(fact("cluster.ctr", week), "<", literal(0.01, FactType.ratio))
const failure = Cells.unknown("failed")
const failed: Facts = { "cluster.ctr@7d": Cells.unknown("failed") }

describe("a value that does not exist beside one that could not be read", () => {
  const facts: Facts = { "cluster.cr@7d": Cells.unknown("absent"), "item.price": Cells.unknown("failed") }
  const [missing, unread] = [fact("cluster.cr", week), fact("item.price")]
  const sides = [
    [missing, unread],
    [unread, missing]
  ] as const
  const made: ReadonlyArray<readonly [string, Expr]> = sides.flatMap(([a, b], at) => [
    ...(["+", "-", "*", "/"] as const).map((op) => [`${op} ${at}`, arithmetic(a, op, b)] as const),
    [`min ${at}`, { _tag: "Extreme", type: FactType.money, pick: "min", of: [rub(1), a, b] }],
    [`figure ${at}`, { _tag: "Figure", type: FactType.money, name: "cost_per_order", of: [a, b] }],
    [`nested ${at}`, arithmetic(arithmetic(orders, "*", a), "-", b)]
  ])
  const orZero = (value: Expr): Condition =>
    compare({ _tag: "Default", type: FactType.money, value, fallback: rub(0) }, "=", rub(0))

  for (const [name, expr] of made)
    it(`makes what could not be read of both, whatever comes first: ${name}`, () => {
      assert.deepStrictEqual(Evaluate.value(expr, one({ ...facts }), 0), failure)
      assert.strictEqual(ask(orZero(expr), facts), "unknown: failed")
      assert.strictEqual(ask({ _tag: "IsKnown", value: expr }, facts), "unknown: failed")
    })

  it("is replaced where nothing failed", () => {
    const absent: Facts = { ...facts, "item.price": 100 }
    for (const [, expr] of made) assert.include(ask(orZero(expr), absent), "true")
  })

  it("is told alike by compiled loops", () => {
    const all = table("cluster", [{ target: target(7, 1, "a"), facts }])
    for (const [name, expr] of made) {
      const clauses = [clause(name, compare(expr, ">", rub(1)))]
      const answers = [false, true].map((isCompiled) => Sift.all([clauses], all, undefined, isCompiled))
      for (const [found] of answers)
        assert.deepStrictEqual([...found!.undecided.reasons], [Reason.code("failed")], name)
    }
  })

  it("makes a sum over rows below unread, in any order of the rows", () => {
    const cells = [Cells.unknown("absent"), Cells.unknown("failed")]
    const bids = table(
      "campaign_item",
      cells.map((bid, at) => ({ target: target(7, at + 1), facts: { "campaign_item.bid": bid } }))
    )
    const sum: Expr = {
      _tag: "Sum",
      type: FactType.money,
      at: "campaign",
      over: "campaign_item",
      of: fact("campaign_item.bid")
    }
    const { truth } = Evaluate.condition(orZero(sum), bids.view("campaign"), [0])
    assert.strictEqual(truth[0], Kleene.Unknown)
    assert.deepStrictEqual(Evaluate.value(sum, bids.view("campaign"), 0), failure)
  })
})

describe("a condition", () => {
  it("compares numbers with every operator", () => {
    const answers = (["<", "<=", ">", ">=", "=", "!="] as const).map((op) =>
      ask(compare(orders, op, count(5)))
    )
    assert.deepStrictEqual(answers, ["false", "true", "false", "true", "true", "false"])
  })

  it("is unknown, with the reason, when its fact is", () => {
    assert.strictEqual(ask(unknown), "unknown: notFetched")
    assert.strictEqual(ask(unknown, failed), "unknown: failed")
    assert.strictEqual(ask({ _tag: "Not", condition: unknown }, failed), "unknown: failed")
  })

  it("joins with and: false decides over unknown", () => {
    assert.strictEqual(ask({ _tag: "And", all: [yes, unknown] }, failed), "unknown: failed")
    assert.strictEqual(ask({ _tag: "And", all: [unknown, no] }), "false")
    assert.strictEqual(ask({ _tag: "And", all: [yes, yes] }), "true")
  })

  it("joins with or: true decides over unknown", () => {
    assert.strictEqual(ask({ _tag: "Or", any: [no, unknown] }, failed), "unknown: failed")
    assert.strictEqual(ask({ _tag: "Or", any: [unknown, yes] }), "true")
    assert.strictEqual(ask({ _tag: "Or", any: [no, no] }), "false")
  })

  it("between includes both ends, and is false outside even when the other end is unknown", () => {
    const between = (low: Expr, high: Expr): Condition => ({ _tag: "Between", value: orders, low, high })
    assert.strictEqual(ask(between(count(5), count(5))), "true")
    assert.strictEqual(ask(between(count(6), fact("cluster.views", week))), "false")
    assert.strictEqual(ask(between(count(5), fact("cluster.views", week))), "unknown: notFetched")
  })

  it("in looks among words and among numbers", () => {
    const status = fact("campaign.status")
    assert.strictEqual(ask({ _tag: "In", value: status, options: [text("active"), text("paused")] }), "true")
    assert.strictEqual(ask({ _tag: "In", value: status, options: [text("paused")] }), "false")
    assert.strictEqual(ask({ _tag: "In", value: orders, options: [count(4), count(5)] }), "true")
  })

  it("reads text without case in patterns and words, exactly in comparisons", () => {
    const facts = { "cluster.query": "Женские КЕДЫ" }
    const query = fact("cluster.query")
    assert.strictEqual(ask({ _tag: "Matches", value: query, pattern: "*кеды" }, facts), "true")
    assert.strictEqual(ask({ _tag: "Contains", value: query, words: ["боты", "женск"] }, facts), "true")
    assert.strictEqual(ask(compare(query, "=", text("женские кеды")), facts), "false")
    assert.strictEqual(ask(compare(query, "!=", fact("campaign.name")), facts), "true")
  })

  it("a yes-or-no fact stands alone", () => {
    assert.strictEqual(ask({ _tag: "IsTrue", value: fact("cluster.has_own_bid") }), "true")
    assert.strictEqual(ask({ _tag: "IsTrue", value: fact("cluster.in_minus") }), "false")
  })
})

describe("arithmetic", () => {
  const value = (expr: Expr, facts: Facts = {}) => Evaluate.value(expr, one(facts), 0)
  const spend = fact("cluster.spend", week)

  it("something over nothing is infinite, nothing over nothing is unknown", () => {
    const ratio = arithmetic(spend, "/", orders)
    assert.deepStrictEqual(value(ratio, { "cluster.orders@7d": 0 }), Cells.known(Number.POSITIVE_INFINITY))
    const neither = { "cluster.orders@7d": 0, "cluster.spend@7d": 0 }
    assert.deepStrictEqual(value(ratio, neither), Cells.unknown("zeroOverZero"))
    assert.strictEqual(ask(compare(ratio, ">", rub(1)), neither), "unknown: zeroOverZero")
  })

  it("what is lost without sales is minus infinite, and less than what is infinite", () => {
    const facts = { "cluster.orders@7d": 0 }
    const dear = arithmetic(spend, "/", orders)
    const lost = arithmetic(arithmetic(literal(0, FactType.money), "-", spend), "/", orders)
    const asked = (op: "<" | "<=" | "=" | "!=" | ">" | ">=") => ask(compare(lost, op, dear), facts)
    assert.deepStrictEqual((["<", "<=", "!=", "=", ">", ">="] as const).map(asked), [
      "true",
      "true",
      "true",
      "false",
      "false",
      "false"
    ])
  })

  it("a percentage of an amount that is whole is whole", () => {
    const share = arithmetic(rub(1), "*", literal(0.07, FactType.ratio))
    assert.deepStrictEqual(value(share), Cells.known(7))
    assert.strictEqual(ask(compare(fact("cluster.bid"), ">=", share), { "cluster.bid": 7 }), "true")
  })

  it("is unknown with its part's reason", () => {
    assert.deepStrictEqual(
      value(arithmetic(spend, "+", fact("campaign.budget"))),
      Cells.unknown("notFetched")
    )
  })
})

describe("sifting rows", () => {
  it("parts rows that hold from those that are open, and forgets those that are ruled out", () => {
    const rows = [5, 1, undefined, 5].map((n, index) => ({
      target: target(7, 1, `${index}`),
      facts: { "cluster.orders@7d": n, "cluster.ctr@7d": index === 3 ? undefined : 0.001 }
    }))
    const open = clause("ctr < 1%", unknown)
    const sifted = Evaluate.sift([clause("orders >= 3", yes), open], table("cluster", rows), [0, 1, 2, 3])
    assert.deepStrictEqual(
      [sifted.holds, sifted.undecided.map(({ row, clause: c }) => [row, c.text]), sifted.ruledOut],
      [
        [0],
        [
          [2, "orders >= 3"],
          [3, "ctr < 1%"]
        ],
        1
      ]
    )
  })
})

describe("a pattern", () => {
  it("knows * and ? and nothing else", () => {
    const holds = (pattern: string, word: string) => Texts.glob(pattern)(word)
    assert.isTrue(holds("*кеды*", "Белые кеды 38"))
    assert.isTrue(holds("к?ды", "кеды"))
    assert.isFalse(holds("к?ды", "кды"))
    assert.isFalse(holds("кеды", "кеды 38"))
    assert.isTrue(holds("a.c", "A.C"))
    assert.isFalse(holds("a.c", "abc"))
    assert.isTrue(holds("**", ""))
  })

  it("cannot run away", () => {
    assert.isFalse(Texts.glob(`${"*a".repeat(50)}b`)("a".repeat(5000)))
  })
})

describe("derived figures", () => {
  const known = (given: Given) => (typeof given === "object" ? given.reason : given)

  it("come from sums", () => {
    const ratios = DerivedFacts.ratios({
      views: 2000,
      clicks: 20,
      orders: 2,
      spendKopecks: 50_000,
      revenueKopecks: 250_000
    })
    assert.deepStrictEqual(
      [ratios.ctr, ratios.cr, ratios.cpc, ratios.cpm, ratios.cpo, ratios.acos].map(known),
      [0.01, 0.1, 2500, 25_000, 25_000, 0.2]
    )
  })

  it("spend without sales is infinite, nothing over nothing and a missing sum are unknown", () => {
    const ratios = DerivedFacts.ratios({
      views: 0,
      clicks: 0,
      orders: 0,
      spendKopecks: 100,
      revenueKopecks: 0
    })
    assert.deepStrictEqual([ratios.acos, ratios.cpo, ratios.ctr].map(known), [
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      "zeroOverZero"
    ])
    assert.strictEqual(known(DerivedFacts.ratios({ views: 5 }).ctr), "absent")
  })
})

describe("a trace", () => {
  const line = (condition: Condition, facts: Facts = {}) =>
    Trace.line(clause("text", condition), one(facts), 0).value

  it("shows both sides when both are read, and one when the other stands in the text", () => {
    const facts = { "cluster.bid": 44_000, "cluster.recommended.reach_max": 80_000 }
    const both = compare(fact("cluster.bid"), "<", fact("cluster.recommended.reach_max"))
    assert.deepStrictEqual([line(both, facts), line(yes)], ["440 ₽ < 800 ₽", "5"])
  })

  it("prints units, and says why a value is unknown", () => {
    assert.strictEqual(line(unknown, { "cluster.ctr@7d": 0.0093 }), "0.93%")
    assert.strictEqual(line(unknown, { "cluster.ctr@7d": 0.000042 }), "0.0042%")
    assert.strictEqual(line(unknown, failed), "unknown (could not be fetched)")
    assert.strictEqual(line(compare(fact("campaign.status"), "=", text("active"))), "active")
    assert.strictEqual(line({ _tag: "IsTrue", value: fact("cluster.in_minus") }), "no")
  })
})
