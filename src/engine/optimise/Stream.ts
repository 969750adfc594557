/**
 * What `optimise` is told: the streams of an account, the budgets that pay for them, and what the rule asks. Plain numbers, gathered
 * by whoever calls; nothing here reads a fact. Design page "Decisions that earn", `optimise`.
 *
 * A stream is one bid that can be set: a search cluster with a bid of its own, or an item's bid, whose counts are then the sum of
 * all that this bid moves.
 */
import type { Reason } from "../../domain/Reason.js"

export type Payment = "cpm" | "cpc"

/** A value, or why there is none. */
export type Maybe<A> =
  | { readonly _tag: "Known"; readonly value: A }
  | { readonly _tag: "Absent"; readonly reason: Reason }

/**
 * What a stream brought in the window, days that are settled only (today's half day never counts). A stream parked since keeps the
 * counts of the window before it was parked, for as long as the caller can tell them.
 */
export interface Counts {
  readonly views: number
  readonly clicks: number
  readonly orders: number
  /** Left out where they are not told. */
  readonly carts?: number
  readonly spendKopecks: number
  /** Days of the window in which it could be shown; hours in which a rule had paused or parked it and whole days on which its campaign was not shown are left out, so fractions occur. */
  readonly liveDays: number
}

/** One settled day of a stream. */
export interface Day {
  /** Days before the plan's day: 1 is yesterday. */
  readonly daysAgo: number
  /** The bid of that day; of several, their mean by time. */
  readonly bidKopecks: number
  readonly views: number
  readonly clicks: number
  readonly spendKopecks: number
  /** Share of the day in which it could be shown, 0 to 1. */
  readonly liveShare: number
}

/** Bids that the marketplace names for a share of the views or for places; what each stands for is in `Curve.levelShares`. */
export type LevelName =
  | "reach_min"
  | "reach_medium"
  | "reach_max"
  | "competitive"
  | "leaders"
  | "top2"
  | "place_11_34"
  | "place_3_10"
  | "place_1_2"

export interface Level {
  readonly name: LevelName
  readonly bidKopecks: number
}

/** What an order is worth before advertising. */
export interface Worth {
  /** Kopecks an order leaves: price × margin, or the seller's own figure. At or below zero: no bid is worth it. */
  readonly profitKopecks: number
  /** Kopecks a buyer pays for an order. */
  readonly priceKopecks: number
}

/**
 * `live`: it can be shown. `minus`: it stands among the minus phrases for good (a person's, or this rule's own): nothing is decided.
 * `parked`: this rule has put it among the minus phrases for some days. Days count from midnight to midnight of the marketplace: 0 is today.
 */
export type Standing =
  | {
      readonly _tag: "Live" /** Days since this rule let it back, if it was ever parked. */
      readonly backForDays?: number
    }
  | { readonly _tag: "Minus" }
  | {
      readonly _tag: "Parked"
      readonly forDays: number /** How often it was parked, this time included. */
      readonly times: number
    }

interface LastMove {
  readonly direction: 1 | -1
  readonly daysAgo: number
  /** Changes of direction in the last `Bounds.turnDays` days. */
  readonly turns: number
}

/** For so much of the day's buyers (0 to 1) the bid stands at so many times what is set. */
export interface Raise {
  readonly factor: number
  readonly share: number
}

export interface Stream {
  /** Unique; what order and ties go by. */
  readonly id: string
  readonly campaignId: number
  readonly itemId: number
  /** Streams that resemble each other: the item's subject. */
  readonly group: string
  /** The budget that pays for it; an id of `Input.budgets`. */
  readonly budget: string
  readonly payment: Payment
  readonly counts: Maybe<Counts>
  /** Any order. Only worth its memory where the bid moved within the window; left out, the bid is taken to have stood still. */
  readonly history?: ReadonlyArray<Day>
  readonly bidKopecks: number
  /** The bid with which the day began: the most a bid moves is counted from it, and a bid that has moved today stays. */
  readonly firstBidTodayKopecks: number
  readonly floorKopecks: number
  readonly capKopecks: number
  readonly stepKopecks: number
  /** Recommended bids, any order. */
  readonly levels: Maybe<ReadonlyArray<Level>>
  readonly worth: Maybe<Worth>
  readonly standing: Standing
  /** Whatever would be best, its bid stays for now. It may rest all the same. */
  readonly waits?: true
  /** What overlays will add to the bid today, each above 1; left out where none does. */
  readonly raises?: ReadonlyArray<Raise>
  /** It is a cluster that a minus phrase can take out. */
  readonly canMinus: boolean
  /** The last change of this bid by a rule, and how often it turned: turning back takes a stronger reason each time. */
  readonly lastMove?: LastMove
}

/** What a day brings of bids that nothing decides about, as they stand. */
export interface Daily {
  readonly spendKopecksPerDay: number
  readonly ordersPerDay: number
  /** Of the spend: what is reckoned for raises of which few days have told yet, and was not seen. */
  readonly reckonedKopecksPerDay: number
}

/** One purse: of a campaign, or one for the whole account. */
export interface Budget {
  readonly id: string
  /** Kopecks a day for its streams; undefined where nothing limits it. */
  readonly dailyKopecks?: number
  /** What the same campaigns bring beside the streams: forecasts hold it, and nothing else asks. */
  readonly elsewhere?: Daily
  /** What it spent on days on which it was shown throughout, kopecks, oldest first: how far days lie apart. None where it is not told. */
  readonly dailySpends?: ReadonlyArray<number>
}

export type Goal = "profit" | "orders" | "revenue"

/** What the rule asks, shares as fractions. */
export interface Settings {
  readonly goal: Goal
  /** Most that spend may be of revenue, per budget. */
  readonly drr?: number
  /** Most that a bid moves a day. */
  readonly move: number
  /** A bid moves by at least this, or not at all. */
  readonly deadband: number
  /** Most of a budget that goes to streams that the estimates alone would not show. 0: none. */
  readonly explore: number
  /** Undefined: no minus phrases for good. */
  readonly minusConfidence?: number
  /** Weak clusters stand aside while there is better use of the money. */
  readonly park: boolean
}

/** Streams that may be made when they are asked for; an array is such a list. */
export interface Listed {
  readonly length: number
  readonly at: (index: number) => Stream | undefined
}

export interface Input<Streams extends Listed = ReadonlyArray<Stream>> {
  /** Any order: the plan does not depend on it. */
  readonly streams: Streams
  readonly budgets: ReadonlyArray<Budget>
  readonly settings: Settings
}
