/** One door for the tests of rule tests: a policy and a test file as text, the outcome as short lines. */
import * as Load from "../../src/engine/language/Load.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import * as Said from "../reporting/Said.js"

/** A cluster policy that raises by a tenth; `more` are further lines. */
export const raising = (more = ""): string => `version: 1
name: Raise
each: cluster
where: campaign.payment = cpm
window: 7d
when:
  - orders >= 3
  - cpo < 200 ₽
do:
  raise_bid: {by: 10%, cap: 450 ₽}
${more}`

export const rules = (text = raising(), id = "01-raise"): RuleSet => {
  const { diagnostics, ruleSet } = Load.check([{ path: `rules/${id}.yaml`, text }])
  if (ruleSet === undefined) throw new Error(JSON.stringify(diagnostics.map((d) => [d.code, d.message])))
  return ruleSet
}

export const header = "version: 1\nkind: tests\npolicy: 01-raise\ncases:\n"

/** A file with one case of a single run; lines are indented for the case. */
export const oneCase = (...lines: ReadonlyArray<string>): string =>
  `${header}  - name: a case\n    now: 2026-09-01T09:00+03:00\n${lines.map((line) => `    ${line}\n`).join("")}`

export const read = (text: string, ruleSet = rules(), path = "rules/tests/01.test.yaml") =>
  ReadTests.read([{ path, text }], ruleSet)

/** Codes with places, such as `T01@3:9`. */
export const problems = (text: string, ruleSet = rules(), path?: string): ReadonlyArray<string> =>
  read(text, ruleSet, path).diagnostics.map(({ code, span }) => `${code}@${span.line}:${span.column}`)

/** The run of a file without problems. */
export const run = (text: string, ruleSet = rules()): RunTests.Result => {
  const { diagnostics, files } = read(text, ruleSet)
  if (files === undefined) {
    throw new Error(JSON.stringify(diagnostics.map((d) => [d.code, d.span.line, d.message])))
  }
  return RunTests.run(files, { rules: ruleSet, zone: "Europe/Moscow", currency: "RUB" }, Said.sentences)
}

/** What failed, such as `a: bid 500 ₽ / bid 440 ₽ → 450 ₽`. */
export const failures = (text: string, ruleSet = rules()): ReadonlyArray<string> =>
  run(text, ruleSet).cases.flatMap((one) =>
    one.failures.map(({ expected, got, row }) => `${row}: ${expected} / ${got}`)
  )
