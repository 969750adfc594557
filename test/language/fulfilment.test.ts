/** Policies of `kind: fulfilment`: what a file means, what is refused in one, and where several meet. */
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Completion from "../../src/editor/Completion.js"
import * as Hover from "../../src/editor/Hover.js"
import { Sheet } from "../../src/editor/Place.js"
import { Project } from "../../src/editor/Project.js"
import * as Fulfilment from "../../src/engine/language/Fulfilment.js"
import * as Format from "../../src/engine/language/format/Format.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"
import * as JsonSchema from "../../src/engine/language/shape/JsonSchema.js"

const path = "rules/day.yaml"
const least = `version: 1
kind: fulfilment
name: By day
warehouses: [507]
waves:
  - {name: daily, collect_until: "12:30", hand_over_by: "14:00"}
`
const check = (text: string, ...more: ReadonlyArray<Load.File>) => Load.check([{ path, text }, ...more])
const policyOf = (text: string) => {
  const { diagnostics, ruleSet } = check(text)
  expect(diagnostics.map(({ message }) => message)).toEqual([])
  return ruleSet!.fulfilment[0]!
}
const codes = (text: string, ...more: ReadonlyArray<Load.File>) =>
  check(text, ...more).diagnostics.map(({ code, span }) => `${code}@${span.line}:${span.column}`)

