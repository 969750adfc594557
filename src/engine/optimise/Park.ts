/**
 * Parking: while money is scarce a weak cluster stands among the minus phrases for some days, since its bid cannot go below the floor.
 * It comes back by itself. Design page, `optimise` (4): without parking a third of the profit is lost at a small budget.
 *
 * A stream is weak when a rouble spent on it at the floor returns less than a rouble does elsewhere (κ). Between being parked and let
 * back lies a gap, so that noise does not turn it daily. What is let back without being good again is let back to learn, within what
 * exploration may spend (`Explore`), and then stays for a trial: its counts change little in a day. Nothing is parked and let back within
 * a day: statistics are of days that are over, and what changes them meanwhile is a late or a spoilt answer.
 */
import type { Estimate } from "./Estimate.js"
import type { Stream } from "./Stream.js"

/** A stream that was hardly seen is not parked: the marketplace lists clusters from 100 views on, twice that is asked for (assumed). */
export const leastViews = 200

/** Days that a stream is parked the first time; each further time it is twice as long, up to eight times. */
export const firstDays = 7
export const trialDays = 5

export const daysOf = (times: number): number => firstDays * 2 ** Math.min(3, Math.max(0, times - 1))

/** Weak by so much that it is parked; never what earns more than it costs while money costs nothing. */
export const isWeak = (returned: number, kappa: number): boolean =>
  returned < Math.max(Math.min(1, kappa), 0.9 * kappa)

/** Good by so much that it comes back before its time. */
export const isGoodAgain = (returned: number, kappa: number): boolean => returned > 1.2 * kappa

export const isDue = ({ forDays, times }: { readonly forDays: number; readonly times: number }): boolean =>
  forDays >= daysOf(times)

/** It was parked or let back today. */
export const isOfToday = ({ standing }: Stream): boolean =>
  (standing._tag === "Parked" && standing.forDays < 1) ||
  (standing._tag === "Live" && standing.backForDays !== undefined && standing.backForDays < 1)

export const mayPark = (stream: Stream, { trial }: Estimate, isAllowed: boolean): boolean =>
  isAllowed && stream.canMinus && !isOfToday(stream) && trial.views >= leastViews

/** It was let back only lately. */
export const isOnTrial = ({ standing }: Stream): boolean =>
  standing._tag === "Live" && standing.backForDays !== undefined && standing.backForDays < trialDays
