import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it } from "vitest"
import * as RuleFiles from "../../../src/cli/rules/RuleFiles.js"
import * as Workbook from "../../../src/cli/tables/Workbook.js"
import * as Load from "../../../src/engine/language/Load.js"
import * as Said from "../../reporting/Said.js"
import * as Scenario from "../../scenario/Scenario.js"

const made: Array<string> = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const cost = `version: 1
kind: facts
source: {csv: ../../data/cost.csv, delimiter: ";", decimal: ","}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}}
max_age: 30d
`

const rule = `version: 1
name: Lower bids of items that earn too little
schedule: {every: 1d, tz: Europe/Moscow}
each: campaign_item
where: campaign.payment = cpm
when: item.cost >= 100 ₽
do:
  lower_bid: {by: 10%, floor: min_bid}
cooldown: 6h
`

/** A folder with files by path, and the checked rules of its `rules`; file names are told without the folder. */
const folder = async (files: Readonly<Record<string, string | Buffer>>, ageDays = 0) => {
  const root = mkdtempSync(join(tmpdir(), "bidhelm-own-"))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    const seconds = (Scenario.startMs - ageDays * 86_400_000) / 1000
    if (/\.(csv|xlsx)$/.test(path)) utimesSync(join(root, path), seconds, seconds)
  }
  const found = await Effect.runPromise(RuleFiles.find([join(root, "rules")]))
  const readMs = Scenario.startMs
  const at = found.map((one) => (one.data === undefined ? one : { ...one, data: { ...one.data, readMs } }))
  const short = (text: string) => text.replaceAll(`${root}/`, "")
  const checked = Load.check(at)
  const problems = checked.diagnostics.map(
    ({ code, file, message, span }) => `${short(file)}:${span.line}:${span.column} ${code} ${short(message)}`
  )
  return { files: at, checked, problems }
}

const base = (csv: string | Buffer, facts = cost) => ({
  "rules/01.yaml": rule,
  "rules/_shared/cost.yaml": facts,
  "data/cost.csv": csv
})

const values = ({ checked }: Awaited<ReturnType<typeof folder>>): unknown =>
  [...(checked.ruleSet?.ownFacts?.[0]?.values ?? [])].map(([id, cell]) => [
    id,
    cell._tag === "Known" ? cell.value : cell.reason
  ])

