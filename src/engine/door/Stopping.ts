/**
 * Whether the program that does the work was asked to end. What is being read ends at once; sending ends between two
 * requests, is read back and written down like any other end.
 * The kill switch stops every write besides.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** By default nobody asks: a command of its own process is interrupted instead. */
export class Stopping extends Context.Reference<Stopping>()("bidhelm/Stopping", {
  defaultValue: (): {
    /** Ends when it was asked. */
    readonly asked: Effect.Effect<void>
    /** Why nothing more is sent, and what to do; undefined while work goes on. */
    readonly why: Effect.Effect<string | undefined>
  } => ({ asked: Effect.never, why: Effect.succeed(undefined) })
}) {}

/** Asked once the deferred is done; `why` is said of what was not sent. */
export const by = (stopping: Deferred.Deferred<void>, why: string): typeof Stopping.Service => ({
  asked: Deferred.await(stopping),
  why: Effect.map(Deferred.isDone(stopping), (isDone) => (isDone ? why : undefined))
})

/** The program was asked to end before anything was sent. */
export class AskedToStop extends Data.TaggedError("AskedToStop")<{ readonly message: string }> {}

/** Runs what only reads; ends it at once when the program is asked to end. */
export const unlessAsked = <A, E, R>(reading: Effect.Effect<A, E, R>): Effect.Effect<A, E | AskedToStop, R> =>
  Effect.flatMap(Stopping, ({ asked, why }) =>
    Effect.raceFirst(
      reading,
      Effect.flatMap(Effect.zipRight(asked, why), (message = "") =>
        Effect.fail(new AskedToStop({ message: `${message}; nothing was sent` }))
      )
    )
  )

/** True stops every write within one request (checked before each). */
export class KillSwitch extends Context.Tag("bidhelm/KillSwitch")<
  KillSwitch,
  { readonly engaged: Effect.Effect<string | undefined> }
>() {}
