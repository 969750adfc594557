/**
 * How often a call is tried (field notes M01, T04, T16). A call that may be repeated safely is repeated on transport
 * faults and 5xx with growing, jittered pauses; any other never, because it may have arrived. After a 429 both are
 * repeated: nothing happened, and the limiter holds the repeat back until the marketplace's deadline. A daily quota is
 * not waited for. What only a person may repeat (`manual`) is tried once.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { CallError } from "./MarketplaceError.js"
import type { Retry } from "./Operation.js"

/** Tries of one call, the first included. */
export const attempts = 3

/** Longest advice of a 5xx that is still waited for inside the call. */
const patienceMs = 30_000

const schedule = Schedule.exponential("500 millis", 2).pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(attempts - 1))
)

/** Repeats `call` by the retry class of its operation. Uses Clock and Random. */
export const byClass =
  (retry: Retry) =>
  <A, R>(call: Effect.Effect<A, CallError, R>): Effect.Effect<A, CallError, R> =>
    Effect.retry(call, { schedule, while: (error) => worthRepeating(error, retry) })

const worthRepeating = (error: CallError, retry: Retry): boolean => {
  if (retry === "manual") return false
  switch (error._tag) {
    case "Throttled":
      return error.daily !== true
    case "Transport":
      return retry === "safe"
    case "Unavailable":
      return retry === "safe" && (error.retryAfterMs ?? 0) <= patienceMs
    default:
      return false
  }
}
