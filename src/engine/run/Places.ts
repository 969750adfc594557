/** Places for work that takes much memory, and then waits long without needing it. */
import * as Effect from "effect/Effect"

/**
 * Runs the work when a place is free. `leave` gives the place on to the next one while the work goes on; work that ends
 * or is interrupted without it gives it on by its end.
 */
export const held = <A, E, R>(
  places: Effect.Semaphore,
  work: (leave: Effect.Effect<void>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(places.take(1))
      let isLeft = false
      const leave = Effect.suspend(() => {
        if (isLeft) return Effect.void
        isLeft = true
        return Effect.asVoid(places.release(1))
      })
      return yield* Effect.ensuring(restore(work(leave)), leave)
    })
  )
