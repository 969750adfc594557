/**
 * Why a row of a plan changes nothing: a code with typed fields, as the plan keeps it. The program decides by the code
 * alone; sentences are made in `reporting/RowReasons`. Amounts are kopecks; instants epoch milliseconds, whole minutes;
 * `zone` is the IANA zone they are shown in. `where` is the place of a limit: a file and line, or the marketplace.
 */
import * as Schema from "effect/Schema"
import { bidBounds } from "../../domain/BidBound.js"
import { coded } from "../../domain/Coded.js"
import { unknowns } from "../../domain/Reason.js"
import { MaxUnknown, NeverTouch } from "../kinds/HeldReason.js"
import { kindNames } from "../kinds/Parts.js"
import { LeftReason } from "./Inverse.js"

/** Why a fact is unknown. */
const reason = Schema.Literal(...unknowns)
const lacking = { condition: Schema.String, reason: Schema.optionalWith(reason, { exact: true }) }
const kind = Schema.Literal(...kindNames)
const amount = Schema.Number

/** A mark of `watch:`: so many hours after the change of that run. */
const mark = { hours: Schema.Number, runId: Schema.String }

/** An active campaign has nothing left to spend, so it is not shown. */
const OutOfMoney = coded("out_of_money", {})

/** Another promotion at the same time. */
const promotion = { promotionId: Schema.Int, promotionName: Schema.String }

/** Why nobody can decide on a row. Facts are named as rules write them. */
export const UnknownReason = Schema.Union(
  coded("condition_unknown", lacking),
  coded("fact_unknown", { fact: Schema.String, reason }),
  coded("fact_malformed", {
    fact: Schema.String,
    value: Schema.String,
    wanted: Schema.Literal("an amount of money", "a whole amount", "a whole amount above zero")
  }),
  /** Kopecks in so many days: a budget was charged much more than the statistics of its campaigns tell of. */
  coded("spend_untold", { statedKopecks: amount, chargedKopecks: amount, days: Schema.Int }),
  /** Statistics of so many days name clusters of an item, with these views, which the list of its clusters does not. */
  coded("clusters_unlisted", { itemId: Schema.Int, clusters: Schema.Int, views: amount, days: Schema.Int }),
  /** So many of the active clusters of an item have no statistics, and none brought these views of it. */
  coded("clusters_silent", {
    itemId: Schema.Int,
    clusters: Schema.Int,
    active: Schema.Int,
    views: amount,
    days: Schema.Int
  }),
  /** A budget came to nothing, or what is kept of it for campaigns that start leaves nothing. */
  coded("budget_nothing", { kopecks: amount, keptKopecks: amount }),
  /** A campaign that the account's budget pays for too stands still by now and will spend again: a rule starts it, or its pause ends. */
  coded("spend_to_come_unknown", { campaignId: Schema.Int }),
  coded("overlap_unread", promotion),
  coded("payment_type_unknown", { payment: Schema.String }),
  coded("minimum_bid_unknown", {}),
  coded("change_pending", {}),
  /** Of the item whose bid the cluster follows. */
  coded("items_change_pending", {}),
  coded("payment_open", { kind }),
  coded("watch_row_unread", mark),
  coded("watch_condition_unknown", { ...mark, ...lacking })
).annotations({ identifier: "UnknownReason" })
export type UnknownReason = typeof UnknownReason.Type

const unknownCodes: ReadonlySet<string> = new Set(
  UnknownReason.members.map(({ fields }) => fields.code.literals[0])
)

/** Whether a reason says that nobody can decide, and not that there is nothing to change. */
export const isUnknown = (because: UnchangedReason | UnknownReason): because is UnknownReason =>
  unknownCodes.has(because.code)

/**
 * What a policy tells a person: of a row that nobody can decide on, of all, which `max_unknown` holds, or of automatic
 * promotions at the time of those that items join, whose items nobody can list, or of what was not read of the calendar.
 */
export const NoticeReason = Schema.Union(
  UnknownReason,
  MaxUnknown,
  OutOfMoney,
  coded("automatic_unlooked", { promotions: Schema.Array(Schema.String) }),
  /** Items in a promotion that we did not put there and that were not in it at the last look; the first of `count`. */
  coded("joined_by_others", {
    promotionId: Schema.Int,
    promotionName: Schema.String,
    items: Schema.Array(Schema.Int),
    count: Schema.Int
  }),
  /** Items that are in a promotion at a price below their floor; the first of `count`. */
  coded("in_below_floor", {
    promotionId: Schema.Int,
    promotionName: Schema.String,
    items: Schema.Array(
      Schema.Struct({ itemId: Schema.Int, planPriceKopecks: amount, floorKopecks: amount })
    ),
    count: Schema.Int
  }),
  /** What the limit of the calendar left no room for: not read yet, or read last at `readAt`, too long ago. */
  coded("calendar_unread", {
    what: Schema.Literal("list", "details", "items"),
    promotions: Schema.Array(Schema.Int),
    readAt: Schema.optionalWith(Schema.Int, { exact: true })
  })
)
export type NoticeReason = typeof NoticeReason.Type

/** A limit on a bid, by the name that the rule gives it. */
const limit = Schema.Struct({ name: Schema.String, kopecks: amount, where: Schema.String })
export type LimitNamed = typeof limit.Type

const status = { status: Schema.String }
const policy = { policy: Schema.String }
const until = { until: Schema.Number, zone: Schema.String }

