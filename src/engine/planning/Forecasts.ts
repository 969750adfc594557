/** How well predictions of an account hold, by what the store knows: for whoever asks between two plans. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Calibration from "../decide/forecasts/Calibration.js"
import * as Limit from "../decide/limits/Forecasts.js"
import type { Scope } from "../kinds/OperatorHold.js"
import * as OptimisePast from "./OptimisePast.js"
import { RuleMemory } from "./RuleMemory.js"

/** Budgets for which a policy only looks now. */
export const fallen = (
  account: string
): Effect.Effect<ReadonlyArray<Calibration.Calibration>, StoreFailure, RuleMemory> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const days = yield* (yield* RuleMemory).forecasts(account, undefined, OptimisePast.forecastsSince(nowMs))
    return Calibration.of(days, Days.ofMarket(nowMs)).filter((one) => one.fallen !== undefined)
  })

/** Whether a person who resumes this scope means the budget too. */
export const isMeant = (one: Pick<Calibration.Calibration, "policy" | "budget">, scope: Scope): boolean => {
  const own = Limit.scopeOf(one)
  return (
    scope.kind === "account" ||
    (scope.kind === "policy" && scope.what === one.policy) ||
    (scope.kind === own.kind && scope.what === own.what)
  )
}
