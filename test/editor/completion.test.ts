import { describe, expect, it } from "vitest"
import * as Completion from "../../src/editor/Completion.js"
import { Sheet } from "../../src/editor/Place.js"
import { everyEach, Project } from "../../src/editor/Project.js"
import { hole } from "../../src/editor/Suggestion.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import * as Edits from "../../src/engine/language/format/Edits.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Depth from "../Depth.js"
import * as Mutations from "../language/Mutations.js"
import * as Rules from "../language/Rules.js"
import { labels, marked } from "./Editor.js"

const head = "version: 1\nname: a\neach: cluster\nwindow: 7d\n"
const when = (condition: string, more = "") => `${head}${more}when:\n  - ${condition}\ndo: add_minus\n`

const cost = {
  path: "rules/_shared/cost.yaml",
  text: "version: 1\nkind: facts\nsource: {csv: cost.csv}\njoin: item.id = nm\nfields: {item.cost: {column: cost, type: money}}\n"
}

describe("completion of keys", () => {
  it("offers the keys of a policy that are not there yet", () => {
    const found = labels(`${head}|\ndo: pause\n`)
    expect(found).toEqual(expect.arrayContaining(["when", "where", "mode", "rules", "limits"]))
    for (const taken of ["version", "name", "each", "window", "do"]) expect(found).not.toContain(taken)
  })

  it("offers them in an empty file and in the middle of a word", () => {
    expect(labels("|")).toContain("version")
    expect(labels(`${head}coo|`)).toContain("cooldown")
    expect(labels(`${head}# a comment |`)).toEqual([])
  })

  it("offers the options of the action that is written, and no other", () => {
    const found = labels(`${head}do:\n  raise_bid:\n    by: 10%\n    |\ncooldown: 6h\n`)
    expect(found).toEqual(expect.arrayContaining(["cap", "toward"]))
    expect(found).not.toContain("by")
    expect(found).not.toContain("floor")
    expect(labels(`${head}do: {set_bid: {to: 1 ₽, |`)).toEqual(expect.arrayContaining(["cap", "deadband"]))
  })

  it("offers what enrol may say, and the tier that it may reach", () => {
    const promotion = "version: 1\nname: a\neach: promotion_item\n"
    for (const written of [`${promotion}do:\n  enrol:\n    |`, `${promotion}do: {enrol: {|`])
      expect(labels(written)).toEqual(expect.arrayContaining(["reach_tier", "at_most", "overlap"]))
    expect(labels(`${promotion}do:\n  enrol:\n    reach_tier: |`)).toEqual(["next"])
    expect(labels(`${promotion}when: |`)).toContain("join_cost")
  })

  it("offers actions that work on the rows, with the options they need", () => {
    for (const written of [`${head}do:\n  |`, `${head}do: |`]) {
      expect(labels(written)).toEqual(expect.arrayContaining(["raise_bid", "add_minus"]))
      expect(labels(written)).not.toContain("pause")
    }
    const at = marked(`${head}do:\n  rai|`)
    const raise = Completion.at(at.project, at.path, at.position).find(({ label }) => label === "raise_bid")
    expect(raise?.snippet.newText).toBe(`raise_bid:\n  by: ${hole(1, "10%")}\n  cap: ${hole(2, "450 ₽")}`)
    expect(raise?.plain.newText).toBe("raise_bid:\n  by: 10%\n  cap: 450 ₽")
    expect(labels("version: 1\neach: campaign\ndo: |")).toEqual(expect.arrayContaining(["pause", "start"]))
  })

  it("offers the keys of nested maps, in blocks, lists and braces", () => {
    expect(labels(`${head}schedule: {|}`)).toEqual(expect.arrayContaining(["every", "between", "tz"]))
    expect(labels(`${head}limits:\n  |`)).toContain("share_of_scope")
    expect(labels(`${head}rules:\n  - |`)).toEqual(expect.arrayContaining(["name", "when", "do"]))
    expect(labels(`${head}rules:\n  - name: x\n    |`)).toEqual(expect.arrayContaining(["when", "do"]))
    expect(labels("version: 1\nkind: limits\naccount:\n  |", "rules/_shared/limits.yaml")).toContain(
      "never_touch"
    )
  })
})

describe("completion of the kind of a file", () => {
  const kinds = ["fulfilment", "limits", "vars", "templates", "facts", "economics"]

  it("offers kinds behind an empty kind: and a begun one, whatever else the file holds", () => {
    for (const text of ["version: 1\nkind: |\n", "kind: ful|", "kind: |\nwaves:\n"])
      expect(labels(text)).toEqual(expect.arrayContaining(kinds))
  })

  it("offers the key as long as the file may be of a kind, and not in a policy over rows", () => {
    for (const text of ["|", "version: 1\n|", "version: 1\nki|\nname: a\n"])
      expect(labels(text)).toContain("kind")
    for (const text of [`${head}|`, "kind: limits\n|", `${head}do:\n  |`])
      expect(labels(text)).not.toContain("kind")
  })
})

