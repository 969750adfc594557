import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import type { Expr } from "../../src/engine/language/Policy.js"
import * as Parser from "../../src/engine/language/syntax/Parser.js"
import type { Ast } from "../../src/engine/language/syntax/Syntax.js"
import { around, codes, condition, policy, problems } from "./Rules.js"

/** The tree as text with every bracket written out. */
const shape = (text: string): string => {
  const show = (ast: Ast): string => {
    switch (ast._tag) {
      case "Number":
        return ast.digits
      case "Text":
        return `"${ast.value}"`
      case "Word":
        return ast.name
      case "List":
        return `[${ast.items.map(show).join(" ")}]`
      case "And":
      case "Or":
        return `(${ast._tag.toLowerCase()} ${ast.parts.map(show).join(" ")})`
      case "Not":
        return `(not ${show(ast.part)})`
      case "Arithmetic":
      case "Compare":
        return `(${ast.op} ${show(ast.left)} ${show(ast.right)})`
      case "Between":
        return `(between ${show(ast.value)} ${show(ast.low)} ${show(ast.high)})`
      case "In":
        return `(${ast.negated ? "not-in" : "in"} ${show(ast.value)} ${show(ast.list)})`
      case "Matches":
        return `(matches ${show(ast.value)} ${show(ast.pattern)})`
      case "Contains":
        return `(contains ${show(ast.value)} ${show(ast.words)})`
      case "Call":
        return `(${ast.name} ${ast.args.map(show).join(" ")})`
      case "Change":
        return `(change ${show(ast.value)} ${ast.window.text})`
      case "Default":
        return `(default ${show(ast.value)} ${show(ast.fallback)})`
      case "Known":
        return `(${ast.negated ? "not-known" : "known"} ${show(ast.value)})`
      case "Quantified":
        return `(${ast.quantifier} ${show(ast.condition)})`
      case "Sum":
        return `(sum ${show(ast.value)})`
      case "Unread":
        return "…"
      case "Confidence":
        return `(sure${ast.level} ${show(ast.comparison)})`
    }
  }
  const ast = Parser.condition(text)
  return Parser.isFault(ast) ? ast.code : show(ast)
}

/** The fixes that a condition gets. */
const advised = (text: string) =>
  Load.check([
    { path: "rules/a.yaml", text: around(text, "window: 7d\nwhere: campaign.payment = cpm") }
  ]).diagnostics.map(({ code, fix }) => [code, fix])

