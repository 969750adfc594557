/** Wake-ups computed from the timetable, in whatever time `effect/Clock` tells: for tests and simulations. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Ticker } from "./Ticker.js"
import * as Timetable from "./Timetable.js"

export const layer: Layer.Layer<Ticker> = Layer.succeed(Ticker, {
  ticks: (schedules) =>
    Stream.repeatEffect(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const next = schedules.flatMap((schedule) => Timetable.next(schedule, nowMs) ?? [])
        yield* next.length === 0 ? Effect.never : Effect.sleep(Math.max(1, Math.min(...next) - nowMs))
      })
    )
})
