/** Places for work that takes much memory, and between and after that waits long without needing it. */
import * as Effect from "effect/Effect"

/** What work with a place may do with it. */
export interface Place {
  /** Gives the place on to the next one while the work goes on. */
  readonly leave: Effect.Effect<void>
  /** Gives the place on for as long as an effect waits, and takes one again before the work goes on. */
  readonly away: <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Runs the work when a place is free. Work that ends or is interrupted gives its place on by its end. */
export const held = <A, E, R>(
  places: Effect.Semaphore,
  work: (place: Place) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let isHeld = false
      const take = Effect.uninterruptibleMask((interruptibly) =>
        Effect.map(interruptibly(places.take(1)), () => {
          isHeld = true
        })
      )
      const leave = Effect.suspend(() => {
        if (!isHeld) return Effect.void
        isHeld = false
        return Effect.asVoid(places.release(1))
      })
      const away: Place["away"] = (waiting) => Effect.zipLeft(Effect.zipRight(leave, waiting), take)
      yield* restore(take)
      return yield* Effect.ensuring(restore(work({ leave, away })), leave)
    })
  )
