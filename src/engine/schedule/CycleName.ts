/** Names a cycle by when it began; two that begin at once get different names. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export const make = (nowMs: number): Effect.Effect<string> =>
  Effect.map(
    Random.nextIntBetween(0, 0x1000000),
    (tail) => `cycle-${new Date(nowMs).toISOString()}-${tail.toString(16).padStart(6, "0")}`
  )
