/** Words that conditions look for, written so that they are never found: nothing would be spared that a rule names. */
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { around } from "./Rules.js"

const labels = {
  path: "rules/_shared/labels.yaml",
  text: "version: 1\nkind: facts\nsource: {csv: labels.csv}\njoin: campaign.id = id\nfields:\n  campaign.labels: {column: l, type: labels}\n"
}

/** Severity, code and fix of what is said of a condition. */
const advised = (when: string, more = "", files: ReadonlyArray<Load.File> = []) =>
  Load.check([
    { path: "rules/a.yaml", text: around(when, `where: campaign.payment = cpm\n${more}window: 7d`) },
    ...files
  ])
    .diagnostics.filter(({ code }) => /^E/.test(code))
    .map(({ code, fix, severity }) => `${severity} ${code} ${fix}`)

const vars = (value: string) => ({
  path: "rules/_shared/vars.yaml",
  text: `version: 1\nkind: vars\nvars:\n  brand_words: ${value}\n`
})

const ofLimit = (never: string) =>
  Load.check([
    {
      path: "rules/_shared/limits.yaml",
      text: `version: 1\nkind: limits\naccount:\n  never_touch: ${never}\n`
    }
  ]).diagnostics

/** Code and fix of what is said of a limit. */
const limits = (never: string) => ofLimit(never).map(({ code, fix }) => [code, fix])
const toldOf = (never: string) => ofLimit(never).map(({ message }) => message)

