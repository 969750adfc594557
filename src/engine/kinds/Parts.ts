/**
 * What the kinds of change are and what tells their changes apart: what they are about, what only they hold, and the
 * actions that make them. The one list that their schema is made from; what the program does with a kind is in `All.ts`.
 */
import * as Schema from "effect/Schema"
import { bidBounds } from "../../domain/BidBound.js"
import { CampaignId, Cluster, ItemId, OrderId, PromotionId } from "../../domain/Ids.js"

const absent = Schema.optionalWith(Schema.Never, { exact: true })
/** A subject has the keys that it is told apart by, and no others. */
const none = {
  campaignId: absent,
  promotionId: absent,
  itemId: absent,
  cluster: absent,
  orderId: absent,
  supply: absent,
  pass: absent
}
const ofCampaign = Schema.Struct({ ...none, campaignId: CampaignId })
const ofItem = Schema.Struct({ ...none, campaignId: CampaignId, itemId: ItemId })
const ofCluster = Schema.Struct({ ...none, campaignId: CampaignId, itemId: ItemId, cluster: Cluster })

/** A campaign, an item in it, or a cluster of that item. */
export const Target = Schema.Union(ofCluster, ofItem, ofCampaign).annotations({ identifier: "Target" })

/** An item in a promotion of the calendar, or one that may join it. */
export const PromotionItem = Schema.Struct({ ...none, promotionId: PromotionId, itemId: ItemId }).annotations(
  {
    identifier: "PromotionItem"
  }
)

/** An assembly order. */
export const Order = Schema.Struct({ ...none, orderId: OrderId }).annotations({ identifier: "Order" })

/** A supply by its id, or `new:` and its name. */
export const Supply = Schema.Struct({ ...none, supply: Schema.String }).annotations({ identifier: "Supply" })

/** A car at an office: `507/А123ВС777`. */
export const Pass = Schema.Struct({ ...none, pass: Schema.String }).annotations({ identifier: "Pass" })

/**
 * What a row is about: a target, an item in a promotion, a promotion, an order, a supply, a pass, an item wherever it is
 * advertised (no campaign), or the account (nothing of these).
 */
export const Subject = Schema.Union(
  ...Target.members,
  PromotionItem,
  Order,
  Supply,
  Pass,
  Schema.Struct({ ...none, promotionId: PromotionId }),
  Schema.Struct({ ...none, itemId: ItemId }),
  Schema.Struct(none)
).annotations({ identifier: "Subject" })

/** What the economics table says of an item on days of a promotion, by fact; null where it says nothing that can be read. */
const CostsOfDay = Schema.Record({
  key: Schema.String,
  value: Schema.NullOr(Schema.Union(Schema.Number, Schema.String, Schema.Boolean))
})
export type CostsOfDay = typeof CostsOfDay.Type

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
  baseKopecks: Schema.Int,
  /** The base is the item's bid: the cluster had none of its own, and has none again when the overlay is over. */
  inherited: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** It was so before the change, which gave the base a number of its own. */
  inheritedBefore: Schema.optionalWith(Schema.Literal(true), { exact: true })
}).annotations({ identifier: "BidOverlay" })
export type BidOverlay = typeof BidOverlay.Type

/** What a day is expected to bring. Orders to the hundredth; money in kopecks. */
const outlook = Schema.Struct({
  views: Schema.Int,
  orders: Schema.Number,
  spendKopecks: Schema.Int,
  profitKopecks: Schema.Int
})