describe("several mistakes in one condition", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["impressions => 500 and CTR < 2", ["E01 views", "E07 >=", "E01 ctr", "E03 ctr < 2%"]],
    ["сtr < 1 && spend > 1 000", ["E12 ctr", "E03 ctr < 1%", "E07 and", "E04 spend > 1000 ₽", "E06 1000"]],
    ["views > 5 and vews < 7 days ago and spend > 5", ["E01 views", "K07", "E09", "E04 spend > 5 ₽"]],
    ["vews > 5 ctr < 1", ["E01 views", "E09", "E03 ctr < 1%"]],
    ["(vews > 5 and spend > 5", ["E09", "E01 views", "E04 spend > 5 ₽"]],
    ["vews > 5) and spend > 5", ["E01 views", "E09", "E04 spend > 5 ₽"]],
    ["vews > 5 or views > 7 and spend > 5", ["E01 views", "E10", "E04 spend > 5 ₽"]],
    ["not (views > and vews > 5) or spend > 5", ["E09", "E01 views", "E04 spend > 5 ₽"]],
    ["views between > 5 and 7 and spend > 5", ["E09", "E04 spend > 5 ₽"]],
    ["views between 5 and and 3 and spend > 5", ["E16 views between 3 and 5", "E09", "E04 spend > 5 ₽"]],
    ["orders + + vews > * 5", ["E09", "E01 views", "E09"]],
    ["1 < views < 5 and spend > 5", ["E08 views between 1 and 5", "E04 spend > 5 ₽"]],
    ["$a > $b and spend > 5", ["E15", "E15", "E04 spend > 5 ₽"]],
    ["avg(vews, 5) > 3 and spend > 5", ["E14", "E04 spend > 5 ₽"]],
    ["views % 5 = 0 and spend > 5", ["E09", "E04 spend > 5 ₽"]],
    ["query contains белые кеды and spend > 5", ['E11 "белые кеды"', "E04 spend > 5 ₽"]],
    ["query matches *x* and spend > 5", ['E11 "*x*"', "E04 spend > 5 ₽"]],
    ["views = > 5 and orders> =3", ["E07 >=", "E07 >="]],
    ["views > 2026-11-01 and spend > 5", ["E09", "E04 spend > 5 ₽"]],
    ["views > 0123 и vews > 5k", ["Y20", "E07 and", "E01 views", "Y20 5000"]]
  ]
  for (const [text, found] of table)
    it(`${text}: each is told`, () =>
      expect(advised(text).map(([code, fix]) => (fix === undefined ? code : `${code} ${fix}`))).toEqual(
        found
      ))

  it.each([
    ["query contains “кеды”", "Y17"],
    ["campaign.status in $states", "E15"],
    ["query contains any $words", "E15"],
    ["orders[$days] > 3", "E15"],
    ["campaign.status = 0123", "Y20"],
    ["campaign.search = 0123", "Y20"],
    ["spend > 1,5,5 ₽", "E05"],
    ["spend > 500 $", "E07"],
    ["spend@7d > 3000 ₽", "E09"],
    ["((views > 5", "E09"],
    ['query contains "кеды', "E09"],
    ["views[7d > 5", "E09"],
    ["views ! = 5", "Y14"],
    ["views between 5 and spend > 500", "E09"],
    ["views between and 5 and 9", "E09"],
    ["orders + + > 5", "E09"],
    ["orders + + 5 > 9", "E09"],
    ["campaign.name = Sale June", "E09"],
    ["campaign.name = Spend", "E11"],
    ["!views > 5", "Y14"],
    ["query matches !x", "Y14"],
    ["views > !5", "Y14"],
    ["change(ctr, 7d > 5%", "E09"]
  ])("%s: no other mistake is made up", (text, code) => expect(codes(text)).toEqual([code]))
})

it("several mistakes in one value are each told, as those of a condition are", () => {
  const of = (value: string) =>
    Load.check([
      {
        path: "rules/a.yaml",
        text: around("views > 5", "window: 7d\nwhere: campaign.payment = cpm").replace(
          /do: .*/,
          `do: {raise_bid: {by: 5%, cap: ${value}}}`
        )
      }
    ]).diagnostics.map(({ code }) => code)
  expect(of("bid * * 3 + + vews")).toEqual(["E09", "E09", "E01"])
  expect(of("$most + $least")).toEqual(["E15", "E15"])
  expect(of('"max($most, vews)"')).toEqual(["E15", "E01"])
  expect(of("bid * * 3")).toEqual(["E09"])
  expect(of('"min(vews * $most)"')).toEqual(["E09", "E01", "E15"])
})

it("what stands too many in a value is told as that: no and/or joins values", () => {
  const of = (by: string) =>
    Load.check([
      {
        path: "rules/a.yaml",
        text: around("views > 5").replace(/do: .*/, `do: {raise_bid: {by: ${by}, cap: 3 ₽}}`)
      }
    ])
      .diagnostics.filter(({ code }) => code === "E09")
      .map(({ message }) => message)
  expect(of("10% bid")).toEqual(['One value or calculation stands here: remove "bid".'])
  expect(of("10% > 5")).toEqual(['One value or calculation stands here: remove ">".'])
})

it("several mistakes in one amount are each told, as those of a calculation are", () => {
  const text = around("views > 5", "window: 7d\nwhere: campaign.payment = cpm").replace(
    /do: .*/,
    "do: {raise_bid: {by: $least + $most, cap: 3 ₽}}\nlimits: {move_per_day: 1 000 + $most}"
  )
  expect(
    Load.check([{ path: "rules/a.yaml", text }]).diagnostics.map(({ code, span }) => `${code}@${span.column}`)
  ).toEqual(["E15@22", "E15@31", "E06@24", "E15@32"])
})

const literal = (expr: Expr) => (expr._tag === "Literal" ? [expr.type._tag, expr.value] : expr._tag)

