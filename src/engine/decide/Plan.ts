/**
 * The plan: every change a run would make, with its reason and its money, and everything it would not make and
 * why. This is also the versioned JSON contract of `bidhelm plan --format json` (version 2).
 */
import * as Schema from "effect/Schema"
import { PromotionId } from "../../domain/Ids.js"
import { Change, Held, ReasonLine } from "../kinds/Change.js"
import { Unread } from "../kinds/HeldReason.js"
import { Subject } from "../kinds/Parts.js"
import * as ForecastDay from "./forecasts/ForecastDay.js"
import { NoticeReason, UnchangedReason, UnknownReason } from "./RowReason.js"

export const version = 2

/** A row that no rule could decide on. */
export const Undecided = Schema.Struct({
  policy: Schema.String,
  subject: Subject,
  campaignName: Schema.String,
  reason: Schema.Array(ReasonLine),
  because: UnknownReason
})
export type Undecided = typeof Undecided.Type

/** A matched row that changes nothing, and why (already there, cap below minimum, cooldown). */
export const Unchanged = Schema.Struct({
  policy: Schema.String,
  subject: Subject,
  campaignName: Schema.String,
  because: UnchangedReason
})
export type Unchanged = typeof Unchanged.Type

export const PolicySummary = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  mode: Schema.Literal("preview", "approve", "apply", "disabled"),
  hash: Schema.String,
  rowsInScope: Schema.Int,
  rowsMatched: Schema.Int,
  rowsUnknown: Schema.Int,
  /** Of the rows asked (`of`), those whose facts could not be read, and why: over `max_unknown` the policy holds. */
  unread: Schema.optional(
    Schema.Struct({
      rows: Schema.Int,
      of: Schema.Int,
      reasons: Schema.optionalWith(Unread, { exact: true })
    })
  ),
  changes: Schema.Int
})
export type PolicySummary = typeof PolicySummary.Type

/**
 * What a policy wants a person to know: its own `text`, or `because` of what nobody could decide. Without a
 * subject it is about the policy as a whole.
 */
export const Notice = Schema.Struct({
  policy: Schema.String,
  subject: Schema.optionalWith(Subject, { exact: true }),
  campaignName: Schema.String,
  text: Schema.optionalWith(Schema.String, { exact: true }),
  because: Schema.optionalWith(NoticeReason, { exact: true })
})
export type Notice = typeof Notice.Type

/** What `reach_tier` made of one promotion. Boosts are basis points; costs kopecks a day. */
export const TierSet = Schema.Struct({
  policy: Schema.String,
  promotionId: PromotionId,
  promotionName: Schema.String,
  /** Of the tier now and of the next one; absent where it is not known, or there is none. */
  boost: Schema.optional(Schema.Int),
  next: Schema.optional(Schema.Struct({ boost: Schema.optional(Schema.Int), items: Schema.Int })),
  mostKopecks: Schema.optional(Schema.Int),
  /** Items that match, may join, and whose cost is known. */
  candidates: Schema.Int,
  /** The cheapest set; absent where there is none. */
  cheapest: Schema.optional(Schema.Struct({ items: Schema.Int, kopecks: Schema.Int })),
  /** True when the cheapest set is what the plan enrols. */
  chosen: Schema.Boolean,
  /** Why nothing is enrolled; absent where the set is chosen. */
  because: Schema.optional(Schema.Union(UnchangedReason, UnknownReason))
})
export type TierSet = typeof TierSet.Type

/** Moves of a budget that are no changes of the plan, and what they would save and add, kopecks a day. */
const Absent = Schema.Struct({ changes: Schema.Int, savesKopecks: Schema.Int, addsKopecks: Schema.Int })

/** What `optimise` expects of one budget once all its moves are made. Money in kopecks a day; orders to the hundredth. */
export const Forecast = Schema.Struct({
  policy: Schema.String,
  /** A campaign's id, or `account`. */
  budget: Schema.String,
  /** Campaigns that it pays for, ascending. */
  campaigns: Schema.Array(Schema.Int),
  dailyKopecks: Schema.Int,
  /** Bids that were looked at. */
  bids: Schema.Int,
  /** What the last rouble of the budget brings, to the hundredth; 1 where the budget is not short. */
  roubleEarns: Schema.Number,
  spendKopecks: ForecastDay.Expected,
  orders: ForecastDay.Expected,
  profitKopecks: ForecastDay.Expected,
  /** The profit if nothing were changed. */
  profitBeforeKopecks: Schema.Int,
  explorationKopecks: Schema.Int,
  /** Of what is spent: bids that the rule does not move, such as those of clusters that no list names; plans of before have none. */
  elsewhereKopecks: Schema.optionalWith(Schema.Int, { exact: true }),
  /** Of that: what is reckoned for raises of which few days have told yet; absent where there is none. */
  reckonedKopecks: Schema.optionalWith(Schema.Int, { exact: true }),
  /** Of what is spent: what overlays add to the bids today; absent where they add nothing. */
  overlaysKopecks: Schema.optionalWith(Schema.Int, { exact: true }),
  /** True where all bids are as low as they go today and still spend more than the budget. */
  overspent: Schema.Boolean,
  /** The day of the marketplace that it is about, and what is expected of it if nothing is changed; plans of before have neither. */
  day: Schema.optionalWith(Schema.String, { exact: true }),
  before: Schema.optionalWith(ForecastDay.DayExpected, { exact: true }),
  /** What later runs make; absent where this plan has all. */
  later: Schema.optionalWith(Absent, { exact: true }),
  /** What comes to nothing in this run (another rule, an overlay's edge or a wait has the slot, or another change makes it pointless); absent where nothing does. */
  unmade: Schema.optionalWith(Absent, { exact: true }),
  /** What is expected with what goes: so many changes `of` all; absent where nothing is held, left to later runs or unmade. */
  goes: Schema.optionalWith(
    Schema.Struct({
      changes: Schema.Int,
      of: Schema.Int,
      spendKopecks: Schema.Int,
      orders: Schema.Number
    }),
    { exact: true }
  ),
  /** Digest of the bids as they stand: the next plan sees by it whether somebody else moved one. */
  standing: Schema.optionalWith(Schema.String, { exact: true })
}).annotations({ identifier: "Forecast" })
export type Forecast = typeof Forecast.Type

