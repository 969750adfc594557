/** A bid of an item in a campaign (seed 001, `PATCH bids`): in search, in recommendations, or the standard one of both. */
import type { Target } from "../../domain/Target.js"
import * as Bids from "./Bids.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import type { Kind } from "./Kind.js"
import type { BidPlacement } from "./Parts.js"

export const name = "item_bid" as const
export const prefix = "item_bid"

export const slot = ({ campaignId, itemId }: Target, placement: BidPlacement): string =>
  `${prefix}:${campaignId}/${itemId}/${placement}`

/** Which bid of the item a slot is. */
export const placementOf = (slot: string): "search" | "recommendations" =>
  slot.endsWith("/recommendations") ? "recommendations" : "search"

const factOf = (placement: string): string =>
  placement === "recommendations" ? "campaign_item.bid.recommendations" : "campaign_item.bid"

const words: Readonly<Record<BidPlacement, string>> = {
  search: "bid in search",
  recommendations: "bid in recommendations",
  combined: "standard bid"
}

export const kind: Kind<Of<typeof name>> = {
  ...Bids.shared,
  prefix,
  slotOf: ({ details, subject: target }) => slot(target, details.placement),
  targetOf: Keys.itemOf,
  shownBy: (rest) => ({ each: "campaign_item", fact: factOf(placementOf(rest)) }),
  live: (facts, rest) => facts(factOf(placementOf(rest))),
  leaves: ({ after, details }) => ({ [factOf(details.placement)]: after }),
  order: 5,
  operations: () => ["setItemBids"],
  minimum: ({ details }) =>
    details.placement === "recommendations"
      ? "campaign_item.min_bid.recommendations"
      : "campaign_item.min_bid",
  effect: (change, sign) => Bids.effect(change, words[change.details.placement], sign)
}
