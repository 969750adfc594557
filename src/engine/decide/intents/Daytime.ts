/** The part of the day that an overlay holds for, on the clock of a city. */

import * as Days from "../../../domain/Days.js"
import { clock, week } from "../../../domain/Schedule.js"
import type { During } from "../../language/Policy.js"
import * as LocalTime from "../../schedule/LocalTime.js"

const dayMinutes = 1_440

/**
 * When the running part of the day began, epoch milliseconds; undefined outside of it. Past midnight it still belongs
 * to the day it began on. `zone` is an IANA name. Where the clock is changed, it begins and ends when a schedule with
 * these times is due: what the clock shows twice counts the first time, what it jumps over counts as the end of the jump.
 */
export const begunAt = (during: During, zone: string, nowMs: number): number | undefined => {
  const today = Math.floor(nowMs / Days.dayMs)
  // The city may be a day ahead or behind, and the part may have begun on the day before.
  for (let day = today + 1; day >= today - 2; day--) {
    const part = partOf(during, zone, day)
    if (part !== undefined && part.fromMs <= nowMs && nowMs < part.toMs) return part.fromMs
  }
  return undefined
}

/** The parts that a day of the marketplace may meet, newest first; `dayMs` is when it begins. */
export const around = (during: During, zone: string, dayMs: number): ReadonlyArray<Part> => {
  const day = Math.floor(dayMs / Days.dayMs)
  return [day + 2, day + 1, day, day - 1].flatMap((one) => partOf(during, zone, one) ?? [])
}

/** Epoch milliseconds. */
interface Part {
  readonly fromMs: number
  readonly toMs: number
}

/** That begins on a day of the city; none on a weekday that is not named. */
const partOf = ({ days, fromMinute, toMinute }: During, zone: string, day: number): Part | undefined => {
  if (days !== undefined && !days.includes(week[LocalTime.weekdayOf(day)]!)) return undefined
  const endMinute = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  return {
    fromMs: LocalTime.instantOf(day, fromMinute, zone),
    toMs: LocalTime.instantOf(day, endMinute, zone)
  }
}

/** `mon, tue 18:00-23:00` as a condition would say it. */
export const text = ({ days, fromMinute, toMinute }: During): string =>
  [...(days === undefined ? [] : [days.join(", ")]), `${clock(fromMinute)}-${clock(toMinute)}`].join(" ")

/** `tue 18:30`: the instant on that clock. */
export const shown = (nowMs: number, zone: string): string => {
  const { day, minute } = LocalTime.at(nowMs, zone)
  return `${week[LocalTime.weekdayOf(day)]} ${clock(minute)}`
}