describe("a policy of kind fulfilment", () => {
  it("asks a person, looks every two minutes and takes a wave of every day unless said", () => {
    const { hash: _, ...policy } = policyOf(least)
    expect(policy).toEqual({
      id: "day",
      file: path,
      name: "By day",
      mode: "approve",
      schedule: { every: 120_000, tz: "UTC" },
      warehouseIds: [507],
      waves: [
        {
          name: "daily",
          collectUntilMinutes: 750,
          handOverByMinutes: 840,
          days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
          zone: "Europe/Moscow"
        }
      ],
      confirmAfterMs: 3_600_000,
      supply: { nameTemplate: "{warehouse} {date} {wave} {cargo}", maxOrders: 300 },
      labels: { size: "58x40", sort: ["cell", "article", "size"], separators: false, ownPage: [] },
      deliver: "approve"
    })
  })

  it("holds everything that its file says", () => {
    const text = `${least}mode: apply
schedule: {every: 5m, between: "07:00-20:00", tz: Asia/Omsk}
confirm_after: 0
supply: {name: "{n} {border} {wave}", max_orders: 50}
labels: {size: 40x30, sort: [size, cell, size], separators: true, own_page: [mark, order]}
passes:
  driver: {first_name: Пётр, last_name: Андреев}
  car: {model: ГАЗель Next, number: А123ВС777}
  office: 15
  book_before: 48h
deliver: apply
`
    expect(policyOf(text)).toMatchObject({
      mode: "apply",
      schedule: { every: 300_000, between: { fromMinute: 420, toMinute: 1200 }, tz: "Asia/Omsk" },
      confirmAfterMs: 0,
      supply: { nameTemplate: "{n} {border} {wave}", maxOrders: 50 },
      labels: { size: "40x30", sort: ["size", "cell"], separators: true, ownPage: ["mark", "order"] },
      passes: {
        firstName: "Пётр",
        lastName: "Андреев",
        carModel: "ГАЗель Next",
        carNumber: "А123ВС777",
        officeId: 15,
        bookBeforeMs: 172_800_000
      },
      deliver: "apply"
    })
  })

  it("is left out of the rule set while it is disabled, and claims no warehouse", () => {
    const off = { path: "rules/off.yaml", text: `${least}mode: disabled\n` }
    const { diagnostics, ruleSet } = check(least, off)
    expect(diagnostics).toEqual([])
    expect(ruleSet!.fulfilment.map(({ id }) => id)).toEqual(["day"])
  })

  it("takes shared variables, as other policies do", () => {
    const shared = { path: "rules/_shared/vars.yaml", text: "version: 1\nvars: {podolsk: 507}\nkind: vars\n" }
    const { diagnostics, ruleSet } = check(least.replace("[507]", "[$podolsk]"), shared)
    expect(diagnostics).toEqual([])
    expect(ruleSet!.fulfilment[0]!.warehouseIds).toEqual([507])
  })

  it("is known by its keys, and by the first letters of its kind, where kind: is half-typed", () => {
    const said = (text: string) => check(text).diagnostics.map(({ message }) => message)
    for (const kind of ["ful", "f", "xyz"])
      expect(said(least.replace("fulfilment", kind))).toEqual([`kind cannot be "${kind}". Use fulfilment.`])
    expect(said("version: 1\nkind: ful\nname: By day\n").join()).toContain("warehouses: is missing")
  })

  it("is one of the kinds that are told where nothing else says what a file holds, and nothing is told to be misplaced", () => {
    const use =
      "Use limits, vars, templates, facts, economics or fulfilment, or leave the line out in a policy over rows."
    const said = (kind: string) =>
      check(`version: 1\nkind:${kind}\nname: a\n`).diagnostics.map(
        ({ code, message }) => `${code} ${message}`
      )
    expect(said("")).toEqual([`K16 kind: has no value. ${use}`])
    expect(said(" f")).toEqual([`K04 kind cannot be "f". ${use}`])
    expect(said(" tests")).toEqual([`K04 kind cannot be "tests". ${use}`])
    expect(
      codes("version: 1\nkind: x\nname: a\neach: campaign\nwindow: 7d\nwhen: spend > 1 ₽\ndo: pause\n")
    ).toEqual(["K01@2:1"])
  })

  it("is known by its keys where kind: is forgotten, and by any file name", () => {
    expect(codes(least.replace("kind: fulfilment\n", ""))).toEqual(["K13@1:1"])
    const { ruleSet } = Load.check([{ path: "rules/deep/any name.yml", text: least }])
    expect(ruleSet!.fulfilment.map(({ id }) => id)).toEqual(["any name"])
  })

  it("tells all of its problems at once, each at its place", () => {
    const text = `version: 1
kind: fulfilment
name: All wrong
mode: on
schedule: {every: 61m}
warehouses: [507, -1, 507]
waves:
  - {name: a, collect_until: "12:60", hand_over_by: "14:00"}
  - {name: b, collect_until: "12:30", hand_over_by: "12:30", days: [moday]}
confirm_after: 1 hour
suply: {max_orders: 0}
supply: {name: "{hour}"}
labels: {size: 60x40}
passes: {driver: {first_name: Ян}, car: {model: ГАЗ, number: А1}, office: 0}
deliver: never
`
    expect(codes(text)).toEqual([
      "K04@4:7",
      "K14@5:19",
      "K14@6:19",
      "K41@6:23",
      "K06@8:30",
      "K42@9:53",
      "K04@9:69",
      "K07@10:16",
      "K01@11:1",
      "K43@12:17",
      "K04@13:16",
      "K13@14:10",
      "K14@14:75",
      "K04@15:10"
    ])
  })

  it("tells two policies of one warehouse with both places", () => {
    const other = { path: "rules/other.yaml", text: least.replace("[507]", "[1, 507]") }
    const { diagnostics } = check(least, other)
    expect(
      Render.text(diagnostics, [{ path, text: least }, other])
    ).toBe(`rules/other.yaml:4:17 error K41  Warehouse 507 is in day already, and two policies would both assemble its orders. Take it out of one, or set one to mode: disabled.
  4 | warehouses: [1, 507]
    |                 ^^^
  rules/day.yaml:4:14 claimed here first

1 error in 1 file
`)
  })

  it("shares its id with no other policy", () => {
    const rule = "version: 1\nname: x\neach: campaign\nwhen: spend[today] > 100 ₽\ndo: pause\n"
    expect(codes(least, { path: "rules/x/day.yaml", text: rule })).toEqual(["K18@1:1"])
    expect(
      Load.check([{ path: "rules/undo.yaml", text: least }]).diagnostics.map(({ code }) => code)
    ).toEqual(["K18"])
  })

  it("changes its hash with its meaning, the rules' with mode and schedule, and neither with layout and names", () => {
    const hashes = (text: string) => {
      const { ruleSet } = check(text)
      return [ruleSet!.fulfilment[0]!.hash, ruleSet!.hash]
    }
    const [own, all] = hashes(least)
    expect(hashes(`# said\n${least.replace("By day", "Otherwise")}`)).toEqual([own, all])
    for (const more of ["mode: apply", "schedule: {every: 3m}"]) {
      const [same, other] = hashes(`${least}${more}\n`)
      expect([same === own, other === all]).toEqual([true, false])
    }
    for (const more of ["deliver: apply", "confirm_after: 61m", "labels: {size: 40x30}"]) {
      const [other, others] = hashes(`${least}${more}\n`)
      expect([other === own, others === all]).toEqual([false, false])
    }
    expect(check("").ruleSet?.hash).toBeUndefined()
  })

  it("is held against plans of orders alone, and the other rules against all others; limits against the latter", () => {
    const pause = (when: string): Load.File => ({
      path: "rules/pause.yaml",
      text: `version: 1\nname: pause\nmode: apply\neach: campaign\nwhen: ${when}\ndo: pause\n`
    })
    const limits: Load.File = {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount: {changes_per_run: 5}\n"
    }
    const hashes = (text: string, ...more: ReadonlyArray<Load.File>) => check(text, ...more).ruleSet!.hashes
    const { orders, others } = hashes(least, pause("campaign.id > 1"))
    expect(hashes(`${least}deliver: apply\n`, pause("campaign.id > 1"))).toEqual({
      orders: expect.not.stringContaining(orders),
      others
    })
    for (const more of [[pause("campaign.id > 2")], [pause("campaign.id > 1"), limits]])
      expect(hashes(least, ...more)).toEqual({ orders, others: expect.not.stringContaining(others) })
  })

  it("is taken up by a folder that is watched, when it appears and when it changes", () => {
    const reload = new Load.Reload()
    const seen = (...files: ReadonlyArray<Load.File>) =>
      reload.check(files).ruleSet?.fulfilment.map(({ confirmAfterMs, id }) => [id, confirmAfterMs])
    expect(seen()).toEqual([])
    expect(seen({ path, text: least })).toEqual([["day", 3_600_000]])
    expect(seen({ path, text: `${least}confirm_after: 5m\n` })).toEqual([["day", 300_000]])
    expect(seen()).toEqual([])
  })
})

