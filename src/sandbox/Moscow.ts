/** The marketplace's business day is the Moscow day (field notes M23, A05), at +03:00 all year. */
import * as Days from "../domain/Days.js"

const offsetMs = 3 * 3_600_000

/** Number of the Moscow day an instant falls into. */
export const dayOf = (epochMs: number): number => Math.floor((epochMs + offsetMs) / Days.dayMs)

/** The instant a Moscow day begins. */
export const startOf = (day: number): number => day * Days.dayMs - offsetMs

/** `YYYY-MM-DD`. */
export const dayText = (day: number): string => new Date(day * Days.dayMs).toISOString().slice(0, 10)

/** `DD.MM.YYYY`. */
export const dottedText = (day: number): string => dayText(day).split("-").reverse().join(".")

/** The day of a `YYYY-MM-DD`, undefined for anything else. */
export const parseDay = (text: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || dayText(ms / Days.dayMs) !== text ? undefined : ms / Days.dayMs
}

/** Date-time of an instant with the Moscow offset. */
export const timeText = (epochMs: number): string =>
  `${new Date(epochMs + offsetMs).toISOString().slice(0, 19)}+03:00`

/** Date-time of an instant in UTC, ending in `Z`, without fractions. */
export const utcText = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, 19)}Z`

/** Hourly weights of buyers' attention; the night is quiet, the evening is busiest. */
const hours = [2, 1.5, 1, 1, 1, 1.5, 2.5, 3.5, 4.5, 5, 5, 5, 5, 5, 5, 5, 5, 5.5, 6, 6.5, 7, 6.5, 5, 3.5]
const total = hours.reduce((a, b) => a + b, 0)
const before = hours.map((_, i) => hours.slice(0, i).reduce((a, b) => a + b, 0) / total).concat(1)

/** Share of a day's traffic that has passed at an instant of it: 0 at its start, 1 at its end, never falling. */
export const passed = (epochMs: number, day: number): number => {
  const hour = (epochMs - startOf(day)) / 3_600_000
  if (hour <= 0) return 0
  if (hour >= 24) return 1
  const whole = Math.floor(hour)
  return (before[whole] as number) + ((hour - whole) * (hours[whole] as number)) / total
}

/** The instant of a day at which this share of its traffic has passed: the inverse of `passed`. */
export const instantOf = (share: number, day: number): number => {
  if (share >= 1) return startOf(day + 1)
  const hour = before.findLastIndex((b) => b <= share)
  const within = ((share - (before[hour] as number)) * total) / (hours[hour] as number)
  return startOf(day) + (hour + within) * 3_600_000
}
