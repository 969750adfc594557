/** Wake-ups computed from the timetable, in whatever time `effect/Clock` tells: for tests and simulations. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Schedule } from "../language/Timing.js"
import { Ticker, watchdogMs } from "./Ticker.js"
import * as Timetable from "./Timetable.js"

/** Wakes after `idleMs` even when nothing is due: rarer wake-ups make a simulated month cheaper. */
export const waking = (idleMs: number): Layer.Layer<Ticker> =>
  Layer.succeed(Ticker, {
    ticks: (schedules) =>
      Stream.repeatEffect(
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          yield* Effect.sleep(Math.max(1, nextOf(schedules, nowMs, idleMs) - nowMs))
        })
      )
  })

export const layer: Layer.Layer<Ticker> = waking(watchdogMs)

const nextOf = (schedules: ReadonlyArray<Schedule>, nowMs: number, idleMs: number): number =>
  schedules.reduce(
    (soonest, schedule) => Math.min(soonest, Timetable.next(schedule, nowMs) ?? soonest),
    nowMs + idleMs
  )
