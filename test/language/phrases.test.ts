/** Conditions in the words that people say: what was meant is told, and written by `check --fix` where it is certain. */
import { describe, expect, it } from "vitest"
import * as Mend from "../../src/engine/language/format/Mend.js"
import * as Load from "../../src/engine/language/Load.js"
import { around } from "./Rules.js"

const more = "window: 7d\nwhere: campaign.payment = cpm"
const file = (when: string) => ({ path: "rules/a.yaml", text: around(when, more) })
const told = (when: string) =>
  Load.check([file(when)]).diagnostics.map(
    ({ code, fix, message }) => `${code} ${message}${fix === undefined ? "" : ` [${fix}]`}`
  )
const mended = (when: string) => Mend.mend([file(when)]).files[0]?.text

describe("a sign in words", () => {
  it.each([
    ["spend больше 100 ₽", "spend > 100 ₽"],
    ["spend more than 100 ₽", "spend > 100 ₽"],
    ["spend is greater than 100 ₽", "spend > 100 ₽"],
    ["spend over 100 ₽", "spend > 100 ₽"],
    ["orders меньше 3", "orders < 3"],
    ["orders fewer than 3", "orders < 3"],
    ["orders не меньше 3", "orders >= 3"],
    ["orders at least 3", "orders >= 3"],
    ["orders больше или равно 3", "orders >= 3"],
    ["orders greater than or equal to 3", "orders >= 3"],
    ["orders не больше 3", "orders <= 3"],
    ["orders no more than 3", "orders <= 3"],
    ["orders at most 3", "orders <= 3"],
    ["orders равно 3", "orders = 3"],
    ["campaign.status is active", "campaign.status = active"],
    ["campaign.status is not active", "campaign.status != active"],
    ["campaign.status isn't active", "campaign.status != active"],
    ["campaign.status не active", "campaign.status != active"],
    ["orders не равно 3", "orders != 3"],
    ['query содержит "x"', 'query contains "x"'],
    ['query includes "x"', 'query contains "x"'],
    ["ctr < 1 процент", "ctr < 1%"],
    ["ctr < 1.5 percent", "ctr < 1.5%"],
    ["orders > 3 шт.", "orders > 3"],
    ["orders > 1 500 шт", "orders > 1500"],
    ["ctr < 1,5 процента", "ctr < 1.5%"],
    ["orders > 3 pcs and spend выше 5 ₽", "orders > 3 and spend > 5 ₽"],
    ["ctr is at least 1%", "ctr >= 1%"],
    ["ctr is at most 1%", "ctr <= 1%"],
    ["orders равно или больше 3", "orders >= 3"],
    ["spend does not exceed 100 ₽", "spend <= 100 ₽"],
    ["campaign.status is in [active]", "campaign.status in [active]"],
    ["campaign.status is one of [active]", "campaign.status in [active]"],
    ["campaign.status is not in [active]", "campaign.status not in [active]"]
  ])("%s becomes %s", (wrong, right) => {
    expect(Load.check([file(wrong)]).ruleSet).toBeUndefined()
    expect(Load.check([file(right)]).diagnostics).toEqual([])
    expect(mended(wrong)).toBe(file(right).text)
  })

  it.each([
    ["spend больше 100 ₽", ["E07 Write > instead of больше [>]"]],
    [
      "ctr from 1% to 2%",
      ["E07 Write between instead of from [between]", "E07 Write and instead of to [and]"]
    ],
    ["ctr от 1% до 2%", ["E07 Write between instead of от [between]", "E07 Write and instead of до [and]"]],
    ["views between 3 to 5", ["E07 Write and instead of to [and]"]],
    ["views between 3 or 5", ["E09 and stands between both ends: between 3 and 5 [and]"]],
    ["views between 3, 5", ["E09 and stands between both ends: between 3 and 5 [and]"]],
    ["orders is null", ["E07 Write is not known instead of is null [is not known]"]],
    [
      'query не содержит "x"',
      ['E09 not stands in front of the field: not query contains "x" [not query contains "x"]']
    ],
    [
      'query starts with "x"',
      ['E09 A part is contains "кеды", a beginning matches "кеды*", an end matches "*кеды".']
    ],
    ["avg_pos выше 5", ["E09 The highest place is 1: < means nearer to it, > further down."]],
    ["orders is set", ["E07 Write is known instead of is set [is known]"]],
    ["orders > 1'000", ["E06 Remove the separator: 1000 [1000]"]],
    ["если orders > 3", ["E07 Remove если: a condition begins with its field."]]
  ])("%s is told, and left to its author where it is not certain", (wrong, messages) =>
    expect(told(wrong)).toEqual(messages)
  )

  it.each([
    ["spend >= 12 шт", "E11 12 шт is a count, and money is meant."],
    ["ctr >= 12 шт", "E11 12 шт is a count, and a percentage is meant."],
    ["campaign.age > 3 раза", "E11 3 раза is a count, and a duration is meant."]
  ])("%s counts what nobody counts: one problem, which no program mends", (text, problem) => {
    expect(told(text)).toEqual([problem])
    expect(mended(text)).toBe(file(text).text)
  })

  it.each([
    "orders > 1,500 шт",
    "spend > 12 шт 450 ₽",
    "spend > 3 раза ₽",
    "ctr < 1,500 процента",
    "ctr from 1% to 2%",
    "orders от 3",
    "orders до 3",
    "orders is empty",
    'query not contains "x"',
    'query has no "x"',
    "ctr is between 1% and 2%",
    'query is matches "x*"',
    "orders is set",
    "ctr is up to 1%",
    "orders не известно",
    "avg_pos above 5",
    "avg_pos[yesterday] не ниже 5"
  ])("%s may mean more than one thing: no program writes it", (text) =>
    expect(mended(text)).toBe(file(text).text)
  )

  it.each([
    ["spend > 100 ₽ not orders = 3", "E09"],
    ["orders > 3 больше 5", "E09"]
  ])("%s is none: there is one already", (text, code) =>
    expect(told(text).map((one) => one.slice(0, 3))).toContain(code)
  )

  it("is no reason to leave the rest unread", () =>
    expect(
      told("spend больше 100 and vews меньше 5")
        .map((one) => one.slice(0, 3))
        .sort()
    ).toEqual(["E01", "E04", "E07", "E07"]))
})

