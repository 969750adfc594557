/**
 * The rules of a folder as they stand now, for a program that runs on: files are looked at whenever somebody asks, and
 * only changed ones are read again. Rules that cannot be used leave those before in force.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Load from "../../engine/language/Load.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import * as RuleSource from "../../engine/planning/RuleSource.js"
import { Tables } from "./DataFiles.js"
import * as RuleFiles from "./RuleFiles.js"

/** So long changed files have to stay as they are before they count, by the machine's clock. */
const still = Effect.withClock(Effect.sleep("2 seconds"), Clock.make())

/** Files that change with each of so many looks are waited for no longer. */
const mostLooks = 6

/**
 * The rules of the folder; errors in it end the program with 3, before there is anything to go on with. Files that have
 * changed are looked at again after `pause`, until two looks find the same: half a file may be rules too, without its
 * limits, and so may a folder of which some files are new already and others not yet. A file of limits that is gone does not
 * take the limits with it: nobody sees in the rules that are left whether it was meant.
 */
export const open = (folder: string, pause: Effect.Effect<void> = still) =>
  Effect.gen(function* () {
    const first = yield* RuleFiles.load(folder)
    const reload = new Load.Reload()
    const tables = new Tables()
    const find = Effect.suspend(() => RuleFiles.find([folder], tables))
    let known = yield* find
    let before: RuleSet = first
    const settled = Effect.gen(function* () {
      let files = yield* find
      if (isSame(files, known)) return files
      for (let looks = 1; looks < mostLooks; looks++) {
        yield* pause
        const again = yield* find
        if (isSame(files, again)) return again
        files = again
      }
      return undefined
    })
    const read = Effect.map(settled, (files): Either.Either<RuleSet, string> => {
      if (files === undefined) return Either.left(restless)
      known = files
      const { diagnostics, ruleSet } = reload.check(files)
      if (ruleSet === undefined) return Either.left(Render.text(diagnostics, files))
      if (LimitsKept.areThere(before) && !LimitsKept.areThere(ruleSet)) return Either.left(without(before))
      before = ruleSet
      return Either.right(ruleSet)
    }).pipe(
      Effect.catchAll(({ message }) => Effect.succeed(Either.left(message))),
      Effect.catchAllDefect((defect) => Effect.succeed(Either.left(String(defect))))
    )
    return yield* RuleSource.keeping(first, read)
  })

const without = (before: RuleSet): string =>
  `the limits of the account stood in ${LimitsKept.fileOf(before)}, and no rule file has any now: the rules before stay in force. ${LimitsKept.remedy}`

const restless =
  "the rule files change again and again; they count once they stay as they are for two seconds"

/** A table is read anew with every look, so it is known by when it was written. */
const isSame = (some: ReadonlyArray<Load.File>, others: ReadonlyArray<Load.File>): boolean =>
  some.length === others.length &&
  some.every(({ data, path, text }, at) => {
    const other = others[at]
    return (
      path === other?.path &&
      text === other.text &&
      data?.path === other.data?.path &&
      data?.modifiedMs === other.data?.modifiedMs
    )
  })