describe("the formatter and the editor", () => {
  it("set spaces and indentation right, and leave words and comments alone", () => {
    const text = `version:  1\nkind: fulfilment\nname: By day\nwarehouses: [507,508]   # both\nwaves:\n    - name:   daily\n      collect_until: "12:30"\n      hand_over_by: "14:00"\n`
    const formatted = Format.format({ path, text })
    expect(formatted).toMatchObject({
      _tag: "Formatted",
      text: `version: 1\nkind: fulfilment\nname: By day\nwarehouses: [507, 508]   # both\nwaves:\n  - name: daily\n    collect_until: "12:30"\n    hand_over_by: "14:00"\n`
    })
  })

  const offered = (text: string) => {
    const offset = text.indexOf("|")
    const file = { path, text: text.replace("|", "") }
    const position = new Sheet(file).position(offset)
    return Completion.at(new Project([file]), path, position).map(({ label }) => label)
  }

  it("offer its keys, those of its parts, and words", () => {
    expect(offered(`${least}|`)).toEqual(
      expect.arrayContaining(["supply", "labels", "passes", "deliver", "confirm_after", "mode"])
    )
    expect(offered(`${least}|`)).not.toContain("when")
    expect(offered(`${least}labels: {size: 58x40, |}`)).toEqual(["sort", "separators", "own_page"])
    expect(offered(`${least}labels: {sort: [|]}`)).toEqual(["cell", "article", "size"])
    expect(offered(`${least}deliver: |`)).toEqual(["approve", "apply"])
  })

  it("say what a key is for", () => {
    const text = `${least}confirm_after: 30m\n`
    const file = { path, text }
    const told = Hover.at(new Project([file]), path, new Sheet(file).position(text.indexOf("confirm") + 2))
    expect(told?.text).toContain("60m unless said")
  })
})

