import { describe, expect, it } from "vitest"
import * as Level from "../../src/engine/facts/Level.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import * as Load from "../../src/engine/language/Load.js"
import * as ForeignWords from "../../src/engine/language/problems/ForeignWords.js"
import * as Suggest from "../../src/engine/language/problems/Suggest.js"
import { folder } from "./Rules.js"

const check = (text: string) => Load.check([{ path: "rules/a.yaml", text }]).diagnostics
const errors = (text: string) => check(text).filter(({ severity }) => severity === "error")
const rule = (each: string, condition: string, action = '{notify: "x"}') =>
  `version: 1\nname: a\nschedule: {every: 1h, tz: Europe/Moscow}\neach: ${each}\nwindow: 7d\nwhen:\n  - ${condition}\ndo: ${action}\n`
const told = (text: string) =>
  check(text).map(({ code, fix, message }) => `${code} ${message}${fix === undefined ? "" : ` [${fix}]`}`)

describe("a word of another tool in a condition", () => {
  it("gets an advice that checks on the rows of the rule, whatever the word and the rows", () => {
    let checked = 0
    for (const word of ForeignWords.fieldWords)
      for (const each of Level.order) {
        if (Vocabulary.resolve(word, each) !== undefined) continue
        const [problem] = errors(rule(each, `${word} > 5`)).filter(({ code }) => code === "E01")
        if (problem?.fix === undefined) continue
        const { fix } = problem
        const condition = fix.startsWith("all(") || fix.startsWith("any(") ? fix : `(${fix}) = (${fix})`
        const found = errors(rule(each, condition)).filter(({ code }) => code !== "E16")
        expect(found, `${word} per ${each}: ${fix}`).toEqual([])
        checked++
      }
    expect(checked).toBeGreaterThan(300)
  })

  it("is never left without a way: the rows that have it, or where it comes from, are named", () => {
    for (const word of ForeignWords.fieldWords)
      for (const each of Level.order) {
        const [problem] = errors(rule(each, `${word} > 5`)).filter(({ code }) => /^E0[12]$/.test(code))
        expect(problem?.message ?? "", `${word} per ${each}`).not.toContain("The reference lists every field")
      }
  })

  it("names what is known of a campaign where only items have the figure itself", () => {
    const note =
      "acos is spend by the revenue of the ads; drr, by all revenue, is known per item: item.drr, or any(item.drr > 20%) of a campaign."
    expect(told(rule("campaign", "drr > 20%"))).toEqual([
      `E01 Unknown field "drr". Here it is acos. ${note} [acos]`
    ])
    expect(told(rule("campaign_item", "дрр > 20%"))[0]).toContain("[item.drr]")
    expect(told(rule("campaign", "roas < 3"))).toEqual([
      'E01 Unknown field "roas". Here it is revenue / spend. [revenue / spend]'
    ])
    expect(told(rule("campaign_item", "position > 5"))).toEqual([
      'E01 Unknown field "position". It is avg_pos on rows per cluster; these rows are per campaign_item.'
    ])
  })

  it("is no known word because both begin alike", () => {
    for (const name of ["campaign.tags", "campaign.foo", "item.qqq"])
      expect(told(rule("campaign_item", `${name} = "x"`))[0]).not.toMatch(
        /Did you mean|\[campaign\.(name|acos)\]/
      )
    expect(told(rule("campaign", 'campaign.nmae = "x"'))[0]).toContain("Did you mean campaign.name?")
  })
})

describe("a figure that other rows have", () => {
  it("is asked of the rows below, or by the name of the level above", () => {
    expect(told(rule("campaign", "item.stock < 10"))).toEqual([
      "E02 item.stock exists per item; these rows are per campaign. Ask it of the items of each: all(item.stock …), any(item.stock …) or sum(item.stock)."
    ])
    expect(told(rule("cluster", "acos > 20%"))[0]).toContain("[item.acos]")
  })
})

describe("a word of another tool elsewhere", () => {
  it("is told what it is here: actions, keys, values", () => {
    const spend = "spend > 100 ₽"
    expect(told(rule("campaign", spend, "stop"))).toEqual([
      'K02 Unknown action "stop". Here it is pause. [pause]'
    ])
    expect(told(rule("campaign", spend, "пауза"))[0]).toContain("[pause]")
    expect(told(rule("campaign", spend, '{telegram: "x"}'))[0]).toContain("[notify]")
    expect(told(rule("campaign", spend).replace("when:", "if:"))[0]).toContain("Here it is when.")
    expect(told(rule("campaign", "campaign.status = активна"))[0]).toContain("[active]")
  })

  it("is spelled out where an action got one value instead of its keys", () => {
    expect(told(rule("campaign_item", "orders > 5", "{raise_bid: 10%}"))[0]).toContain(
      "For example raise_bid: {by: 10%, cap: 450 ₽}, with values of your own."
    )
  })

  it("gets no other list than one that can be read", () => {
    const many = Array.from({ length: 90 }, (_, n) => `operationNumber${n}`)
    expect(Suggest.sentence("zzz", many)).toMatch(/operationNumber15 and 74 more\.$/)
  })
})