describe("an amount that is not in roubles", () => {
  it.each([
    ["45000 коп", "450 ₽"],
    ["45050 kop", "450.5 ₽"],
    ["7 копеек", "0.07 ₽"],
    ["1500.5 коп", undefined],
    ["500 $", undefined],
    ["500 usd", undefined],
    ["500€", undefined]
  ])("of %s gets the fix %s: no other currency is worth as many roubles", (amount, fix) => {
    expect(advised(`spend > ${amount}`)).toEqual([["E07", fix]])
  })

  it("gets the same where a rule says how far it may go", () => {
    const fixes = Load.check([
      {
        path: "rules/a.yaml",
        text: "version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\ndo: {raise_bid: {by: 1500 коп, cap: 45000 коп}}\nlimits: {max_bid: {cpm: 90000 kop}, money_per_day: 300 $}\n"
      }
    ]).diagnostics.flatMap(({ code, fix }) => (code === "E07" ? [fix] : []))
    expect(fixes).toEqual(["15 ₽", "450 ₽", "900 ₽", undefined])
  })
})

describe("a number with a comma behind its point", () => {
  it.each([
    ["1.000,50", "1000.50"],
    ["12.345,6", "12345.6"],
    ["1,000,000", "1000000"],
    ["3.000.000", "3000000"],
    ["1,500.50", "1500.50"],
    ["1 500,50", "1500.50"],
    ["1.500.000,5", "1500000.5"],
    ["1,500.5,5", undefined],
    ["1.5,50", undefined],
    ["0.123,50", undefined]
  ])("%s is %s with a point", (text, fix) => {
    expect(advised(`spend > ${text} ₽`)).toEqual([["E05", fix]])
  })
})

describe("a value in another dress", () => {
  const told = (text: string) =>
    Load.check([
      { path: "rules/a.yaml", text: around(text, "window: 7d\nwhere: campaign.payment = cpm") }
    ]).diagnostics.map(
      ({ code, fix, message }) => `${code} ${message}${fix === undefined ? "" : ` [${fix}]`}`
    )
  it.each([
    ['spend > "100 ₽"', "E11 A number stands without quotes: 100 ₽ [100 ₽]"],
    ['orders between "1" and 5', "E11 A number stands without quotes: 1 [1]"],
    ['orders in [2, "5"]', "E11 A number stands without quotes: 5 [5]"],
    ["spend > ₽100", "E07 ₽ stands behind the amount: 100 ₽ [100 ₽]"],
    [
      "spend > 3.000 ₽",
      "K14 An amount has at most two digits after the point, and none between thousands: 3000 ₽ or 3.00 ₽."
    ],
    [
      "spend > 1.975 ₽",
      "K14 An amount has at most two digits after the point, and none between thousands: 1975 ₽ or 1.98 ₽."
    ],
    ["spend > 1’975 ₽", "E06 Remove the separator: 1975 [1975]"],
    ["campaign spend > 5 ₽", "E09 A field has no space: campaign.spend [campaign.spend]"],
    ["item price > 5 ₽", "E09 A field has no space: item.price [item.price]"],
    ["or\u200bders > 3", 'Y02 Invisible character before "ders". Remove it.'],
    ["orders\u00a0> 3", 'Y02 Invisible character before ">". Retype the space.']
  ])("%s is told as what it is: %s", (text, message) => expect(told(text)).toEqual([message]))
})

describe("money times money", () => {
  it("is read where the calculation ends in money or a percentage", () => {
    for (const text of [
      "cpm * 15% * item.price / cpo > 100 ₽",
      "bid < cpm * item.price / cpo * 15%",
      "spend * item.price / (cpo * bid) < 50%",
      "(cpm * item.price - cpc * item.price) * 2 / 3 / spend >= 1 ₽"
    ])
      expect(codes(text)).toEqual([])
  })

  it("is no amount by itself, whatever is asked about it", () => {
    for (const text of [
      "spend * item.price > 100 ₽",
      "spend * item.price between 1 ₽ and 5 ₽",
      "spend * item.price in [1 ₽]",
      "max(spend * item.price, spend) > 1 ₽",
      "spend * item.price",
      "spend * item.price * bid > 1 ₽",
      "spend * item.price + spend > 1 ₽",
      "spend / (bid * bid) > 1"
    ])
      expect(codes(text)).toEqual(["E11"])
    expect(codes("spend * spend > bid * bid")).toEqual(["E11", "E11"])
    const told = around("orders > 1").replace("do: add_minus", 'do: {notify: "{spend * item.price}"}')
    expect(problems(told)).toEqual(["E11@7"])
    const sent = around("orders > 1").replace(
      "do: add_minus",
      "where: campaign.payment = cpm\ndo:\n  set_bid: {to: cpm * item.price, cap: 100 ₽}"
    )
    expect(problems(sent)).toEqual(["E11@9"])
  })
})

