/** How a program that runs on is asked to end: the first signal asks, the second ends it at once. */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

const names = ["SIGINT", "SIGTERM"] as const

/**
 * Done at the first signal, for the scope. The program's own answer to signals, which is to interrupt what runs, is put
 * aside meanwhile.
 */
export const first = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  let count = 0
  const onSignal = () => {
    count++
    if (count > 1) process.exit(130)
    Deferred.unsafeDone(asked, Effect.void)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = names.map((name) => [name, process.listeners(name)] as const)
      for (const name of names) process.removeAllListeners(name).on(name, onSignal)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [name, listeners] of before) {
          process.off(name, onSignal)
          for (const listener of listeners) process.on(name, listener)
        }
      })
  )
  return Deferred.await(asked)
})

/** The program was asked to end before it had begun anything. */
export class AskedToEnd extends Data.TaggedError("AskedToEnd") {}

/** Opening a connection may go on for long after nobody wants it any more; then the process ends without it. */
const closingMs = 2000

/** Runs a part of the start-up; it is given up at once when `asked` is done, whatever it waits for. */
export const before =
  (asked: Effect.Effect<void>) =>
  <A, E, R>(startUp: Effect.Effect<A, E, R>): Effect.Effect<A, E | AskedToEnd, R> =>
    Effect.raceFirst(
      Effect.disconnect(startUp),
      Effect.zipRight(
        asked,
        Effect.suspend(() => {
          setTimeout(() => process.exit(0), closingMs).unref()
          return Effect.fail(new AskedToEnd())
        })
      )
    )