/** What earlier runs counted of a row for `hold_for`. `countedAt` is the run that counted last, epoch milliseconds. */
export interface Counted {
  /** Number of the rule that matched. */
  readonly rule: number
  readonly runs: number
  readonly countedAt: number
}

/** By `Hold.key`. */
export type Holds = ReadonlyMap<string, Counted>

/**
 * Every row that a policy with `hold_for` matches, and in how many runs in a row it now has. `fresh` unless the run
 * brought no new evidence and does not count. Kept when the plan is applied; rows that are missing start anew.
 */
export const HoldCounts = Schema.Struct({
  policy: Schema.String,
  hash: Schema.String,
  rows: Schema.Array(
    Schema.Struct({ row: Schema.String, rule: Schema.Int, runs: Schema.Int, fresh: Schema.Boolean })
  )
})
export type HoldCounts = typeof HoldCounts.Type

/** A mark of `watch:` at which a change was found to be fine. Kept when the plan is applied: it is not asked again. */
export const WatchMark = Schema.Struct({
  policy: Schema.String,
  runId: Schema.String,
  changeId: Schema.String,
  afterMs: Schema.Int
})
export type WatchMark = typeof WatchMark.Type

const Summary = Schema.Struct({
  changes: Schema.Int,
  held: Schema.Int,
  unknown: Schema.Int,
  unchanged: Schema.Int,
  byAction: Schema.Record({ key: Schema.String, value: Schema.Int }),
  /** The raises less the savings; never read it without them. `moneyUnknown` counts changes without an estimate. */
  moneyPerDayKopecks: Schema.Int,
  /** What the changes add to the spend of a day and what they take from it, each 0 or more; plans of before have neither. */
  raisesPerDayKopecks: Schema.optional(Schema.Int),
  savingsPerDayKopecks: Schema.optional(Schema.Int),
  moneyUnknown: Schema.Int,
  /** Changes in campaigns that the same plan pauses: they count in none of the sums. Absent when there are none. */
  underPause: Schema.optional(Schema.Int),
  /** Sum of the deposits, which are no spend; absent when there are none. */
  depositsKopecks: Schema.optional(Schema.Int)
})

export const Plan = Schema.Struct({
  version: Schema.Literal(version),
  /** SHA-256 of everything else in the plan but `createdAt`: the name under which the store that made it knows it. */
  id: Schema.String,
  /** Hash of `id` and `createdAt`: a checksum against slips, no signature; anybody can make it anew. */
  seal: Schema.String,
  account: Schema.String,
  currency: Schema.String,
  /** ISO 8601, UTC. */
  createdAt: Schema.String,
  rulesHash: Schema.String,
  policies: Schema.Array(PolicySummary),
  changes: Schema.Array(Change),
  held: Schema.Array(Held),
  unknown: Schema.Array(Undecided),
  unchanged: Schema.Array(Unchanged),
  notices: Schema.optional(Schema.Array(Notice)),
  /** Absent where no policy reaches for a tier. */
  sets: Schema.optional(Schema.Array(TierSet)),
  /** Absent where no policy optimises. */
  forecasts: Schema.optional(Schema.Array(Forecast)),
  /** What this plan found of days that earlier ones forecast. Kept when the plan is applied. */
  found: Schema.optional(Schema.Array(ForecastDay.DayFound)),
  /** Why nothing of the plan can be applied: its facts cannot be true, or mean another currency. */
  observeOnly: Schema.optional(Schema.String),
  /** Set when statistics alone are in doubt: overlays whose time is over are taken back nevertheless. */
  observeOnlyFor: Schema.optional(Schema.Literal("statistics")),
  holds: Schema.optional(Schema.Array(HoldCounts)),
  watched: Schema.optional(Schema.Array(WatchMark)),
  calls: Schema.Struct({ perOperation: Schema.Record({ key: Schema.String, value: Schema.Int }) }),
  summary: Summary
})
export type Plan = typeof Plan.Type
