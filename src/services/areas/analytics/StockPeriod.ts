/** How far back a report may reach (not-shown §7.4, field note A18): days are clipped, never sent to be refused. */
import * as Either from "effect/Either"
import * as Days from "../../../domain/Days.js"

/** The same day of the month, so many months before; the last day of that month where it has no such day. */
export const monthsBefore = (day: Days.Day, months: number): Days.Day => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  const index = year * 12 + month - 1 - months
  const first = Days.Day(`${pad(Math.floor(index / 12), 4)}-${pad((index % 12) + 1, 2)}-01`)
  const next = Days.shift(first, 31)
  const last = Number(Days.shift(Days.Day(`${next.slice(0, 7)}-01`), -1).slice(8))
  return Days.Day(`${first.slice(0, 7)}-${pad(Math.min(date, last), 2)}`)
}

/** The part of `days` that lies in the last `months` (3 for stock) and not after today; a text when there is none. */
export const clip = (
  days: Days.DayRange,
  today: Days.Day,
  months = 3
): Either.Either<Days.DayRange, string> => {
  const earliest = monthsBefore(today, months)
  const from = days.from < earliest ? earliest : days.from
  const to = days.to > today ? today : days.to
  return from <= to
    ? Either.right({ from, to })
    : Either.left(
        `nothing is kept for ${days.from} to ${days.to}; ask for days from ${earliest} to ${today}, in order`
      )
}

const pad = (value: number, width: number): string => String(value).padStart(width, "0")
