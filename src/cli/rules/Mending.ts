/** What `bidhelm check --fix` does: it mends what can only have been meant one way, and lists what is left. */
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import * as Mend from "../../engine/language/format/Mend.js"
import * as Load from "../../engine/language/Load.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as Checking from "./Checking.js"
import * as Rewrite from "./Rewrite.js"
import * as RuleFiles from "./RuleFiles.js"

/** Ends as `check` would end on the files as they then are; after a dry run those are the files as they were. */
export const mend = (flags: Checking.Flags, dryRun: boolean) =>
  Effect.gen(function* () {
    const scope = yield* Checking.scopeOf(flags)
    const { files, named } = scope
    const mended = Mend.mend(files, new Set(named.map(({ path }) => path)))
    const changes = files.flatMap((file, index) => {
      const after = mended.files[index]?.text ?? file.text
      return after === file.text ? [] : [{ path: file.path, before: file.text, after }]
    })
    if (!dryRun) {
      yield* Effect.forEach(changes, Rewrite.rewrite, { discard: true })
    }
    const left = RuleFiles.told(scope, mended.left.diagnostics)
    const goods = yield* Checking.goodsProblems(flags)
    if (flags.json) {
      yield* Output.json("check", {
        files: named.length,
        written: dryRun ? [] : changes.map(({ path }) => path),
        fixed: Mend.report(mended.fixed, files).problems.map(({ applicable: _, edits: __, ...one }) => one),
        kept: mended.kept,
        ...Mend.report(left, mended.files),
        goods
      })
    } else {
      for (const { after, before, path } of dryRun ? changes : [])
        yield* Output.data(Mend.difference({ path, text: before }, { path, text: after }))
      if (!dryRun) for (const one of mended.fixed) yield* Output.data(told(one))
      yield* Checking.problems(left, mended.files)
      yield* remarks(mended, left.length, changes.length, dryRun)
    }
    if (!dryRun || changes.length === 0) return yield* Checking.verdict(mended.left.ruleSet, named, goods)
    for (const problem of goods) yield* Output.note(problem)
    if (Load.check(files).ruleSet === undefined || goods.length > 0) return yield* stop(3)
  })

const told = ({ code, file, message, span }: Diagnostic): string =>
  `mended ${file}:${span.line}:${span.column} ${code}  ${message}`

const remarks = ({ fixed, kept }: Mend.Mended, left: number, changed: number, dryRun: boolean) =>
  Effect.gen(function* () {
    for (const path of kept)
      yield* Output.note(`${path} was left alone: mending it would show more errors than it has now`)
    const verb = dryRun ? "would be mended" : "mended"
    yield* Output.note(
      `${Plural.of(fixed.length, "problem")} in ${Plural.of(changed, "file")} ${verb}, ${left} left for you to decide`
    )
  })
