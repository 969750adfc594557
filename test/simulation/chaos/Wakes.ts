/** Wake-ups by the timetable as `VirtualTicker` makes them, with a watchdog that costs a month of them less time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Schedule } from "../../../src/engine/language/Timing.js"
import { Ticker } from "../../../src/engine/run/Ticker.js"
import * as Timetable from "../../../src/engine/schedule/Timetable.js"

const watchdogMs = 600_000

export const layer: Layer.Layer<Ticker> = Layer.succeed(Ticker, {
  ticks: (schedules) =>
    Stream.repeatEffect(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.sleep(Math.max(1, nextOf(schedules, nowMs) - nowMs))
      })
    )
})

const nextOf = (schedules: ReadonlyArray<Schedule>, nowMs: number): number =>
  schedules.reduce(
    (soonest, schedule) => Math.min(soonest, Timetable.next(schedule, nowMs) ?? soonest),
    nowMs + watchdogMs
  )
