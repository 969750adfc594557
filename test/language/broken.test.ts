import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { codes } from "../../src/engine/language/problems/Codes.js"
import { expectations } from "../broken/expectations.js"
import { folder } from "./Rules.js"

const files = folder("test/broken")
const name = (path: string) => path.slice("test/broken/".length)
const shown = (found: ReturnType<typeof Load.check>) =>
  found.diagnostics.map(({ code, span }) => `${code}@${span.line}:${span.column}`)

describe("a broken rule file", () => {
  it("has an expectation, and every expectation has a file", () => {
    expect(files.map(({ path }) => name(path))).toEqual(Object.keys(expectations).sort())
    expect(files.length).toBeGreaterThanOrEqual(45)
  })

  for (const file of files) {
    it(`${name(file.path)} is reported once, at its place`, () => {
      expect(shown(Load.check([file]))).toEqual([expectations[name(file.path)]])
    })
  }
})

describe("a folder of broken files", () => {
  it("names every problem of every file at once", () => {
    const { diagnostics, ruleSet } = Load.check(files)
    const found = diagnostics
      .filter(({ code }) => code !== "K18")
      .map(({ file, code, span }) => `${name(file)} ${code}@${span.line}:${span.column}`)
    expect(found).toEqual(
      Object.entries(expectations)
        .map(([file, problem]) => `${file} ${problem}`)
        .sort()
    )
    expect(ruleSet).toBeUndefined()
  })

  it("has an example of every code a single file can show", () => {
    const shownCodes = new Set(Object.values(expectations).map((text) => text.slice(0, 3)))
    const missing = Object.keys(codes).filter((code) => !shownCodes.has(code))
    const several = ["K18", "K22", "K23", "K25"]
    const tables = ["F01", "F02", "F03", "F04", "F05"]
    expect(missing).toEqual([
      ...several,
      "S03",
      "S04",
      "S05",
      "S07",
      "S09",
      "S11",
      "S12",
      "S13",
      "S14",
      "S15",
      ...tables
    ])
  })

  it("gives every problem a sentence, and a place inside the file", () => {
    for (const { message, span, file } of Load.check(files).diagnostics) {
      const text = files.find(({ path }) => path === file)?.text ?? ""
      expect(message.length).toBeGreaterThan(10)
      expect(span.line).toBeLessThanOrEqual(text.split("\n").length)
    }
  })
})

it("tells to quote a condition that a colon turned into keys", () => {
  const text =
    'version: 1\nname: a\neach: campaign\nwindow: 7d\nwhen:\n  - campaign.name matches "Sale: June"\ndo: pause\n'
  const fixes = Load.check([{ path: "rules/a.yaml", text }]).diagnostics.map((one) => one.fix ?? one.message)
  expect(fixes).toEqual([expect.stringContaining(`'campaign.name matches "Sale: June"'`)])
})
