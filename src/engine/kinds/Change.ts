/**
 * A change: what is about to be different, why, and what it may cost. Every kind has the same envelope; what only one
 * kind has is in its `details`. It is part of the plan's versioned JSON.
 */
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"

const absent = Schema.optionalWith(Schema.Never, { exact: true })
const campaign = { campaignId: CampaignId }
const ofCampaign = Schema.Struct({ ...campaign, itemId: absent, cluster: absent })
const ofItem = Schema.Struct({ ...campaign, itemId: ItemId, cluster: absent })
const ofCluster = Schema.Struct({ ...campaign, itemId: ItemId, cluster: Cluster })

/** A campaign, an item in it, or a cluster of that item. */
export const Target = Schema.Union(ofCluster, ofItem, ofCampaign).annotations({ identifier: "Target" })

/** What a row is about: a target, an item wherever it is advertised (no campaign), or the account (neither). */
export const Subject = Schema.Union(
  ...Target.members,
  Schema.Struct({ campaignId: absent, itemId: ItemId, cluster: absent }),
  Schema.Struct({ campaignId: absent, itemId: absent, cluster: absent })
).annotations({ identifier: "Subject" })

/** One condition with the value it saw; `value` is printable, with its unit. */
export const ReasonLine = Schema.Struct({
  condition: Schema.String,
  value: Schema.String,
  holds: Schema.Literal("true", "false", "unknown")
}).annotations({ identifier: "ReasonLine" })
export type ReasonLine = typeof ReasonLine.Type

/** What bound a value on its way: which limit, and the value before and after it. */
export const Clamp = Schema.Struct({
  by: Schema.Literal("toward", "max_step", "cap", "floor", "move_per_day", "max_bid", "min_bid", "step"),
  from: Schema.Int,
  to: Schema.Int,
  where: Schema.String
}).annotations({ identifier: "Clamp" })
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
  "placements",
  "rename",
  "stop"
)
export type ActionName = typeof ActionName.Type

/** Every kind of change, planned by rules or not; `Kinds.ts` says what each is. */
export const KindName = Schema.Literal(
  "campaign_deposit",
  "campaign_status",
  "campaign_placements",
  "campaign_name",
  "campaign_stop",
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

/** A bid or a budget in kopecks, a status, a name, the places where a campaign is shown, or whether a phrase is in the list. */
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
).annotations({ identifier: "Origin" })
export type Origin = typeof Origin.Type
export type PolicyOrigin = Extract<Origin, { readonly by: "policy" }>

const envelope = {
  id: Schema.String,
  origin: Origin,
  subject: Target,
  campaignName: Schema.String,
  action: ActionName,
  before: Value,
  after: Value,
  reason: Schema.Array(ReasonLine),
  clamps: Schema.Array(Clamp),
  /** Policies whose intent on the same slot lost. */
  overruled: Schema.Array(Schema.String),
  reversible: Schema.Boolean,
  /** Why a change that is not `reversible` is not. */
  irreversible: Schema.optional(Schema.String),
  /** Of a change that takes an earlier one back: its run, its id, and whose it was. */
  undoes: Schema.optional(
    Schema.Struct({ runId: Schema.String, changeId: Schema.String, policy: Schema.String })
  ),
  /**
   * Estimate of the change of spend per day in kopecks, from the window's spend; absent with its reason when
   * there is no spend to estimate from. Never used to decide.
   */
  moneyPerDayKopecks: Schema.Union(Schema.Int, Schema.Struct({ unknown: Schema.String })),
  /** Spend per day of the same window, kopecks: over a limit, the bids with the largest stay. */
  spendPerDayKopecks: Schema.optional(Schema.Int)
}

/**
 * What `adjust_bid` lays over a bid: whose it is, its share in basis points (0 when it ends), and the base before and
 * after the change, kopecks. Steering moves the base, an overlay's beginning and end do not.
 */
export const BidOverlay = Schema.Struct({
  policy: Schema.String,
  basisPoints: Schema.Int,
  baseBeforeKopecks: Schema.Int,
  baseKopecks: Schema.Int
}).annotations({ identifier: "BidOverlay" })
export type BidOverlay = typeof BidOverlay.Type

const bid = {
  payment: Schema.optional(Payment),
  overlay: Schema.optional(BidOverlay)
}

/** Whose money pays a deposit: the account's balance, its settlement limit, or its bonuses (seed 001, `budget/deposit`). */
export const MoneySource = Schema.Literal("balance", "net", "bonus")
export type MoneySource = typeof MoneySource.Type

const none = Schema.Struct({})

/** What only one kind has. */
const details = {
  campaign_deposit: Schema.Struct({
    from: MoneySource,
    /** How much of that money there was, kopecks. */
    balanceKopecks: Schema.optional(Schema.Int)
  }),
  campaign_status: none,
  campaign_placements: none,
  campaign_name: none,
  campaign_stop: none,
  minus_phrase: none,
  item_bid: Schema.Struct({ ...bid, placement: BidPlacement }),
  cluster_bid: Schema.Struct({
    ...bid,
    /** True when the cluster had no bid of its own and `before` is the item's search bid. */
    inherited: Schema.optional(Schema.Boolean),
    /** Of such a cluster whose item was moved today: where the item's bid began the day, kopecks; `move_per_day` counts from there. */
    dayFirstKopecks: Schema.optional(Schema.Int),
    /** True when the cluster loses its own bid: `after` is its item's search bid, which then holds again. */
    clears: Schema.optional(Schema.Boolean)
  })
} satisfies Record<KindName, Schema.Schema.AnyNoContext>

const kind = <K extends KindName>(name: K) =>
  Schema.Struct({ kind: Schema.Literal(name), ...envelope, details: details[name] })

/** The envelope is the same for all; `kind` says what `details` hold. */
export const Change = Schema.Union(
  kind("campaign_deposit"),
  kind("campaign_status"),
  kind("campaign_placements"),
  kind("campaign_name"),
  kind("campaign_stop"),
  kind("minus_phrase"),
  kind("item_bid"),
  kind("cluster_bid")
).annotations({ identifier: "Change" })
export type Change = typeof Change.Type

/** The changes of one kind. */
export type Of<K extends KindName> = Extract<Change, { readonly kind: K }>

/** Some members of a change, of every kind apart, so that `kind` still says what `details` hold. */
export type Part<M extends keyof Change, C extends Change = Change> = C extends Change ? Pick<C, M> : never

/** What holds a change: a limit, a person, or the state of the account. */
export const HeldBy = Schema.Literal(
  "balance",
  "budget",
  "changes_per_run",
  "during",
  "first_day",
  "hold",
  "human_edit",
  "kill_switch",
  "max_bid",
  "max_unknown",
  "money_per_day",
  "never_touch",
  "policy",
  "policy_money_per_day",
  "rejected",
  "share_of_scope",
  "spend_per_day",
  "switched_off"
)
export type HeldBy = typeof HeldBy.Type

/** A change that a limit stopped: shown, never sent. `limit` and `over` say it to people. */
export const Held = Schema.Struct({
  change: Change,
  by: HeldBy,
  limit: Schema.String,
  over: Schema.String
})
export type Held = typeof Held.Type
