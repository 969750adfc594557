/** A value written as none (`~`, `null`) says nothing, and is refused like one that is missing: it deletes no limit. */
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import type { Node } from "../../src/engine/language/yaml/Node.js"
import { isEmpty } from "../../src/engine/language/yaml/Node.js"
import * as Source from "../../src/engine/language/yaml/Source.js"
import * as Yaml from "../../src/engine/language/yaml/Yaml.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as Trials from "../testing/Trials.js"
import { folder, problems, testFolder } from "./Rules.js"

const pausing = (...lines: ReadonlyArray<string>) =>
  `version: 1\nname: a\neach: campaign\nwindow: 7d\n${lines.map((line) => `${line}\n`).join("")}`
const whenOf = (value: string) => pausing(`when: ${value}`, "do: pause")
const withMore = (...more: ReadonlyArray<string>) => pausing("when: views >= 500", "do: pause", ...more)
const raising = (options: string, more = "cooldown: 6h") =>
  `version: 1\nname: a\neach: cluster\nwindow: 7d\nwhere: campaign.payment = cpm\nwhen: views >= 500\ndo:\n  raise_bid: ${options}\n${more}\n`
const limits = (...lines: ReadonlyArray<string>) =>
  `version: 1\nkind: limits\naccount:\n  changes_per_run: 5\n${lines.map((line) => `  ${line}\n`).join("")}`
const ofLimits = (text: string) => problems(text, "rules/_shared/limits.yaml")

describe("a value written as none is refused where it stands", () => {
  for (const none of ["~", "null", "Null", "NULL"])
    it(`as a condition, a list of them and an entry of one: ${none}`, () => {
      expect(problems(whenOf(none))).toEqual(["K16@5"])
      expect(problems(whenOf(`[${none}]`))).toEqual(["K16@5"])
      expect(problems(whenOf(`[views >= 500, ${none}]`))).toEqual(["K16@5"])
      expect(problems(whenOf(`\n  - ${none}`))).toEqual(["K16@6"])
      expect(problems(whenOf(`\n  - views >= 500\n  - ${none}`))).toEqual(["K16@7"])
      expect(problems(withMore(`where: ${none}`))).toEqual(["K16@7"])
      expect(problems(withMore(`revert_when: ${none}`))).toContain("K16@7")
    })

  it("it points at what is written, and says the same as of nothing", () => {
    const { diagnostics } = Load.check([{ path: "rules/a.yaml", text: whenOf("~") }])
    expect(diagnostics.map(({ code, message, span }) => [code, message, span.column])).toEqual([
      ["K16", "when: has no value. When to act on a row; every condition must hold.", 7]
    ])
  })

  const nones = [
    "limits: ~",
    "limits: {changes_per_run: ~}",
    "limits: {max_bid: ~}",
    "limits: {max_bid: {cpm: ~}}",
    "revert_when: null",
    "watch: null",
    "watch: {after: 1d, roll_back_when: null}",
    "hold_for: null",
    "auto_approve: ~",
    "auto_approve: {bid_change: ~}",
    "max_unknown: ~",
    "schedule: ~",
    "schedule: {every: 3h, between: ~, tz: Europe/Moscow}",
    "cooldown: ~",
    "mode: ~",
    "tier: null",
    "vars: ~"
  ]
  for (const line of nones)
    it(`beside the conditions: ${line}`, () => {
      expect(problems(withMore(line))).toContain("K16@7")
    })

  it("as a window", () => {
    expect(problems(withMore().replace("window: 7d", "window: ~"))).toContain("K16@4")
  })

  for (const line of [
    "never_touch: null",
    "never_touch: [~]",
    "max_bid: ~",
    "max_bid: {cpm: ~}",
    "spend_per_day: ~",
    "money_per_day: ~",
    "move_per_day: null",
    "human_edit_hold: null",
    "kill_switch: ~",
    "enforce_max_bid: ~"
  ])
    it(`in the limits: ${line}`, () => {
      expect(ofLimits(limits(line))).toEqual(["K16@5"])
    })

  it("as the limits of the account, and as those of some campaigns", () => {
    expect(ofLimits("version: 1\nkind: limits\naccount: ~\n")).toEqual(["K16@3"])
    expect(ofLimits("version: 1\nkind: limits\ncampaigns: ~\n")).toEqual(["K16@3"])
    expect(ofLimits("version: 1\nkind: limits\ncampaigns: [{where: ~, changes_per_run: 5}]\n")).toEqual([
      "K16@3"
    ])
  })

  it("as an option of an action", () => {
    expect(problems(raising("{by: 10%, cap: ~}"))).toEqual(["K16@8"])
    expect(problems(raising("{by: null, cap: 450 ₽}"))).toEqual(["K16@8"])
    expect(problems(raising("{by: 10%, cap: 450 ₽, toward: null}"))).toEqual(["K16@8"])
    expect(problems(raising("~"))).toEqual(["K03@8", "K03@8"])
    expect(problems(pausing("when: views >= 500", "do: {add_minus: {max_total: ~}}"))).toContain("K16@6")
    expect(problems(pausing("when: views >= 500", "do: ~"))).toEqual(["K16@6"])
  })

  it("does not stand in for a cooldown that keeps a bid from moving in every run", () => {
    const text = raising("{by: 10%, cap: 450 ₽}", "cooldown: ~").replace("views >= 500", "bid < 90 ₽")
    expect(problems(text)).toContain("K16@9")
  })

  it("an action that needs no options may be written with none of them", () => {
    for (const nothing of ["", " ~", " null", " {}"])
      expect(problems(pausing("when: views >= 500", "do:", `  pause:${nothing}`))).toEqual([])
  })

  it("as what a rule test expects, where it would expect nothing", () => {
    for (const key of ["set_bid", "adjust_bid", "deposit", "notify", "placements", "do"])
      for (const none of ["", " ~"]) {
        const lines = ["rows:", "  - {id: a, orders: 5}", "expect:", "  - id: a", `    ${key}:${none}`]
        expect(Trials.problems(Trials.oneCase(...lines))).toEqual([expect.stringMatching(/^K16@11:/)])
      }
  })

  it("in a template, and as what a policy gives it", () => {
    const templates = {
      path: "rules/_shared/templates.yaml",
      text: "version: 1\nkind: templates\ntemplates:\n  calm:\n    params: {most: 450 ₽}\n    cooldown: ~\n    limits: {max_bid: {cpm: $most}}\n"
    }
    const codes = (text: string, shared = templates) =>
      Load.check([shared, { path: "rules/a.yaml", text }]).diagnostics.map(
        ({ code, file, span }) => `${code}@${file}:${span.line}`
      )
    expect(codes(withMore("use: calm"))).toEqual(["K16@rules/_shared/templates.yaml:6"])
    const mended = { ...templates, text: templates.text.replace("cooldown: ~", "cooldown: 6h") }
    expect(codes(withMore("use: calm", "with: {most: ~}"), mended)).toEqual(["K16@rules/a.yaml:8"])
    expect(codes(withMore("use: calm", "with: ~"), mended)).toEqual(["K16@rules/a.yaml:8"])
    expect(codes(withMore("use: calm", "cooldown: ~"), mended)).toEqual(["K16@rules/a.yaml:8"])
    expect(codes(withMore("use: ~"), mended)).toContain("K16@rules/a.yaml:7")
  })

  it("a variable that is not defined is told once, and not as nothing", () => {
    expect(problems(withMore("cooldown: $pause"))).toEqual(["E15@7"])
    expect(problems(whenOf("$rule"))).toEqual(["E15@5"])
  })
})