describe("a list of words that is written as one text", () => {
  it.each([
    ['query contains any "кеды, боты"', 'query contains any ["кеды", "боты"]'],
    ['query contains any ["кеды,боты", "сапоги"]', 'query contains any ["кеды", "боты", "сапоги"]'],
    ['query contains "кеды;боты"', 'query contains any ["кеды", "боты"]'],
    ['campaign.name contains "TEST, Распродажа"', 'campaign.name contains any ["TEST", "Распродажа"]'],
    [
      'not campaign.name matches "TEST*, SALE*"',
      '(campaign.name matches "TEST*" or campaign.name matches "SALE*")'
    ],
    ['campaign.name matches "TEST*, SALE*"', 'campaign.name matches "TEST*" or campaign.name matches "SALE*"']
  ])("is told: %s", (when, fix) => {
    expect(advised(when)).toEqual([`warning E23 ${fix}`])
    expect(advised(fix)).toEqual([])
  })

  it("is told where a variable holds it", () => {
    const asked = "query contains any $brand_words"
    const own = 'vars: {brand_words: "кеды; боты"}\n'
    const fix = 'warning E23 where it is defined, brand_words: ["кеды", "боты"]'
    expect(advised(asked, own)).toEqual([fix])
    expect(advised(asked, "", [vars("кеды, боты")])).toEqual([fix])
    expect(advised(asked, "", [vars("[кеды, боты]")])).toEqual([])
  })

  it("is told of what nothing may touch, of items too", () => {
    expect(limits('campaign.name contains "TEST, SALE"')).toEqual([
      ["E23", 'campaign.name contains any ["TEST", "SALE"]']
    ])
    expect(limits('item.subject contains "кеды, боты"')).toEqual([
      ["E23", 'item.subject contains any ["кеды", "боты"]']
    ])
  })

  it("is none where a pattern stands alone, with no field to look for it in", () => {
    const matched = ["E09", 'campaign.name matches "TEST*"']
    expect(limits("TEST*")).toEqual([matched])
    expect(limits("[TEST*, '*SALE*']")).toEqual([matched, ["E09", 'campaign.name matches "*SALE*"']])
  })

  it.each([
    ["TEST SALE*", 'campaign.name matches "TEST SALE*"'],
    ['["Поиск: зима*"]', `'campaign.name matches "Поиск: зима*"'`],
    ["TEST*, SALE*", 'campaign.name matches "TEST*" or campaign.name matches "SALE*"'],
    ["TEST* or SALE*", 'campaign.name matches "TEST*" or campaign.name matches "SALE*"'],
    ["[TEST* и SALE*]", 'campaign.name matches "TEST*" or campaign.name matches "SALE*"'],
    ["Socks and shoes*", 'campaign.name matches "Socks and shoes*"'],
    ["Распродажа", 'campaign.name = "Распродажа"'],
    ["1234567", "campaign.id = 1234567"],
    ["12345, 678", "'campaign.id in [12345, 678]'"],
    ["12345 or 678", "'campaign.id in [12345, 678]'"]
  ])("nor where such a pattern is no single word, or a name stands alone: %s", (never, fix) => {
    expect(limits(never)).toEqual([["E09", fix]])
    expect(limits(fix)).toEqual([])
    expect(limits(`[${fix}]`)).toEqual([])
  })

  it.each([
    ["Лето или Зима", `'campaign.name in ["Лето", "Зима"]'`, 'campaign.name = "Лето или Зима"'],
    ["Куртки, женские", `'campaign.name in ["Куртки", "женские"]'`, `'campaign.name = "Куртки, женские"'`],
    ["Лето и зима", `'campaign.name in ["Лето", "зима"]'`, 'campaign.name = "Лето и зима"']
  ])(
    "nor where one name or several may stand: both are told, and neither is a fix: %s",
    (never, several, one) => {
      expect(toldOf(never)).toEqual([
        `A name alone says nothing of where it is looked for. Of several names write ${several}, of one ${one}.`
      ])
      expect(limits(never)).toEqual([["E09", undefined]])
      expect([...limits(several), ...limits(one)]).toEqual([])
    }
  )

  it.each([
    "TEST* or Зима",
    "12345, Зима",
    "12345 or TEST*",
    "status active",
    "статус active",
    "Orders 5, Зима"
  ])("nor where a name stands beside a number, a pattern or a field: %s has no fix", (never) => {
    expect(limits(never)).toEqual([["E09", undefined]])
    expect(toldOf(never)[0]).toContain("Write whole conditions, such as ")
  })

  it("nor where a star alone stands: it says nothing behind matches either", () => {
    expect(limits("'*'")).toEqual([["E09", undefined]])
  })

  it("is no calculation, and no condition that lacks its quotes", () => {
    const asked = [
      "spend * 2",
      "campaign.name matches TEST*",
      "campaign.name TEST*",
      "campaign status paused"
    ].flatMap(limits)
    expect(asked.filter(([, fix]) => fix?.startsWith("campaign.name "))).toEqual([])
  })

  it("is no number with a decimal comma, and no pattern with a comma of its own", () => {
    expect(advised('query contains "1,5 л"')).toEqual([])
    expect(advised('campaign.name matches "*TEST, Распродажа*"')).toEqual([])
  })

  it.each([
    'campaign.name matches "* | Поиск"',
    'campaign.name matches "Куртки | *"',
    'campaign.name matches "* | *"',
    'campaign.name matches "*1,5 л*"',
    'campaign.name contains " | Поиск"',
    'campaign.name contains ","',
    'query contains any [",", "кеды"]'
  ])("is no name with such a sign in it: %s", (when) => expect(advised(when)).toEqual([]))

  it("is no reason to take apart what stands beside it", () =>
    expect(advised('campaign.name contains any ["| Поиск", "TEST, SALE"]')).toEqual([
      'warning E23 campaign.name contains any ["| Поиск", "TEST", "SALE"]'
    ]))

  it.each([
    ["query contains any ['кеды \"а\", боты']", ""],
    ["campaign.name matches '\"А\"*, TEST*'", ""],
    ['query contains any [$own, "кеды, боты"]', "vars: {own: шлёпки}\n"],
    ["campaign.name matches $own", 'vars: {own: "TEST*, SALE*"}\n']
  ])("is told without a list where none can be written: %s", (when, vars) =>
    expect(advised(when, vars)).toEqual(["warning E23 undefined"])
  )

  it("is told beside a word of two alphabets, which is mended first", () =>
    expect(advised('query contains "пeрчатки, кеды"')).toEqual([
      "warning E23 undefined",
      'warning E24 "перчатки, кеды"'
    ]))

  it("is an error of labels, of which none has a comma", () => {
    const fix = 'campaign.labels contains any ["не трогать", "тест"]'
    expect(advised('not (campaign.labels contains "не трогать, тест")', "", [labels])).toEqual([
      `error E16 ${fix}`
    ])
    expect(advised(`not (${fix})`, "", [labels])).toEqual([])
    expect(advised('not (campaign.labels contains ",")', "", [labels])).toEqual(["error E16 undefined"])
    expect(advised('sum(spend[today], group = "season, test") > 5000 ₽', "", [labels])).toEqual([
      "error E11 undefined"
    ])
  })
})

