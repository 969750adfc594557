/** The rules as they stand now. A cycle keeps those it began with; the next one asks again. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import type { RuleSet } from "../language/Policy.js"

export interface Loaded {
  readonly rules: RuleSet
  /** Names the rules in records and messages: the beginning of their hash. */
  readonly version: string
  /** Why the newest files are not used, where and how to mend them; undefined when they are. */
  readonly problem: string | undefined
}

/** Asked at every wake-up and at the beginning of every cycle, so it must be cheap; it never fails. */
export class RuleSource extends Context.Tag("bidhelm/RuleSource")<
  RuleSource,
  { readonly current: Effect.Effect<Loaded> }
>() {}

/**
 * A source that keeps the last good rules: `read` answers the rules of now, or what is wrong with them. `first` are the
 * rules to begin with.
 */
export const keeping = (
  first: RuleSet,
  read: Effect.Effect<Either.Either<RuleSet, string>>
): Effect.Effect<typeof RuleSource.Service> =>
  Effect.map(Ref.make(first), (good) => ({
    current: Effect.gen(function* () {
      const found = yield* read
      if (Either.isRight(found)) {
        yield* Ref.set(good, found.right)
        return { rules: found.right, version: versionOf(found.right), problem: undefined }
      }
      const rules = yield* Ref.get(good)
      return { rules, version: versionOf(rules), problem: found.left }
    })
  }))

/** Rules that never change. */
export const fixed = (rules: RuleSet): typeof RuleSource.Service => ({
  current: Effect.succeed({ rules, version: versionOf(rules), problem: undefined })
})

const versionOf = ({ hash }: RuleSet): string => hash.slice(0, 12)
