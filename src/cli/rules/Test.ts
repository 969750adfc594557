/** `bidhelm test`: runs the tests of the rules; needs no account and no network. */
import { existsSync } from "node:fs"
import * as Args from "@effect/cli/Args"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { File } from "../../engine/language/Load.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import type { Result } from "../../engine/testing/RunTests.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

const paths = Args.text({ name: "paths" }).pipe(
  Args.withDescription("Files of tests, or their folders, instead of the configured one"),
  Args.repeated
)
const junit = Flags.text("junit", "Also write the results as JUnit XML to this file, for build servers")
const coverageMin = Flags.integer(
  "coverage-min",
  "End with 1 when the tests see less than this percentage of the rules at work"
)

export const command = Command.make(
  "test",
  { paths, rules: Flags.rules, junit, coverageMin, config: Flags.config, json: Flags.json },
  function* ({ config, coverageMin, json, junit, paths, rules }) {
    const least = Option.getOrElse(coverageMin, () => 0)
    if (least < 0 || least > 100) return yield* stop(1, "--coverage-min is a percentage, from 0 to 100")
    const { OutFile } = yield* writing
    if (Option.isSome(junit)) yield* OutFile.ready(junit.value, "--junit")
    const around = yield* surroundings(config)
    const { RuleFiles, TestFiles, HeldReasons, ReadTests, RowReasons, RunTests, TestReport, Coverage } =
      yield* parts
    const folder = Option.getOrElse(rules, () => around.rulesFolder)
    const ruleSet = yield* RuleFiles.load(folder)
    const files = yield* TestFiles.find(paths, folder)
    const read = ReadTests.read(files, ruleSet)
    yield* tell(read.diagnostics, files, json)
    if (read.files === undefined) return yield* stop(3)
    const tested = new Set<string>(read.files.map(({ policy }) => policy.id))
    const policies = ruleSet.policies.filter(({ id }) => paths.length === 0 || tested.has(id))
    const { currency, zone } = around
    const result = RunTests.run(
      read.files,
      { rules: { ...ruleSet, policies }, zone, currency },
      { row: RowReasons.text, held: HeldReasons.line }
    )
    const failed = result.cases.filter((one) => one.failures.length > 0).length
    const percent = Coverage.percent(result.coverage)
    if (json) {
      const report = { passed: result.cases.length - failed, failed, coveragePercent: percent, ...result }
      const { Render } = yield* problems
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
  }
)

const parts = Effect.promise(async () => ({
  RuleFiles: await import("./RuleFiles.js"),
  TestFiles: await import("./TestFiles.js"),
  ReadTests: await import("../../engine/testing/ReadTests.js"),
  RunTests: await import("../../engine/testing/RunTests.js"),
  Coverage: await import("../../engine/testing/Coverage.js"),
  TestReport: await import("./TestReport.js"),
  HeldReasons: await import("../../reporting/HeldReasons.js"),
  RowReasons: await import("../../reporting/RowReasons.js")
}))

const writing = Effect.promise(async () => ({ OutFile: await import("../terminal/OutFile.js") }))

const problems = Effect.promise(async () => ({
  Render: await import("../../engine/language/problems/Render.js")
}))

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
    const { Render } = yield* problems
    const refused = diagnostics.some(({ severity }) => severity === "error")
    if (!json)
      yield* refused
        ? Output.data(Render.text(diagnostics, files))
        : Output.note(Render.text(diagnostics, files))
    else if (refused) yield* Output.json("test", { ...Render.json(diagnostics) })
  })

const writeJUnit = (path: string, result: Result) =>
  Effect.gen(function* () {
    const JUnit = yield* Effect.promise(() => import("./TestReport.js"))
    const { OutFile } = yield* writing
    yield* OutFile.write(path, JUnit.print(result), "--junit")
  })
