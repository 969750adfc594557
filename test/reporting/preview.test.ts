import { describe, expect, it } from "vitest"
import { Cluster } from "../../src/domain/Ids.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import * as BudgetLines from "../../src/reporting/preview/BudgetLines.js"
import * as HtmlPreview from "../../src/reporting/preview/HtmlPreview.js"
import * as MarkdownPreview from "../../src/reporting/preview/MarkdownPreview.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import * as Totals from "../../src/reporting/preview/Totals.js"
import type { View } from "../../src/reporting/preview/View.js"
import { check } from "../golden/check.js"
import { bigPlan } from "./bigPlan.js"
import { samplePlan } from "./samplePlan.js"

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
const ansi = /\u001b\[[0-9;]*m/g

describe("text preview", () => {
  it("says every change with its rule, reasons, limits and money", () => {
    check("preview.txt", TextPreview.render(samplePlan, { colour: false, all: false }))
  })

  it("shows every unknown and unchanged row when asked for all", () => {
    check("preview-all.txt", TextPreview.render(samplePlan, { colour: false, all: true }))
  })

  it("opens and closes with the same summary", () => {
    const lines = TextPreview.render(samplePlan, { colour: false, all: false }).trimEnd().split("\n")
    expect(lines.slice(-2)).toEqual(lines.slice(1, 3))
  })

  it("differs from the coloured text in colour only", () => {
    const coloured = TextPreview.render(samplePlan, { colour: true, all: false })
    const plain = TextPreview.render(samplePlan, { colour: false, all: false })
    expect(coloured).not.toBe(plain)
    expect(coloured.replace(ansi, "")).toBe(plain)
  })

  it("does not depend on the order in which changes arrive", () => {
    const shuffled = { ...samplePlan, changes: [...samplePlan.changes].reverse() }
    expect(TextPreview.render(shuffled, { colour: false, all: true })).toBe(
      TextPreview.render(samplePlan, { colour: false, all: true })
    )
  })
})

describe("text that other people wrote", () => {
  it("cannot steer a terminal", () => {
    const evil = "кеды\u001b[2J\u0007\u202eabc\r\n~ forged"
    const changes = samplePlan.changes.map((change) => ({ ...change, campaignName: evil }))
    const unknown = samplePlan.unknown.map((row) => ({
      ...row,
      subject: { ...row.subject, cluster: Cluster.make(evil) } as typeof row.subject
    }))
    const text = TextPreview.render({ ...samplePlan, changes, unknown }, { colour: false, all: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(text.split("\n").some((line) => line.startsWith("~ forged"))).toBe(false)
  })
})

describe("rules in mode preview", () => {
  it("are said to be shown only", () => {
    const policies = samplePlan.policies.map((policy) => ({ ...policy, mode: "preview" as const }))
    const text = TextPreview.render({ ...samplePlan, policies }, { colour: false, all: false })
    expect(text).toContain("4 changes (2 only shown, their rules are in mode preview), 1 held")
  })
})

describe("markdown and HTML previews", () => {
  it("escape what would break a table", () => {
    check("preview.md", MarkdownPreview.render(samplePlan))
  })

  it("never let a cluster's text become markup", () => {
    const html = HtmlPreview.render(samplePlan)
    check("preview.html", html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, "<$1></$1>"))
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/\b(src|href)=/)
  })
})

describe("a plan of thousands of changes", () => {
  const big = bigPlan(9171)
  const text = (view: View = {}) => TextPreview.render(big, { colour: false, ...view })
  const changesIn = (shown: string) => shown.split("\n").filter((line) => /^ +[-~+] /.test(line))

  it("is its summary, its totals by rule and campaign and the 20 largest by money, on a few screens", () => {
    const shown = text()
    check("preview-big.txt", shown)
    expect(shown.split("\n").length).toBeLessThan(130)
    expect(changesIn(shown)).toHaveLength(20)
    expect(shown).toContain("9151 more changes are folded: --all shows every one")
  })

  it("says a reason that many rows have once, with their count, and one that differs in figures alone too", () => {
    const shown = text()
    expect(shown.match(/12562 of 15674 rows could not be read/g)).toHaveLength(1)
    expect(shown).toContain("    300  01-raise-to-reach-max: no room to move: bid … ₽, cap 450 ₽ (line 36)")
  })

  it("shows as many as are asked for, under the headings and in the order that are asked for", () => {
    expect(changesIn(text({ top: 7 }))).toHaveLength(7)
    expect(changesIn(text({ all: true }))).toHaveLength(9171)
    const byKind = text({ top: 30, group: "kind" })
    expect(byKind).toMatch(/\nKind pause\n {2}- 1000004 Кампания 4 {2}active → paused/)
    expect(byKind).toContain("\nKind raise_bid\n")
    expect(byKind).not.toContain("\nBy campaign")
    expect(text({ top: 1, sort: "change" })).toContain("The 1 that change most of 9171 changes")
    expect(text({ top: 2, sort: "target" })).toMatch(/The first 2 of 9171 changes\n {2}- 1000001 /)
  })

  it("fits a review thread in Markdown", () => {
    expect(MarkdownPreview.render(big).length).toBeLessThan(65_000)
    expect(MarkdownPreview.render(big, { all: true }).length).toBeGreaterThan(1_000_000)
  })

  it("adds up in its totals to what its summary says", () => {
    const totals = Totals.of(big, "campaign", 20)
    expect(totals.rest?.groups).toBe(180)
    const all = [...totals.rows, totals.rest!.total]
    const sum = (of: (total: Totals.Total) => number) => all.reduce((so, one) => so + of(one), 0)
    expect(sum(({ stakes }) => stakes.raises.kopecks)).toBe(big.summary.raisesPerDayKopecks)
    expect(sum(({ stakes }) => stakes.savings.kopecks)).toBe(big.summary.savingsPerDayKopecks)
    expect(sum(({ stakes }) => stakes.raises.unknown + stakes.savings.unknown)).toBe(big.summary.moneyUnknown)
    expect(sum(({ stakes }) => stakes.underPause)).toBe(big.summary.underPause)
  })
})

describe("wording", () => {
  it("gives percentages one decimal and a sign", () => {
    expect(Bids.percent(44000, 45000)).toBe("+2.3%")
    expect(Bids.percent(45000, 44000)).toBe("-2.2%")
    expect(Bids.percent(10000, 20000)).toBe("+100.0%")
    expect(Bids.percent(0, 100)).toBe("new")
  })
})

describe("budgets of optimise in a preview", () => {
  const money = { low: 80_000, mean: 90_000, high: 104_000 }
  const forecast = {
    policy: "10-optimise",
    budget: "1000001",
    campaigns: [1_000_001],
    dailyKopecks: 100_000,
    bids: 12,
    roubleEarns: 1,
    spendKopecks: money,
    orders: { low: 8, mean: 10.5, high: 13 },
    profitKopecks: money,
    profitBeforeKopecks: 1,
    explorationKopecks: 0,
    elsewhereKopecks: 60_000,
    overspent: false
  }
  const over = {
    ...forecast,
    budget: "account",
    spendKopecks: { low: 110_012, mean: 134_020, high: 149_987 },
    elsewhereKopecks: 90_000,
    overspent: true
  }

  it("are told with what is expected, those that spend more than they have first", () => {
    const text = TextPreview.render(
      { ...samplePlan, forecasts: [forecast, over] },
      { colour: false, all: false }
    )
    expect(text).toContain(
      [
        "Budgets",
        "  10-optimise, the account: 1 000 ₽ a day; 1 340 ₽ expected to be spent (1 100 ₽ to 1 500 ₽) with 10.5 orders, of which 900 ₽ by bids that the rule does not move; 340 ₽ over the budget: bids go down no faster than move: and floors let them",
        "  10-optimise, campaign 1000001: 1 000 ₽ a day; 900 ₽ expected to be spent (800 ₽ to 1 040 ₽) with 10.5 orders, of which 600 ₽ by bids that the rule does not move"
      ].join("\n")
    )
  })

  it("are told with what the rest is for where the budget is short and half of it stays", () => {
    const spendKopecks = { low: 40_000, mean: 50_000, high: 60_000 }
    const told = (roubleEarns: number, mean = 50_000) =>
      BudgetLines.of({
        ...samplePlan,
        forecasts: [{ ...forecast, roubleEarns, spendKopecks: { ...spendKopecks, mean } }]
      }).join()
    const rest = "; the rest is for where bids are on their way to: move: and waits keep them from it today"
    expect([told(2.73), told(1), told(2.73, 98_000)].map((text) => text.includes(rest))).toEqual([
      true,
      false,
      false
    ])
  })

  it("are told with what is reckoned of raises by others, however little that is", () => {
    const text = TextPreview.render(
      { ...samplePlan, forecasts: [{ ...forecast, elsewhereKopecks: 20_000, reckonedKopecks: 5_000 }] },
      { colour: false, all: false }
    )
    expect(text).toContain(
      ", of which 200 ₽ by bids that the rule does not move, 50 ₽ of it reckoned: some were raised, and few days have told of that yet"
    )
  })

  it("are told with what goes first where not all does, and are over what they have by that", () => {
    const goes = { changes: 11, of: 63, spendKopecks: 112_012, orders: 9.2 }
    const text = TextPreview.render(
      { ...samplePlan, forecasts: [{ ...forecast, elsewhereKopecks: 0, goes }] },
      { colour: false, all: false }
    )
    expect(text).toContain(
      "  10-optimise, campaign 1000001: 1 000 ₽ a day; 1 120 ₽ expected to be spent with 9.2 orders; 120 ₽ over the budget; 11 of 63 changes go, the others are held, left to later runs, or kept by another rule, an overlay or a wait: with all 900 ₽ (800 ₽ to 1 040 ₽)"
    )
    const policies = [{ ...samplePlan.policies[0]!, id: forecast.policy, mode: "preview" as const }]
    const shown = TextPreview.render(
      { ...samplePlan, policies, forecasts: [{ ...forecast, goes }] },
      { colour: false, all: false }
    )
    expect(shown).toContain("; 11 of 63 changes would go, the others are held, ")
  })

  it("are counted where there are many", () => {
    const forecasts = Array.from({ length: 23 }, (_, at) => ({ ...forecast, budget: `${at + 1}` }))
    const text = TextPreview.render({ ...samplePlan, forecasts }, { colour: false, all: false })
    expect(text).toContain("  3 more budgets, none over what it has a day; --json has them all")
  })
})
