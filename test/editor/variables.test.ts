import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Project } from "../../src/editor/Project.js"
import * as Variables from "../../src/editor/Variables.js"
import type { File } from "../../src/engine/language/Load.js"
import * as Load from "../../src/engine/language/Load.js"
import { changed, marked } from "./Editor.js"

const policy = (name: string, body: string): File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\r\nname: 😀 стоит $5\r\neach: cluster\r\nwhere: campaign.payment = cpm\r\nwindow: 7d\r\n${body}`
})
const shared: File = {
  path: "rules/_shared/vars.yaml",
  text: 'version: 1\nkind: vars\nvars:\n  brand: [кеды, "вьетнамки"]\n  least: 3\n  days: 14d\n  top: 450 ₽\n'
}
const user = policy(
  "a",
  'when:\r\n  - not (query contains any $brand) and query contains "$least"\r\n  - "orders[$days] >= $least"\r\n' +
    "  - >\r\n    cpo < $top\r\n    and spend > $least * 10 ₽\r\ndo:\r\n  raise_bid: {by: 10%, cap: $top}\r\n"
)
const hider = policy("b", "vars: {least: 9}\r\nwhen: orders >= $least\r\ncooldown: 6h\r\ndo: add_minus\r\n")
const files = [user, hider, shared]

const renamed = (path: string, name: string, to: string): ReadonlyArray<File> | string => {
  const project = new Project(files)
  const page = project.page(path)!
  const found = Variables.visible(project, page).find((one) => one.name === name)!
  const edits = Variables.rename(project, found, to)
  return typeof edits === "string" ? edits : changed(files, edits)
}

describe("renaming a variable", () => {
  it("changes a shared one everywhere it is meant, and nowhere else", () => {
    const made = renamed(shared.path, "least", "few")
    if (typeof made === "string") throw new Error(made)
    expect(made[2]?.text).toBe(shared.text.replace("least", "few"))
    expect(made[1]?.text).toBe(hider.text)
    expect(made[0]?.text).toContain('contains "$least"')
    expect(made[0]?.text).toContain('"orders[$days] >= $few"')
    expect(made[0]?.text).toContain("spend > $few * 10 ₽")
  })

  it("changes a message only between its braces", () => {
    for (const form of [
      'notify: "$least, {{$least}}, {$least}"',
      'notify: {text: "$least, {{$least}}, {$least}"}'
    ]) {
      const own = policy("c", `vars: {least: 9}\r\nwhen: orders >= $least\r\ndo: {${form}}\r\n`)
      const project = new Project([own])
      const found = Variables.visible(project, project.page(own.path)!)[0]!
      const edits = Variables.rename(project, found, "few")
      if (typeof edits === "string") throw new Error(edits)
      expect(changed([own], edits)[0]?.text).toBe(
        own.text.replace("{least:", "{few:").replace(">= $least", ">= $few").replace(", {$least}", ", {$few}")
      )
    }
  })

  it("changes an own one in its file only", () => {
    const made = renamed(hider.path, "least", "$few")
    if (typeof made === "string") throw new Error(made)
    expect(made[0]?.text).toBe(user.text)
    expect(made[1]?.text).toBe(hider.text.replaceAll("least", "few"))
  })

  it("keeps the meaning of the rules", () => {
    const before = Load.check(files)
    expect(before.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    for (const name of ["brand", "least", "days", "top"]) {
      const made = renamed(shared.path, name, "имя_1")
      if (typeof made === "string") throw new Error(made)
      expect(made).not.toEqual(files)
      expect(Load.check(made).ruleSet?.hash).toBe(before.ruleSet?.hash)
    }
  })

  it("refuses names that are none, and names that are taken", () => {
    for (const bad of ["", "1a", "a b", "a-b", "a.b", "$"])
      expect(renamed(shared.path, "least", bad)).toBe(
        "A variable's name has letters, digits and _ only, and starts with a letter."
      )
    expect(renamed(shared.path, "top", "brand")).toBe("$brand is already in rules/_shared/vars.yaml.")
    expect(renamed(hider.path, "least", "top")).toBe("$top is already in rules/_shared/vars.yaml.")
    const clash = { ...hider, text: hider.text.replace("cooldown", "limits: {max_bid: $top}\r\ncooldown") }
    const project = new Project([user, clash, shared])
    const found = Variables.visible(project, project.page(shared.path)!).find(({ name }) => name === "days")!
    expect(typeof Variables.rename(project, found, "least")).toBe("string")
  })

  it("leaves a template's parameter of the same name alone", () => {
    const templates = {
      path: "rules/_shared/templates.yaml",
      text:
        "version: 1\nkind: templates\ntemplates:\n  one:\n    params: {least: 2}\n    when: orders > $least\n" +
        "  two:\n    when: orders > $least\n"
    }
    const project = new Project([...files, templates])
    const found = Variables.visible(project, project.page(shared.path)!).find(({ name }) => name === "least")!
    const edits = Variables.rename(project, found, "few")
    if (typeof edits === "string") throw new Error(edits)
    expect(edits.get(templates.path)?.map(({ range }) => range.start.line)).toEqual([7])
  })

  it("goes there and back", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("brand", "least", "days", "top"),
        fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/),
        (name, to) => {
          const made = renamed(shared.path, name, to)
          if (typeof made === "string" || to === name) return
          const project = new Project(made)
          const found = Variables.visible(project, project.page(shared.path)!).find((one) => one.name === to)!
          const back = Variables.rename(project, found, name)
          // In a file with a variable of that name the way back is barred.
          if (typeof back !== "string") expect(changed(made, back)).toEqual(files)
        }
      )
    )
  })
})

describe("the definition of a variable", () => {
  it("is its own first, then the shared one", () => {
    const own = marked("version: 1\nvars: {least: 3}\nwhen: orders > $le|ast\n", "rules/c.yaml", [shared])
    const page = own.project.page(own.path)!
    expect(Variables.definition(own.project, page, own.position)).toEqual({
      path: "rules/c.yaml",
      range: { start: { line: 1, character: 7 }, end: { line: 1, character: 12 } }
    })
    const other = marked("version: 1\nwhen: orders > $|least\n", "rules/c.yaml", [shared])
    const found = Variables.definition(other.project, other.project.page(other.path)!, other.position)
    expect(found?.path).toBe(shared.path)
  })
})
