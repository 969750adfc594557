/** Instants and business days as people of a zone say them; no locale, so that the words are the same everywhere. */
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `21 Nov`. */
export const day = (one: Days.Day): string => `${Number(one.slice(8))} ${month(one)}`

/** `14–20 Nov`, `28 Oct – 3 Nov`, `20 Nov`. */
export const range = ({ from, to }: Days.DayRange): string => {
  if (from === to) return day(to)
  return from.slice(0, 7) === to.slice(0, 7)
    ? `${Number(from.slice(8))}–${day(to)}`
    : `${day(from)} – ${day(to)}`
}

/** `15:00`, with the day in front when it is not the day of `nowMs`: `20 Nov 23:58`. */
export const clock = (epochMs: number, nowMs: number, zone: string): string => {
  const on = Days.at(epochMs, zone)
  const time = When.clock(epochMs, zone)
  return on === Days.at(nowMs, zone) ? time : `${day(on)} ${time}`
}

/** `21 Nov 2026 13:40`. */
export const instant = (epochMs: number, zone: string): string => {
  const on = Days.at(epochMs, zone)
  return `${day(on)} ${on.slice(0, 4)} ${When.clock(epochMs, zone)}`
}

/** `3 days`, `5 hours`, `10 minutes`: the largest unit that fits at least once. */
export const age = (ms: number): string => {
  const [size, unit] = ages.find(([least]) => ms >= least) ?? ages[2]
  return Plural.of(Math.max(0, Math.floor(ms / size)), unit)
}

const ages = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
] as const

const month = (one: Days.Day): string => months[Number(one.slice(5, 7)) - 1] ?? ""