describe("days beside a condition", () => {
  it.each([
    ["orders > 3 за 7 дней", "orders[7d]"],
    ["orders за последние 14 дней > 3", "orders[14d]"],
    ["за неделю orders > 3", "orders[7d]"],
    ["spend > 5 ₽ in the last 2 weeks", "spend[14d]"],
    ["spend > 5 ₽ for 30 days", "spend[30d]"],
    ["spend over 7 days > 5 ₽", "spend[7d]"],
    ["spend вчера > 5 ₽", "spend[yesterday]"],
    ["spend за вчера > 5 ₽", "spend[yesterday]"],
    ["вчера spend > 5 ₽", "spend[yesterday]"],
    ["spend > 5 ₽ today", "spend[today]"]
  ])("%s: they stand behind the field, and nothing is written for anyone", (text, field) => {
    expect(told(text)).toEqual([`E09 Days stand in square brackets behind the field: ${field}`])
    expect(mended(text)).toBe(file(text).text)
  })

  it.each(["spend > 100 ₽/день", "spend > 100 ₽ в день", "spend > 100 ₽ / day", "spend > 100 ₽ per day"])(
    "%s: of which, no more weekday",
    (text) =>
      expect(told(text)).toEqual([
        "E09 Of which day? Write spend[today] or spend[yesterday], or spend[7d] / 7 for an average."
      ])
  )

  it("are in no fix of the comparison that they stand in", () =>
    expect(told("spend today > 5")).toEqual([
      "E09 Days stand in square brackets behind the field: spend[today]",
      "E04 spend is money; a bare number is not [5 ₽]"
    ]))

  it("that an age is compared with are none", () =>
    expect(mended("campaign.age over 7 days")).toBe(file("campaign.age > 7d").text))
})

describe("a word that belongs to no condition", () => {
  const ofNone =
    "A number that is none is 0: orders = 0. A yes or no that is no: not campaign.search. A value that is not told"
  it.each([
    ["orders > 3 then pause", 'E09 What is done stands in do:, not in a condition. Remove "then pause".'],
    [
      "orders > 3 and spend > 5 ₽ то пауза",
      'E09 What is done stands in do:, not in a condition. Remove "то пауза".'
    ],
    ["no orders", "E09 Nothing is 0. Write orders = 0"],
    ["нет заказов", "E09 Nothing is 0. Write заказов = 0"],
    [
      "orders > 3 заказов",
      'E09 A number has no word behind it. Remove "заказов", or write and/or before it.'
    ],
    ["bid < 50% of max(bid, 5 ₽)", 'E09 Expected and/or before "of".'],
    ["spend > 50% от бюджета", 'E09 Expected and/or before "от".'],
    ["orders > 5 of clicks", 'E09 A number has no word behind it. Remove "of", or write and/or before it.'],
    ["orders > 3 clicks > 5", 'E09 Expected and/or before "clicks".'],
    ["(no orders)", "E09 Nothing is 0. Write orders = 0"],
    ["clicks > 10 no orders", 'E09 Expected and/or before "no".'],
    ["clicks > 10 and no orders > 3", 'E09 Expected and/or before "orders".'],
    ["no ctr", `E09 ${ofNone}: ctr is not known.`],
    ["нет campaign.search", `E09 ${ofNone}: campaign.search is not known.`],
    ["orders = no orders", 'E09 Expected and/or before "orders".']
  ])("is told by what to write instead: %s", (when, problem) => {
    expect(told(when)).toContain(problem)
  })
})

