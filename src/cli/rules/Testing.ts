/** What `bidhelm test` does; its options are declared beside, in `Test`, and not needed to do it. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import type { File } from "../../engine/language/Load.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as Coverage from "../../engine/testing/Coverage.js"
import * as ReadTests from "../../engine/testing/ReadTests.js"
import type { CaseResult, Result, RunFailure } from "../../engine/testing/RunTests.js"
import * as RunTests from "../../engine/testing/RunTests.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as OptimiseWords from "../../reporting/OptimiseWords.js"
import * as RowReasons from "../../reporting/RowReasons.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"
import * as TestFiles from "./TestFiles.js"

/** The options of the command. */
export interface Flags {
  readonly paths: ReadonlyArray<string>
  readonly rules: Option.Option<string>
  readonly junit: Option.Option<string>
  readonly coverageMin: Option.Option<number>
  readonly config: string
  readonly json: boolean
}

/** Runs the tests and tells what failed; ends with 1 when one did, with 3 when they cannot be run. */
export const test = ({ config, coverageMin, json, junit, paths, rules }: Flags) =>
  Effect.gen(function* () {
    const least = Option.getOrElse(coverageMin, () => 0)
    if (least < 0 || least > 100) return yield* stop(1, "--coverage-min is a percentage, from 0 to 100")
    if (Option.isSome(junit))
      yield* (yield* outFile).ready(junit.value, "--junit", { name: "JUnit report", begins: /^<\?xml/ })
    const around = yield* surroundings(config)
    const folder = Option.getOrElse(rules, () => around.rulesFolder)
    const ruleSet = yield* RuleFiles.load(folder, folder, json ? "test" : undefined)
    const files = yield* TestFiles.find(paths, folder, json)
    const read = ReadTests.read(files, ruleSet)
    yield* tell(read.diagnostics, files, json)
    if (read.files === undefined) return yield* stop(3)
    const tested = new Set<string>(read.files.map(({ policy }) => policy.id))
    const policies = ruleSet.policies.filter(({ id }) => paths.length === 0 || tested.has(id))
    const { currency, zone } = around
    const result = RunTests.run(
      read.files,
      { rules: { policies, limits: ruleSet.limits }, zone, currency },
      { row: RowReasons.text, held: HeldReasons.line, made: OptimiseWords.lines }
    )
    const failed = result.cases.filter((one) => one.failures.length > 0).length
    const percent = Coverage.percent(result.coverage)
    if (json) {
      const report = { passed: result.cases.length - failed, failed, coveragePercent: percent, ...result }
      yield* Output.json("test", { ...report, ...Render.json(read.diagnostics) })
    } else {
      yield* Output.text(text(result))
      yield* Output.note(summary(result))
    }
    if (Option.isSome(junit)) yield* writeJUnit(junit.value, result)
    if (failed > 0) return yield* stop(1)
    if (percent < least)
      return yield* stop(
        1,
        `the tests see ${percent}% of the rules at work; --coverage-min asks for ${least}%`
      )
  })

const outFile = Effect.promise(() => import("../terminal/OutFile.js"))

/** What the configuration says, or the usual where there is none. */
const surroundings = (config: string) =>
  Effect.gen(function* () {
    if (!existsSync(config)) return { rulesFolder: "rules", zone: "Europe/Moscow", currency: "RUB" }
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const { currency, rulesFolder, timeZone } = yield* Workspace.config(config)
    return { rulesFolder, zone: timeZone, currency }
  })

/** Problems of the test files. */
const tell = (diagnostics: ReadonlyArray<Diagnostic>, files: ReadonlyArray<File>, json: boolean) =>
  Effect.gen(function* () {
    if (diagnostics.length === 0) return
    const refused = diagnostics.some(({ severity }) => severity === "error")
    if (!json)
      yield* refused
        ? Output.data(Render.text(diagnostics, files))
        : Output.note(Render.text(diagnostics, files))
    else if (refused) yield* Output.json("test", { ...Render.json(diagnostics) })
  })

const writeJUnit = (path: string, result: RunTests.Result) =>
  Effect.gen(function* () {
    yield* (yield* outFile).write(path, junitOf(result), "--junit")
  })

/** Failing cases with their reasons, then the table of coverage. Plain text. */
const text = ({ cases, coverage }: Result): string =>
  [...cases.filter((one) => one.failures.length > 0).map(failed), table(coverage)].join("\n\n")

