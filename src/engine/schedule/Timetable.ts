/**
 * When a schedule is due. Pure: the same schedule is due at the same instants, whoever asks and whenever.
 *
 * - `at:` is due at each named local time of its days. A time that the clock jumps over is due at the first instant
 *   after the jump; one that the clock shows twice is due the first time only.
 * - `every:` up to a day steps in real time from the beginning of the day, or of `between:`, and begins anew with the
 *   next one. An hour that the clock shows twice is gone through twice by steps that fit into it; longer steps wait
 *   the hour out, so two turns are never farther apart than the step and the change of the clock.
 * - `every:` of several days is due once a day that it names, at the beginning of that day or of `between:`. Days are
 *   counted from Monday, 1970-01-05, so that a restart changes nothing; parts of a day count as a whole one. With
 *   `days:` it waits for the next day named.
 * - `between:` that ends before it begins goes on past midnight, and `days:` name the day it begins on.
 */

import * as Days from "../../domain/Days.js"
import { type Schedule, week } from "../../domain/Schedule.js"
import * as LocalTime from "./LocalTime.js"

const dayMinutes = 1440
/** Two due instants are never farther apart: 31 days, and a week until a day named. */
const farthestDays = 40

/** The first due instant after `afterMs`, epoch milliseconds; undefined when there is none. */
export const next = (schedule: Schedule, afterMs: number): number | undefined => {
  const first = Math.floor(afterMs / Days.dayMs) - 2
  let found: number | undefined
  for (let day = first; day <= first + farthestDays + 3; day++) {
    const had = found !== undefined
    for (const turn of turnsOf(schedule, day)) {
      const at = firstAfter(turn, afterMs)
      if (at !== undefined && (found === undefined || at < found)) found = at
    }
    // Turns of neighbouring days may meet where a clock goes back over midnight.
    if (had) break
  }
  return found
}

/** The last due instant after `fromMs` and not after `toMs`; undefined when there is none. */
export const latest = (schedule: Schedule, fromMs: number, toMs: number): number | undefined => {
  const last = Math.floor(toMs / Days.dayMs) + 1
  const first = Math.max(Math.floor(fromMs / Days.dayMs) - 2, last - farthestDays - 3)
  let found: number | undefined
  for (let day = last; day >= first; day--) {
    const had = found !== undefined
    for (const turn of turnsOf(schedule, day)) {
      const at = lastUpTo(turn, toMs)
      if (at !== undefined && at > fromMs && (found === undefined || at > found)) found = at
    }
    if (had) break
  }
  return found
}

/** Every due instant after `fromMs` and not after `toMs`, ascending, each once. */
export const between = (schedule: Schedule, fromMs: number, toMs: number): ReadonlyArray<number> => {
  const found = new Set<number>()
  for (let day = Math.floor(fromMs / Days.dayMs) - 2; day <= Math.floor(toMs / Days.dayMs) + 1; day++) {
    for (const turn of turnsOf(schedule, day)) {
      for (let at = firstAfter(turn, fromMs); at !== undefined && at <= toMs; at = firstAfter(turn, at))
        found.add(at)
    }
  }
  return [...found].sort((a, b) => a - b)
}

/** Due at `fromMs` and every `stepMs` after it, `count` times. */
interface Turn {
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
}

const firstAfter = ({ count, fromMs, stepMs }: Turn, afterMs: number): number | undefined => {
  const step = afterMs < fromMs ? 0 : Math.floor((afterMs - fromMs) / stepMs) + 1
  return step < count ? fromMs + step * stepMs : undefined
}

const lastUpTo = ({ count, fromMs, stepMs }: Turn, upToMs: number): number | undefined =>
  upToMs < fromMs ? undefined : fromMs + Math.min(count - 1, Math.floor((upToMs - fromMs) / stepMs)) * stepMs

/** What begins on a local day. */
const turnsOf = (schedule: Schedule, day: LocalTime.DayNumber): ReadonlyArray<Turn> => {
  const { at, every, tz } = schedule
  if (!isNamed(schedule, day) || isLeftOut(day, tz)) return []
  if (at !== undefined) {
    return at.map((minute) => ({
      fromMs: LocalTime.instantOf(day, minute, tz),
      stepMs: Days.dayMs,
      count: 1
    }))
  }
  if (every === undefined) return []
  const { fromMinute, toMinute } = schedule.between ?? { fromMinute: 0, toMinute: dayMinutes }
  const end = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  const fromMs = LocalTime.instantOf(day, fromMinute, tz)
  const realMs = LocalTime.instantOf(day, end, tz) - fromMs
  return [{ fromMs, stepMs: every, count: steps(every, realMs, (end - fromMinute) * Days.minuteMs) }]
}

/**
 * As many as fit the real time, and no more than clocks that are not changed would show, unless the time won by
 * putting them back holds a whole step.
 */
const steps = (every: number, realMs: number, usualMs: number): number => {
  const usual = Math.ceil(usualMs / every) + Math.floor(Math.max(0, realMs - usualMs) / every)
  return Math.max(1, Math.min(Math.ceil(realMs / every), usual))
}

/** A day that the zone's calendar never had. */
const isLeftOut = (day: LocalTime.DayNumber, zone: string): boolean =>
  LocalTime.instantOf(day, 0, zone) === LocalTime.instantOf(day + 1, 0, zone)

const isNamed = ({ at, days, every }: Schedule, day: LocalTime.DayNumber): boolean => {
  const stepDays = at !== undefined ? 1 : Math.ceil((every ?? Days.dayMs) / Days.dayMs)
  if (days === undefined) return stepDays <= 1 || (((day - origin) % stepDays) + stepDays) % stepDays === 0
  const isDay = (one: LocalTime.DayNumber) => {
    const name = week[LocalTime.weekdayOf(one)]
    return days.some((named) => named === name)
  }
  if (!isDay(day)) return false
  return stepDays <= 1 || roundOf(stepDays, isDay).has(day)
}

/** Monday, 1970-01-05. */
const origin: LocalTime.DayNumber = 4

/**
 * The days of a schedule that takes the first named day at least `stepDays` after the one before. Which weekday
 * follows which is fixed, so after at most seven steps the same days come again and again.
 */
const roundOf = (stepDays: number, isDay: (day: LocalTime.DayNumber) => boolean) => {
  const soonest = (from: LocalTime.DayNumber): LocalTime.DayNumber => {
    let day = from
    while (!isDay(day) && day < from + 7) day++
    return day
  }
  const taken: Array<LocalTime.DayNumber> = []
  let day = soonest(origin)
  while (!taken.some((one) => LocalTime.weekdayOf(one) === LocalTime.weekdayOf(day))) {
    taken.push(day)
    day = soonest(day + stepDays)
  }
  const again = taken.find((one) => LocalTime.weekdayOf(one) === LocalTime.weekdayOf(day)) ?? day
  const length = day - again
  const round = new Set(taken.filter((one) => one >= again).map((one) => (one - again) % length))
  return {
    has: (asked: LocalTime.DayNumber): boolean =>
      asked < again ? taken.includes(asked) : round.has((asked - again) % length)
  }
}
