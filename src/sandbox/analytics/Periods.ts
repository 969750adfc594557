/** Periods of the analytics reports: whole Moscow days, both ends included (not-shown §7.4, field notes A02, A05). */
import * as Either from "effect/Either"
import { type Refusal, refuse } from "../Answer.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"

/** As it goes over the wire, `YYYY-MM-DD`. */
export interface Period {
  readonly start: string
  readonly end: string
}

export interface Bounds {
  /** How many days before today the period may start. */
  readonly backDays: number
  readonly mostDays?: number
  /** The last day allowed; today unless stated. */
  readonly lastDay?: number
}

/** "Within the last three months" (seed 002, inventory), in days. */
export const threeMonths = 92
export const year = 365

/** Reads a period; the refusal names the earliest date, or the excess of days (field notes A03, A24). */
export const read = (period: Period, nowMs: number, bounds: Bounds): Either.Either<Days, Refusal> => {
  const from = Moscow.parseDay(period.start)
  const to = Moscow.parseDay(period.end)
  if (from === undefined || to === undefined)
    return Either.left(refuse(400, "period: start and end must be dates YYYY-MM-DD"))
  if (to < from) return Either.left(refuse(400, "period: start must not be after end"))
  const today = Moscow.dayOf(nowMs)
  const earliest = today - bounds.backDays
  if (from < earliest)
    return Either.left(
      refuse(400, `period: start is too early, the earliest date is ${Moscow.dayText(earliest)}`)
    )
  const last = bounds.lastDay ?? today
  if (to > last)
    return Either.left(refuse(400, `period: end is too late, the latest date is ${Moscow.dayText(last)}`))
  const days = to - from + 1
  if (bounds.mostDays !== undefined && days > bounds.mostDays)
    return Either.left(
      refuse(400, `period: excess of days, asked are ${days} and at most ${bounds.mostDays} are given`)
    )
  return Either.right({ from, to })
}

export const length = (days: Days): number => days.to - days.from + 1

/** The span of equal length that ends the day before. */
const preceding = (days: Days): Days => ({ from: days.from - length(days), to: days.from - 1 })

export const text = (days: Days): Period => ({
  start: Moscow.dayText(days.from),
  end: Moscow.dayText(days.to)
})

/**
 * The past period of the funnel: as long as the selected one, moved so that it starts no earlier than 365 days ago;
 * the preceding span where none is given (seed 002 "Sales funnel", field note A02).
 */
export const pastOfFunnel = (
  asked: Period | undefined,
  selected: Days,
  nowMs: number
): Either.Either<Days, Refusal> => {
  const wanted = asked === undefined ? Either.right(preceding(selected)) : unbounded(asked)
  return Either.flatMap(wanted, (days) => {
    if (length(days) !== length(selected))
      return Either.left(refuse(400, "pastPeriod must have the same length as selectedPeriod"))
    const from = Math.max(days.from, Moscow.dayOf(nowMs) - year)
    return Either.right({ from, to: from + length(selected) - 1 })
  })
}

/** A past period that may be left out, and may not be longer than the current one (seed 002 "Search reports"). */
export const pastNotLonger = (
  asked: Period | undefined,
  current: Days,
  nowMs: number,
  bounds: Bounds
): Either.Either<Days | undefined, Refusal> => {
  if (asked === undefined) return Either.right(undefined)
  return Either.flatMap(read(asked, nowMs, bounds), (days) =>
    length(days) > length(current)
      ? Either.left(refuse(400, "pastPeriod must not be longer than currentPeriod"))
      : Either.right(days)
  )
}

const unbounded = (period: Period): Either.Either<Days, Refusal> => {
  const from = Moscow.parseDay(period.start)
  const to = Moscow.parseDay(period.end)
  return from === undefined || to === undefined || to < from
    ? Either.left(refuse(400, "pastPeriod: start must not be after end"))
    : Either.right({ from, to })
}

/** Every day of a span, ascending. */
export const each = (days: Days): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, length(days)) }, (_, i) => days.from + i)

/** Calendar months a span touches, ascending, each cut to the span. */
export const months = (days: Days): ReadonlyArray<Days & { readonly month: string }> => {
  const found: Array<{ month: string; from: number; to: number }> = []
  for (const day of each(days)) {
    const [year = "", number = ""] = Moscow.dayText(day).split("-")
    const month = `${number}.${year}`
    const last = found.at(-1)
    if (last?.month === month) last.to = day
    else found.push({ month, from: day, to: day })
  }
  return found
}

/** Parts of a span: its days, or its weeks from Monday to Sunday, cut to the span. */
export const parts = (days: Days, level: "day" | "week"): ReadonlyArray<Days> => {
  if (level === "day") return each(days).map((day) => ({ from: day, to: day }))
  const found: Array<Days> = []
  for (let from = days.from; from <= days.to; ) {
    // Day 0 was a Thursday.
    const to = Math.min(days.to, from + 6 - ((from + 3) % 7))
    found.push({ from, to })
    from = to + 1
  }
  return found
}
