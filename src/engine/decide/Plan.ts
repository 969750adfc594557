/**
 * The plan: every change a run would make, with its reason and its money, and everything it would not make and
 * why. This is also the versioned JSON contract of `bidhelm plan --format json` (version 1).
 */
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"

export const version = 1

export const Target = Schema.Struct({
  campaignId: CampaignId,
  itemId: Schema.optionalWith(ItemId, { exact: true }),
  cluster: Schema.optionalWith(Cluster, { exact: true })
})

/** What a row is about: without a campaign an item wherever it is advertised, with neither the account. */
export const Subject = Schema.Struct({
  campaignId: Schema.optionalWith(CampaignId, { exact: true }),
  itemId: Schema.optionalWith(ItemId, { exact: true }),
  cluster: Schema.optionalWith(Cluster, { exact: true })
})

/** One condition with the value it saw; `value` is printable, with its unit. */
export const ReasonLine = Schema.Struct({
  condition: Schema.String,
  value: Schema.String,
  holds: Schema.Literal("true", "false", "unknown")
})
export type ReasonLine = typeof ReasonLine.Type

/** What bound a value on its way: which limit, and the value before and after it. */
export const Clamp = Schema.Struct({
  by: Schema.Literal("toward", "max_step", "cap", "floor", "move_per_day", "max_bid", "min_bid", "step"),
  from: Schema.Int,
  to: Schema.Int,
  where: Schema.String
})
export type Clamp = typeof Clamp.Type

export const ActionName = Schema.Literal(
  "raise_bid",
  "lower_bid",
  "set_bid",
  "add_minus",
  "remove_minus",
  "pause",
  "start",
  "adjust_bid",
  "deposit",
  "placements"
)
export type ActionName = typeof ActionName.Type

/**
 * What a change sets: a bid in kopecks (per 1000 impressions or per click), the campaign's status, a phrase's presence
 * among the minus phrases, where the campaign is shown (`search, recommendations`), or, by a deposit, its budget.
 */
export const Unit = Schema.Literal(
  "kopecks_per_1000_impressions",
  "kopecks_per_click",
  "status",
  "minus_phrase",
  "placements",
  "kopecks_deposit"
)
export type Unit = typeof Unit.Type

const Value = Schema.Union(Schema.Int, Schema.String, Schema.Boolean)

export const Change = Schema.Struct({
  id: Schema.String,
  policy: Schema.String,
  /** Of a policy with several rules, the one that acts: its name, or `rule 2`. */
  rule: Schema.optional(Schema.String),
  policyLine: Schema.Int,
  target: Target,
  campaignName: Schema.String,
  action: ActionName,
  /** Which bid; absent for status and minus changes. `cluster` is the cluster's own bid. */
  placement: Schema.optional(Schema.Literal("combined", "search", "recommendations", "cluster")),
  before: Value,
  /** True when a cluster had no bid of its own and `before` is the item's search bid. */
  inherited: Schema.optional(Schema.Boolean),
  /** Of such a cluster whose item was moved today: where the item's bid began the day, kopecks; `move_per_day` counts from there. */
  dayFirstKopecks: Schema.optional(Schema.Int),
  after: Value,
  unit: Unit,
  reason: Schema.Array(ReasonLine),
  clamps: Schema.Array(Clamp),
  /** Policies whose intent on the same slot lost. */
  overruled: Schema.Array(Schema.String),
  reversible: Schema.Boolean,
  /** Why a change that is not `reversible` is not. */
  irreversible: Schema.optional(Schema.String),
  /** True when a cluster loses its own bid: `after` is its item's search bid, which then holds again. */
  clears: Schema.optional(Schema.Boolean),
  /** Of a change that takes an earlier one back: its run, its id, and whose it was. */
  undoes: Schema.optional(
    Schema.Struct({ runId: Schema.String, changeId: Schema.String, policy: Schema.String })
  ),
  /**
   * Of a bid with an overlay (`adjust_bid`): whose it is, its share in basis points (0 when it ends), and the base before
   * and after the change, kopecks. Steering moves the base, an overlay's beginning and end do not.
   */
  overlayPolicy: Schema.optional(Schema.String),
  overlayBasisPoints: Schema.optional(Schema.Int),
  baseBeforeKopecks: Schema.optional(Schema.Int),
  baseKopecks: Schema.optional(Schema.Int),
  /** Of a deposit: which money pays it, and how much of that there was, kopecks. */
  depositFrom: Schema.optional(Schema.Literal("balance", "net", "bonus")),
  balanceKopecks: Schema.optional(Schema.Int),
  /** True when `revert_when` takes back what the policy did before. */
  takesBack: Schema.optional(Schema.Boolean),
  /** Of a policy with `revert_when`: the value before its unbroken row of changes, to which it would return. */
  revertsTo: Schema.optional(Value),
  /**
   * Estimate of the change of spend per day in kopecks, from the window's spend; absent with its reason when
   * there is no spend to estimate from. Never used to decide.
   */
  moneyPerDayKopecks: Schema.Union(Schema.Int, Schema.Struct({ unknown: Schema.String })),
  /** Spend per day of the same window, kopecks: over a limit, the bids with the largest stay. */
  spendPerDayKopecks: Schema.optional(Schema.Int)
})
export type Change = typeof Change.Type

/** A change that a limit stopped: shown, never sent. */
export const Held = Schema.Struct({
  change: Change,
  by: Schema.String,
  limit: Schema.String,
  over: Schema.String
})
export type Held = typeof Held.Type

/** A row that no rule could decide on. */
export const Undecided = Schema.Struct({
  policy: Schema.String,
  target: Subject,
  campaignName: Schema.String,
  reason: Schema.Array(ReasonLine),
  why: Schema.String
})
export type Undecided = typeof Undecided.Type

/** A matched row that changes nothing, and why (already there, cap below minimum, cooldown). */
export const Unchanged = Schema.Struct({
  policy: Schema.String,
  target: Subject,
  campaignName: Schema.String,
  why: Schema.String
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
  /** Of the rows asked (`of`), those whose facts could not be read: over `max_unknown` the policy holds. */
  unread: Schema.optional(Schema.Struct({ rows: Schema.Int, of: Schema.Int })),
  changes: Schema.Int
})
export type PolicySummary = typeof PolicySummary.Type

/** What a policy wants a person to know. Without a target it is about the policy as a whole. */
export const Notice = Schema.Struct({
  policy: Schema.String,
  target: Schema.optionalWith(Subject, { exact: true }),
  campaignName: Schema.String,
  text: Schema.String
})
export type Notice = typeof Notice.Type

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

export const Summary = Schema.Struct({
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