describe("an action that does not fit its rows", () => {
  const lower = "{lower_bid: {by: 10%, floor: 10 ₽}}"
  const cpm = (text: string) => text.replace("window:", "where: campaign.payment = cpm\nwindow:")
  it("is sent only to rows that have everything the rule asks", () => {
    expect(told(cpm(rule("campaign", "acos > 20%", lower)))[0]).toContain("[each: campaign_item]")
    expect(told(cpm(rule("campaign", "spend > 200 ₽", lower)))[0]).toContain("[each: cluster]")
    expect(told(cpm(rule("account", "balance < 200 ₽ and ad_spend > 5 ₽", lower)))[0]).not.toContain("[each")
  })
})

it("any such word in the shipped rules is mended by what is said of it, or leaves fewer problems", () => {
  const files = folder("rules")
  const facts = ["spend", "orders", "ctr", "budget", "avg_pos", "bid", "acos", "views"]
  let mended = 0
  for (const [n, word] of ForeignWords.fieldWords.entries()) {
    const fact = facts[n % facts.length]!
    const at = files.findIndex(({ text }) => new RegExp(`^ +- .*\\b${fact}\\b`, "m").test(text))
    const file = files[at]!
    const broken = file.text.replace(new RegExp(`(^ +- .*?)\\b${fact}\\b`, "m"), `$1${word}`)
    // What its terms mean stands in the shared files; the other rules have nothing to say of it.
    const folderWith = (text: string) =>
      files.flatMap((one, i) => (i === at ? [{ ...one, text }] : one.path.includes("_shared/") ? [one] : []))
    const found = Load.check(folderWith(broken)).diagnostics
    const problem = found.find(({ code, fix }) => code === "E01" && fix !== undefined)
    if (problem?.fix === undefined) continue
    const lines = broken.split("\n")
    const { column, endColumn, line } = problem.span
    const old = lines[line - 1]!
    lines[line - 1] = `${old.slice(0, column - 1)}(${problem.fix})${old.slice(endColumn - 1)}`
    const after = Load.check(folderWith(lines.join("\n"))).diagnostics
    expect(
      after.some((one) => one.code === "E01" && one.span.line === line && one.message === problem.message),
      `${word} for ${fact}`
    ).toBe(false)
    mended++
  }
  expect(mended).toBeGreaterThan(50)
})

describe("nothing, as other languages write it", () => {
  it.each([
    ["orders = нет", "orders is not known, or orders = 0 for none at all"],
    ["orders = null", "orders is not known, or orders = 0 for none at all"],
    ["spend != none", "spend is known, or spend != 0 ₽ for any at all"],
    ["acos = null", "acos is not known"],
    ["campaign.name = null", "campaign.name is not known"]
  ])("%s is no field and no text: %s", (when, write) => {
    const word = when.split(" ").at(-1)
    expect(told(rule("campaign", when))).toEqual([
      `E11 ${word} is no value. Where nothing is told write ${write}.`
    ])
  })

  it("of a yes-or-no field is no", () =>
    expect(told(rule("cluster", "campaign.search = нет"))).toEqual([
      "E13 Expected yes or no instead of нет. [no]"
    ]))
})

describe("words of a marketer's tables", () => {
  it.each([
    ["cluster", 'cluster.name contains "кеды"', "query"],
    ["cluster", 'cluster contains "кеды"', "query"],
    ["campaign_item", "маржа < 5%", "margin"],
    ["item", "прибыль < 50 ₽", "profit"],
    ["item", "выкуп > 50%", "buyout_share"],
    ["item", "выкупы > 50", "item.buyouts"]
  ])("per %s: %s", (each, when, fix) =>
    expect(errors(rule(each, when)).flatMap((one) => (one.code === "E01" ? [one.fix] : []))).toEqual([fix])
  )
})

describe("what is asked of one thing", () => {
  const e01 = (each: string, word: string) =>
    told(rule(each, `${word} contains "кеды"`)).filter((one) => one.startsWith("E01"))

  it("is never answered with what another is called: items have no name", () => {
    const noName =
      "An item has no name here: ask for item.id or item.subject, or for a word of yours. It comes from a table of your own: a file in _shared with kind: facts."
    for (const each of ["campaign", "campaign_item", "cluster", "item", "promotion_item"])
      for (const word of ["item.name", "item.название"])
        expect(e01(each, word)).toEqual([`E01 Unknown field "${word}". ${noName}`])
    for (const word of [
      "account.name",
      "cluster.название",
      "item.campaign",
      "item.статус",
      "cluster.возраст"
    ])
      expect(e01("cluster", word).join()).not.toContain("campaign.")
    expect(e01("cluster", "item.tags").join()).not.toContain("campaign.")
  })

  it("is answered with its own", () => {
    expect(e01("campaign", "campaign.title")).toEqual([
      'E01 Unknown field "campaign.title". Here it is campaign.name. [campaign.name]'
    ])
    expect(e01("promotion_item", "название").join()).toContain("[promotion.name]")
  })
})

