/** Days as plain dates: those of the marketplace, which statistics count, and those of the seller's zone. */
import * as Brand from "effect/Brand"

/** `YYYY-MM-DD`. */
export type Day = string & Brand.Brand<"Day">
export const Day = Brand.refined<Day>(
  (text) => /^\d{4}-\d{2}-\d{2}$/.test(text),
  (text) => Brand.error(`"${text}" is not a day`)
)

/** A day that the calendar has; undefined for any other text, such as `2026-02-30`. For texts from outside. */
export const parse = (text: string): Day | undefined => {
  const ms = Day.is(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : Day(text)
}

/** Both ends included. */
export interface DayRange {
  readonly from: Day
  readonly to: Day
}

/** How long each lasts, milliseconds; a day of the calendar may be an hour longer or shorter. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/**
 * A record later than this after the clock was made by a clock that went wrong, and does not count (a clock set back by
 * an hour or by a day does not repeat a turn; one that was a year ahead does not silence a job for a year).
 */
export const clockMayErrMs = 26 * hourMs

/** The day of an instant (milliseconds) in an IANA zone. */
export const at = (epochMs: number, zone: string): Day => {
  const ahead = settled(zone, epochMs)
  if (ahead !== undefined) return Day(new Date(epochMs + ahead).toISOString().slice(0, 10))
  const calendar = calendarOf(zone)
  // A run asks for the day of its one instant again and again.
  if (calendar.last?.epochMs !== epochMs) calendar.last = { epochMs, day: read(calendar.format, epochMs) }
  return calendar.last.day
}

const read = (format: Intl.DateTimeFormat, epochMs: number): Day => {
  const parts = format.formatToParts(epochMs)
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? ""
  return Day(`${part("year")}-${part("month")}-${part("day")}`)
}

/** Zone of the marketplace's business day, by which it counts statistics and charges (field notes M23, A05). */
export const marketZone = "Europe/Moscow"

/** The marketplace's business day of an instant, wherever the seller is. */
export const ofMarket = (epochMs: number): Day => at(epochMs, marketZone)

/**
 * How far the clocks of the marketplace's zone are ahead of UTC, since they were last set; undefined before that, and of any other
 * zone. Most know no other, and opening the tables of zones takes a short command 13 ms.
 */
export const settled = (zone: string, epochMs: number): number | undefined =>
  zone === marketZone && epochMs >= lastSet ? 3 * hourMs : undefined
const lastSet = Date.parse("2014-10-26T01:00:00+03:00")

/** When a business day of the marketplace begins, epoch milliseconds. Its zone has had no summer time since 2014. */
export const startOfMarket = (day: Day): number => Date.parse(`${day}T00:00:00+03:00`)

/** Shifts a day by whole days, backwards when negative. */
export const shift = (day: Day, days: number): Day =>
  Day(new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10))

/** How many days later the second is: below zero where it is earlier. */
export const between = (from: Day, to: Day): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs)

/** Number of days in a range, both ends counted. */
export const length = ({ from, to }: DayRange): number => between(from, to) + 1

interface Calendar {
  readonly format: Intl.DateTimeFormat
  /** What was asked last. */
  last: { readonly epochMs: number; readonly day: Day } | undefined
}

const calendars = new Map<string, Calendar>()
const calendarOf = (zone: string): Calendar => {
  const cached = calendars.get(zone)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit"
  })
  const made: Calendar = { format, last: undefined }
  calendars.set(zone, made)
  return made
}
