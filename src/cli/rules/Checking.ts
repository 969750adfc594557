/** What `bidhelm check` does when it mends nothing. Its options are declared beside, in `Check`: not needed to do it. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import * as Mend from "../../engine/language/format/Mend.js"
import * as Load from "../../engine/language/Load.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"

/** What every way of checking is told. */
export interface Flags {
  readonly paths: ReadonlyArray<string>
  readonly config: string
  readonly json: boolean
}

/** The files that are meant, by their paths or by the configuration. Tests among the paths are left out, and named. */
export const scopeOf = ({ config, paths }: Flags) =>
  Effect.gen(function* () {
    if (paths.length === 0) return yield* RuleFiles.scopeOf([yield* RuleFiles.usualFolder(config)])
    const { isTests } = yield* Effect.promise(() => import("./TestFiles.js"))
    const tests = paths.filter(isTests)
    if (tests.length > 0) {
      const verb = tests.length === 1 ? "holds tests, and was" : "hold tests, and were"
      yield* Output.note(`${tests.join(", ")} ${verb} left out; tests are checked by: bidhelm test`)
    }
    return yield* RuleFiles.scopeOf(paths.filter((path) => !tests.includes(path)))
  })

/** Tells every problem of the rules, with those that `more` finds; ends with 3 when one is an error. */
export const check = <E, R>(
  flags: Flags,
  more: (checked: Load.Checked) => Effect.Effect<Load.Checked, E, R>
) =>
  Effect.gen(function* () {
    const scope = yield* scopeOf(flags)
    const { files, named } = scope
    const { diagnostics, ruleSet } = yield* more(Load.check(files))
    const told = RuleFiles.told(scope, diagnostics)
    const report = Mend.report(told, files)
    const goods = yield* goodsProblems(flags)
    if (flags.json) yield* Output.json("check", { files: named.length, ...report, goods })
    else yield* problems(told, files)
    const certain = report.problems.filter(({ applicable }) => applicable).length
    if (certain > 0 && !flags.json) yield* Output.note(`bidhelm check --fix would mend ${certain} of them`)
    yield* verdict(ruleSet, named, goods)
    if (flags.paths.length === 0 && ruleSet !== undefined) yield* RuleFiles.tellLimits(ruleSet)
  })

/**
 * Problems of the table of goods, which belongs to the whole folder: what is printed and packed by it stands still where it is wrong.
 * Whether there is one is asked here: what reads tables takes its time to load.
 */
export const goodsProblems = ({ config, paths }: Flags) =>
  Effect.gen(function* () {
    if (paths.length > 0) return []
    const folder = yield* RuleFiles.usualFolder(config)
    if (!RuleFiles.goodsTables(folder).some((path) => existsSync(path))) return []
    const GoodsTable = yield* Effect.promise(() => import("../supplies/GoodsTable.js"))
    return yield* GoodsTable.problemsIn(folder)
  })

/** Prints problems with the lines they are in. */
export const problems = (diagnostics: ReadonlyArray<Diagnostic>, files: ReadonlyArray<Load.File>) =>
  diagnostics.length === 0 ? Effect.void : Output.data(Render.text(diagnostics, files))

/** Says that there is no error, or ends with 3; `goods` are the problems of the table of goods. */
export const verdict = (
  ruleSet: RuleSet | undefined,
  files: ReadonlyArray<Load.File>,
  goods: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    for (const problem of goods) yield* Output.note(problem)
    if (ruleSet === undefined || goods.length > 0) return yield* stop(3)
    if (files.length === 0)
      yield* Output.note("there are no rule files here; starter rules come with: bidhelm init")
    else
      yield* Output.note(
        `${Plural.of(files.length, "file")}, ${Plural.of(ruleSet.policies.length + ruleSet.fulfilment.length, "policy", "policies")}: no errors`
      )
    for (const line of tables(ruleSet)) yield* Output.note(line)
  })

/** What the tables of the seller's hold; for how many of the account's rows that is enough, a plan says. */
const tables = ({ ownFacts = [] }: RuleSet): ReadonlyArray<string> =>
  ownFacts.flatMap(({ data, dated, fact, values }) => {
    // Of the economics table `bidhelm economics` tells more.
    if (data === undefined || dated !== undefined) return []
    const known = [...values.values()].filter(({ _tag }) => _tag === "Known").length
    const age = When.length(data.readMs - data.modifiedMs)
    return [
      `${fact.word}: ${Plural.of(known, fact.level === "cluster" ? "query" : fact.level, fact.level === "cluster" ? "queries" : `${fact.level}s`)} in ${data.path}, ${age} old`
    ]
  })
