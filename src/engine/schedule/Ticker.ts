/**
 * Wakes the supervisor when jobs may be due. A wake-up never decides anything: early, late, lost or doubled ones
 * change nothing, for the timetable says what became due since the last record. `CronTicker` wakes by node-cron,
 * `VirtualTicker` by the timetable in the time of `effect/Clock`; the supervisor looks every minute besides.
 */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { Schedule } from "../../domain/Schedule.js"

/** How long a lost wake-up goes unnoticed at most. */
export const watchdogMs = 60_000

export class Ticker extends Context.Tag("bidhelm/Ticker")<
  Ticker,
  {
    /** Wake-ups for these schedules until the stream is left; never ends by itself. */
    readonly ticks: (schedules: ReadonlyArray<Schedule>) => Stream.Stream<void>
  }
>() {}