it("a message tells all that is wrong with it at once", () => {
  const said = (text: string) => problems(around("orders > 1").replace("add_minus", text))
  expect(said('{notify: "{foo} {bar} {spend"}')).toEqual(["E01@7", "E01@7", "E22@7"])
  expect(said('{notify: "} {} {foo}"}')).toEqual(["E22@7", "E22@7", "E01@7"])
})

describe("how tightly things bind", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    ["a + b * c > d", "(> (+ a (* b c)) d)"],
    ["a - b - c > d", "(> (- (- a b) c) d)"],
    ["all(a > 1 and b > 2) or not any(c > 3)", "(or (all (and (> a 1) (> b 2))) (not (any (> c 3))))"],
    ["sum(a) / sum(b + c) > d", "(> (/ (sum a) (sum (+ b c))) d)"],
    ["(a + b) * c > d", "(> (* (+ a b) c) d)"],
    ["a / b / c > d", "(> (/ (/ a b) c) d)"],
    ["not a = 1 and b = 2", "(and (not (= a 1)) (= b 2))"],
    ["not (a = 1 and b = 2)", "(not (and (= a 1) (= b 2)))"],
    ["not not a", "(not (not a))"],
    ["a between 1 and 2 and b = 3", "(and (between a 1 2) (= b 3))"],
    ["(a or b) and c", "(and (or a b) c)"],
    ["a or b or c", "(or a b c)"],
    ["a in [x, y] or b not in [z]", "(or (in a [x y]) (not-in b [z]))"],
    ['a matches "*x*" and b contains "y"', '(and (matches a "*x*") (contains b "y"))'],
    ['a contains any ["x", "y"]', '(contains a ["x" "y"])'],
    ["a == 1", "(= a 1)"],
    ["a default 0 * 2 > 1", "(> (* (default a 0) 2) 1)"],
    ["a / b default 1 > 1", "(> (/ a (default b 1)) 1)"],
    ["(a / b) default 1 > 1", "(> (default (/ a b) 1) 1)"],
    ["not a is not known", "(not (not-known a))"],
    ["a is known and b is not known", "(and (known a) (not-known b))"],
    ["a < 1% with 99% confidence and b = 1", "(and (sure99 (< a 1)) (= b 1))"],
    ["not a < 1% with 95% confidence", "(not (sure95 (< a 1)))"],
    ["min(a, b + 1) * 2 > max(c, d)", "(> (* (min a (+ b 1)) 2) (max c d))"],
    ["change(a, 7d) < -20%", "(< (change a 7d) -20)"],
    ["a - -5 > 1", "(> (- a -5) 1)"],
    ["A AND B", "(and A B)"],
    ["a or b and c", "E10"],
    ["a and b or c", "E10"],
    ["1 < a < 2", "E08"],
    ["a b", "E09"],
    ["a > 1)", "E09"],
    ["(a > 1", "E09"],
    ["", "E09"],
    ["a contains [1]", "E09"]
  ]
  for (const [text, tree] of table) it(`reads ${text} as ${tree}`, () => expect(shape(text)).toBe(tree))
})

describe("a number of another language", () => {
  it.each([
    ["1e3", "1000"],
    ["1.5e3", "1500"],
    ["1e-3", "0.001"],
    ["0x10", "16"],
    ["5k", "5000"],
    ["5К", "5000"],
    ["5тыс.", "5000"],
    ["5 тыс", "5000"],
    ["1.5млн", "1500000"],
    ["1e30", undefined]
  ])("%s is pointed at, and written out", (number, fix) => {
    const message = `${number} is no number here. Write ${fix ?? "it out in digits"}.`
    const fault = { code: "Y20", message, start: 8, end: 8 + number.length }
    expect(Parser.condition(`spend > ${number} ₽`)).toMatchObject(
      fix === undefined ? fault : { ...fault, fix }
    )
  })

  it.each([
    ["views > 5 😀", '"😀" has no meaning in a condition.', 10, 12],
    ["views % 5 = 0", "There are no remainders here: % stands behind a number, such as 5%.", 6, 7],
    ["ctr < 1%%", "One percent sign is enough.", 8, 9],
    ["hour >= 06:00", "A time of day is no value here. The hour is a whole number: hour >= 6", 8, 13],
    [
      "hour >= 9:30",
      "A time of day is no value here. The hour is a whole number, without minutes: hour >= 9 or hour >= 10",
      8,
      12
    ]
  ])("%s is refused as a whole sign, for what it is", (text, message, start, end) => {
    expect(Parser.condition(text)).toMatchObject({ code: "E09", message, start, end })
  })

  it("is no number with a word close behind it, nor a duration", () => {
    expect(shape("a > 5and b < 1")).toBe("(and (> a 5) (< b 1))")
    expect(codes("campaign.age > 5days")).not.toContain("Y20")
  })
})

