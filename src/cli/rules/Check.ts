/** `bidhelm check`: every problem of the rule files at once, and `--fix` for those a program may mend. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Mended } from "../../engine/language/format/Mend.js"
import type { Checked, File } from "../../engine/language/Load.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { compare, type Diagnostic, isError } from "../../engine/language/problems/Diagnostic.js"
import * as Plural from "../../reporting/Plural.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import type { Scope } from "./RuleFiles.js"

export const paths = Args.text({ name: "paths" }).pipe(
  Args.withDescription("Files or folders of rules, instead of the configured folder"),
  Args.repeated
)

const fix = Flags.flag("fix", "Mend what can only have been meant one way, and list what is left")
const dryRun = Flags.flag("dry-run", "With --fix: show the changes and write nothing")

const assume = Flags.text(
  "assume",
  "Sizes of an account, such as campaigns=100,items=10,clusters=50: do the calls fit?"
)
const token = Options.choice("token", ["personal", "service", "base"]).pipe(
  Options.withDefault("personal" as const),
  Options.withDescription("With --assume: the kind of token whose limits count")
)

/** What is looked at when nothing is named: the configured folder, or `rules` where there is no configuration. */
export const defaultFolder = (config: string) =>
  Effect.gen(function* () {
    if (!existsSync(config)) return "rules"
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    return join((yield* Workspace.config(config)).rulesFolder)
  })

export const command = Command.make(
  "check",
  { paths, config: Flags.config, fix, dryRun, assume, token, json: Flags.json },
  function* ({ assume, config, dryRun, fix, json, paths, token }) {
    if (dryRun && !fix) return yield* stop(1, "--dry-run goes with --fix; check alone changes nothing")
    const RuleFiles = yield* Effect.promise(() => import("./RuleFiles.js"))
    const Load = yield* Effect.promise(() => import("../../engine/language/Load.js"))
    const scope = yield* RuleFiles.scopeOf(paths.length > 0 ? paths : [yield* defaultFolder(config)])
    if (fix) return yield* mend(scope, { json, dryRun })
    const { files, named } = scope
    const { diagnostics, ruleSet } = yield* withQuota(Load.check(files), assume, token)
    const told = RuleFiles.told(scope, diagnostics)
    const Mend = yield* Effect.promise(() => import("../../engine/language/format/Mend.js"))
    const report = Mend.report(told, files)
    if (json) yield* Output.json("check", { files: named.length, ...report })
    else yield* problems(told, files)
    const certain = report.problems.filter(({ applicable }) => applicable).length
    if (certain > 0 && !json) yield* Output.note(`bidhelm check --fix would mend ${certain} of them`)
    yield* verdict(ruleSet, named)
  }
)

/** Adds what the calls of the rules exceed (S04); rules that do not fit count as rules with errors. */
const withQuota = (checked: Checked, sizes: Option.Option<string>, kind: "personal" | "service" | "base") =>
  Effect.gen(function* () {
    const { diagnostics, ruleSet } = checked
    if (Option.isNone(sizes)) return checked
    const Scale = yield* Effect.promise(() => import("../../sandbox/market/Scale.js"))
    const scale = Scale.parse(sizes.value)
    if (Either.isLeft(scale)) return yield* stop(1, `--assume: ${scale.left}`)
    if (ruleSet === undefined) return checked
    const Quota = yield* Effect.promise(() => import("../limits/Quota.js"))
    const found = Quota.diagnostics(ruleSet, scale.right, kind)
    const all = [...diagnostics, ...found].sort(compare)
    return found.some(isError) ? { diagnostics: all } : { ruleSet, diagnostics: all }
  })

const problems = (diagnostics: ReadonlyArray<Diagnostic>, files: ReadonlyArray<File>) =>
  Effect.gen(function* () {
    if (diagnostics.length === 0) return
    const Render = yield* Effect.promise(() => import("../../engine/language/problems/Render.js"))
    yield* Output.data(Render.text(diagnostics, files))
  })

