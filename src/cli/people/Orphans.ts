/** Requests for approval that no policy stands behind any more: a command that meets them ends them. */
import * as Effect from "effect/Effect"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Approvals from "../../engine/planning/Approvals.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"

/** By the rules that a running program works by, or else those of the configured folder; by none that cannot be read or have errors. */
export const end = (account: string, rulesFolder: string) =>
  Effect.gen(function* () {
    const working = yield* (yield* LimitsKept.Working).rules
    const rules = working ?? (yield* configured(rulesFolder))
    if (rules !== undefined) yield* Approvals.endOrphans(account, rules)
  })

const configured = (folder: string): Effect.Effect<RuleSet | undefined> =>
  Effect.gen(function* () {
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const Load = yield* Effect.promise(() => import("../../engine/language/Load.js"))
    return Load.check(yield* RuleFiles.find([folder])).ruleSet
  }).pipe(Effect.orElseSucceed(() => undefined))
