/**
 * The clock of a city: which instant a local time of a calendar day is. Days are counted from 1970-01-01; changes of
 * the clock come from the IANA rules that this program runs with.
 */
import * as Days from "../../domain/Days.js"

/** A calendar day as a number: 0 is 1970-01-01. */
export type DayNumber = number

/** 0 is Monday. */
export const weekdayOf = (day: DayNumber): number => (((day + 3) % 7) + 7) % 7

/**
 * The instant (epoch milliseconds) at which clocks in `zone` show `minute` of `day`; a minute past 1440 is of the next
 * day. A time that does not exist is the first instant after the gap, one that exists twice is the first of the two.
 */
export const instantOf = (day: DayNumber, minute: number, zone: string): number => {
  const wall = day * Days.dayMs + minute * Days.minuteMs
  const { after, before, change } = aroundDay(zone, Math.floor(wall / Days.dayMs))
  const early = wall - before
  if (early < change) return early
  return Math.max(change, wall - after)
}

/** What clocks in `zone` show at an instant: the calendar day, and the minute of it from 0 to 1439. */
export const at = (epochMs: number, zone: string): { readonly day: DayNumber; readonly minute: number } => {
  const wall = epochMs + offset(zone, epochMs)
  const day = Math.floor(wall / Days.dayMs)
  return { day, minute: Math.floor((wall - day * Days.dayMs) / Days.minuteMs) }
}

/** How far clocks are ahead of UTC on both sides of the one change of the clock near a day, in milliseconds. */
interface Around {
  readonly before: number
  readonly after: number
  /** The first instant of `after`; never, when the clock is not changed near the day. */
  readonly change: number
}

const known = new Map<string, Map<DayNumber, Around>>()
/** Years of days of one zone. */
const mostKnown = 4000

const aroundDay = (zone: string, day: DayNumber): Around => {
  const days = known.get(zone) ?? new Map<DayNumber, Around>()
  const found = days.get(day)
  if (found !== undefined) return found
  if (days.size >= mostKnown) days.clear()
  known.set(zone, days)
  const made = around(zone, (day - 1) * Days.dayMs, (day + 2) * Days.dayMs)
  days.set(day, made)
  return made
}

const around = (zone: string, fromMs: number, toMs: number): Around => {
  const before = offset(zone, fromMs)
  const after = offset(zone, toMs)
  if (before === after) return { before, after, change: Number.POSITIVE_INFINITY }
  let [low, high] = [fromMs, toMs]
  while (high - low > Days.minuteMs) {
    const middle = Math.floor((low + high) / 2 / Days.minuteMs) * Days.minuteMs
    if (offset(zone, middle) === before) low = middle
    else high = middle
  }
  return { before, after, change: high }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export const offset = (zone: string, atMs: number): number => {
  const settled = Days.settled(zone, atMs)
  if (settled !== undefined) return settled
  const format = formats.get(zone) ?? makeFormat(zone)
  const part = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const get = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? 0
  const wall = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"))
  return wall - Math.floor(atMs / 1000) * 1000
}

const makeFormat = (zone: string): Intl.DateTimeFormat => {
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23"
  })
  formats.set(zone, made)
  return made
}