describe("a time or a day that somebody wrote as a value", () => {
  const ofDay = "E09 A time of day is no value here. The hour is a whole number"
  const ofOther = (field: string) => `E09 A time of day is no value of ${field}. Only hour has one.`
  const notHour =
    'E01 Unknown field "время". Here it is hour. Hours and days of a boost stand in during:, those of a whole policy in schedule:. [hour]'
  it.each([
    [
      "hour between 18:00 and 23:00",
      [
        `${ofDay}: hour between 18 and …`,
        `${ofDay}, and the last counts whole: until 23:00 is between … and 22`
      ]
    ],
    [
      "hour between 9:00 and 18:30",
      [
        `${ofDay}: hour between 9 and …`,
        `${ofDay}, without minutes, and the last counts whole: until 18:00 is between … and 17 or until 19:00 is between … and 18`
      ]
    ],
    ["hour < 9:30", [`${ofDay}, without minutes: hour < 9 or hour < 10`]],
    ["hour > 18:30", [`${ofDay}, without minutes: hour >= 18 or hour >= 19`]],
    ["hour = 9:30", [`${ofDay}, without minutes: hour = 9`]],
    ["hour <= 23:00", [`${ofDay}: hour < 23`]],
    ["hour > 9:00", [`${ofDay}: hour >= 9`]],
    ["views > 5 and 18:00 < hour", [`${ofDay}: hour >= 18`]],
    ["hour >= 9:00 and 21:00 > hour", [`${ofDay}: hour >= 9`, `${ofDay}: hour < 21`]],
    ["hour between 9 and 18 and 20:00 != hour", [`${ofDay}: hour != 20`]],
    ["hour in [18:00, 19:00]", [`${ofDay}: 18`, `${ofDay}: 19`]],
    ["hour >= 23:30", [`${ofDay}, without minutes: hour >= 23`]],
    ["hour < 24:00", [`${ofDay} from 0 to 23.`]],
    ["hour between 18 and 24:00", [`${ofDay}, and the last counts whole: until 24:00 is between … and 23`]],
    ["время > 18:00", [notHour, `${ofDay}: hour >= 18`]],
    ["views > 18:00", [ofOther("views")]],
    ["hour > 5 and 23:30 < campaign.age", [ofOther("campaign.age")]],
    ["views between 5 and 18:30", [ofOther("views")]],
    ["campaign.age > 01.12.2026", ["E09 A date is no value here. Count the days, such as campaign.age < 7d"]]
  ])("is told what to write: %s", (when, problems) => expect(told(rule("campaign", when))).toEqual(problems))

  it("24:00 is told to be the next day's 00:00", () => {
    const during = (time: string) =>
      `version: 1\nname: a\neach: campaign_item\nschedule: {every: 1h, tz: Europe/Moscow}\nduring: {time: "${time}"}\ndo: {adjust_bid: {by: +10%, cap: 300 ₽}}\nwhere: campaign.payment = cpm\n`
    expect(told(during("18:00-24:00"))).toEqual([
      "K06 A day ends at the next one's 00:00: write 00:00 for 24:00."
    ])
    expect(told(during("18:00-00:00"))).toEqual([])
  })
})

it("an action without options has no value: do: {pause: true} is do: pause", () =>
  expect(told(rule("campaign", "spend > 100 ₽", "{pause: true}"))).toEqual([
    "K16 pause stands alone, without a value. The whole of do: is one line: do: pause"
  ]))

describe("a day of creation", () => {
  it.each(["campaign.created > 7d", "created_at < 7d"])("is no age: %s would mean the opposite", (when) =>
    expect(told(rule("campaign", when))).toEqual([
      `E01 Unknown field "${when.split(" ")[0]}". There is an age and no date: what was created less than a week ago is campaign.age < 7d.`
    ])
  )
})

describe("days of the week", () => {
  it.each([
    ["пн-пт", "days: [mon, tue, wed, thu, fri]"],
    ["mon-fri", "days: [mon, tue, wed, thu, fri]"],
    ["fri – mon", "days: [fri, sat, sun, mon]"],
    ['"пн, ср"', "days: [mon, wed]"],
    ["будни", "days: [mon, tue, wed, thu, fri]"],
    ["weekend", "days: [sat, sun]"],
    ["sat", "days: [sat]"],
    ["[mon-fri]", "mon, tue, wed, thu, fri"],
    ["someday", undefined],
    ["mon-fri-sun", undefined]
  ])("%s are named one by one: %s", (days, fix) => {
    const text = rule("campaign", "spend > 5 ₽").replace("{every: 1h,", `{every: 1h, days: ${days},`)
    expect(check(text).map((one) => one.fix)).toEqual([fix])
  })
})