describe("a table of own facts", () => {
  it("is read with its delimiter, decimal commas, spaces between thousands, quotes and a byte order mark", async () => {
    const csv =
      '\ufeffnm;name;cost\n1001;"Кеды; белые";120,50\n1002;x;1 234,5\n1003;x;\n1004;"a\nb";"1\u00a0000"\n'
    const read = await folder(base(csv))
    expect(read.problems).toEqual([])
    expect(values(read)).toEqual([
      [1001, 12_050],
      [1002, 123_450],
      [1003, "unlisted"],
      [1004, 100_000]
    ])
  })
  it("may be a workbook, with numbers and percentages as a person sees them, whatever mark the file says", async () => {
    const facts = `${cost.replace("cost.csv", "cost.xlsx")}`.replace(
      /fields.*/,
      "fields: {item.cost: {column: cost, type: money}, item.fee: {column: fee, type: ratio}}"
    )
    const book = Workbook.write([
      {
        name: "Себестоимость",
        columns: [
          { title: "nm", holds: "number", width: 12 },
          { title: "cost", holds: "money", width: 12 },
          { title: "fee", holds: "percent", width: 8 }
        ],
        rows: [[1001, 12_050, 15], [], [1002, "12O,50", 7], [1003, "1 234,5", undefined]]
      }
    ])
    const read = await folder({ "rules/_shared/cost.yaml": facts, "data/cost.xlsx": Buffer.from(book) })
    expect(read.problems).toEqual([
      'data/cost.xlsx:4:1 F04 "12O,50" in cost is not money, such as 120,50; the item stays unknown.'
    ])
    expect(values(read)).toEqual([
      [1001, 12_050],
      [1002, "unreadable"],
      [1003, 123_450]
    ])
    expect(read.checked.ruleSet?.ownFacts?.[1]?.values.get(1001)).toEqual({ _tag: "Known", value: 0.15 })
    const broken = await folder({ "rules/_shared/cost.yaml": facts, "data/cost.xlsx": "nm;cost" })
    expect(broken.problems).toEqual([
      "rules/_shared/cost.yaml:3:15 F01 data/cost.xlsx cannot be read: it is no .xlsx, whatever its name says. Save it as .xlsx in your spreadsheet program."
    ])
  })
  it("takes columns of every type", async () => {
    const fields = ["count", "number", "ratio", "text", "yes_no"].map(
      (type) => `  item.${type}: {column: ${type}, type: ${type}}`
    )
    const facts = cost.replace(/fields.*/, `fields:\n${fields.join("\n")}`)
    const { checked, problems } = await folder({
      "rules/_shared/cost.yaml": facts,
      "data/cost.csv": "nm;count;number;ratio;text;yes_no\n1001;3;-2,5;12,5%;Кеды;да\n"
    })
    expect(problems).toEqual([])
    expect(checked.ruleSet?.ownFacts?.map(({ values }) => values.get(1001))).toEqual(
      [3, -2.5, 0.125, "Кеды", true].map((value) => ({ _tag: "Known", value }))
    )
  })
  it("does not count for the hash of the rules, but its declaration does", async () => {
    const hash = async (csv: string, facts = cost) => (await folder(base(csv, facts))).checked.ruleSet?.hash
    const one = await hash("nm;cost\n1001;100\n")
    expect(one).toBeDefined()
    expect(await hash("nm;cost\n1001;200\n")).toBe(one)
    expect(await hash("nm;cost\n1001;100\n", cost.replace("30d", "60d"))).not.toBe(one)
  })
})

