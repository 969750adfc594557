import { describe, expect, it } from "vitest"
import * as Fixes from "../../src/engine/language/format/Fixes.js"
import * as Mend from "../../src/engine/language/format/Mend.js"
import * as Load from "../../src/engine/language/Load.js"
import { isError } from "../../src/engine/language/problems/Diagnostic.js"
import * as Source from "../../src/engine/language/yaml/Source.js"
import { around, folder } from "./Rules.js"

const path = "rules/a.yaml"
const mended = (text: string) => Mend.mend([{ path, text }])
const fixed = (when: string, more?: string): string =>
  /- (.*)\n/.exec(mended(around(when, more)).files[0]!.text)?.[1] ?? ""
const errorCodes = (of: Load.Checked) => of.diagnostics.filter(isError).map(({ code }) => code)
const errors = (of: Load.Checked) => errorCodes(of).length

describe("every broken file whose fix is applicable", () => {
  const broken = folder("test/broken").flatMap((file) => {
    const source = Source.make(file.path, file.text)
    const certain = Load.check([file]).diagnostics.filter((one) => Fixes.edits(source, one).length > 0)
    return certain.map((diagnostic) => ({ file, diagnostic }))
  })

  it("is one of many", () => expect(broken.length).toBeGreaterThanOrEqual(24))

  it.each(broken)("$file.path loses its $diagnostic.code", ({ diagnostic, file }) => {
    const { files, fixed, left } = Mend.mend([file])
    expect(fixed).toContainEqual(diagnostic)
    expect(files[0]?.text).not.toBe(file.text)
    expect(errors(left)).toBe(0)
    expect(left.ruleSet).toBeDefined()
  })

  it("shows edits that mend it by hand, as check --json gives them", () => {
    for (const { file } of broken) {
      const report = Mend.report(Load.check([file]).diagnostics, [file])
      const problem = report.problems.find(({ applicable }) => applicable)!
      const lines = file.text.split("\n")
      for (const { column, endColumn, endLine, line, text } of [...problem.edits].reverse()) {
        expect(endLine).toBe(line)
        const old = lines[line - 1]!
        lines[line - 1] = old.slice(0, column - 1) + text + old.slice(endColumn - 1)
      }
      const again = Load.check([{ path: file.path, text: lines.join("\n") }])
      expect(again.diagnostics.map(({ code }) => code)).not.toContain(problem.code)
    }
  })
})

describe("a fix", () => {
  it.each([
    ["vews >= 500 && ctr < 1,5%", "views >= 500 and ctr < 1.5%"],
    ["orders=>3 или views ≤ 1 000", "orders>=3 or views <= 1000"],
    ["ctr < 0.03", "ctr < 3%"],
    ["spend > 1 500,50 ₽", "spend > 1500.50 ₽"],
    ["spend > 1 500.5 ₽", "spend > 1500.5 ₽"],
    ["spend > 1’975,50 ₽ and views > 1’975", "spend > 1975.50 ₽ and views > 1975"],
    ["not (query contains “кеды”)", 'not (query contains "кеды")'],
    ["сtr < %1", "ctr < 1%"],
    ["campaign.status = actve", "campaign.status = active"],
    ["views\u00a0> 5", "views > 5"],
    ["Orders = 0 and SPEND > 5 ₽", "orders = 0 and spend > 5 ₽"],
    ["CPC < 4 ₽ and Ctr < 1%", "cpc < 4 ₽ and ctr < 1%"],
    ["views > 5 аnd orders = 0", "views > 5 and orders = 0"],
    ["views > 5 оr orders = 0", "views > 5 or orders = 0"],
    ["nоt (views > 5)", "not (views > 5)"],
    ["views nоt in [5, 6]", "views not in [5, 6]"],
    ["views bеtween 5 and 6", "views between 5 and 6"],
    ['query cоntains аny ["кеды"]', 'query contains any ["кеды"]'],
    ['query mаtches "*кеды*"', 'query matches "*кеды*"'],
    ["views dеfault 5 > 3", "views default 5 > 3"],
    ["orders is nоt knоwn", "orders is not known"],
    ["ctr < 1% with 99% сonfidence", "ctr < 1% with 99% confidence"],
    ["сhange(orders, 7d) < -20%", "change(orders, 7d) < -20%"],
    ["min(views, 5) > mах(orders, 3)", "min(views, 5) > max(orders, 3)"]
  ])("%s becomes %s", (wrong, right) => expect(fixed(wrong)).toBe(right))

  it.each([
    ["spend > 500", "an amount is never written for anyone"],
    ["ctr < 0.5", "0.5 may be a share or a percentage"],
    ["ctr < 5", "five times, or 5%"],
    ["views > 1,500", "a decimal comma, or thousands"],
    ["cpx > 5 ₽", "cpo, cpc or cpm"],
    ["spend > 500 usd", "another currency is another amount"],
    ["1% < ctr < 2%", "between includes both ends"],
    ["ctr < 100%", "a threshold is the author's"],
    ["orders7d = 0", "seven days are not the window"],
    ["campaign.bid > 300", "a right prefix says nothing of the word behind it"],
    ["drr > 15%", "of the ads, or of all sales"],
    ["spend > 3.000 ₽", "a point ends the whole, or thousands"],
    ["spend > 1,500.50 ₽", "two signs, of two countries"],
    ["views > ₽100", "the field may be the wrong one"],
    ['spend > "100 ₽"', "the text may have been meant"],
    ["campaign spend > 5 ₽", "of the campaign, or of the row"],
    ["views > 1.500", "a point ends the whole, or thousands"],
    ["views % 5 = 0", "a remainder is no percentage"],
    ["ctr < 1%%", "the second sign may have been meant for something"]
  ])("never touches %s: %s", (text) => expect(fixed(text)).toBe(text))

  it("never takes a word of another level for one that this level lacks", () => {
    const text = around("CPC > 5 ₽").replace("each: cluster", "each: item")
    expect(mended(text).files[0]?.text).toBe(text)
  })

  it("puts a percent sign behind its number within braces as well", () => {
    const text =
      "version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\ndo:\n  raise_bid: {by: %5, cap: 450 ₽}\n"
    expect(mended(text).files[0]?.text).toContain("{by: 5%, cap: 450 ₽}")
  })

  it("never turns a policy on", () => {
    const text = around("orders = 0").replace("each:", "mode: aply\neach:")
    expect(mended(text).files[0]?.text).toBe(text)
  })

  it("never says by how much a bid moves", () => {
    const text =
      "version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\ndo:\n  raise_bid:\n    by: 20\n    cap: 450 ₽\n"
    expect(mended(text).files[0]?.text).toBe(text)
  })
})