describe("units", () => {
  it("holds percentages as fractions, money in kopecks, counts as themselves", () => {
    const right = (text: string) => {
      const made = condition(text)
      return made._tag === "Compare" ? literal(made.right) : made._tag
    }
    expect(right("ctr < 1.1%")).toEqual(["Ratio", 0.011])
    expect(right("spend > 12.50 ₽")).toEqual(["Money", 1250])
    expect(right("spend > 12 rub")).toEqual(["Money", 1200])
    expect(right("spend > 12 руб.")).toEqual(["Money", 1200])
    expect(right("spend > 12₽")).toEqual(["Money", 1200])
    expect(right("views >= 500")).toEqual(["Count", 500])
    expect(right("avg_pos > 6")).toEqual(["Number", 6])
  })

  const accepted = [
    "spend * 110% > 500 ₽",
    "spend / orders > 200 ₽",
    "clicks / views < 1%",
    "spend / item.revenue < 15%",
    "orders / 2 > 1",
    "cpm * 15% / item.acos > bid",
    "(spend + 10 ₽) / views < 1 ₽",
    "spend between 10 ₽ and 20 ₽",
    "bid > min_bid * 2",
    "views - clicks > 5",
    "campaign.id in [1,2, 3]",
    "campaign.payment = cpm and cpm > 100 ₽",
    "campaign.search = yes",
    "campaign.search",
    "not campaign.search",
    'campaign.name = "Sale"',
    'query matches "*x*"',
    "bid >= bid_step.cpm * 3",
    "ctr[14d, settle 1d] < ctr[today]",
    "spend[yesterday] > campaign.spend[1w]",
    "orders default 0 = 0",
    "(spend / orders) default 0 ₽ < 5 ₽",
    "campaign.status default paused = paused",
    "campaign.status default paused in [paused, ready]",
    "campaign.search default no",
    'query default "" contains "x"',
    'campaign.name contains " "',
    "change(views, 3d) default -100% < -20%",
    'not (query contains any ["  ", "-"])',
    "orders is known and spend / orders is not known",
    "not orders is known",
    "min(bid, min_bid * 2) > 100 ₽",
    "max(5,orders,views) > 3",
    "max(3,5) < views",
    "min(1%, ctr) < 1%",
    "orders[7d before 7d] > orders",
    "orders[7d before 7d, settle 1d] > orders[yesterday]",
    "change(ctr, 7d) < -20%",
    "change(spend, 7d, settle 1d) between -20% and 50%",
    "change(campaign.orders, 15d) default 0% > 10%",
    "change(orders, 7d) <= -100%",
    "change(orders, 7d) > -100%",
    "change(orders, 7d) > 100%",
    "views - clicks > -5",
    "ctr < 1% with 99% confidence",
    "ctr[14d] <= 1% with 95% confidence and orders = 0",
    "(cr > 5% with 95% confidence) or campaign.cr >= 5% with 99% confidence",
    "1% > ctr with 99% confidence",
    "not (ctr < 1% with 99% confidence)",
    "ctr < campaign.ctr * 50% with 95% confidence"
  ]
  for (const text of accepted) it(`accepts ${text}`, () => expect(codes(text)).toEqual([]))

  const refused: ReadonlyArray<readonly [string, string]> = [
    ["ctr < 5", "E03"],
    ["clicks / views < 0.01", "E03"],
    ["ctr between 1 and 2%", "E03"],
    ["spend / orders > 200", "E04"],
    ["bid in [100 ₽, 200]", "E04"],
    ["spend > 10%", "E11"],
    ["views > 10 ₽", "E11"],
    ["spend + 10% > 5 ₽", "E11"],
    ["spend * spend > 5 ₽", "E11"],
    ["views > avg_pos * spend", "E11"],
    ["campaign.status > active", "E11"],
    ['campaign.name > "a"', "E11"],
    ["orders", "E11"],
    ['spend matches "x"', "E11"],
    ["query contains 5", "E11"],
    ["query contains sale", "E11"],
    ["(views > 5) > 3", "E11"],
    ["views > 7d", "E11"],
    ["campaign.search = maybe", "E13"],
    ["campaign.status in [active, stopped]", "E13"],
    ["campaign.status = аctive", "E12"],
    ["spend > 5 usd", "E07"],
    ["spend > $5", "E15"],
    ["avg(views, 5) > 3", "E14"],
    ["min(views) > 3", "E09"],
    ["min(views, spend) > 3", "E11"],
    ["max(views, 5 ₽) > 3", "E11"],
    ["max(query, campaign.name) > 3", "E11"],
    ["orders default > 3", "E09"],
    ["spend default 0 > 3 ₽", "E04"],
    ["ctr default 0 < 1%", "E03"],
    ["5 default 0 > 3", "E16"],
    ["orders default 0 default 1 > 3", "E09"],
    ["campaign.status default actve = active", "E13"],
    ["campaign.search default maybe", "E13"],
    ["orders is 5", "E07"],
    ["orders is unknown", "E09"],
    ["orders default 0 is known", "E16"],
    ["vews is known", "E01"],
    ["orders[7d before today] > 3", "K16"],
    ["orders[7d before 7d before 7d] > 3", "K16"],
    ["orders[7d before] > 3", "K16"],
    ["orders[16d before 15d] > 3", "K08"],
    ["orders[29d, settle 2d] > 3", "K08"],
    ["change(ctr, 16d) < -20%", "K08"],
    ["change(ctr, today) < -20%", "K16"],
    ["change(ctr) < -20%", "E09"],
    ["change(ctr[7d], 7d) < -20%", "E19"],
    ["change(bid, 7d) < -20%", "E19"],
    ["change(orders / clicks, 7d) < -20%", "E11"],
    ["change(ctr, 7d) < -0.2", "E03"],
    ["change(ctr, 7d) < 5 ₽", "E11"],
    ["views * -1 > 5", "E09"],
    ["ctr < 1% with 90% confidence", "E14"],
    ["ctr < 1% with confidence", "E14"],
    ["ctr < 1% with 99%", "E09"],
    ["ctr = 1% with 99% confidence", "E14"],
    ["ctr between 1% and 2% with 99% confidence", "E14"],
    ["acos < 1% with 99% confidence", "E02"],
    ["cpo < 100 ₽ with 99% confidence", "E14"],
    ["clicks / views < 1% with 99% confidence", "E14"],
    ["ctr < 0.01 with 99% confidence", "E03"],
    ["ctr > 0% with 99% confidence", "E16"],
    ["ctr < 100% with 99% confidence", "E16"],
    ["views > $5", "E15"],
    ["views > $", "E15"],
    ["views > $few", "E15"],
    ["ctr[24m] < 1%", "K16"],
    ["ctr[1 month] < 1%", "K07"],
    ["ctr[0d] < 1%", "K14"],
    ["views / 0 > 1", "E16"],
    ["views >= 0", "E16"],
    ['query = ""', "E16"],
    ['query != " "', "E16"],
    ["views < 0", "E16"],
    ["spend < -10 ₽", "E09"],
    ["5 > 3", "E16"],
    ["views > views", "E16"],
    ["100% > ctr", "E16"],
    ["ctr > 150%", "E16"],
    ["change(ctr, 7d) < -100%", "E16"],
    ["change(ctr, 7d) < -120%", "E16"],
    ["change(spend, 7d) > -120%", "E16"],
    ["-100% <= change(orders, 7d)", "E16"],
    ["change(orders, 7d) = -120%", "E16"],
    ["views between 9 and 5", "E16"],
    ["campaign.status in []", "E16"],
    ['query matches "*"', "E16"],
    ['query contains ""', "E16"],
    ['query contains any ["кеды", ""]', "E16"],
    ["views > -5", "E09"],
    ["status = active", "E01"],
    ["constructor > 5", "E01"],
    ["views > 5;", "E07"],
    ["views >= 500 и orders = 0", "E07"],
    ["spend > 1.005 ₽", "K14"],
    ["bid > bid_step", "K11"]
  ]
  for (const [text, code] of refused)
    it(`refuses ${text} with ${code}`, () => expect(codes(text)).toEqual([code]))

  it("says of an amount that is too large how large one is, and of a fine one how fine", () => {
    const said = (amount: string) =>
      [around(`spend > ${amount}`), `${around("spend > 1 ₽")}limits: {money_per_day: ${amount}}\n`]
        .flatMap((text) => Load.check([{ path: "rules/a.yaml", text }]).diagnostics)
        .flatMap(({ code, message }) => (code === "K14" ? [message] : []))
    const [most, fine] = ["is 90071992547409.91 ₽ at most.", "has at most two digits after the point."]
    expect(said("90071992547409.91 ₽")).toEqual([])
    expect(said("90071992547409.93 ₽")).toEqual([`An amount ${most}`, `money_per_day: an amount ${most}`])
    expect(said("0.005 ₽")).toEqual([`An amount ${fine}`, `money_per_day: an amount ${fine}`])
  })

  it("lets acos be above 100%", () => expect(codes("item.acos < 150%")).toEqual([]))

  it("reports every clause and both sides of an and", () => {
    expect(codes("vews > 5 and ctr < 1")).toEqual(["E01", "E03"])
  })
})

