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
  const { days, fromMinute, toMinute } = during
  const endMinute = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  const today = Math.floor(nowMs / Days.dayMs)
  // The city may be a day ahead or behind, and the part may have begun on the day before.
  for (let day = today + 1; day >= today - 2; day--) {
    if (days !== undefined && !days.includes(week[LocalTime.weekdayOf(day)]!)) continue
    const begun = LocalTime.instantOf(day, fromMinute, zone)
    if (begun <= nowMs && nowMs < LocalTime.instantOf(day, endMinute, zone)) return begun
  }
  return undefined
}

/** `mon, tue 18:00-23:00` as a condition would say it. */
export const text = ({ days, fromMinute, toMinute }: During): string =>
  [...(days === undefined ? [] : [days.join(", ")]), `${clock(fromMinute)}-${clock(toMinute)}`].join(" ")

/** `tue 18:30`: the instant on that clock. */
export const shown = (nowMs: number, zone: string): string => {
  const { day, minute } = LocalTime.at(nowMs, zone)
  return `${week[LocalTime.weekdayOf(day)]} ${clock(minute)}`
}
