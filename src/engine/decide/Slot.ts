/** The one thing a change sets; at most one change per slot and run. Also the key of a slot's history. */
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import type { Target } from "../../domain/Target.js"
import type { Change } from "./Plan.js"

/** Which bid of an item: `combined` is the standard bid. */
export type ItemPlacement = "combined" | "search" | "recommendations"

export const clusterBid = (target: Target): string =>
  `cluster_bid:${target.campaignId}/${target.itemId}/${target.cluster}`

export const itemBid = (target: Target, placement: ItemPlacement): string =>
  `item_bid:${target.campaignId}/${target.itemId}/${placement}`

export const status = (target: Target): string => `status:${target.campaignId}`

export const minus = (target: Target): string =>
  `minus:${target.campaignId}/${target.itemId}/${target.cluster}`

export const deposit = (target: Target): string => `deposit:${target.campaignId}`

export const placements = (target: Target): string => `placement:${target.campaignId}`

/** Slot of a change, by what it sets. */
export const key = (change: Pick<Change, "target" | "unit" | "placement">): string => {
  switch (change.unit) {
    case "status":
      return status(change.target)
    case "minus_phrase":
      return minus(change.target)
    case "placements":
      return placements(change.target)
    case "kopecks_deposit":
      return deposit(change.target)
    case "kopecks_per_1000_impressions":
    case "kopecks_per_click":
      return change.placement === "cluster" || change.placement === undefined
        ? clusterBid(change.target)
        : itemBid(change.target, change.placement)
  }
}

/** True for bids: the changes that statistics must follow and that limits cut by spend. */
export const isBid = ({ unit }: Pick<Change, "unit">): boolean =>
  unit === "kopecks_per_1000_impressions" || unit === "kopecks_per_click"

/** What a slot is about and the fact that shows its value; undefined for slots that no fact shows. */
export interface Place {
  readonly target: Target
  readonly each: "campaign" | "campaign_item" | "cluster"
  readonly fact: string
}

/** A slot's key, read back. */
export const placeOf = (slot: string): Place | undefined => {
  const campaign = /^(status|deposit):(\d+)$/.exec(slot)
  if (campaign !== null) {
    const target = { campaignId: CampaignId.make(Number(campaign[2])) }
    const fact = campaign[1] === "status" ? "campaign.status" : "campaign.budget"
    return { target, each: "campaign", fact }
  }
  const parts = /^(cluster_bid|item_bid|minus):(\d+)\/(\d+)\/(.*)$/s.exec(slot)
  if (parts === null) return undefined
  const [, kind, advert, item, rest = ""] = parts
  const pair = { campaignId: CampaignId.make(Number(advert)), itemId: ItemId.make(Number(item)) }
  if (kind === "item_bid") {
    const fact = rest === "recommendations" ? "campaign_item.bid.recommendations" : "campaign_item.bid"
    return { target: pair, each: "campaign_item", fact }
  }
  const fact = kind === "minus" ? "cluster.in_minus" : "cluster.bid"
  return { target: { ...pair, cluster: Cluster.make(rest) }, each: "cluster", fact }
}
