import { existsSync, readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Quota from "../../src/cli/limits/Quota.js"
import * as RuleFiles from "../../src/cli/rules/RuleFiles.js"
import * as Load from "../../src/engine/language/Load.js"
import { codes, testCodes } from "../../src/engine/language/problems/Codes.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import { expectations as single } from "../broken/expectations.js"
import { expectations } from "../brokenFolders/expectations.js"
import { testFolder } from "./Rules.js"

const root = "test/brokenFolders"
const names = readdirSync(root, { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  .sort()

const dayMs = 86_400_000

/** Everything `bidhelm check` and `bidhelm test` say of a folder before anything runs. */
const problems = async (name: string): Promise<ReadonlyArray<string>> => {
  const { ageDays = 0, assume } = expectations[name]!
  const files = (await Effect.runPromise(RuleFiles.find([`${root}/${name}/rules`]))).map((file) =>
    file.data === undefined
      ? file
      : { ...file, data: { ...file.data, readMs: file.data.modifiedMs + ageDays * dayMs } }
  )
  const { diagnostics, ruleSet } = Load.check(files)
  const tests = `${root}/${name}/rules/tests`
  const rest =
    ruleSet === undefined
      ? []
      : [
          ...(existsSync(tests) ? ReadTests.read(testFolder(tests), ruleSet).diagnostics : []),
          ...(assume === undefined ? [] : Quota.diagnostics(ruleSet, assume, "personal"))
        ]
  const prefix = `${root}/${name}/`
  return [...diagnostics, ...rest].map(
    ({ code, span }) => `${span.file.slice(prefix.length)} ${code}@${span.line}:${span.column}`
  )
}

describe("a broken folder", () => {
  it("has an expectation, and every expectation has a folder", () =>
    expect(names).toEqual(Object.keys(expectations).sort()))

  for (const name of names)
    it(`${name} is reported at its place`, async () => {
      const found = await problems(name)
      expect(found).toEqual(expectations[name]?.problems)
      expect(found.some((one) => one.includes(` ${name.slice(0, 3).toUpperCase()}@`))).toBe(true)
    })
})

it("every code has an example with its exact place", () => {
  const shown = new Set([
    ...Object.values(single).map((text) => text.slice(0, 3)),
    ...names.map((name) => name.slice(0, 3).toUpperCase())
  ])
  const all = [...Object.keys(codes), ...Object.keys(testCodes)]
  // S05 is no place in a file: it is said of the account's items, on top of a plan.
  expect(all.filter((code) => !shown.has(code))).toEqual(["S05"])
  expect([...shown].filter((code) => !all.includes(code))).toEqual([])
})
