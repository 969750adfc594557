/** What is counted of calls: every try with how it ended, how long it waited for its limit, and its answer's time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Figures from "../domain/Figures.js"
import type { CallError } from "./MarketplaceError.js"
import type * as Operation from "./Operation.js"

const { calls, callTime, limiterWait, throttled } = Figures.figures

/** Counts a try by how it ended; one that nobody waited for any more is `interrupted`. */
export const counted =
  (facts: Operation.Facts) =>
  <A, R>(tried: Effect.Effect<A, CallError, R>): Effect.Effect<A, CallError, R> =>
    Effect.onExit(tried, (exit) => {
      const operation = facts.id
      if (Exit.isSuccess(exit)) return Figures.add(calls, { operation, outcome: "ok" })
      const failed = exit.cause._tag === "Fail" ? exit.cause.error : undefined
      const outcome = failed === undefined ? "interrupted" : outcomeOf(failed)
      const counting = Figures.add(calls, { operation, outcome })
      if (failed?._tag !== "Throttled") return counting
      const kind = failed.daily === true ? "daily" : "bucket"
      return Effect.zipRight(counting, Figures.add(throttled, { operation, kind }))
    })

/** Notes the wait since `askedAt` (epoch milliseconds) when the request leaves, and the time until its answer. */
export const timed =
  (facts: Operation.Facts, askedAt: number) =>
  <A, E, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (leftAt) => {
      const { area } = facts
      const answered = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Figures.observe(callTime, { area }, seconds(nowMs - leftAt))
      )
      return Figures.observe(limiterWait, { area }, seconds(leftAt - askedAt)).pipe(
        Effect.zipRight(send),
        Effect.ensuring(answered)
      )
    })

/** An answer that came well and was not what the operation promises; counted beside its `ok`. */
export const misshapen = ({ id }: Operation.Facts): Effect.Effect<void> =>
  Figures.add(calls, { operation: id, outcome: "misshapen" })

/** A clock that is set back measures nothing. */
const seconds = (ms: number): number => Math.max(0, ms) / 1000

const outcomeOf = (error: CallError): string => {
  switch (error._tag) {
    case "LimitStopped":
      return "limit_stopped"
    case "Refused":
      return error.arrived === "no" ? "not_sent" : "refused"
    default:
      return error._tag.toLowerCase()
  }
}
