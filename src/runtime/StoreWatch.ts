/**
 * Tells that the store is away and that it is back, one line each, in place of what `StoreAway` leaves out of the
 * log. It asks the store itself: that nothing fails does not say that the store answers.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Transaction from "../store/clients/Transaction.js"
import * as StoreAway from "./StoreAway.js"

/** Watches for as long as the layer lives, with the store's `SqlClient`; nothing is asked while all is well. `remedy` is what a person can do. */
export const layer = (remedy: string): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.scopedDiscard(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      watching(
        // SQLite looks for its file when a transaction begins.
        Transaction.read(sql, "see that it is there", sql`SELECT 1`).pipe(
          Effect.timeout("10 seconds"),
          Effect.isSuccess
        ),
        remedy
      )
    )
  )

/** Watches for the scope; `answers` asks the store whether it is there. */
export const watching = (
  answers: Effect.Effect<boolean>,
  remedy: string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const away = yield* FiberRef.get(StoreAway.current)
    if (away === undefined) return
    const watched = (isWatched: boolean) =>
      Effect.sync(() => {
        away.isWatched = isWatched
      })
    yield* Effect.acquireRelease(watched(true), () => watched(false))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(away.noticed, one(away, answers, remedy))))
  })

/** Tells of one time that the store is away, from its beginning to its end. */
const one = (
  away: StoreAway.StoreAway,
  answers: Effect.Effect<boolean>,
  remedy: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { outage } = away
    if (outage === undefined) return
    const since = new Date(outage.sinceMs).toISOString()
    yield* Effect.logError(
      `the store is away since ${since}. Nothing is sent and no cycle begins until it is back; the program goes on ` +
        `by itself then, and what became due meanwhile is run once. ${remedy}; log_level: debug tells every failure`,
      { event: "store_away", since, why: outage.why }
    )
    yield* back(away, answers)
    away.back()
    const awayMs = (yield* Clock.currentTimeMillis) - outage.sinceMs
    yield* Effect.logInfo(`the store is back after ${Math.ceil(awayMs / 1000)} s`, {
      event: "store_back",
      since,
      awayMs
    })
  })

/** Ends when the store answered twice in a row, and nobody was refused meanwhile. */
const back = (away: StoreAway.StoreAway, answers: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let failures = -1; ; ) {
      yield* Effect.sleep("1 second")
      const isThere = yield* answers
      if (isThere && failures === away.failures) return
      failures = isThere ? away.failures : -1
    }
  })
