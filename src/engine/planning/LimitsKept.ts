/**
 * Whether limits of the account hold. Nobody sees in the rules that are left whether a file of limits that is gone was meant to
 * go, so a missing file takes none away: who wants to do without says so in one.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Limits from "../language/check/Limits.js"
import type { RuleSet } from "../language/Policy.js"
import { LimitsMemory } from "./LimitsMemory.js"

/** The rules that a running program works by; a command within it holds its own against them. None where no program runs. */
export class Working extends Context.Reference<Working>()("bidhelm/WorkingRules", {
  defaultValue: (): { readonly rules: Effect.Effect<RuleSet | undefined> } => ({
    rules: Effect.succeed(undefined)
  })
}) {}

/** False for rules without a file of limits; one that says none is a file. */
export const areThere = ({ limits }: RuleSet): boolean => limits !== Limits.none

/** Remembers that the account's rules have a file of limits. */
export const note = (account: string, rules: RuleSet): Effect.Effect<void, StoreFailure, LimitsMemory> =>
  Effect.gen(function* () {
    const kept = yield* LimitsMemory
    if (!areThere(rules) || (yield* kept.has(account))) return
    yield* kept.keep(account, yield* Clock.currentTimeMillis)
  })

/** Why nothing may be sent by these rules: limits held until now, and their file is gone. */
export const gone = (
  account: string,
  rules: RuleSet
): Effect.Effect<string | undefined, StoreFailure, LimitsMemory> =>
  Effect.gen(function* () {
    if (areThere(rules)) return undefined
    const working = yield* (yield* Working).rules
    const held = (working !== undefined && areThere(working)) || (yield* (yield* LimitsMemory).has(account))
    return held ? `_shared/limits.yaml is gone, and with it the limits of the account. ${remedy}` : undefined
  })

/** What to do about a file of limits that is gone. */
export const remedy = "Put it back; to do without, leave a file with version: 1, kind: limits and account: {}"
