/**
 * What `optimise` answers, and the numbers behind each answer: codes and figures, no sentences. Rates and values are estimates and
 * therefore fractions; bids are whole kopecks.
 */
import type { BidBound } from "../../domain/BidBound.js"
import type { Reason as Unknown } from "../../domain/Reason.js"
import type { Payment } from "./Stream.js"

/** What is done. `unpark` lets a parked stream back at `bidKopecks`. */
export type Verb = "bid" | "minus" | "park" | "unpark" | "leave"

/** An estimate with the 90% interval it lies in. */
export interface Interval {
  readonly low: number
  readonly mean: number
  readonly high: number
}

/** Per day, at one bid. */
export interface Outlook {
  readonly bidKopecks: number
  readonly viewsPerDay: number
  readonly ordersPerDay: number
  readonly spendKopecksPerDay: number
  readonly revenueKopecksPerDay: number
  /** What orders leave, less spend. */
  readonly profitKopecksPerDay: number
}

/** Where the curve comes from. `pooled`: neither levels nor own moves, so what other streams of the account show. */
export type CurveSource = "levels" | "history" | "levels_and_history" | "pooled"

/** Share of views as a function of the bid: b^α / (b^α + half^α). */
interface CurveFacts {
  readonly source: CurveSource
  readonly exponent: number
  /** Bid that wins half of the views. */
  readonly halfKopecks: number
  /** Standard errors of ln(exponent) and ln(half). */
  readonly exponentError: number
  readonly halfError: number
  /** Views a day there would be at a share of 1. */
  readonly demandPerDay: number
}

/** Why a stream was decided as it was. */
export interface Grounds {
  readonly _tag: "Decided"
  readonly payment: Payment
  /** Counts of the window that the value rests on. */
  readonly views: number
  readonly clicks: number
  readonly orders: number
  /** Where they tell of orders as well. */
  readonly carts?: number
  /** Kopecks that 1000 views leave before advertising (cpm), or one click (cpc). */
  readonly valueKopecks: Interval
  readonly curve: CurveFacts
  /** At the bid as it stands; of a parked stream nothing is shown. */
  readonly before: Outlook
  readonly after: Outlook
  /** The best bid if only budget, floor and cap counted, where the bid is on its way to. */
  readonly targetKopecks: number
  /** Kopecks that the next 1000 views (cpm) or the next click (cpc) would cost above the bid decided; infinite where no more can be had. */
  readonly marginalKopecks: number
  /** What one more rouble earns at this budget beyond itself; 0 where the budget does not bind. */
  readonly lambda: number
  readonly binds: BidBound
}

/** Why nothing is decided. The stream keeps spending what it spends, and its budget counts that. */
export type Nothing =
  | { readonly code: "no_margin"; readonly because: Unknown }
  | { readonly code: "no_statistics"; readonly because: Unknown }
  /** Levels fall where they should rise, or more bid brought fewer views far beyond noise. */
  | { readonly code: "contradictory_levels"; readonly lowerKopecks: number; readonly higherKopecks: number }
  | { readonly code: "contradictory_history"; readonly elasticity: number; readonly error: number }
  /** Counts that cannot be: more clicks than views, more orders than clicks, negative, no live day with views. */
  | { readonly code: "impossible_statistics" }
  | { readonly code: "floor_above_cap" }
  /** The floor has risen above the bid by more than a bid moves in a day. */
  | { readonly code: "floor_out_of_reach" }
  | { readonly code: "moved_today" }
  /** The caller says so (`Stream.waits`). */
  | { readonly code: "waits" }
  | { readonly code: "in_minus" }
  | { readonly code: "parked_until"; readonly inDays: number }

interface Nothings {
  readonly _tag: "Nothing"
  readonly why: Nothing
}

export interface Decision {
  readonly id: string
  readonly verb: Verb
  /** The bid that stands afterwards (that would stand, where the stream is parked or in minus). */
  readonly bidKopecks: number
  readonly reason: Grounds | Nothings
}

/** What one budget is predicted to do after the plan. */
export interface BudgetOutlook {
  readonly id: string
  readonly dailyKopecks: number | undefined
  /** Of the bids of today, at which moves are limited. */
  readonly lambda: number
  /** Of the bids that are aimed at. */
  readonly targetLambda: number
  /** The same of the bound on spend by revenue: 0 where it does not bind. */
  readonly drrLambda: number
  readonly streams: number
  /** Kopecks a day of streams about which nothing was decided. */
  readonly undecidedSpendKopecksPerDay: number
  /** Of that: what is reckoned for raises of which few days have told yet. */
  readonly undecidedReckonedKopecksPerDay: number
  /** What overlays add to the bids that are decided. Within `spendKopecksPerDay`. */
  readonly overlaysKopecksPerDay: number
  /** Of streams that are shown to learn. Within `spendKopecksPerDay`. */
  readonly explorationKopecksPerDay: number
  readonly explorationCapKopecks: number
  /** All that the budget pays for, undecided streams and others included, with the interval of one day. */
  readonly spendKopecksPerDay: Interval
  readonly ordersPerDay: Interval
  readonly revenueKopecksPerDay: number
  /** Of decided streams, per day on average; the interval is the estimate's, not the day's. */
  readonly profitKopecksPerDay: Interval
  /** Of the bids that are aimed at, without exploration: what the budget earns once they are reached. */
  readonly targetProfitKopecksPerDay: number
  /** As `profitKopecksPerDay`, if nothing were changed. */
  readonly profitBeforeKopecksPerDay: number
  /** As `spendKopecksPerDay` and `ordersPerDay`, if nothing were changed. */
  readonly spendBeforeKopecksPerDay: Interval
  readonly ordersBeforePerDay: Interval
  /** The spend that is left when all bids are as low as they go today lies above the budget, or the bound on spend by revenue cannot be met. */
  readonly isOverspent: boolean
}