describe("the name of a supply", () => {
  const words = {
    warehouse: "507",
    date: "2026-09-01",
    wave: "daily",
    cargo: "small",
    border: "domestic",
    buyer: "private",
    n: "2"
  }

  it("has every word in its place, and what is no word as it is written", () => {
    expect(Fulfilment.nameOf("{warehouse}/{n} {date} {wave} {cargo} {border} {buyer} {x}", words)).toBe(
      "507/2 2026-09-01 daily small domestic private {x}"
    )
  })

  it("fits with its mark whatever warehouse, wave and cargo it names, when the file has no problem", () => {
    const part = fc.oneof(
      fc.constantFrom(...Object.keys(words).map((one) => `{${one}}`)),
      fc.stringMatching(/^[a-zа-я ]{1,40}$/)
    )
    const drawn = fc.record({
      template: fc
        .array(part, { minLength: 1, maxLength: 16, size: "max" })
        .map((parts) => `x${parts.join("")}`),
      wave: fc.stringMatching(/^[a-z]{1,60}$/),
      warehouse: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
    })
    const tooLong = { template: "x{wave}{wave}", wave: "z".repeat(60), warehouse: Number.MAX_SAFE_INTEGER }
    let refused = 0
    fc.assert(
      fc.property(drawn, ({ template, warehouse, wave }) => {
        const text = `${least.replace("507", String(warehouse)).replace("daily", wave)}supply: {name: "${template}"}\n`
        const { diagnostics, ruleSet } = check(text)
        if (ruleSet === undefined) {
          refused++
          expect(diagnostics.map(({ code }) => code)).toEqual(["K43"])
          return
        }
        const longest = {
          ...words,
          warehouse: String(warehouse),
          wave,
          cargo: "oversize",
          border: "cross-border",
          buyer: "business"
        }
        const made = Fulfilment.nameOf(ruleSet.fulfilment[0]!.supply.nameTemplate, { ...longest, n: "9999" })
        expect(made.length + Fulfilment.markerRoom).toBeLessThanOrEqual(128)
      }),
      // What is drawn need not be too long.
      { numRuns: 200, examples: [[tooLong]] }
    )
    expect(refused).toBeGreaterThan(0)
  })
})

describe("the page about the policy", () => {
  const page = readFileSync("docs/fulfilment/policy.md", "utf8")
  const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)

  it("shows policies without a problem, and writes out what holds unless said", () => {
    expect(examples).toHaveLength(3)
    const [, bare, whole] = examples.map(policyOf)
    expect({ ...whole, schedule: { every: 120_000, tz: "UTC" } }).toEqual(bare)
    expect(whole!.schedule.every).toBe(bare!.schedule.every)
  })

  it("names every key there is, and no other", () => {
    const told = [...page.matchAll(/^\| `([a-z_.[\]]+)` \|/gm)].map(([, key]) => key)
    const keys: Array<string> = []
    const collect = (schema: Schema, prefix: string): void => {
      for (const [key, value] of Object.entries(schema.properties ?? {})) {
        const inner =
          value.properties === undefined
            ? value.items?.properties === undefined
              ? undefined
              : value.items
            : value
        const isList = value.properties === undefined
        if (inner === undefined || key === "schedule" || key === "waves" || key === "passes")
          keys.push(`${prefix}${key}`)
        if (inner !== undefined && key !== "schedule") collect(inner, `${prefix}${key}${isList ? "[]" : ""}.`)
      }
    }
    collect(JSON.parse(JsonSchema.print("fulfilment")) as Schema, "")
    expect(told).toEqual(expect.arrayContaining(keys.filter((key) => key !== "version" && key !== "kind")))
    expect(told.filter((key) => !keys.includes(key!))).toEqual([])
  })
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}