// What is shipped, with a value of every key in turn replaced.

/** The actions that need no options: their empty forms are the same action. */
const bare = /^(pause|start|enrol|add_minus|remove_minus)$/

interface Hole {
  readonly at: Source.Range
  readonly mayBeEmpty: boolean
  /** The keys that lead to it. */
  readonly path: string
}

const holes = (node: Node, path = ""): ReadonlyArray<Hole> =>
  node._tag === "Map"
    ? node.entries.flatMap(({ key, value }) => [
        { at: value.range, mayBeEmpty: bare.test(key), path: `${path}.${key}` },
        ...holes(value, `${path}.${key}`)
      ])
    : node._tag === "List"
      ? node.items.flatMap((item) => [
          { at: item.range, mayBeEmpty: false, path: `${path}[]` },
          ...holes(item, `${path}[]`)
        ])
      : []

/** One of those that the same keys lead to. */
const different = (all: ReadonlyArray<Hole>): ReadonlyArray<Hole> => [
  ...new Map(all.map((hole) => [hole.path, hole])).values()
]

/** The text with a value of each key in turn written as none. */
const emptied = (path: string, text: string): ReadonlyArray<Hole & { readonly text: string }> => {
  const { root } = Yaml.parse(Source.make(path, text))
  if (root === undefined || isEmpty(root)) throw new Error(`${path} has no values`)
  return different(holes(root)).map((hole) => {
    const below = text.slice(hole.at.start, hole.at.end).endsWith("\n") ? "\n" : ""
    return { ...hole, text: `${text.slice(0, hole.at.start)}~${below}${text.slice(hole.at.end)}` }
  })
}

describe("no value of the shipped files may be written as none in silence", () => {
  const accepted = (
    { path, text }: Load.File,
    check: (changed: string) => ReadonlyArray<unknown>
  ): ReadonlyArray<string> =>
    emptied(path, text).flatMap(({ at, mayBeEmpty, text: changed }) =>
      mayBeEmpty || check(changed).length > 0 ? [] : [`${text.slice(at.start, at.end)} at ${at.start}`]
    )
  const errors = (found: Load.Checked) => found.diagnostics.filter(({ severity }) => severity === "error")

  for (const path of ["rules", "test/language/printed"]) {
    const files = folder(path)
    for (const file of files)
      it(file.path, () => {
        const beside = files.filter((one) => one !== file && /_shared/.test(one.path))
        const check = (text: string) => errors(Load.check([...beside, { path: file.path, text }]))
        expect(accepted(file, check)).toEqual([])
      })
  }

  const rules = Load.check(folder("rules")).ruleSet
  for (const file of testFolder("rules/tests"))
    it(file.path, () => {
      const check = (text: string) => ReadTests.read([{ path: file.path, text }], rules!).diagnostics
      expect(accepted(file, check)).toEqual([])
    })
})
