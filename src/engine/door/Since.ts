/** Time since an instant that was noted, perhaps by a clock that was ahead, or that is set while somebody waits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Sleeps until `ms` after an instant, and never longer than `ms`: nothing was noted later than now. */
export const sleep = (atMs: number, ms: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.sleep(Math.min(ms, Math.max(0, atMs + ms - nowMs)))
  )

/** How long ago an instant was, milliseconds, asked again and again: what is done to the clock meanwhile is left out. */
export const counted = (atMs: number): Effect.Effect<Effect.Effect<number>> =>
  Effect.gen(function* () {
    const before = Math.max(0, (yield* Clock.currentTimeMillis) - atMs)
    const from = yield* Clock.currentTimeNanos
    return Effect.map(Clock.currentTimeNanos, (nanos) => before + Number(nanos - from) / 1e6)
  })