/** What a change of `optimise` was made of: what it looked at, what it expects, and what kept it from going further. */
export const Optimised = Schema.Struct({
  verb: Schema.Literal("bid", "minus", "park", "unpark"),
  bound: Schema.Literal(...bidBounds),
  /** What 1000 views (cpm) or a click (cpc) leave before advertising; nine times in ten from `low` to `high`. */
  worthKopecks: Schema.Struct({ low: Schema.Int, mean: Schema.Int, high: Schema.Int }),
  /** Statistics that it rests on; days in which the bid was shown, to the hundredth. */
  seen: Schema.Struct({
    views: Schema.Int,
    clicks: Schema.Int,
    /** Where they tell of orders as well. */
    carts: Schema.optional(Schema.Int),
    orders: Schema.Int,
    days: Schema.Number
  }),
  /** Share of the views by the bid b: b^exponent / (b^exponent + half^exponent). */
  curve: Schema.Struct({
    source: Schema.Literal("levels", "history", "levels_and_history", "pooled"),
    exponent: Schema.Number,
    halfKopecks: Schema.Int
  }),
  /** What the next 1000 views, or the next click, cost above the new bid; null where there are none. */
  nextKopecks: Schema.NullOr(Schema.Int),
  /** Where the bid is on its way to. */
  targetKopecks: Schema.Int,
  /** What the last rouble of the budget brings, to the hundredth; 1 where the budget is not short. */
  roubleEarns: Schema.Number,
  /** The budget that pays for it, a campaign's id or `account`, and what is spent of it a day as it stands; absent in plans of before. */
  budget: Schema.optional(
    Schema.Struct({ of: Schema.String, dailyKopecks: Schema.Int, spendKopecks: Schema.Int })
  ),
  before: outlook,
  after: outlook
}).annotations({ identifier: "Optimised" })
export type Optimised = typeof Optimised.Type

const optimised = { optimised: Schema.optional(Optimised) }

const bid = {
  payment: Schema.optional(Payment),
  overlay: Schema.optional(BidOverlay),
  ...optimised
}

/** Whose money pays a deposit: the account's balance, its settlement limit, or its bonuses (seed 001, `budget/deposit`). */
export const MoneySource = Schema.Literal("balance", "net", "bonus")
export type MoneySource = typeof MoneySource.Type

const nothing = Schema.Struct({})

/** The keys of label identifiers (seed 000 "Label identifiers"). */
export const MarkKey = Schema.Literal("sgtin", "uin", "imei", "gtin", "expiration", "customsDeclaration")
export type MarkKey = typeof MarkKey.Type

/** The next tier of a promotion: how many further items reach it, and the boost it brings, where that was answered. */
export const TierAhead = Schema.Struct({
  items: Schema.Int,
  boostBasisPoints: Schema.optionalWith(Schema.Int, { exact: true })
})
export type TierAhead = typeof TierAhead.Type

/** Tiers of policies that go before the usual one. */
export const TierAbove = Schema.Literal("safety", "event")
export type TierAbove = typeof TierAbove.Type

