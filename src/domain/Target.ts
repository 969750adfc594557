/** What a change is about: a campaign, one item in it, or one search cluster of that item. */
import type { CampaignId, Cluster, ItemId } from "./Ids.js"

/** `itemId` and `cluster` are absent, not zero, on the coarser levels. */
export interface Target {
  readonly campaignId: CampaignId
  readonly itemId?: ItemId
  readonly cluster?: Cluster
}

/** A (campaign, item) pair: the key of every cluster operation (field note M16). */
export interface Pair {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
}

/** Stable text key: `777`, `777/1001`, `777/1001/женские кеды`. */
export const key = (target: Target): string =>
  target.itemId === undefined
    ? `${target.campaignId}`
    : target.cluster === undefined
      ? `${target.campaignId}/${target.itemId}`
      : `${target.campaignId}/${target.itemId}/${target.cluster}`

/** Order by campaign, then item, then cluster; coarser targets first. Used wherever output is sorted. */
export const compare = (a: Target, b: Target): number =>
  a.campaignId - b.campaignId || (a.itemId ?? 0) - (b.itemId ?? 0) || text(a.cluster ?? "", b.cluster ?? "")

/** By code units: a locale's collation would make the order depend on the machine. */
const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
