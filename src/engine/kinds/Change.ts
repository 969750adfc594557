/**
 * A change: what is about to be different, why, and what it may cost. Every kind has the same envelope; what only some
 * kinds have says so. It is part of the plan's versioned JSON.
 */
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"

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

/** Every kind of change that rules plan; `Kinds.ts` says what each is. */
export const KindName = Schema.Literal(
  "campaign_deposit",
  "campaign_status",
  "campaign_placements",
  "minus_phrase",
  "item_bid",
  "cluster_bid"
)
export type KindName = typeof KindName.Type

/** How a bid is paid: per 1000 impressions or per click (seed 001, `payment_type`). */
export const Payment = Schema.Literal("cpm", "cpc")
export type Payment = typeof Payment.Type

/** Which bid of an item: `combined` is the standard bid. */
export const BidPlacement = Schema.Literal("combined", "search", "recommendations")
export type BidPlacement = typeof BidPlacement.Type

/** A bid or a budget in kopecks, a status or the places where a campaign is shown, or whether a phrase is in the list. */
export const Value = Schema.Union(Schema.Int, Schema.String, Schema.Boolean)
export type Value = typeof Value.Type

/** Whose change it is: a policy's, by a rule of its file, or a person's who takes something back (`bidhelm undo`). */
export const Origin = Schema.Union(
  Schema.Struct({
    by: Schema.Literal("policy"),
    name: Schema.String,
    /** Of a policy with several rules, the one that acts: its name, or `rule 2`. */
    rule: Schema.optional(Schema.String),
    /** Of the rule in its file. */
    line: Schema.Int,
    /** True when `revert_when` takes back what the policy did before. */
    takesBack: Schema.optional(Schema.Boolean),
    /** Of a policy with `revert_when`: the value before its unbroken row of changes, to which it would return. */
    revertsTo: Schema.optional(Value)
  }),
  Schema.Struct({ by: Schema.Literal("undo"), name: Schema.String })
)
export type Origin = typeof Origin.Type
export type PolicyOrigin = Extract<Origin, { readonly by: "policy" }>

export const Change = Schema.Struct({
  id: Schema.String,
  kind: KindName,
  origin: Origin,
  subject: Target,
  campaignName: Schema.String,
  action: ActionName,
  /** Of a bid. */
  payment: Schema.optional(Payment),
  /** Of an item's bid: which one. */
  placement: Schema.optional(BidPlacement),
  before: Value,
  /** True when a cluster had no bid of its own and `before` is the item's search bid. */
  inherited: Schema.optional(Schema.Boolean),
  /** Of such a cluster whose item was moved today: where the item's bid began the day, kopecks; `move_per_day` counts from there. */
  dayFirstKopecks: Schema.optional(Schema.Int),
  after: Value,
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