describe("labels that are compared", () => {
  it.each([
    ['= "a"', 'campaign.labels contains "a"'],
    ["= a", 'campaign.labels contains "a"'],
    ['!= "a"', 'not (campaign.labels contains "a")'],
    ['not in ["a", "b"]', 'not (campaign.labels contains any ["a", "b"])'],
    ['= "a, b"', 'campaign.labels contains any ["a", "b"]'],
    ['in ["a|b", "c"]', 'campaign.labels contains any ["a", "b", "c"]']
  ])("%s: what to write says the same, and is nothing to mend a second time", (condition, fix) => {
    expect(advised(`campaign.labels ${condition}`, "", [labels])).toEqual([`error E11 ${fix}`])
    expect(advised(fix, "", [labels])).toEqual([])
  })

  it.each([
    [`'"a" = campaign.labels'`, 'campaign.labels contains "a"'],
    [`'"a, b" != campaign.labels'`, 'not (campaign.labels contains any ["a", "b"])'],
    ["campaign.labels = 2026", 'campaign.labels contains "2026"']
  ])("are told so whichever side they stand on, and a number as a word: %s", (condition, fix) => {
    expect(advised(condition, "", [labels])).toEqual([`error E11 ${fix}`])
    expect(advised(fix, "", [labels])).toEqual([])
  })

  it("are told all that is wrong with them at once", () => {
    const rule = { path: "rules/a.yaml", text: around('campaign.labels = "a, b"') }
    expect(Load.check([rule, labels]).diagnostics.map(({ message }) => message)).toContain(
      "campaign.labels may hold several labels, and none has a comma, semicolon or bar: ask with contains."
    )
  })
})

describe("letters of two alphabets in a word", () => {
  it.each([
    ['query contains "пeрчатки"', 'warning E24 "перчатки"'],
    ['query contains any ["боты", "cтиль"]', 'warning E24 "стиль"'],
    ['campaign.name = "ТЕST 3"', 'warning E24 "TEST 3"'],
    ['query contains "HЕPA-фильтр"', 'warning E24 "HEPA-фильтр"'],
    ['query contains "НЕPА"', 'warning E24 "НЕРА"'],
    ['query contains "МB"', "warning E24 undefined"],
    ["campaign.name matches 'Пeтля*'", "warning E24 'Петля*'"]
  ])("are told where they look like one: %s", (when, told) => expect(advised(when)).toEqual([told]))

  it("are told where a variable is defined, once", () => {
    const files = [
      vars("[пeрчатки]"),
      { path: "rules/b.yaml", text: around("query contains any $brand_words") }
    ]
    expect(advised("query contains any $brand_words", "", files)).toEqual(["warning E24 перчатки"])
  })

  it.each(["iPhoneы", "3D-ручка", "USB-кабель", "Xiaomi для мамы", "ТВ-box", "кроссовки Nike"])(
    "are nothing where they are meant: %s",
    (word) => expect(advised(`query contains "${word}"`)).toEqual([])
  )
})