/** `12 cases passed`, or `2 of 14 cases failed`, and the coverage. */
const summary = ({ cases, coverage }: Result): string => {
  const bad = cases.filter((one) => one.failures.length > 0).length
  const files = new Set(cases.map(({ file }) => file)).size
  const counted = `${Plural.of(cases.length, "case")} in ${Plural.of(files, "file")}`
  const verdict = bad === 0 ? `${counted}: all passed` : `${bad} of ${counted} failed`
  return `${verdict}; ${Coverage.percent(coverage)}% of the rules' conditions and actions seen at work`
}

const failed = ({ failures, file, line, name }: CaseResult): string =>
  [`FAILED  ${visible(file)}:${line}  ${visible(name)}`, ...failures.map(failure)].join("\n")

/** One row: expected, got, and the conditions with what they saw. */
const failure = (one: RunFailure): string => {
  const run = one.runs === 1 ? "" : `, run ${one.run} of ${one.runs}`
  const second = one.second ? ", run a second time" : ""
  const width = Math.max(0, ...one.why.map(({ condition }) => visible(condition).length))
  return [
    `  row ${visible(one.row)} (${visible(one.span.file)}:${one.span.line}${run}${second})`,
    `    expected  ${visible(one.expected)}`,
    `    got       ${visible(one.got)}`,
    ...one.why.map(
      ({ condition, holds, value }) =>
        `    ${holds.padEnd(7)}   ${visible(condition).padEnd(width)}   ${visible(value)}`
    ),
    ...one.notes.map((note) => `    ${visible(note)}`)
  ].join("\n")
}

const table = ({ rules }: Coverage.Coverage): string => {
  const rows = rules.map((one) => {
    const decided = one.conditions.filter((condition) => condition.decided).length
    const unseen = one.conditions.filter((condition) => !condition.decided)
    return {
      name: visible(one.rule === "" ? one.policy : `${one.policy}: ${one.rule}`),
      acted: one.acted ? "yes" : "no",
      decided: `${decided} of ${one.conditions.length}`,
      unseen: unseen.map((condition) => `line ${condition.line}: ${visible(condition.text)}`).join("; ")
    }
  })
  const head = { name: "rule", acted: "acted", decided: "conditions", unseen: "never the one that decided" }
  const complete = rows.every(({ unseen }) => unseen === "")
  const all = [complete ? { ...head, unseen: "" } : head, ...rows]
  const width = (key: "name" | "acted" | "decided") => Math.max(...all.map((row) => row[key].length))
  return all
    .map((row) =>
      [
        row.name.padEnd(width("name")),
        row.acted.padEnd(width("acted")),
        row.decided.padEnd(width("decided")),
        row.unseen
      ]
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Control characters never reach a terminal. */
const visible = (part: string): string => part.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·")

// Results of rule tests as JUnit XML, which build servers show: a suite per file, a test case per case.

/** The whole document. Times are left at zero: the same tests give the same bytes. */
export const junitOf = ({ cases }: Pick<Result, "cases">): string => {
  const suites = [...new Set(cases.map(({ file }) => file))].map((file) => {
    const own = cases.filter((one) => one.file === file)
    return [
      `  <testsuite name="${escape(file)}" ${counts(own)}>`,
      ...own.map(testCase),
      "  </testsuite>"
    ].join("\n")
  })
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bidhelm test" ${counts(cases)}>`
  return `${[head, ...suites, "</testsuites>"].join("\n")}\n`
}

type Cases = Result["cases"]

const counts = (cases: Cases): string => {
  const failed = cases.filter((one) => one.failures.length > 0).length
  return `tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="0"`
}

const testCase = (one: Cases[number]): string => {
  const open = `    <testcase classname="${escape(one.policy)}" name="${escape(one.name)}" file="${escape(one.file)}" line="${one.line}" time="0"`
  const [first] = one.failures
  if (first === undefined) return `${open}/>`
  const message = `${first.row}: expected ${first.expected}, got ${first.got}`
  const text = one.failures.map(failure).join("\n")
  return `${open}>\n      <failure message="${escape(message)}" type="unexpected">${escape(text)}</failure>\n    </testcase>`
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** XML 1.0 has no place for most control characters and lone surrogates, not even escaped: they become `�`. */
const escape = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
