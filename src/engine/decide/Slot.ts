/** The one thing a change sets; at most one change per slot and run. Also the key of a slot's history. */
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

/** Slot of a change, by what it sets. */
export const key = (change: Pick<Change, "target" | "unit" | "placement">): string => {
  switch (change.unit) {
    case "status":
      return status(change.target)
    case "minus_phrase":
      return minus(change.target)
    case "kopecks_per_1000_impressions":
    case "kopecks_per_click":
      return change.placement === "cluster" || change.placement === undefined
        ? clusterBid(change.target)
        : itemBid(change.target, change.placement)
  }
}
