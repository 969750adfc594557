/** What is there and was not answered, or cannot have an answer yet: unknown, and not nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { SourceFailure } from "../../engine/run/Ports.js"
import * as Windows from "../../services/Windows.js"
import type { Answered } from "./Answered.js"

/** Campaigns that are there and were not answered; whatever they spend counts for the limits of the account. */
export const leftOut = (campaigns: number, why: string): SourceFailure => ({
  operation: "getCampaigns",
  keys: campaigns,
  message: `getCampaigns: the marketplace leaves campaigns out (${why}); no rule can see them in this run`,
  stopsAccount: false,
  reason: "failed"
})

/** East of Moscow a day begins before the marketplace counts anything to it: that is unknown, and not nothing. */
export const begun = (
  operation: string,
  keys: number,
  days: Days.DayRange | undefined,
  read: Effect.Effect<Answered>
): Effect.Effect<Answered> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const today = Days.at(nowMs, Windows.zone)
    return days === undefined || days.to <= today ? read : Effect.succeed(tooEarly(operation, keys, days.to))
  })

const tooEarly = (operation: string, keys: number, day: Days.Day): Answered => ({
  rows: [],
  failures: [
    {
      operation,
      keys,
      message: `${operation}: ${day} has not begun for the marketplace, which counts Moscow days; it is asked for when it has`,
      stopsAccount: false,
      reason: "failed"
    }
  ]
})