describe("a mistake in a table", () => {
  it("is an error, when nothing of the table can be trusted", async () => {
    const { "data/cost.csv": _, ...none } = base("")
    expect((await folder(none)).problems).toEqual([
      "rules/_shared/cost.yaml:3:15 F01 There is no file data/cost.csv. The path starts at this file's folder."
    ])
    expect((await folder(base("nm;price\n1;2\n"))).problems).toEqual([
      'rules/_shared/cost.yaml:5:30 F02 data/cost.csv has no column "cost". It has nm, price.'
    ])
    expect((await folder(base("nm,cost\n1,2\n"))).problems.map((one) => one.slice(0, 39))).toEqual([
      "rules/_shared/cost.yaml:4:7 F02 data/co",
      "rules/_shared/cost.yaml:5:30 F02 data/c"
    ])
    expect((await folder(base('nm;cost\n1;"2\n'))).problems[0]).toContain("F01 data/cost.csv")
    const cp1251 = Buffer.from([0x6e, 0x6d, 0x3b, 0xea, 0xe5, 0xe4, 0xfb, 0x0a])
    expect((await folder(base(cp1251))).problems[0]).toContain("is not UTF-8")
  })
  it("is a warning with its line, when it concerns one item; that item stays unknown", async () => {
    const csv = "nm;cost\n1001;12O,50\n1002;10\n\n1002;11\nA5;7\n1003;12.500\n1004;9\n1004;9\n"
    const read = await folder(base(csv))
    expect(read.checked.ruleSet).toBeDefined()
    expect(read.problems.map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual([
      "data/cost.csv:2:1 F04",
      "data/cost.csv:5:1 F03",
      "data/cost.csv:6:1 F04",
      "data/cost.csv:7:1 F04"
    ])
    expect(values(read)).toEqual([
      [1001, "unreadable"],
      [1002, "unreadable"],
      [1003, "unreadable"],
      [1004, 900]
    ])
  })
  it("is an amount that may be thousands, whatever mark the file says, and not a number of a workbook that looks so", async () => {
    const pointed = cost.replace(', decimal: ","', ', decimal: "."')
    for (const [text, facts] of [
      ["1.200", pointed],
      ["12,500", cost],
      ["-1,200 ₽", cost]
    ] as const) {
      const read = await folder(base(`nm;cost\n1001;${text}\n`, facts))
      expect(read.problems).toEqual([
        expect.stringMatching(/F04 .+ and may be thousands; the item stays unknown/)
      ])
      expect(values(read)).toEqual([[1001, "unreadable"]])
    }
    const book = Workbook.write([
      {
        name: "a",
        columns: [
          { title: "nm", holds: "number", width: 9 },
          { title: "cost", holds: "number", width: 9 }
        ],
        rows: [
          [1001, 4.125],
          [1002, "4,125"]
        ]
      }
    ])
    const read = await folder({
      "rules/_shared/cost.yaml": cost.replace("cost.csv", "cost.xlsx"),
      "data/cost.xlsx": Buffer.from(book)
    })
    expect(values(read)).toEqual([
      [1001, 413],
      [1002, "unreadable"]
    ])
  })
  it("is a cost below zero, which would make any advertising look good; what an item leaves may be", async () => {
    const text = "nm;cost\n1001;-20\n1002;0\n"
    const read = await folder(base(text))
    expect(read.problems).toEqual([
      'data/cost.csv:2:1 F04 "-20" in cost is not a cost: that is never below zero; the item stays unknown.'
    ])
    expect(values(read)).toEqual([
      [1001, "unreadable"],
      [1002, 0]
    ])
    const net = await folder({
      ...base(text, cost.replace("item.cost", "item.net")),
      "rules/01.yaml": rule.replace("item.cost", "item.net")
    })
    expect(values(net)).toEqual([
      [1001, -2000],
      [1002, 0]
    ])
  })
  it("is told ten times and then counted", async () => {
    const rows = Array.from({ length: 50 }, (_, i) => `${i + 1};x`)
    const { problems } = await folder(base(`nm;cost\n${rows.join("\n")}\n`))
    expect(problems).toHaveLength(10)
    expect(problems[9]).toContain("And 40 more such rows.")
  })
  it("names the decimal comma where that is the mistake", async () => {
    const { problems } = await folder(base("nm;cost\n1;2,5\n", cost.replace(', decimal: ","', "")))
    expect(problems[0]).toContain('write decimal: ","')
  })
})

describe("a file of own facts", () => {
  it("is checked like any other file", async () => {
    const at = async (facts: string) =>
      (await folder({ "rules/_shared/cost.yaml": facts, "data/cost.csv": "nm;cost\n" })).problems.map((one) =>
        one.split(" ").slice(0, 2).join(" ").replace("rules/_shared/cost.yaml:", "")
      )
    expect(await at(cost.replace("item.cost:", "cost:"))).toEqual(["5:10 K16"])
    expect(await at(cost.replace("item.cost:", "item.subject:"))).toEqual(["5:10 K16"])
    expect(await at(cost.replace("type: money", "type: mony"))).toEqual(["5:42 K04"])
    expect(await at(cost.replace("item.id = nm", "nm"))).toEqual(["4:7 K16"])
    expect(await at(cost.replace("max_age: 30d", "max_age: 1 month"))).toEqual(["6:10 K07"])
    expect(await at(cost.replace("max_age", "max_aeg"))).toEqual(["6:1 K01"])
    expect(await at(cost.replace("join: item.id = nm\n", ""))).toEqual(["1:1 K13"])
  })
  it("must not name a field that another file names", async () => {
    const files = { ...base("nm;cost\n1;2\n"), "rules/_shared/costs.yaml": cost }
    expect((await folder(files)).problems.map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual([
      "rules/_shared/costs.yaml:5:10 K18"
    ])
  })
  it("lets conditions know the field, per item only and by its type", async () => {
    const at = async (when: string, each = "campaign_item") => {
      const text = rule.replace("item.cost >= 100 ₽", when).replace("campaign_item", each)
      const { problems } = await folder({
        ...base("nm;cost\n1;2\n"),
        "rules/01.yaml": each === "campaign" ? text.replace(/do:[\s\S]*/, "do: pause\n") : text
      })
      return problems.map((one) => one.split(" ").slice(1, 2).join(" "))
    }
    expect(await at("item.cost > 100")).toEqual(["E04"])
    expect(await at("item.cots > 100 ₽")).toEqual(["E01"])
    expect(await at("item.cost > 100 ₽", "campaign")).toEqual(["E02"])
  })
})

describe("a plan with own facts", () => {
  const itemsOf = async () => {
    const rules = [{ path: "rules/a.yaml", text: rule.replace("item.cost >= 100 ₽", "bid >= 1 ₽") }]
    const { reviewed } = await Scenario.run({ rules }, ({ plan }) => plan)
    const rows = [...reviewed.plan.changes, ...reviewed.plan.held.map(({ change }) => change)]
    return [...new Set(rows.map(({ subject: target }) => target.itemId!))].sort((a, b) => a - b)
  }
  const planned = async (csv: string, ageDays = 0, facts = cost) => {
    const { files } = await folder(base(csv, facts), ageDays)
    const { reviewed } = await Scenario.run({ rules: files }, ({ plan }) => plan)
    return reviewed.plan
  }
  it("acts on the items whose value says so, and tells of how many items the value is known", async () => {
    const [first, second] = await itemsOf()
    const plan = await planned(`nm;cost\n${first};100\n${second};99,99\n`)
    const changed = [...plan.changes, ...plan.held.map(({ change }) => change)]
    expect(new Set(changed.map(({ subject: target }) => target.itemId))).toEqual(new Set([first]))
    expect(changed[0]?.reason.at(-1)).toMatchObject({ condition: "item.cost >= 100 ₽", value: "100 ₽" })
    expect(plan.notices?.map(({ policy, text }) => `${policy} ${text}`)).toEqual([
      expect.stringMatching(/^01 S05 item\.cost is known for 2 of \d+ items; \d+ are skipped$/)
    ])
    expect(Said.why(plan.unknown[0])).toBe("item.cost >= 100 ₽: your own table has no value for it")
  })
  it("acts on no item when the table is too old, and says so", async () => {
    const [first] = await itemsOf()
    const plan = await planned(`nm;cost\n${first};100\n`, 45)
    expect(plan.changes.length + plan.held.length).toBe(0)
    expect(Said.why(plan.unknown[0])).toBe("item.cost >= 100 ₽: too old to decide on")
    expect(plan.notices?.map(({ text }) => text)).toContainEqual(expect.stringContaining("45 days old"))
    const { problems } = await folder(base("nm;cost\n1;100\n"), 45)
    expect(problems).toEqual([
      "rules/_shared/cost.yaml:6:10 F05 data/cost.csv was written 45 days ago, longer than max_age: its values are not used. Export it anew."
    ])
  })
  it.each([
    [1, "1 hour"],
    [20, "20 hours"],
    [30, "30 hours"],
    [49, "2 days"]
  ])("tells the age of a table that is %d hours old as %s", async (hours, age) => {
    const facts = cost.replace("30d", "1h")
    const [first] = await itemsOf()
    const days = (hours + 0.1) / 24
    const { notices } = await planned(`nm;cost\n${first};100\n`, days, facts)
    expect(notices?.map(({ text }) => text)).toContainEqual(expect.stringContaining(`cost.csv is ${age} old`))
    const { problems } = await folder(base("nm;cost\n1;100\n", facts), days)
    expect(problems).toEqual([expect.stringContaining(`cost.csv was written ${age} ago`)])
  })
})
