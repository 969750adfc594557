import { describe, expect, it } from "vitest"
import { Cluster } from "../../src/domain/Ids.js"
import * as HtmlPreview from "../../src/reporting/HtmlPreview.js"
import * as MarkdownPreview from "../../src/reporting/MarkdownPreview.js"
import * as TextPreview from "../../src/reporting/TextPreview.js"
import * as Wording from "../../src/reporting/Wording.js"
import { check } from "../golden/check.js"
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
      target: { ...row.target, cluster: Cluster.make(evil) }
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
    check("preview.html", html)
    expect(html).not.toContain("<script")
    expect(html).not.toMatch(/\b(src|href)=/)
  })
})

describe("wording", () => {
  it("gives percentages one decimal and a sign", () => {
    expect(Wording.percent(44000, 45000)).toBe("+2.3%")
    expect(Wording.percent(45000, 44000)).toBe("-2.2%")
    expect(Wording.percent(10000, 20000)).toBe("+100.0%")
    expect(Wording.percent(0, 100)).toBe("new")
  })
})
