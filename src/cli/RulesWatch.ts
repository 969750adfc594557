/**
 * The rules of a folder as they stand now, for a program that runs on: files are looked at whenever somebody asks, and
 * only changed ones are read again. Rules that cannot be used leave those before in force.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { RuleSet } from "../engine/language/Policy.js"
import * as Reload from "../engine/language/Reload.js"
import * as Render from "../engine/language/Render.js"
import * as RuleSource from "../engine/run/RuleSource.js"
import * as RuleFiles from "./RuleFiles.js"

/** The rules of the folder; errors in it end the program with 3, before there is anything to go on with. */
export const open = (folder: string) =>
  Effect.gen(function* () {
    const first = yield* RuleFiles.load(folder)
    const reload = new Reload.Reload()
    const read = Effect.map(RuleFiles.find([folder]), (files): Either.Either<RuleSet, string> => {
      const { diagnostics, ruleSet } = reload.check(files)
      if (ruleSet !== undefined) return Either.right(ruleSet)
      return Either.left(Render.text(diagnostics, files))
    }).pipe(
      Effect.catchAll(({ message }) => Effect.succeed(Either.left(message))),
      Effect.catchAllDefect((defect) => Effect.succeed(Either.left(String(defect))))
    )
    return yield* RuleSource.keeping(first, read)
  })