describe("what words mean", () => {
  it("takes cpm as a payment type beside campaign.payment, and as a price elsewhere", () => {
    const payment = condition("cpm = campaign.payment or campaign.payment = cpm")
    expect(
      payment._tag === "Or" &&
        payment.any.map((c) => (c._tag === "Compare" ? [literal(c.left), literal(c.right)] : c))
    ).toEqual([
      ["Fact", ["Enum", "cpm"]],
      ["Fact", ["Enum", "cpm"]]
    ])
  })

  it("reads the nearest level first, and a coarser one by its name", () => {
    const ids = (text: string) => {
      const made = condition(text)
      const id = (expr: Expr) => (expr._tag === "Fact" ? [expr.fact.id, expr.fact.window] : undefined)
      return made._tag === "Compare" ? [id(made.left), id(made.right)] : []
    }
    expect(ids("spend > campaign.spend[today]")).toEqual([
      ["cluster.spend", { _tag: "Last", days: 7, settleDays: 0 }],
      ["campaign.spend", { _tag: "Today" }]
    ])
    expect(ids("bid < recommended.reach_max")).toEqual([
      ["cluster.bid", undefined],
      ["cluster.recommended.reach_max", undefined]
    ])
  })

  it("takes the window of the policy, with its settle days", () => {
    const made = condition("ctr < 1%", "window: {last: 14d, settle: 1d}")
    expect(made._tag === "Compare" && made.left).toMatchObject({
      fact: { id: "cluster.ctr", window: { _tag: "Last", days: 14, settleDays: 1 } }
    })
  })

  it("resolves bid_step by the payment type the policy fixes", () => {
    const text = around("bid > bid_step * 3", "window: 7d\nwhere: campaign.payment = cpc")
    expect(JSON.stringify(policy(text).rules)).toContain("account.bid_step.cpc")
  })
})

describe("the signs of a pattern, where text is meant", () => {
  it.each([
    ["query contains *Поиск*", ['E11 "Поиск"']],
    ['query contains "*Поиск*"', ['E11 query contains "Поиск"']],
    ['query contains "*белые*кеды*"', ['E11 query matches "*белые*кеды*"']],
    ['query contains "к?ды"', ['E11 query matches "*к?ды*"']],
    ['query contains any ["кеды", "*боты*"]', ["E11"]],
    ['query != "*Поиск*"', ['E11 not query matches "*Поиск*"']],
    ['query = "Поиск*"', ['E11 query matches "Поиск*"']],
    ['query in ["кеды", "боты*"]', ["E11"]],
    ['query contains "какие кеды?"', []],
    ['query matches "*Поиск*"', []]
  ])("%s: is told, with matches", (text, found) =>
    expect(
      advised(text)
        .filter(([code]) => code === "E11")
        .map(([code, fix]) => (fix === undefined ? code : `${code} ${fix}`))
    ).toEqual(found)
  )
})
