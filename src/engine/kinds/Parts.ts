/**
 * What the kinds of change are and what tells their changes apart: what they are about, what only they hold, and the
 * actions that make them. The one list that their schema is made from; what the program does with a kind is in `All.ts`.
 */
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId, PromotionId } from "../../domain/Ids.js"

const absent = Schema.optionalWith(Schema.Never, { exact: true })
const campaign = { campaignId: CampaignId, promotionId: absent }
const ofCampaign = Schema.Struct({ ...campaign, itemId: absent, cluster: absent })
const ofItem = Schema.Struct({ ...campaign, itemId: ItemId, cluster: absent })
const ofCluster = Schema.Struct({ ...campaign, itemId: ItemId, cluster: Cluster })

/** A campaign, an item in it, or a cluster of that item. */
export const Target = Schema.Union(ofCluster, ofItem, ofCampaign).annotations({ identifier: "Target" })

/** An item in a promotion of the calendar, or one that may join it. */
export const PromotionItem = Schema.Struct({
  promotionId: PromotionId,
  campaignId: absent,
  itemId: ItemId,
  cluster: absent
}).annotations({ identifier: "PromotionItem" })

/**
 * What a row is about: a target, an item in a promotion, a promotion, an item wherever it is advertised (no campaign), or
 * the account (nothing of these).
 */
export const Subject = Schema.Union(
  ...Target.members,
  PromotionItem,
  Schema.Struct({ promotionId: PromotionId, campaignId: absent, itemId: absent, cluster: absent }),
  Schema.Struct({ promotionId: absent, campaignId: absent, itemId: ItemId, cluster: absent }),
  Schema.Struct({ promotionId: absent, campaignId: absent, itemId: absent, cluster: absent })
).annotations({ identifier: "Subject" })

/** How a bid is paid: per 1000 impressions or per click (seed 001, `payment_type`). */
export const Payment = Schema.Literal("cpm", "cpc")
export type Payment = typeof Payment.Type

/** Which bid of an item: `combined` is the standard bid. */
export const BidPlacement = Schema.Literal("combined", "search", "recommendations")
export type BidPlacement = typeof BidPlacement.Type

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

/** `details`: what only this kind has. */
export const parts = {
  campaign_deposit: {
    subject: Target,
    details: Schema.Struct({
      from: MoneySource,
      /** How much of that money there was, kopecks. */
      balanceKopecks: Schema.optional(Schema.Int)
    })
  },
  campaign_status: { subject: Target, details: none },
  campaign_placements: { subject: Target, details: none },
  campaign_name: { subject: Target, details: none },
  campaign_stop: { subject: Target, details: none },
  campaign_deletion: { subject: Target, details: none },
  campaign_items: { subject: Target, details: none },
  minus_phrase: { subject: Target, details: none },
  enrolment: {
    subject: PromotionItem,
    details: Schema.Struct({
      /** Empty when it was not reported. */
      promotionName: Schema.String,
      /** What the item costs now and in the promotion, kopecks (field note P05); absent when a call by hand could not read it. */
      priceKopecks: Schema.optional(Schema.Int),
      planPriceKopecks: Schema.optional(Schema.Int),
      /** Of a set that reaches a tier: how many items it has, which go whole or not at all, and what this one costs a day. */
      set: Schema.optional(Schema.Struct({ items: Schema.Int, costKopecks: Schema.Int })),
      /** The discount before it joins, whole percent: what a person restores after the promotion. */
      discountPercent: Schema.optional(Schema.Int),
      /**
       * When it starts and ends by what the plan saw, epoch milliseconds, within minutes; the first is absent when it had
       * started.
       */
      startsAt: Schema.optional(Schema.Number),
      endsAt: Schema.optional(Schema.Number)
    })
  },
  item_bid: { subject: Target, details: Schema.Struct({ ...bid, placement: BidPlacement }) },
  cluster_bid: {
    subject: Target,
    details: Schema.Struct({
      ...bid,
      /** True when the cluster had no bid of its own and `before` is the item's search bid. */
      inherited: Schema.optional(Schema.Boolean),
      /** Of such a cluster whose item was moved today: where the item's bid began the day, kopecks; `move_per_day` counts from there. */
      dayFirstKopecks: Schema.optional(Schema.Int),
      /** True when the cluster loses its own bid: `after` is its item's search bid, which then holds again. */
      clears: Schema.optional(Schema.Boolean)
    })
  }
}

export type KindName = keyof typeof parts
export const kindNames = Object.keys(parts) as ReadonlyArray<KindName>

/** What a change is called, by the actions of all kinds. */
export const actionNames = [
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
  "stop",
  "delete",
  "add_item",
  "remove_item",
  "enrol"
] as const
export type ActionName = (typeof actionNames)[number]
