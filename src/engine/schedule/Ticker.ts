/**
 * Wakes the supervisor when jobs may be due. A wake-up never decides anything: early, late, lost or doubled ones
 * change nothing, for the timetable says what became due since the last record. `CronTicker` wakes by node-cron,
 * `layerVirtual` by the timetable in the time of `effect/Clock`; the supervisor looks every minute besides.
 */

import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Schedule } from "../../domain/Schedule.js"
import * as Timetable from "./Timetable.js"

/** How long a lost wake-up goes unnoticed at most. */
export const watchdogMs = 60_000

export class Ticker extends Context.Tag("bidhelm/Ticker")<
  Ticker,
  {
    /** Wake-ups for these schedules until the stream is left; never ends by itself. */
    readonly ticks: (schedules: ReadonlyArray<Schedule>) => Stream.Stream<void>
  }
>() {}

// Wake-ups computed from the timetable, in whatever time `effect/Clock` tells: for tests and simulations.

export const layerVirtual: Layer.Layer<Ticker> = Layer.succeed(Ticker, {
  ticks: (schedules) =>
    Stream.repeatEffect(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const next = schedules.flatMap((schedule) => Timetable.next(schedule, nowMs) ?? [])
        yield* next.length === 0 ? Effect.never : Effect.sleep(Math.max(1, Math.min(...next) - nowMs))
      })
    )
})