describe("completion of words", () => {
  it("offers the words of the schema", () => {
    expect(labels(`${head}mode: |`)).toEqual(["preview", "approve", "apply", "disabled"])
    expect(labels("each: cl|")).toContain("cluster")
    expect(labels(`${head}tier: |`)).toContain("safety")
    expect(labels(`${head}if_unknown: |`)).toContain("notify")
    expect(labels(`${head}schedule: {days: [mon, |`)).toContain("tue")
  })
})

describe("completion of conditions", () => {
  it("offers the facts of the rows, functions and variables where a value may stand", () => {
    const found = labels(when("|", "vars: {target: 15%}\n"))
    expect(found).toEqual(expect.arrayContaining(["ctr", "item.spend", "$target", "not", "change", "min"]))
    expect(found).not.toContain("acos")
    expect(labels(when("ct|"))).toContain("ctr")
    expect(labels(when("ctr < 1% and |"))).toContain("views")
    expect(labels(when("(|"))).toContain("views")
  })

  it("offers only lasting properties in where", () => {
    const found = labels(`${head}where:\n  - |\n`)
    expect(found).toContain("campaign.status")
    expect(found).not.toContain("ctr")
    expect(found).not.toContain("recommended.reach_max")
  })

  it("offers the words of the left side's type", () => {
    const statuses = ["ready", "active", "paused", "completed", "declined", "deleted"]
    expect(labels(when("campaign.status = |"))).toEqual(statuses)
    expect(labels(when("campaign.status in [active, |"))).toEqual(statuses)
    expect(labels(when("campaign.status not in [|"))).toEqual(statuses)
    expect(labels(when("campaign.search = |"))).toEqual(["yes", "no"])
    expect(labels(when("orders > 3 and campaign.payment != c|"))).toEqual(["cpm", "cpc"])
  })

  it("offers what goes on after a field of its type", () => {
    expect(labels(when("ctr |"))).toEqual(expect.arrayContaining(["<", "between", "is known"]))
    expect(labels(when("query |"))).toEqual(expect.arrayContaining(["contains any", "matches"]))
    expect(labels(when("campaign.status |"))).toEqual(expect.arrayContaining(["=", "in", "not in"]))
    expect(labels(when("ctr < 1% |"))).toEqual(expect.arrayContaining(["and", "or", "with 99% confidence"]))
    expect(labels(when("ctr is |"))).toEqual(["known", "not known"])
    expect(labels(when("query contains any |", "vars: {brand: [a]}\n"))).toContain("$brand")
  })

  it("offers windows in the brackets of a field and after the comma of change", () => {
    expect(labels(when("ctr[|"))).toContain("7d before 7d")
    expect(labels(when("ctr[1|] < 1%"))).toContain("14d")
    expect(labels(when("change(ctr, |"))).toContain("7d")
  })

  it("works inside quoted and folded texts", () => {
    for (const open of ['"', "'"]) expect(labels(when(`${open}ctr < 1% and vi|${open}`))).toContain("views")
    expect(labels(`${head}when: >\n  ctr < 1% and\n  vi|`)).toContain("views")
    expect(labels(`${head}when: ctr < 1% and\n  vi|\ndo: add_minus`)).toContain("views")
    expect(labels(`${head}when: "ctr < |`)).toContain("cr")
  })

  it("offers the words of the rows below inside all, any and sum", () => {
    const campaign = (condition: string) =>
      labels(`version: 1\neach: campaign\nwindow: 7d\nwhen:\n  - ${condition}`)
    expect(campaign("|")).toEqual(expect.arrayContaining(["all", "any", "sum"]))
    expect(campaign("all(|")).toContain("min_bid")
    expect(campaign("any(orders > 3 and (|")).toContain("min_bid")
    expect(campaign("|")).not.toContain("min_bid")
    expect(labels(when("|"))).not.toContain("sum")
  })

  it("offers the fields of the seller's own tables", () => {
    expect(labels(when("cpo < |"), "rules/a.yaml", [cost])).toContain("item.cost")
  })

  it("offers nothing inside a text of the condition", () => {
    expect(labels(when(`query contains "wo|`))).toEqual([])
  })

  it("offers money facts first for the bounds of an action, and none for shares", () => {
    const found = labels(`${head}do:\n  raise_bid:\n    by: |\n    cap: 1 ₽\n`)
    expect(found).not.toContain("spend")
    expect(labels(`${head}do:\n  lower_bid:\n    floor: |\n`)).toContain("min_bid")
    expect(labels(`${head}do:\n  set_bid: {to: cpm * |`)).toContain("acos".replace("acos", "cpo"))
  })

  it("counts Cyrillic, emoji and Windows line ends as editors do", () => {
    const at = marked(
      `\ufeffversion: 1\r\nname: 😀 кеды\r\neach: cluster\r\nwhen:\r\n  - query contains "😀" and ct| < 1%\r\n`
    )
    const found = Completion.at(at.project, at.path, at.position).find(({ label }) => label === "ctr")
    expect(found?.plain.range).toEqual({
      start: { line: 4, character: 28 },
      end: { line: 4, character: 30 }
    })
  })
})