/** `details`: what only this kind has. */
export const parts = {
  campaign_deposit: {
    subject: Target,
    details: Schema.Struct({
      from: MoneySource,
      /** What of the sum promo bonuses pay, kopecks (seed 001, `budget/deposit`: `cashback_sum`); the rest is from `from`. */
      cashbackKopecks: Schema.optional(Schema.Int),
      /** How much of that money there was, kopecks. */
      balanceKopecks: Schema.optional(Schema.Int),
      /** What the campaign was when the deposit was planned. */
      status: Schema.optional(Schema.String)
    })
  },
  campaign_status: {
    subject: Target,
    details: Schema.Struct({
      /** Of a pause that the running day's own figures asked for: that day of the marketplace, which is over at its midnight. */
      day: Schema.optionalWith(Schema.String, { exact: true }),
      /** Of a pause by a rule of a tier that goes first: that tier, which no file tells of any more once the rule's is gone. */
      tier: Schema.optionalWith(TierAbove, { exact: true })
    })
  },
  campaign_placements: { subject: Target, details: nothing },
  campaign_name: { subject: Target, details: nothing },
  campaign_stop: { subject: Target, details: nothing },
  campaign_deletion: { subject: Target, details: nothing },
  campaign_items: { subject: Target, details: nothing },
  minus_phrase: { subject: Target, details: Schema.Struct(optimised) },
  enrolment: {
    subject: PromotionItem,
    details: Schema.Struct({
      /** Empty when it was not reported. */
      promotionName: Schema.String,
      /** What the item costs now and in the promotion, kopecks (field note P05); absent when a call by hand could not read it. */
      priceKopecks: Schema.optional(Schema.Int),
      planPriceKopecks: Schema.optional(Schema.Int),
      /** Of a set that reaches a tier: how many items it has, which go whole or not at all, what this one costs a day, and for which tier. */
      set: Schema.optional(
        Schema.Struct({ items: Schema.Int, costKopecks: Schema.Int, tier: Schema.optional(TierAhead) })
      ),
      /** The rule lets the item be in other promotions at the same time. */
      mayOverlap: Schema.optional(Schema.Literal(true)),
      /** The discount before it joins, whole percent: what a person restores after the promotion. */
      discountPercent: Schema.optional(Schema.Int),
      /**
       * When it starts and ends by what the plan saw, epoch milliseconds, within minutes; the first is absent when it had
       * started.
       */
      startsAt: Schema.optional(Schema.Number),
      endsAt: Schema.optional(Schema.Number),
      /** Other promotions that the item was in, at another time; they may be moved. */
      besides: Schema.optional(
        Schema.Array(Schema.Struct({ promotionId: PromotionId, promotionName: Schema.String }))
      ),
      /** Promotions at another time of which the plan did not know whether the item was in them; they may be moved too. */
      besidesUnread: Schema.optional(Schema.Array(PromotionId)),
      /** Promotions that bidhelm filed the item for since the plan, or that no list shows it in yet: what the last look before it is sent knows, and no plan. */
      filed: Schema.optional(Schema.Array(PromotionId)),
      /** What the rule read of the economics table, once for each part of the promotion's days; absent where it read nothing. */
      costs: Schema.optional(Schema.Array(CostsOfDay)),
      /** What a call by hand says: whether its price falls at once, and not when the promotion starts. */
      isPricedNow: Schema.optional(Schema.Boolean)
    })
  },
  supply_creation: {
    subject: Supply,
    details: Schema.Struct({
      /** The name it is given, which holds a marker: what it is found by. */
      name: Schema.String,
      warehouseId: Schema.optional(Schema.Int),
      /** How many orders it is made for. */
      orders: Schema.Int,
      /** With which wave it goes, and until when it is handed over, epoch milliseconds. */
      wave: Schema.optional(Schema.String),
      handOverByMs: Schema.optional(Schema.Number)
    })
  },
  order_in_supply: {
    subject: Order,
    details: Schema.Struct({
      /** Names of both supplies for people, where they are known. */
      supplyName: Schema.optional(Schema.String),
      beforeName: Schema.optional(Schema.String),
      article: Schema.optional(Schema.String),
      /** When it was ordered, epoch milliseconds: nothing tells it of what is in a supply. */
      createdAtMs: Schema.optional(Schema.Number),
      /** True for an order that a closed supply left unscanned (field note O21). */
      isReshipment: Schema.optional(Schema.Boolean)
    })
  },
  order_mark: {
    subject: Order,
    details: Schema.Struct({
      key: MarkKey,
      /** What people may see of it; the mark itself is in the store's column for it alone. */
      masked: Schema.String
    })
  },
  label_deletion: { subject: Order, details: Schema.Struct({ key: MarkKey }) },
  shipping_units: { subject: Supply, details: nothing },
  supply_delivery: {
    subject: Supply,
    details: Schema.Struct({
      supplyName: Schema.optional(Schema.String),
      /** How many orders whoever agreed to it saw in it. */
      orders: Schema.Int,
      /** Which ones, ascending: a supply that holds others is not handed over. Absent only in plans that were made before this was kept. */
      orderIds: Schema.optional(Schema.Array(OrderId))
    })
  },
  order_cancellation: { subject: Order, details: Schema.Struct({ article: Schema.optional(Schema.String) }) },
  supply_deletion: {
    subject: Supply,
    details: Schema.Struct({ supplyName: Schema.optional(Schema.String) })
  },
  pass_creation: {
    subject: Pass,
    details: Schema.Struct({
      officeId: Schema.Int,
      firstName: Schema.String,
      lastName: Schema.String,
      carModel: Schema.String,
      carNumber: Schema.String
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
  "enrol",
  "create_supply",
  "put_in_supply",
  "set_mark",
  "delete_mark",
  "add_units",
  "deliver",
  "cancel",
  "delete_supply",
  "book_pass"
] as const
export type ActionName = (typeof actionNames)[number]