/** Why a matched row stays as it is. */
export const UnchangedReason = Schema.Union(
  // There already.
  coded("status_already", status),
  coded("minus_already", { listed: Schema.Boolean }),
  coded("placements_already", { shown: Schema.String }),
  coded("bid_already", { bidKopecks: amount, limit }),
  coded("overlay_already", {}),
  coded("enrolled_already", {}),
  coded("filed_before", {}),
  // No room.
  coded("no_room", { bidKopecks: amount, limit }),
  coded("overlay_no_room", { limit }),
  coded("cap_below_minimum", { cap: limit, minimum: limit }),
  coded("max_bid_below_minimum", { mostKopecks: amount, where: Schema.String, leastKopecks: amount }),
  coded("minus_list_full", { phrases: Schema.Int, most: Schema.Int }),
  coded("balance_too_low", { balance: Schema.String, kopecks: amount, neededKopecks: amount }),
  // Not possible.
  coded("promotion_auto", {}),
  coded("promotion_over", {}),
  coded("price_floor", { planPriceKopecks: amount, floorKopecks: amount }),
  coded("out_of_stock", {}),
  NeverTouch,
  coded("overlap_in", promotion),
  /** The outcome of its filing for that one is open. */
  coded("overlap_filed", promotion),
  coded("overlap_planned", promotion),
  coded("price_quarantine", { priceKopecks: amount, planPriceKopecks: amount }),
  // Not of the set that reaches a tier.
  coded("set_dearer", { items: Schema.Int, costKopecks: amount }),
  coded("set_too_few", { candidates: Schema.Int, needed: Schema.Int }),
  coded("set_too_dear", { items: Schema.Int, kopecks: amount, mostKopecks: amount }),
  coded("set_tier_highest", {}),
  coded("set_reached", {}),
  coded("set_waits", { items: Schema.Int }),
  /** Other rules of the plan enrol as many as the tier asks for, or more. */
  coded("set_unneeded", { items: Schema.Int, needed: Schema.Int }),
  coded("set_of_other", policy),
  coded("bids_closed", status),
  coded("minus_closed", status),
  coded("deposits_closed", status),
  coded("placements_closed", {}),
  coded("status_unreachable", { status: Schema.String, wanted: Schema.String }),
  coded("minus_takes_no_bid", {}),
  coded("no_cluster_bids", {}),
  coded("no_placements", {}),
  coded("campaign_has_no_bid", {}),
  coded("minus_needs_cluster", {}),
  coded("shown_nowhere", {}),
  coded("bid_step_unknown", { payment: Schema.String, currency: Schema.String }),
  coded("overlay_needs_cap", {}),
  // What optimise leaves.
  OutOfMoney,
  coded("left_by_rule", { condition: Schema.String }),
  /** The same of a cluster that optimise itself had made a minus phrase, so that it rests. */
  coded("left_at_rest", { condition: Schema.String, days: Schema.Int }),
  coded("no_cap_for_payment", { payment: Schema.String }),
  /** The account's budget also pays for campaigns without a cap: what these spend leaves nobody knows how much to share out. */
  coded("budget_pays_uncapped", { payment: Schema.String, campaigns: Schema.Int, spendKopecks: amount }),
  coded("optimised_already", { bidKopecks: amount, bound: Schema.Literal(...bidBounds) }),
  coded("order_earns_nothing", { kopecks: amount }),
  coded("curve_contradicts", {}),
  coded("statistics_impossible", {}),
  coded("cap_below_floor", {}),
  coded("floor_out_of_reach", {}),
  coded("minus_stays", {}),
  coded("parked_for", { days: Schema.Int }),
  // Not now.
  coded("moved_today", {}),
  /** `optimise` would move it, and a plan holds so many moves: those with the most money come first. */
  coded("later_run", { where: Schema.String, most: Schema.Int }),
  coded("cooldown", until),
  coded("watch_rests", until),
  /** The marketplace refused the same value before; `page`: a web page of somebody on the way did. */
  coded("refused_before", { ...until, page: Schema.optionalWith(Schema.Literal(true), { exact: true }) }),
  coded("no_new_statistics", {}),
  coded("hold_for", { runs: Schema.Int, wanted: Schema.Int }),
  // Somebody else's.
  coded("held_back", {
    by: Schema.Array(Schema.String),
    tier: Schema.optionalWith(Schema.String, { exact: true })
  }),
  /** `only`: whoever would do it has not done so by this plan: a person is asked, its policy only shows, a limit holds it, or the run only looks. Absent where it goes. */
  coded("overtaken", {
    by: Schema.String,
    kind,
    only: Schema.optionalWith(Schema.Literal("asked", "shown", "held", "looks"), { exact: true })
  }),
  coded("paused_by", policy),
  coded("paused_above", { ...policy, tier: Schema.String, takesBack: Schema.Boolean }),
  coded("overlay_disturbed", {}),
  coded("overlay_kept", {}),
  coded("overlay_keeps_bid", policy),
  coded("overlay_unbounded", policy),
  /** Of another policy, and its time runs. `tier`: where that is the higher one; else it is the cheaper. */
  coded("overlay_of_other", { ...policy, tier: Schema.optionalWith(Schema.String, { exact: true }) }),
  coded("items_overlay", policy),
  coded("items_overlay_left", policy),
  // What is not taken back.
  coded("watch_keeps", { ...mark, because: Schema.Union(coded("changed_since", {}), LeftReason) }),
  coded("undo_leaves", { action: Schema.String, runId: Schema.String, because: LeftReason })
).annotations({ identifier: "UnchangedReason" })
export type UnchangedReason = typeof UnchangedReason.Type

/** An instant as precise as it is shown, so that rows with one reason are counted together. */
export const toTheMinute = (epochMs: number): number => Math.floor(epochMs / 60_000) * 60_000
