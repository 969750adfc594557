/** Dates and instants of order records; each field has its own format (field notes O09, T13). */
import * as Days from "../../../domain/Days.js"

/** RFC 3339 to epoch milliseconds; without an offset it is Moscow time. Undefined when it is no such date-time. */
export const instant = (text: string | undefined): number | undefined => {
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? "")
  if (match === null || realDay(match[1], match[2], match[3]) === undefined) return undefined
  const ms = Date.parse(match[4] === undefined ? `${text}+03:00` : `${text}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** `dd.mm.yyyy`: advised and promised dates, expiration. Undefined when there is no such day. */
export const dottedDay = (text: string | undefined): Days.Day | undefined => {
  const match = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text ?? "")
  return match === null ? undefined : realDay(match[3], match[2], match[1])
}

/** The bare date of the archive; the Moscow day should it ever be a date-time. */
export const archiveDay = (text: string | undefined): Days.Day | undefined => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "")
  if (match !== null) return realDay(match[1], match[2], match[3])
  const ms = instant(text)
  return ms === undefined ? undefined : Days.ofMarket(ms)
}

/** A day as the seller and the wire write it here: `31.12.2026`. */
export const dotted = (day: Days.Day): string => day.split("-").reverse().join(".")

const realDay = (year = "", month = "", day = ""): Days.Day | undefined =>
  Days.parse(`${year}-${month}-${day}`)
