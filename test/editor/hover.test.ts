import { describe, expect, it } from "vitest"
import * as Hover from "../../src/editor/Hover.js"
import { Sheet } from "../../src/editor/Place.js"
import { Project } from "../../src/editor/Project.js"
import * as Server from "../../src/editor/Server.js"
import type { File } from "../../src/engine/language/Load.js"
import * as Mutations from "../language/Mutations.js"
import * as Rules from "../language/Rules.js"
import { marked } from "./Editor.js"

const head = "version: 1\nname: a\neach: cluster\nwindow: 7d\n"
const prices: Readonly<Record<string, string>> = { getBidRecommendations: "5 a minute" }

const hover = (written: string, path?: string, others?: ReadonlyArray<File>): string | undefined => {
  const at = marked(written, path, others)
  return Hover.at(at.project, at.path, at.position, (operation) => prices[operation])?.text
}

describe("hover", () => {
  it("tells what a fact means, where it comes from and what it costs", () => {
    const text = hover(`${head}when: bid < recommended.re|ach_max\n`)
    expect(text).toContain("**recommended.reach_max** — Bid that reaches 76 to 100% of the views.")
    expect(text).toContain("Money, per cluster.")
    expect(text).toContain("one call per campaign item, 5 a minute; scarce, so it is asked last")
    expect(text).toContain("An answer counts for 3 hours.")
    expect(hover(`${head}when: c|tr < 1%\n`)).toContain("A percentage, clicks / views, per cluster.")
    expect(hover(`${head}when: ctr| < 1%\n`)).toContain("30 days at most")
  })

  it("tells the value of a variable and where it stands", () => {
    const text = hover(`${head}vars: {least: 3}\nwhen: orders > $le|ast\n`)
    expect(text).toBe("**$least** = `3`\n\nDefined in rules/a.yaml, line 5.")
    const shared = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars:\n  least: 4\n" }
    expect(hover(`${head}when: orders > |$least\n`, "rules/a.yaml", [shared])).toBe(
      "**$least** = `4`\n\nShared by all policies: rules/_shared/vars.yaml, line 4."
    )
  })

  it("tells what keys, actions, options and words are for", () => {
    expect(hover(`${head}if_unk|nown: skip\n`)).toContain("rows that cannot be decided on")
    expect(hover(`${head}ti|er: safety\n`)).toContain("One of `safety`, `event`, `normal`, `explore`")
    expect(hover(`${head}mode: pre|view\n`)).toContain("preview shows what it would do")
    expect(hover(`${head}do:\n  rai|se_bid: {by: 10%}\n`)).toContain("Raises a bid.")
    expect(hover(`${head}do: {raise_bid: {by: 10%, tow|ard: bid}}\n`)).toContain("Never beyond this value.")
    expect(hover(`${head}do: pau|se\n`)).toContain("Pauses the campaign.")
  })

  it("is silent in texts, comments and on words it does not know", () => {
    expect(hover(`${head}when: query contains "ct|r"\n`)).toBeUndefined()
    expect(hover(`${head}# c|tr\n`)).toBeUndefined()
    expect(hover(`${head}when: vi|ws > 5\n`)).toBeUndefined()
    expect(hover("version: 1\nname: c|tr\n")).toBeUndefined()
    expect(hover("|")).toBeUndefined()
  })

  it("never throws, nor does a jump, at any place of a mutilated file", () => {
    const samples = [...Rules.folder("rules"), ...Rules.folder("test/broken")].map(({ text }) => text)
    const next = Mutations.random(7)
    for (let round = 0; round < 300; round++) {
      const file = { path: "rules/a.yaml", text: Mutations.mutant(samples, next) }
      const project = new Project([file])
      const sheet = new Sheet(file)
      for (let tries = 0; tries < 8; tries++) {
        const position = sheet.position(Math.floor(next() * (file.text.length + 1)))
        Hover.at(project, file.path, position)
        Server.definitionAt(project, file.path, position)
      }
    }
  })
})

describe("definition", () => {
  it("leads from a test to the policy it tests", () => {
    const policy = { path: "rules/01-x.yaml", text: head }
    const at = marked("version: 1\nkind: tests\npolicy: 0|1-x\n", "rules/tests/x.test.yaml", [policy])
    expect(Server.definitionAt(at.project, at.path, at.position)?.path).toBe("rules/01-x.yaml")
  })
})
