import { describe, expect, it } from "vitest"
import * as Format from "../../src/engine/language/format/Format.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"

const templates = (body: string): Load.File => ({
  path: "rules/_shared/templates.yaml",
  text: `version: 1\nkind: templates\ntemplates:\n${body}`
})

/** A template whose lines 4 to 15 tests point at. */
const raiseTo = `  raise-to:
    params:
      cap: required
      step: 10%
    each: cluster
    where: campaign.payment = cpm and campaign.bid_type = manual
    window: 7d
    when:
      - orders >= 3
    do:
      raise_bid: {by: $step, cap: $cap}
    cooldown: 6h
`

const rule = (more: string, name = "01"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: Raise\n${more}`
})

const use = "use: raise-to\nwith: {cap: 450 ₽}\n"

/** `file:line:column code`, and `<` with the related place. */
const found = (...files: ReadonlyArray<Load.File>): ReadonlyArray<string> =>
  Load.check(files).diagnostics.map(({ code, related = [], span }) => {
    const others = related.map(
      (one) => ` < ${one.span.file}:${one.span.line}:${one.span.column} ${one.message}`
    )
    return `${span.file}:${span.line}:${span.column} ${code}${others.join("")}`
  })

const policy = (...files: ReadonlyArray<Load.File>) => {
  const { diagnostics, ruleSet } = Load.check(files)
  expect(diagnostics).toEqual([])
  return ruleSet!.policies[0]!
}

const written = rule(`each: cluster
where: campaign.payment = cpm and campaign.bid_type = manual
window: 7d
when:
  - orders >= 3
do:
  raise_bid: {by: 10%, cap: 450 ₽}
cooldown: 6h
`)

describe("a policy that uses a template", () => {
  it("may give a word of digits, and a date, where a text stands", () => {
    const found = (params: string, more: string) =>
      policy(
        templates(`  find:
    params: {word: ${params}}
    each: cluster
    window: 7d
    when: query contains $word
    do: add_minus
`),
        rule(`use: find\n${more}`)
      ).rules[0]?.when[0]?.condition
    const word = (text: string) => expect.objectContaining({ _tag: "Contains", words: [text] })
    for (const [written, text] of [
      ["501", "501"],
      ['"501"', "501"],
      ['"007"', "007"],
      ["2026-01-01", "2026-01-01"],
      ['"450 ₽"', "450 ₽"]
    ] as const) {
      expect(found("required", `with: {word: ${written}}\n`)).toEqual(word(text))
      expect(found(written, "")).toEqual(word(text))
    }
  })

  it("means what the policy written out means", () => {
    expect(policy(templates(raiseTo), rule(use)).hash).toBe(policy(written).hash)
  })
  it("replaces the template's keys by its own, and joins where: and when:, the template's first", () => {
    const made = policy(
      templates(raiseTo),
      rule(`${use}window: 14d\nwhen: spend >= 100 ₽\nwhere:\n  - campaign.status = active\n`)
    )
    const all = "campaign.payment = cpm and campaign.bid_type = manual"
    expect(made.where.map(({ text }) => text)).toEqual([all, "campaign.status = active"])
    expect(made.rules[0]?.when.map(({ text }) => text)).toEqual(["orders >= 3", "spend >= 100 ₽"])
    const twin = rule(`each: cluster
where: [campaign.payment = cpm, campaign.bid_type = manual, campaign.status = active]
window: 14d
when: [orders >= 3, spend >= 100 ₽]
do: {raise_bid: {by: 10%, cap: 450 ₽}}
cooldown: 6h
`)
    expect(made.hash).toBe(policy(twin).hash)
  })
  it("gives parameters from its own and from shared variables, whole and inside conditions", () => {
    const body = raiseTo
      .replace("orders >= 3", "orders >= $least and spend >= $floor")
      .replace("cap: req", "least: 3\n      cap: req")
    const vars = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {floor: 100 ₽}\n" }
    const made = policy(
      templates(body),
      vars,
      rule("vars: {most: 450 ₽}\nuse: raise-to\nwith: {cap: $most}\n")
    )
    const twin = rule(
      written.text
        .slice("version: 1\nname: Raise\n".length)
        .replace("orders >= 3", "orders >= 3 and spend >= 100 ₽")
    )
    expect(made.hash).toBe(policy(twin).hash)
  })
  it("stands in traces with the line of its use:, and its conditions with their own places", () => {
    const made = policy(templates(raiseTo), rule(use))
    expect(made.rules[0]?.action.span).toMatchObject({ file: "rules/01.yaml", line: 3, column: 6 })
    expect(made.rules[0]?.when[0]?.span).toMatchObject({ file: "rules/_shared/templates.yaml", line: 12 })
  })
  it("does not see the template's parameters, nor the template its variables", () => {
    expect(found(templates(raiseTo), rule(`${use}limits: {max_bid: $cap}\n`))).toEqual([
      "rules/01.yaml:5:19 E15"
    ])
    const body = raiseTo.replace("orders >= 3", "orders >= $few")
    expect(found(templates(body), rule(`vars: {few: 3}\n${use}`))).toContain(
      "rules/_shared/templates.yaml:12:19 E15 < rules/01.yaml:4:6 used here"
    )
  })
})

describe("a mistake in a template", () => {
  it("is told once, at its place, with the first use and how many more there are", () => {
    const rules = Array.from({ length: 20 }, (_, i) => rule(use, String(i + 10)))
    const body = raiseTo.replace("orders >= 3", "cpo < 12")
    expect(found(templates(body), ...rules)).toEqual([
      "rules/_shared/templates.yaml:12:15 E04 < rules/10.yaml:3:6 used here, and 19 more"
    ])
  })
  it("is shown with both places, as text and as JSON", () => {
    const files = [templates(raiseTo.replace("orders >= 3", "cpo < 12")), rule(use)]
    const { diagnostics } = Load.check(files)
    expect(Render.text(diagnostics, files)).toContain(
      "    |               ^^\n  rules/01.yaml:3:6 used here\n  fix: cpo < 12 ₽"
    )
    expect(Render.json(diagnostics).problems[0]?.related).toEqual([
      { file: "rules/01.yaml", line: 3, column: 6, endLine: 3, endColumn: 14, message: "used here" }
    ])
  })
  it("is told where the value was given, when the value is the mistake", () => {
    expect(found(templates(raiseTo), rule(use.replace("450 ₽", "10%")))).toEqual([
      "rules/01.yaml:4:13 K09 < rules/_shared/templates.yaml:14:35 stands for $cap here"
    ])
  })
  it("is found by the analysis too, in the templates' file", () => {
    const body = raiseTo.replace("orders >= 3", "orders >= 3 and orders < 2")
    expect(found(templates(body), rule(use), rule(use, "02"))).toEqual([
      "rules/_shared/templates.yaml:12:9 S02 < rules/01.yaml:3:6 used here, and 1 more"
    ])
  })
  it("stays silent about lines that a syntax problem spoiled", () => {
    const body = raiseTo.replace("      - orders >= 3", "      -orders >= 3")
    expect(found(templates(body), rule(use))).toEqual(["rules/_shared/templates.yaml:12:7 Y12"])
  })
})

describe("use: and with:", () => {
  it("name what they miss", () => {
    const at = (more: string) => found(templates(raiseTo), rule(more)).filter((one) => !one.includes("K25"))
    expect(at("use: rise-to\nwith: {cap: 450 ₽}\n")).toEqual(["rules/01.yaml:3:6 K21"])
    expect(at("use: raise-to\n")).toEqual([
      "rules/01.yaml:3:6 K22 < rules/_shared/templates.yaml:6:7 required here"
    ])
    expect(at("use: raise-to\nwith: {cpa: 450 ₽}\n")).toEqual(["rules/01.yaml:4:8 K23"])
    expect(at("use: [raise-to]\n")).toEqual(["rules/01.yaml:3:6 K24"])
    expect(at("with: {cap: 450 ₽}\n")).toEqual(["rules/01.yaml:3:1 K13"])
    expect(at("use: raise-to\nwith: {cap: 450 ₽ * 2}\n")).toEqual(["rules/01.yaml:4:13 K16"])
  })
  it("offer what was probably meant", () => {
    const fixes = (more: string) =>
      Load.check([templates(raiseTo), rule(more)]).diagnostics.map(({ fix }) => fix)
    expect(fixes("use: rise-to\n")).toEqual(["raise-to"])
    expect(fixes("use: raise-to\nwith: {cpa: 450 ₽}\n")).toEqual(["cap"])
  })
})

describe("a file of templates", () => {
  it("warns of templates and parameters that nothing uses", () => {
    expect(found(templates(raiseTo.replace("by: $step", "by: 5%")), written)).toEqual([
      "rules/_shared/templates.yaml:4:3 K25",
      "rules/_shared/templates.yaml:7:7 K19"
    ])
  })
  it("refuses a template in a template, keys of policies alone, and slips in its parameters", () => {
    const at = (body: string) => found(templates(body), rule(use))
    expect(at(`${raiseTo}    use: other\n`)).toEqual(["rules/_shared/templates.yaml:16:5 K24"])
    expect(at(`${raiseTo}    version: 1\n`)).toEqual(["rules/_shared/templates.yaml:16:5 K01"])
    expect(at(raiseTo.replace("required", "requried"))).toEqual(["rules/_shared/templates.yaml:6:12 K04"])
    expect(at("  raise-to: pause\n")).toEqual(["rules/_shared/templates.yaml:4:13 K16"])
  })
  it("stands once", () => {
    const twin = { ...templates(raiseTo), path: "rules/templates.yaml" }
    expect(found(templates(raiseTo), twin, rule(use))).toContain("rules/templates.yaml:1:1 K18")
  })
  it("keeps its comments when it is formatted", () => {
    const { path, text } = templates(raiseTo.replace("orders >= 3", "orders>=3   # enough"))
    const made = Format.format({ path, text })
    expect(made).toMatchObject({ _tag: "Formatted", text: text.replace("orders>=3", "orders >= 3") })
    const loose = rule("use: raise-to\nwith: {cap: 450 rub} # rather much\n")
    // What the template makes of it stands in another file.
    expect(Format.format(loose)).toMatchObject({ changed: false })
  })
})
