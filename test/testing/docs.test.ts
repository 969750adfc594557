import { readFileSync, writeFileSync } from "node:fs"
import * as Predicate from "effect/Predicate"
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { testCodes } from "../../src/engine/language/problems/Codes.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import * as TestSchema from "../../src/engine/testing/TestSchema.js"
import { folder } from "../language/Rules.js"
import * as Said from "../reporting/Said.js"

const path = "docs/rules/testing-rules.md"
const text = readFileSync(path, "utf8")

/** Keys of every map that a JSON Schema describes. */
const keysIn = (schema: unknown): ReadonlyArray<string> => {
  if (!Predicate.isRecord(schema)) return Array.isArray(schema) ? schema.flatMap(keysIn) : []
  const own = Predicate.isRecord(schema.properties) ? Object.keys(schema.properties) : []
  return [...own, ...Object.values(schema).flatMap(keysIn)]
}

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

  it("shows only tests that pass on the shipped rules and its own", () => {
    const own = [...text.matchAll(/```yaml (rules\/\S+)\n([\s\S]*?)```/g)].map((match) => ({
      path: match[1]!,
      text: match[2]!
    }))
    const { ruleSet } = Load.check([...folder("rules"), ...own])
    if (ruleSet === undefined) throw new Error("the shipped rules, or those of the guide, have errors")
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")
    expect(examples).toHaveLength(5)
    const files = examples.map((example, i) => ({ path: `rules/tests/${i}.test.yaml`, text: example }))
    const read = ReadTests.read(files, ruleSet)
    expect(read.diagnostics).toEqual([])
    const around = { rules: ruleSet, zone: "Europe/Moscow", currency: "RUB" }
    const { cases } = RunTests.run(read.files ?? [], around, Said.sentences)
    expect(cases.flatMap(({ failures }) => failures)).toEqual([])
  })

  it("names every key of the schema", () => {
    const keys = [...new Set(keysIn(JSON.parse(TestSchema.print())))]
    expect(keys).toEqual(expect.arrayContaining(["runs", "items", "notify"]))
    expect(keys.filter((key) => !new RegExp(`[\\s{\`]${key}[:\`]`).test(text))).toEqual([])
  })
})