describe("completion around templates", () => {
  const templates = {
    path: "rules/_shared/templates.yaml",
    text: "version: 1\nkind: templates\ntemplates:\n  raise-to:\n    params: {top: required, step: 10%}\n    each: campaign\n    when: spend > 1 ₽\n"
  }
  const policy = (rest: string) => labels(`version: 1\nname: a\n${rest}`, "rules/a.yaml", [templates])

  it("offers templates, what they take, and the facts of their rows", () => {
    expect(policy("use: |")).toEqual(["raise-to"])
    expect(policy("use: raise-to\nwith: {|")).toEqual(["top", "step"])
    expect(policy("use: raise-to\nwith:\n  top: 3 ₽\n  |")).toEqual(["step"])
    const found = policy("use: raise-to\nwhen: |")
    expect(found).toContain("spend")
    expect(found).not.toContain("query")
  })

  it("offers the parameters inside a template", () => {
    const inside = `${templates.text}    do:\n      set_bid: {to: |`
    expect(labels(inside, templates.path)).toEqual(expect.arrayContaining(["$top", "$step"]))
    expect(labels(`${templates.text}    |`, templates.path)).toEqual(
      expect.arrayContaining(["do", "cooldown"])
    )
  })
})

describe("completion in tests of rules", () => {
  const policy = { path: "rules/01-x.yaml", text: when("ctr < 1%") }
  const test = (rest: string) =>
    labels(`version: 1\nkind: tests\n${rest}`, "rules/tests/01.test.yaml", [policy])
  it("offers policies, facts of the policy's rows, and their words", () => {
    expect(test("policy: |")).toEqual(["01-x"])
    expect(test("policy: 01-x\ncases:\n  - name: x\n    rows:\n      - {|")).toEqual(
      expect.arrayContaining(["id", "ctr", "bid"])
    )
    expect(test("policy: 01-x\ncases:\n  - name: x\n    defaults: {campaign.status: |")).toContain("paused")
    expect(test("policy: 01-x\ncases:\n  - name: x\n    |")).toContain("expect")
  })
})

describe("completion, whatever the text", () => {
  const samples = [...Rules.folder("rules"), ...Rules.folder("test/broken")].map(({ text }) => text)

  it("never throws, at any place of a mutilated file", () => {
    const next = Mutations.random(20)
    for (let round = 0; round < 250; round++) {
      const text = Mutations.mutant(samples, next)
      const project = new Project([{ path: "rules/a.yaml", text }])
      const sheet = new Sheet({ path: "rules/a.yaml", text })
      for (let tries = 0; tries < 12; tries++) {
        const offset = Math.floor(next() * (text.length + 1))
        const position = sheet.position(offset)
        for (const { plain } of Completion.at(project, "rules/a.yaml", position)) {
          expect(plain.range.start.line).toBe(plain.range.end.line)
        }
      }
    }
  })

  const step = Depth.isDeep ? 1 : 5
  for (const { path, text } of Rules.folder("rules"))
    it(`answers at every place of ${path}, or each fifth`, () => {
      const project = new Project([{ path, text }])
      const sheet = new Sheet({ path, text })
      for (let offset = 0; offset <= text.length; offset += step)
        Completion.at(project, path, sheet.position(offset))
    })

  it("offers only facts that the check then knows", () => {
    for (const each of everyEach) {
      for (const place of ["when", "where"]) {
        const at = marked(`version: 1\nname: a\neach: ${each}\nwindow: 7d\n${place}:\n  - |\n`)
        const facts = Completion.at(at.project, at.path, at.position).filter(({ kind }) => kind === "fact")
        expect(facts.length).toBeGreaterThan(2)
        for (const { label, plain } of facts) {
          const sheet = new Sheet({ path: at.path, text: at.text })
          const range = { start: sheet.offset(plain.range.start), end: sheet.offset(plain.range.end) }
          const text = Edits.apply(at.text, [{ ...range, text: `${plain.newText} is known` }])
          const codes = Load.check([{ path: at.path, text }]).diagnostics.map(({ code }) => code)
          for (const code of ["E01", "E02", "E18"]) expect([label, ...codes]).not.toContain(code)
        }
      }
    }
  })

  it("offers every fact of the vocabulary somewhere", () => {
    const offered = new Set(
      everyEach.flatMap((each) => labels(`version: 1\neach: ${each}\nwhen: |`, "rules/a.yaml", [cost]))
    )
    const missing = Vocabulary.facts.filter(({ word }) => !offered.has(word)).map(({ id }) => id)
    expect(missing).toEqual([])
  })
})