const verdict = (ruleSet: RuleSet | undefined, files: ReadonlyArray<File>) =>
  Effect.gen(function* () {
    if (ruleSet === undefined) return yield* stop(3)
    if (files.length === 0)
      yield* Output.note("there are no rule files here; starter rules come with: bidhelm init")
    else
      yield* Output.note(
        `${Plural.of(files.length, "file")}, ${Plural.of(ruleSet.policies.length, "policy", "policies")}: no errors`
      )
    for (const line of tables(ruleSet)) yield* Output.note(line)
  })

/** What the tables of the seller's hold; for how many of the account's rows that is enough, a plan says. */
const tables = ({ ownFacts = [] }: RuleSet): ReadonlyArray<string> =>
  ownFacts.flatMap(({ data, fact, values }) => {
    if (data === undefined) return []
    const known = [...values.values()].filter(({ _tag }) => _tag === "Known").length
    const hours = Math.max(0, Math.floor((data.readMs - data.modifiedMs) / 3_600_000))
    const age = hours === 1 ? "1 hour" : hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
    return [
      `${fact.word}: ${Plural.of(known, fact.level === "cluster" ? "query" : fact.level, fact.level === "cluster" ? "queries" : `${fact.level}s`)} in ${data.path}, ${age} old`
    ]
  })

/** Ends as `check` would end on the files as they then are; after a dry run those are the files as they were. */
const mend = (scope: Scope, mode: { readonly json: boolean; readonly dryRun: boolean }) =>
  Effect.gen(function* () {
    const Mend = yield* Effect.promise(() => import("../../engine/language/format/Mend.js"))
    const RuleFiles = yield* Effect.promise(() => import("./RuleFiles.js"))
    const { files, named } = scope
    const mended = Mend.mend(files, new Set(named.map(({ path }) => path)))
    const changes = files.flatMap((file, index) => {
      const after = mended.files[index]?.text ?? file.text
      return after === file.text ? [] : [{ path: file.path, before: file.text, after }]
    })
    if (!mode.dryRun) {
      const Rewrite = yield* Effect.promise(() => import("./Rewrite.js"))
      yield* Effect.forEach(changes, Rewrite.rewrite, { discard: true })
    }
    const left = RuleFiles.told(scope, mended.left.diagnostics)
    if (mode.json) {
      yield* Output.json("check", {
        files: named.length,
        written: mode.dryRun ? [] : changes.map(({ path }) => path),
        fixed: Mend.report(mended.fixed, files).problems.map(({ applicable: _, edits: __, ...one }) => one),
        kept: mended.kept,
        ...Mend.report(left, mended.files)
      })
    } else {
      for (const { after, before, path } of mode.dryRun ? changes : [])
        yield* Output.data(Mend.difference({ path, text: before }, { path, text: after }))
      if (!mode.dryRun) for (const one of mended.fixed) yield* Output.data(told(one))
      yield* problems(left, mended.files)
      yield* remarks(mended, left.length, changes.length, mode.dryRun)
    }
    yield* mode.dryRun && changes.length > 0
      ? Effect.flatMap(
          Effect.promise(() => import("../../engine/language/Load.js")),
          (Load) => (Load.check(files).ruleSet === undefined ? stop(3) : Effect.void)
        )
      : verdict(mended.left.ruleSet, named)
  })

const told = ({ code, file, message, span }: Diagnostic): string =>
  `mended ${file}:${span.line}:${span.column} ${code}  ${message}`

const remarks = ({ fixed, kept }: Mended, left: number, changed: number, dryRun: boolean) =>
  Effect.gen(function* () {
    for (const path of kept)
      yield* Output.note(`${path} was left alone: mending it would show more errors than it has now`)
    const verb = dryRun ? "would be mended" : "mended"
    yield* Output.note(
      `${Plural.of(fixed.length, "problem")} in ${Plural.of(changed, "file")} ${verb}, ${left} left for you to decide`
    )
  })
