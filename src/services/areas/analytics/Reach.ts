/** How far a report of seed 002 reaches (not-shown §7.4): periods are clipped to it before anything is sent. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
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
    const late = past.from < from ? Days.length({ from: past.from, to: from }) - 1 : 0
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
