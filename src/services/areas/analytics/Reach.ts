/** How far a report of seed 002 reaches (not-shown §7.4): periods are clipped to it before anything is sent. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Days from "../../../domain/Days.js"
import { local, Refused } from "../../MarketplaceError.js"
import * as Windows from "../../Windows.js"

/** Both bounds in days before today, the Moscow day. */
export interface Reach {
  readonly oldest: number
  readonly newest: number
}

/** The days a report covers now. */
export const now = ({ newest, oldest }: Reach): Effect.Effect<Days.DayRange> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const today = Days.ofMarket(nowMs)
    return { from: Days.shift(today, -oldest), to: Days.shift(today, -newest) }
  })

/** The part of a period that the report covers; refused when there is none, because nothing could be asked. */
export const clip = (
  operation: string,
  days: Days.DayRange,
  reach: Reach
): Effect.Effect<Days.DayRange, Refused> =>
  Effect.flatMap(now(reach), (covered) => {
    const part = Windows.overlap(days, covered)
    return part === undefined ? Effect.fail(outOfReach(operation, days, covered)) : Effect.succeed(part)
  })

/** A period, and what to compare it with: the span of equal length before it, or days of one's own. */
export interface Compared {
  readonly days: Days.DayRange
  readonly compare?: "preceding" | Days.DayRange | undefined
}

/** What to send. Without `past` there is no comparison, which is not the same as no change (field note A12). */
export interface Asked {
  readonly days: Days.DayRange
  readonly past: Days.DayRange | undefined
}

/**
 * Both periods within reach. The preceding span keeps its length (field note A02): where it would begin too early it
 * is moved forward, as the marketplace does.
 */
export const clipBoth = (
  operation: string,
  { compare, days }: Compared,
  reach: Reach
): Effect.Effect<Asked, Refused> =>
  Effect.gen(function* () {
    const current = yield* clip(operation, days, reach)
    if (compare === undefined) return { days: current, past: undefined }
    if (compare !== "preceding") return { days: current, past: yield* clip(operation, compare, reach) }
    const { from } = yield* now(reach)
    const past = Windows.preceding(current)
    const late = past.from < from ? Days.between(past.from, from) : 0
    return { days: current, past: { from: Days.shift(past.from, late), to: Days.shift(past.to, late) } }
  })

const outOfReach = (operation: string, days: Days.DayRange, covered: Days.DayRange): Refused =>
  new Refused(
    local(
      operation,
      days.from > days.to
        ? `the period ends on ${days.to}, before its first day ${days.from}`
        : `${days.from} to ${days.to} is out of reach: the report covers ${covered.from} to ${covered.to} now`
    )
  )

// How far back a report may reach (not-shown §7.4, field note A18): days are clipped, never sent to be refused.

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
export const clipMonths = (
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
