/** Instants in messages: `2026-09-01 15:00` in the account's zone; and how long something lasts or is ago. */
import * as Duration from "effect/Duration"
import * as Days from "./Days.js"
import * as Plural from "./Plural.js"

export const text = (epochMs: number, zone: string): string =>
  `${Days.at(epochMs, zone)} ${clock(epochMs, zone)}`

/** `15:00`. */
export const clock = (epochMs: number, zone: string): string => {
  const ahead = Days.settled(zone, epochMs)
  if (ahead !== undefined) return new Date(epochMs + ahead).toISOString().slice(11, 16)
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  formats.set(zone, format)
  return format.format(epochMs)
}

/** For programs: `2026-09-01T12:00:00.000Z`, null where there is none. */
export const iso = (epochMs: number | undefined): string | null =>
  epochMs === undefined ? null : new Date(epochMs).toISOString()

/** `3 days`, `30 hours`, `5 minutes`: whole days, hours below two of them, minutes below an hour. */
export const length = (ms: number): string => {
  if (ms >= 2 * Days.dayMs) return Plural.of(Math.floor(ms / Days.dayMs), "day")
  if (ms >= Days.hourMs) return Plural.of(Math.floor(ms / Days.hourMs), "hour")
  return ms < Days.minuteMs ? "less than a minute" : Plural.of(Math.floor(ms / Days.minuteMs), "minute")
}

/** `this machine's clock is 20h ahead of the marketplace's`; behind it where the milliseconds are negative. */
export const apart = (aheadMs: number): string => {
  const length = Duration.format(Math.round(Math.abs(aheadMs) / 1_000) * 1_000)
  return `this machine's clock is ${length} ${aheadMs > 0 ? "ahead of" : "behind"} the marketplace's`
}

const formats = new Map<string, Intl.DateTimeFormat>()