describe("mending", () => {
  it("goes on until nothing certain is left, and lists the rest", () => {
    const { files, fixed, left } = mended(around("vews => 5 && spend > 500"))
    expect(files[0]?.text).toContain("- views >= 5 and spend > 500")
    expect(fixed.map(({ code }) => code)).toEqual(["E01", "E07", "E07"])
    expect(errorCodes(left)).toEqual(["E04"])
  })

  it("leaves a file alone when more errors would show than before", () => {
    const text =
      "version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen:\n  -vews > 5\n  - spend > 5\n  - bid > 5\ndo: pause\n"
    const { files, fixed, kept, left } = mended(text)
    const before = Load.check([{ path, text }])
    if (kept.length > 0) expect([files[0]?.text, fixed]).toEqual([text, []])
    expect(errors(left)).toBeLessThanOrEqual(errors(before))
    expect(kept).toEqual([path])
  })

  it("keeps a byte order mark, Windows line ends and every other line", () => {
    const text = `\ufeff${around("vews > 5 # why").replaceAll("\n", "\r\n")}`
    expect(mended(text).files[0]?.text).toBe(text.replace("vews", "views"))
  })

  it("mends each file by itself when one of them must be kept", () => {
    const good = { path: "rules/b.yaml", text: around("vews > 5") }
    const bad = { path: "rules/c.yaml", text: "nothing" }
    const { files } = Mend.mend([bad, good])
    expect(files.map(({ text }) => text)).toEqual(["nothing", around("views > 5")])
  })
})

describe("the fix of a key", () => {
  const rule = (...lines: ReadonlyArray<string>) =>
    `version: 1\nname: a\neach: campaign\nwindow: 7d\n${lines.join("\n")}\n`

  it.each([
    ["then", "do"],
    ["if", "when"]
  ])("of another tool, %s, is what it is called here: %s", (key, own) => {
    const text = rule(`${key}: orders = 0`)
    expect(mended(text).files[0]?.text).toBe(text)
    expect(Load.check([{ path, text }]).diagnostics.map(({ fix }) => fix)).toContain(own)
  })

  it.each([
    ["beside the key it leads to", "when: orders = 0", "whne: spend > 5 ₽"],
    ["beside another that leads there", "wehn: orders = 0", "whne: spend > 5 ₽"],
    ["with a Cyrillic letter beside the key", "when: orders = 0", "whеn: spend > 5 ₽"]
  ])("%s is never written: it would stand twice", (_, ...lines) => {
    const text = rule(...lines, "do: pause")
    expect(mended(text).files[0]?.text).toBe(text)
  })
})

describe("the fix of a shared variable", () => {
  it.each([
    ["3 000 ₽", "3000 ₽"],
    ["15,5%", "15.5%"],
    ["1,5", "1.5"],
    ["1 000", "1000"],
    ["1 000 мелочей", "1 000 мелочей"],
    ["1 000,5 ₽", "1000.5 ₽"],
    ["300 ₽–90 ₽", "300 ₽–90 ₽"]
  ])("makes of %s %s, as in a condition", (wrong, right) => {
    const file = (value: string) => `version: 1\nkind: vars\nvars:\n  a: ${value}\n`
    const { files } = Mend.mend([{ path: "rules/_shared/vars.yaml", text: file(wrong) }])
    expect(files[0]?.text).toBe(file(right))
  })
})
