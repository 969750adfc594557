/**
 * Whether limits of the account hold. Nobody sees in the rules that are left whether a file of limits that is gone was meant to
 * go, so a missing file takes none away: who wants to do without says so in one.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Limits from "../language/check/Limits.js"
import type { RuleSet } from "../language/Policy.js"
import * as FloorsKept from "./FloorsKept.js"
import { type Guard, LimitsMemory } from "./LimitsMemory.js"

/** The rules that a running program works by; a command within it holds its own against them. None where no program runs. */
export class Working extends Context.Reference<Working>()("bidhelm/WorkingRules", {
  defaultValue: (): { readonly rules: Effect.Effect<RuleSet | undefined> } => ({
    rules: Effect.succeed(undefined)
  })
}) {}

/** False for rules without a file of limits; one that says none is a file. */
export const areThere = ({ limits }: RuleSet): boolean => limits !== Limits.none

/** Remembers in which files limits of the account and price floors stand, and that they stood there today. */
export const note = (account: string, rules: RuleSet): Effect.Effect<void, StoreFailure, LimitsMemory> =>
  Effect.gen(function* () {
    if (areThere(rules)) yield* seen(account, "limits", fileOf(rules))
    const table = FloorsKept.tableOf(rules)
    if (table !== undefined) yield* seen(account, "price floors", table)
  })

const seen = (account: string, guard: Guard, path: string) =>
  Effect.gen(function* () {
    const kept = yield* LimitsMemory
    const before = yield* kept.known(account, guard)
    const atMs = yield* Clock.currentTimeMillis
    if (before === undefined || before.path !== path || Days.ofMarket(before.atMs) !== Days.ofMarket(atMs))
      yield* kept.keep(account, guard, { path, atMs })
  })

/** Why nothing may be sent by these rules, and what to do: limits held until now, and their file is gone. */
export const gone = (
  account: string,
  rules: RuleSet
): Effect.Effect<string | undefined, StoreFailure, LimitsMemory> =>
  areThere(rules) ? Effect.succeed(undefined) : goneFrom(account)

/** As `gone`, of whoever is about to send: what is there is remembered. */
export const check = (
  account: string,
  rules: RuleSet
): Effect.Effect<string | undefined, StoreFailure, LimitsMemory> =>
  Effect.zipLeft(gone(account, rules), note(account, rules))

/** As `gone`, where no rule file has limits. */
export const goneFrom = (account: string): Effect.Effect<string | undefined, StoreFailure, LimitsMemory> =>
  Effect.map(stoodFor(account), (stood) => (stood === undefined ? undefined : `${stood}. ${remedy}`))

/** Where limits of the account stood, and until when; undefined where none ever did. To be asked where none are. */
export const stoodFor = (account: string): Effect.Effect<string | undefined, StoreFailure, LimitsMemory> =>
  Effect.gen(function* () {
    const working = yield* (yield* Working).rules
    const stood =
      working !== undefined && areThere(working)
        ? { path: fileOf(working), atMs: yield* Clock.currentTimeMillis }
        : yield* (yield* LimitsMemory).known(account, "limits")
    return stood === undefined
      ? undefined
      : `limits of the account stood in ${stood.path} until ${Days.ofMarket(stood.atMs)}, and no rule file has any now`
  })

/** What to do about limits that are gone. */
export const remedy =
  "Put them back; to do without, leave a file with version: 1, kind: limits and account: {}"

/** What people call the file of these limits. */
export const fileOf = ({ limitsFile = "a rule file" }: RuleSet): string => limitsFile