describe("what is asked in words, or of several values", () => {
  const hours = "schedule: {every: 1h, tz: Europe/Moscow}\n"
  const checked = (when: string) =>
    Load.check([{ ...file(when), text: file(when).text.replace("each:", `${hours}each:`) }]).diagnostics

  it.each([
    ["spend > 50% от campaign.budget", "spend >", "Multiply: ", "campaign.budget * 50%"],
    ["spend > 50% of campaign.budget", "spend >", "Multiply: ", "campaign.budget * 50%"],
    ["ctr < 50% of ctr[30d]", "ctr <", "Multiply: ", "ctr[30d] * 50%"],
    ["spend > 2x spend[30d]", "spend >", "Multiply: ", "spend[30d] * 2"],
    ["spend > 2 раза spend[30d]", "spend >", "Multiply: ", "spend[30d] * 2"],
    ["bid > 2x min_bid", "bid >", "Multiply: ", "min_bid * 2"],
    ["bid > 1.5 раза min_bid", "bid >", "Multiply: ", "min_bid * 1.5"],
    ["campaign.id in 1, 2", "campaign.id", "Write the possible values in square brackets: ", "in [1, 2]"],
    ["campaign.id = 1, 2", "campaign.id", "Several values are written as a list: ", "in [1, 2]"],
    ["campaign.id != 1, 2", "campaign.id", "Several values are written as a list: ", "not in [1, 2]"],
    ['query contains "a", "b"', "query", "Several values are written as a list: ", 'contains any ["a", "b"]'],
    [
      'query contains any "a", "b"',
      "query",
      "Several values are written as a list: ",
      'contains any ["a", "b"]'
    ],
    ["campaign.id = 1, 2, orders = 0", "campaign.id", "Several values are written as a list: ", "in [1, 2]"],
    ["(campaign.id = 1, 2)", "campaign.id", "Several values are written as a list: ", "in [1, 2]"],
    [
      "campaign.id in 1, 2, orders = 0",
      "campaign.id",
      "Write the possible values in square brackets: ",
      "in [1, 2]"
    ],
    [
      "weekday in пн-ср and orders = 0",
      "weekday",
      "Write the possible values in square brackets: ",
      "in [mon, tue, wed]"
    ],
    ["hour in 8-23", "hour", "A list names each value. For a range write ", "between 8 and 23"],
    ["hour in 8..23", "hour", "A list names each value. For a range write ", "between 8 and 23"],
    ["hour = 8..23", "hour", "A range is written ", "between 8 and 23"],
    [
      'query not contains "a", "b" and orders = 0',
      "",
      "not stands in front of the field: ",
      'not query contains any ["a", "b"]'
    ],
    [
      'query = "a" or "b" or c',
      "",
      "One of several values is written as a list: ",
      'query in ["a", "b", "c"]'
    ],
    [
      "campaign.status != active and paused",
      "",
      "One of several values is written as a list: ",
      "campaign.status not in [active, paused]"
    ]
  ])("%s is told once, and what is told checks", (when, before, message, advice) => {
    expect(checked(when).map((one) => one.message)).toEqual([`${message}${advice}`])
    expect(checked(`${before} ${advice}`.trim())).toEqual([])
  })

  it.each([
    ["ctr упал на 15%", "change(ctr, …) < -15%"],
    ["orders grew by 20 %", "change(orders, …) > 20%"]
  ])("of %s the days to compare are the author's to say", (when, meant) => {
    const advice = `What goes up or down is asked by change: ${meant}, with the days to compare, such as 7d`
    expect(checked(when).map((one) => one.message)).toEqual([advice])
    expect(checked(meant.replace("…", "7d"))).toEqual([])
  })

  it("has its quotes in the list, where a name is a number, and none where a variable holds it", () => {
    const list = "E11 One of several values is written as a list: campaign.name in"
    expect(told("campaign.name = 5 or 6")).toEqual(['E11 Text needs quotes. ["5"]', `${list} ["5", "6"]`])
    const text = file("campaign.name = $n or 6").text.replace("window:", "vars: {n: 5}\nwindow:")
    const found = Load.check([{ path: "rules/a.yaml", text }]).diagnostics
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([`${list} [$n, "6"]`])
  })

  it.each([
    ["orders = 0 and campaign.serch", "campaign.search"],
    ["orders = 0 and clickz", "clicks"]
  ])("is no list where a field is misspelt: %s", (when, field) =>
    expect(Load.check([file(when)]).diagnostics.map(({ fix }) => fix)).toEqual([field])
  )

  it.each(["orders grew 2x", "orders fell to 1", "ctr fell to 1%", "spend fell by 500 ₽", "orders grew"])(
    "is no change where it is not said by how many percent: %s",
    (when) => {
      const problems = told(when)
      expect(problems).toHaveLength(1)
      expect(problems[0]).toMatch(/^E09 Expected and\/or before "(?:grew|fell)"\.$/)
    }
  )

  it.each(["orders > 5, 10", 'query matches "a*", "b*"'])("is no list behind another sign: %s", (when) =>
    expect(told(when)).toEqual(['E09 Expected and/or before ",".'])
  )

  it("is no list where the values are compared otherwise", () =>
    expect(told("orders > 5 or 10")).toEqual(["E11 10 alone is no condition. Compare it with something."]))
})
