/** Requests for approval that no policy stands behind any more: a command that meets them ends them. */
import * as Effect from "effect/Effect"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Asking from "../../engine/planning/Asking.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"

/**
 * Those of policies that are neither among the rules of the configured folder nor among those that a running program works by; by none
 * that cannot be read or have errors. Answers both; nothing where they cannot be read.
 */
export const end = (account: string, rulesFolder: string) =>
  Effect.gen(function* () {
    const rules = yield* configured(rulesFolder)
    if (rules === undefined) return []
    const working = yield* (yield* LimitsKept.Working).rules
    const all = working === undefined ? [rules] : [rules, working]
    yield* Asking.endOrphans(account, {
      policies: all.flatMap(({ policies }) => policies),
      fulfilment: all.flatMap(({ fulfilment }) => fulfilment)
    })
    return all
  })

const configured = (folder: string): Effect.Effect<RuleSet | undefined> =>
  Effect.gen(function* () {
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const Load = yield* Effect.promise(() => import("../../engine/language/Load.js"))
    return Load.check(yield* RuleFiles.find([folder])).ruleSet
  }).pipe(Effect.orElseSucceed(() => undefined))
