import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { testCodes } from "../../src/engine/language/problems/Codes.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import { folder } from "../language/Rules.js"
import * as Said from "../reporting/Said.js"

const path = "docs/rules/testing-rules.md"
const text = readFileSync(path, "utf8")

describe("the guide to testing rules", () => {
  it("lists every code of tests (UPDATE_DOCS=1 rewrites it)", () => {
    const rows = Object.entries(testCodes).map(
      ([code, { example, mistake }]) => `| ${code} | ${mistake} | \`${example}\` |`
    )
    const table = ["| code | mistake | example |", "|---|---|---|", ...rows].join("\n")
    const fresh = text.replace(
      /<!-- codes -->[\s\S]*?<!-- end -->/,
      () => `<!-- codes -->\n${table}\n<!-- end -->`
    )
    if (process.env.UPDATE_DOCS === "1") writeFileSync(path, fresh)
    else expect(text).toBe(fresh)
  })

  it("shows only tests that pass on the shipped rules", () => {
    const { ruleSet } = Load.check(folder("rules"))
    if (ruleSet === undefined) throw new Error("the shipped rules have errors")
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")
    expect(examples).toHaveLength(2)
    const files = examples.map((example, i) => ({ path: `rules/tests/${i}.test.yaml`, text: example }))
    const read = ReadTests.read(files, ruleSet)
    expect(read.diagnostics).toEqual([])
    const around = { rules: ruleSet, zone: "Europe/Moscow", currency: "RUB" }
    const { cases } = RunTests.run(read.files ?? [], around, Said.sentences)
    expect(cases.map(({ failures }) => failures.length)).toEqual([0, 0])
  })
})
