/** The page for marketers about promotions: its rules check, its table is read without a problem, and its sum is what is computed. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as UnitEconomics from "../../src/engine/facts/UnitEconomics.js"
import * as Load from "../../src/engine/language/Load.js"
import * as EconomicsColumns from "../../src/engine/language/shared/EconomicsColumns.js"
import * as Economics from "../scenario/Economics.js"

const page = readFileSync("docs/promotions.md", "utf8")
const table = /```csv \S+\n([\s\S]*?)```/.exec(page)![1]!
const lines = table
  .trim()
  .split("\n")
  .map((line) => line.split(";"))
const rules = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text], at) => ({
  path: `rules/9${at}.yaml`,
  text: text!
}))

describe("the page about promotions", () => {
  it("shows rules and a table that have no problem, and the rule that is shipped", () => {
    expect(rules.length).toBe(3)
    const { diagnostics, ruleSet } = Load.check([...rules, Economics.table(lines, 0)])
    expect(diagnostics.map(({ message }) => message)).toEqual([])
    const shipped = Load.check([
      { path: "rules/91.yaml", text: readFileSync("rules/09-join-promotions.yaml", "utf8") }
    ]).ruleSet!.policies[0]!
    const shown = ruleSet!.policies.find(({ name }) => name === shipped.name)!
    const said = (one: typeof shown) => [...one.where, ...one.rules[0]!.when].map(({ text }) => text)
    expect(said(shown)).toEqual(said(shipped))
  })

  it("names columns as the table's reader knows them, in English and Russian", () => {
    const cells = [...page.matchAll(/^\| `[^|]*\| `?[^|]*\| [^|]*\|$/gm)].flatMap(([row]) => {
      const [, english = "", russian = ""] = row.split("|")
      return /^\s*`[a-z ,%]+`\s*$/.test(english) ? [[english, russian] as const] : []
    })
    expect(cells.length).toBe(EconomicsColumns.columns.length)
    for (const [english, russian] of cells) {
      const name = /`(.+)`/.exec(english)![1]!
      const meaning = EconomicsColumns.headerOf(name)?.meaning
      expect(meaning, name).toBeDefined()
      for (const [, other] of russian.matchAll(/`([^`]+)`/g))
        if (meaning!._tag !== "Item" || other !== "артикул")
          expect(EconomicsColumns.headerOf(other!)?.meaning, other).toEqual(meaning)
    }
    expect(cells.map(([english]) => EconomicsColumns.headerOf(/`(.+)`/.exec(english)![1]!)!.meaning)).toEqual(
      expect.arrayContaining(EconomicsColumns.columns.map(({ meaning }) => meaning))
    )
  })

  it("counts as the program counts", () => {
    const terms = [120_000, 0.2, 0.015, 42_000, 1500, 500, 0, 6000, 5000, 0.06, 0, 0.8, 1000]
    expect(UnitEconomics.figure("unit_profit", terms)).toBe(33_000)
    expect(UnitEconomics.figure("unit_margin", terms)).toBe(0.275)
  })
})
