/** `bidhelm run` forgets what is old by itself, once a day, by the accounts' clock. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Retention from "../../store/retention/Retention.js"
import type { Keep } from "../../store/retention/RetentionDays.js"

/** Several runners of one store begin at different times; the first due policies go before. */
const firstMs = { least: 600_000, most: 3_600_000 }

/** Forgets now, and says how much; a failure is told, and tomorrow is another day. */
export const once = (keep: Keep | undefined): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const counts = yield* Retention.purge(yield* Retention.believedNow(yield* Clock.currentTimeMillis), keep)
    const told = Object.entries(counts).flatMap(([what, n]) => (n > 0 ? [`${what} ${n}`] : []))
    if (told.length > 0) yield* Effect.logInfo(`the store has forgotten what was old: ${told.join(", ")}`)
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("the store could not forget what is old; it tries again tomorrow", cause)
    )
  )

/** For a program that is started again and again: forgets when nobody did for a day. */
export const whenDue = (keep: Keep | undefined): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap(Retention.isPurgeDue),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logWarning("the store does not say when it last forgot what is old", cause), false)
    ),
    Effect.flatMap((isDue) => (isDue ? once(keep) : Effect.void))
  )

/** Goes on for the scope. */
export const daily = (keep: Keep | undefined) =>
  Effect.gen(function* () {
    yield* Effect.sleep(yield* Random.nextIntBetween(firstMs.least, firstMs.most))
    yield* Effect.repeat(once(keep), Schedule.spaced("1 day"))
  }).pipe(Effect.forkScoped)
