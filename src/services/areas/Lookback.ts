/** Writes whose outcome may stay unknown: look whether the change is there, never send it again (field note T16). */
import * as Effect from "effect/Effect"
import { type CallError, effectOf } from "../MarketplaceError.js"

/** Lists and records lag writes by seconds (field note O28). */
export const lag = "3 seconds"

/**
 * After an unknown outcome `look` tells what the write would have answered, or undefined where nothing came of it.
 * Then, and when looking fails too, the write's own error stays.
 */
export const lookAfter =
  <B, R2>(look: Effect.Effect<B | undefined, CallError, R2>) =>
  <A, R>(write: Effect.Effect<A, CallError, R>): Effect.Effect<A | B, CallError, R | R2> =>
    Effect.catchAll(write, (error) =>
      effectOf(error) === "none"
        ? Effect.fail(error)
        : Effect.sleep(lag).pipe(
            Effect.zipRight(Effect.orElseSucceed(look, () => undefined)),
            Effect.flatMap((found) => (found === undefined ? Effect.fail(error) : Effect.succeed(found)))
          )
    )
