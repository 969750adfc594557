/** What `bidhelm test` does; its options are declared beside, in `Test`, and not needed to do it. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { File } from "../../engine/language/Load.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as Coverage from "../../engine/testing/Coverage.js"
import * as ReadTests from "../../engine/testing/ReadTests.js"
import * as RunTests from "../../engine/testing/RunTests.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as OptimiseWords from "../../reporting/OptimiseWords.js"
import * as RowReasons from "../../reporting/RowReasons.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"
import * as TestFiles from "./TestFiles.js"
import * as TestReport from "./TestReport.js"

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
      { rules: { ...ruleSet, policies }, zone, currency },
      { row: RowReasons.text, held: HeldReasons.line, made: OptimiseWords.lines }
    )
    const failed = result.cases.filter((one) => one.failures.length > 0).length
    const percent = Coverage.percent(result.coverage)
    if (json) {
      const report = { passed: result.cases.length - failed, failed, coveragePercent: percent, ...result }
      yield* Output.json("test", { ...report, ...Render.json(read.diagnostics) })
    } else {
      yield* Output.text(TestReport.text(result))
      yield* Output.note(TestReport.summary(result))
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
    yield* (yield* outFile).write(path, TestReport.print(result), "--junit")
  })
