/** The part of the day that an overlay holds for, on the clock of a city. */

import * as CityClock from "../../../domain/CityClock.js"
import type { During } from "../../language/Policy.js"

const minuteMs = 60_000
const dayMinutes = 1_440

/**
 * When the running part of the day began, epoch milliseconds; undefined outside of it. Past midnight it still belongs
 * to the day it began on. `zone` is an IANA name.
 */
export const begunAt = (during: During, zone: string, nowMs: number): number | undefined => {
  const { day, minute } = CityClock.at(nowMs, zone)
  const { days, fromMinute: from, toMinute: to } = during
  const isNextDay = from > to && minute < to
  const isInside = from < to ? minute >= from && minute < to : minute >= from || minute < to
  const begun = CityClock.week[isNextDay ? (day + 6) % 7 : day]!
  if (!isInside || (days !== undefined && !days.includes(begun))) return undefined
  const passed = (minute - from + dayMinutes) % dayMinutes
  const guess = nowMs - passed * minuteMs - (nowMs % minuteMs)
  // Where clocks were changed since, the part began an hour earlier or later than the minutes tell.
  const apart = (from - CityClock.at(guess, zone).minute + 1.5 * dayMinutes) % dayMinutes
  return guess + (apart - dayMinutes / 2) * minuteMs
}

/** `mon, tue 18:00-23:00` as a condition would say it. */
export const text = ({ days, fromMinute, toMinute }: During): string =>
  [...(days === undefined ? [] : [days.join(", ")]), `${time(fromMinute)}-${time(toMinute)}`].join(" ")

/** `tue 18:30`: the instant on that clock. */
export const shown = (nowMs: number, zone: string): string => {
  const { day, minute } = CityClock.at(nowMs, zone)
  return `${CityClock.week[day]} ${time(minute)}`
}

const time = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
