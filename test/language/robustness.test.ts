import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"
import * as Parser from "../../src/engine/language/syntax/Parser.js"
import * as Depth from "../Depth.js"
import { folder } from "./Rules.js"

const valid = folder("rules")
const broken = folder("test/broken")
const samples = [...valid, ...broken].map(({ text }) => text)
/** The answer has a set or an error, and every place is in the file. */
const sane = (text: string): void => {
  const file = { path: "rules/a.yaml", text }
  const { ruleSet, diagnostics } = Load.check([file])
  Render.text(diagnostics, [file])
  expect(ruleSet === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"))
  const lines = text.split("\n").length
  for (const { span } of diagnostics) {
    expect(span.line).toBeGreaterThan(0)
    expect(span.line).toBeLessThanOrEqual(lines)
    expect(span.endLine).toBeGreaterThanOrEqual(span.line)
    expect(span.column).toBeGreaterThan(0)
  }
}

const pieces = [
  ..." \n\t-:#[]{}\"'|>&*!%@`,?\u00a0₽.0159ао",
  "  ",
  "\n  - ",
  ": ",
  "when:",
  "do:\n",
  "---\n",
  "<<: ",
  "and ",
  " or ",
  "not ",
  "ctr < 1%",
  "450 ₽",
  "\r\n",
  "\u0000",
  "\ud800"
]

describe("no text breaks the loader", () => {
  it("random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => sane(new TextDecoder().decode(bytes))),
      { numRuns: Depth.cases(400) }
    )
  })

  it("random pieces of YAML and of conditions", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => sane(parts.join(""))),
      { numRuns: Depth.cases(1500) }
    )
  })

  it("valid and broken files with pieces cut out and put in", () => {
    const change = fc.record({
      sample: fc.constantFrom(...samples),
      cuts: fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 1, noNaN: true }),
          drop: fc.nat(12),
          put: fc.constantFrom("", ...pieces)
        }),
        { minLength: 1, maxLength: 4 }
      )
    })
    fc.assert(
      fc.property(change, ({ sample, cuts }) => {
        let text = sample
        for (const { at, drop, put } of cuts) {
          const start = Math.floor(at * text.length)
          text = text.slice(0, start) + put + text.slice(start + drop)
        }
        sane(text)
      }),
      { numRuns: Depth.cases(1500) }
    )
  })

  it("random conditions", () => {
    const words = [
      ..."()[]<>=+-*/,\"'%$!0 ",
      " and ",
      " or ",
      "not ",
      " in ",
      " between ",
      " contains any ",
      " matches ",
      "ctr",
      "[7d]",
      "5 ₽",
      "1%",
      "active",
      "campaign.status"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
        const text = parts.join("")
        const made = Parser.condition(text)
        expect(made.start).toBeGreaterThanOrEqual(0)
        expect(made.end).toBeLessThanOrEqual(text.length + 1)
      }),
      { numRuns: Depth.cases(3000) }
    )
  })
})

describe("a file beyond the bounds", () => {
  const codes = (text: string) => Load.check([{ path: "a.yaml", text }]).diagnostics.map(({ code }) => code)
  it("is refused by its size, depth or number of values, at once", () => {
    const bombs = {
      size: `# ${"x".repeat(257 * 1024)}`,
      flowDepth: "[".repeat(200_000),
      blockDepth: "- ".repeat(100_000),
      questionDepth: "? ".repeat(100_000),
      indentDepth: Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
      values: `a: [${"1,".repeat(60_000)}]`,
      keys: Array.from({ length: 30_000 }, (_, i) => `k${i.toString(36)}:\n`).join("")
    }
    for (const [name, text] of Object.entries(bombs)) {
      expect(codes(text), name).toEqual(["Y21"])
    }
  })
  it("is none for many values side by side on one line, however the file is read", () => {
    const vars = Array.from({ length: 60 }, (_, i) => `v${i}: ${i}`).join(", ")
    const flat = `version: 1\nname: a\n"each": cluster\nvars: {${vars}}\nwindow: 7d\nwhen: views > 5\ndo: add_minus\n`
    expect(codes(flat)).not.toContain("Y21")
    const list = Array.from({ length: 40 }, () => "{a: 1, b: 2}").join(", ")
    expect(codes(`"x": [${list}]\n`)).not.toContain("Y21")
  })
  it("is read without recursion where indicators stand between brackets", () => {
    for (const indicator of ["a: ", "? ", "- ", ": "])
      for (const bracket of ["{", "["])
        expect(codes(`"x": ${bracket}${indicator.repeat(25_000)}`), indicator).not.toHaveLength(0)
  })
  it("is refused when it is an alias bomb, without expanding it", () => {
    const lines = Array.from(
      { length: 20 },
      (_, i) => `k${i}: &k${i} [${i === 0 ? "x" : `*k${i - 1}, *k${i - 1}`}]\n`
    )
    expect(codes(lines.join(""))).toContain("Y19")
  })
  it("is refused when a condition nests too deep", () => {
    const text = `version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen: ${"(".repeat(60)}views > 5${")".repeat(60)}\ndo: add_minus\n`
    expect(codes(text)).toEqual(["E20"])
  })
  // Minutes, when everything was held against everything.
  it("is checked in seconds where a condition names twenty thousand campaigns", { timeout: 60_000 }, () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => 1000 + i).join(", ")
    const vars = {
      path: "rules/_shared/vars.yaml",
      text: `version: 1\nkind: vars\nvars: {x: [${numbers}]}\n`
    }
    const found = (...when: ReadonlyArray<string>) => {
      const text = `version: 1\nname: a\neach: campaign\nwhen: [${when.join(", ")}]\ndo: pause\n`
      return Load.check([vars, { path: "rules/a.yaml", text }]).diagnostics.map(({ code }) => code)
    }
    expect(found("campaign.id in $x", "campaign.id > 20998")).toEqual([])
    expect(found("campaign.id in $x", "campaign.id > 20999")).toEqual(["S02"])
    expect(found("campaign.id not in $x", "campaign.id != 999")).toEqual([])
  })
  for (const [what, when] of [
    ["numbers", (i: number) => `views = ${i}`],
    ["words", (i: number) => `campaign.name contains "q${i}q"`]
  ] as const)
    it(`is checked in seconds where one policy has 1,500 rules of ${what}`, { timeout: 60_000 }, () => {
      const rules = Array.from({ length: 1500 }, (_, i) => `  - when: ${when(i)}\n    do: pause\n`)
      const text = `version: 1\nname: a\neach: campaign\nwindow: 7d\nrules:\n${rules.join("")}`
      expect(codes(text)).toEqual([])
    })
  it("names at most a hundred problems of one file", () => {
    const text = `version: 1\nname: a\neach: cluster\nwhen:\n${"  - vews > 5\n".repeat(500)}do: add_minus\n`
    expect(codes(text)).toHaveLength(100)
  })
})
