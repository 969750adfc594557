import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"
import * as Source from "../../src/engine/language/yaml/Source.js"
import { around } from "./Rules.js"

const broken = (name: string): string => {
  const path = `test/broken/${name}.yaml`
  const file = { path, text: readFileSync(path, "utf8") }
  const [diagnostic] = Load.check([file]).diagnostics
  return diagnostic === undefined ? "" : Render.one(diagnostic, Source.make(file.path, file.text))
}

describe("a problem as text", () => {
  it("shows the place, the line with a caret, and the fix", () => {
    expect(broken("e03-bare-ratio")).toBe(
      [
        "test/broken/e03-bare-ratio.yaml:8:11 error E03  ctr is a percentage; a bare number is not",
        "  8 |   - ctr < 0.01",
        "    |           ^^^^",
        "  fix: ctr < 1%       (0.01 as a share is 1%)"
      ].join("\n")
    )
  })
  it.each([
    ["ctr < 0.5", "ctr < 0.5%       (or 50%, if 0.5 is a share)"],
    ["ctr < 5", "ctr < 5%"],
    ["change(ctr, 7d) < -20", "change(ctr, 7d) < -20%"],
    ["change(ctr, 7d) < -0.2", "change(ctr, 7d) < -0.2%       (or -20%, if -0.2 is a share)"],
    ["change(ctr, 7d) < -0.05", "change(ctr, 7d) < -5%       (-0.05 as a share is -5%)"],
    ["spend between 100 and 200 ₽", "spend between 100 ₽ and 200 ₽"],
    ["spend between 100 ₽ and 200", "spend between 100 ₽ and 200 ₽"],
    ["spend between 100 and 200", "spend between 100 ₽ and 200 ₽"],
    ["ctr between 1 and 2", "ctr between 1% and 2%"],
    ["ctr between 0.2 and 2%", "ctr between 0.2% and 2%       (or 20%, if 0.2 is a share)"],
    ["views between 9 and 5", "views between 5 and 9"],
    ["hour between 22 and 6", "hour >= 22 or hour <= 6"],
    ["hour between 22 and 6 and views > 5", "(hour >= 22 or hour <= 6)"],
    ["cpo < -5 ₽", "5 ₽"],
    ["views >= 1.000", "1000"]
  ])("of %s says how to mend it: %s", (when, fix) => {
    const files = [{ path: "a.yaml", text: around(when) }]
    expect(Load.check(files).diagnostics[0]?.fix).toBe(fix)
  })
  it("of a between without its second end repeats the first, whatever its unit", () => {
    const files = [{ path: "a.yaml", text: around("spend between 100 ₽ 200 ₽") }]
    expect(Load.check(files).diagnostics[0]?.message).toBe("Write both ends: between 100 ₽ and …")
  })
  it("points at the action that lacks its cap", () => {
    expect(broken("k03-no-cap")).toBe(
      [
        "test/broken/k03-no-cap.yaml:9:3 error K03  raise_bid needs cap: the most you will pay. For example cap: 450 ₽, with values of your own.",
        "  9 |   raise_bid:",
        "    |   ^^^^^^^^^"
      ].join("\n")
    )
  })
  it("makes invisible characters visible", () => {
    expect(broken("y02-no-break-space")).toBe(
      [
        'test/broken/y02-no-break-space.yaml:8:1 error Y02  Invisible character before "do:". Retype the space.',
        "  8 | ·do:",
        "    | ^"
      ].join("\n")
    )
  })
  it("cuts a long line around the caret", () => {
    const text = around(`${Array.from({ length: 60 }, () => "views > 5").join(" and ")} and vews > 5`)
    const files = [{ path: "a.yaml", text }]
    const [, line = "", caret = ""] = Render.text(Load.check(files).diagnostics, files).split("\n")
    expect(line.length).toBeLessThan(130)
    expect(line.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("vews")
  })
  it("never lets a control character reach the terminal", () => {
    const files = [{ path: "a\u001b[31m.yaml", text: `na\u001b[31mme: x\nfoo: "\u0007"\n` }]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(Render.text(Load.check(files).diagnostics, files)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
  it("ends with a summary, and is empty without problems", () => {
    const files = [{ path: "a.yaml", text: around("vews > 5 and ctr < 1") }]
    expect(Render.text(Load.check(files).diagnostics, files)).toMatch(/\n\n2 errors in 1 file\n$/)
    expect(Render.text([], files)).toBe("")
  })
})

it("problems as JSON keep their order and their places", () => {
  const files = [{ path: "a.yaml", text: around("vews > 5") }]
  expect(Render.json(Load.check(files).diagnostics)).toEqual({
    version: 1,
    errors: 1,
    warnings: 0,
    problems: [
      {
        code: "E01",
        severity: "error",
        file: "a.yaml",
        line: 6,
        column: 5,
        endLine: 6,
        endColumn: 9,
        message: 'Unknown field "vews". Did you mean views?',
        fix: "views"
      }
    ]
  })
})
