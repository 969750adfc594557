/**
 * Whether this machine keeps the speed of a sandbox's clock. A cycle's own work takes the machine's time whatever the
 * speed: at 600 times a second of it is ten minutes, and a turn every ten minutes is never over before the next one.
 */
import { performance } from "node:perf_hooks"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { Schedule } from "../../domain/Schedule.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as Timetable from "../../engine/schedule/Timetable.js"
import * as Duration from "../terminal/Duration.js"

/** One cycle. `periodMs` and `tookMs` are of the account's clock, `workMs` of the machine's. */
export interface Lap {
  /** How long after it a policy of it is due again. */
  readonly periodMs: number
  readonly tookMs: number
  /** What this process worked meanwhile. */
  readonly workMs: number
}

/** The sandbox answers on the same machine and works about as much. */
const workers = 2

/** A program that has just been started works more than it will: so many cycles in a row must not have kept up. */
const inARow = 3

/**
 * The speed that the last cycles could have kept, a whole number or a tenth; undefined while they keep the one they
 * have. Only cycles count whose own work does not fit before the next due time: the marketplace's limits make a cycle
 * wait as long at any speed.
 */
export const couldKeep = (laps: ReadonlyArray<Lap>, speed: number): number | undefined => {
  const last = laps.slice(-inARow)
  if (last.length < inARow) return undefined
  const kept = last.map(({ periodMs, tookMs, workMs }) =>
    tookMs > periodMs ? periodMs / (workers * workMs) : Number.POSITIVE_INFINITY
  )
  const most = Math.max(...kept)
  return most >= speed ? undefined : most >= 1 ? Math.floor(most) : Math.max(0.1, Math.floor(most * 10) / 10)
}

/** Milliseconds that this process has worked since it was started. */
const worked = (): number => performance.eventLoopUtilization().active

/** Wraps cycles; says once that the speed is not kept. Clocks that are not scaled are left alone. */
export const watch = (work: () => number = worked) => {
  let laps: ReadonlyArray<Lap> = []
  let isSaid = false
  return <A, E, R>(
    cycle: Effect.Effect<A, E, R>,
    due: ReadonlyArray<Pick<Policy, "schedule">>
  ): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const speed = yield* Effect.clockWith((clock) => Effect.succeed(ScaledClock.speedOf(clock)))
      if (speed === 1 || isSaid) return yield* cycle
      const from = yield* Clock.currentTimeMillis
      const before = work()
      const result = yield* cycle
      const periodMs = Math.min(...due.map(({ schedule }) => stepMs(schedule, from)))
      const tookMs = (yield* Clock.currentTimeMillis) - from
      laps = [...laps, { periodMs, tookMs, workMs: work() - before }].slice(-inARow)
      const speedKept = couldKeep(laps, speed)
      if (speedKept === undefined || isSaid) return result
      isSaid = true
      yield* Effect.logWarning(
        `this machine does not keep up with the sandbox's clock, which runs ${speed} times faster: a turn took ${words(tookMs)} of it and was due again after ${words(periodMs)}. Turns are late or left out, nothing is sent twice. About --speed ${speedKept} could be kept here`,
        { event: "speed_not_kept", speed, speedKept }
      )
      return result
    })
}

/** From the next due time to the one after it: a cycle that begins late has not less time than others. */
const stepMs = (schedule: Schedule | undefined, fromMs: number): number => {
  const next = schedule === undefined ? undefined : Timetable.next(schedule, fromMs)
  const second = schedule === undefined || next === undefined ? undefined : Timetable.next(schedule, next)
  return next === undefined || second === undefined ? Number.POSITIVE_INFINITY : second - next
}

const words = (ms: number): string => Duration.format(Math.max(1000, Math.round(ms / 1000) * 1000))
