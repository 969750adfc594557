/** What a change is about: a campaign, one item in it, or one search cluster of that item. */
import type { CampaignId, Cluster, ItemId } from "./Ids.js"

/** `itemId` and `cluster` are absent, not zero, on the coarser levels. */
export interface Target {
  readonly campaignId: CampaignId
  readonly itemId?: ItemId
  readonly cluster?: Cluster
}

/**
 * What a row is about: a target of advertising, an item wherever it is advertised (no campaign), or the account itself
 * (neither). A change is always about a `Target`; facts and notices may be about any subject.
 */
export interface Subject {
  readonly campaignId?: CampaignId
  readonly itemId?: ItemId
  readonly cluster?: Cluster
}

/** The subject as a target of advertising; undefined for an item as such and for the account. */
export const ofSubject = (subject: Subject): Target | undefined => {
  const { campaignId } = subject
  return campaignId === undefined ? undefined : { ...subject, campaignId }
}

/** A (campaign, item) pair: the key of every cluster operation (field note M16). */
export interface Pair {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
}

/** Stable text key: `account`, `item/1001`, `777`, `777/1001`, `777/1001/женские кеды`. */
export const key = ({ campaignId, cluster, itemId }: Subject): string => {
  if (campaignId === undefined) return itemId === undefined ? "account" : `item/${itemId}`
  if (itemId === undefined) return `${campaignId}`
  return cluster === undefined ? `${campaignId}/${itemId}` : `${campaignId}/${itemId}/${cluster}`
}

/**
 * Order by campaign, then item, then cluster; coarser subjects first, those without a campaign before all others. Used
 * wherever output is sorted.
 */
export const compare = (a: Subject, b: Subject): number =>
  (a.campaignId ?? 0) - (b.campaignId ?? 0) ||
  (a.itemId ?? 0) - (b.itemId ?? 0) ||
  text(a.cluster ?? "", b.cluster ?? "")

/** By code units: a locale's collation would make the order depend on the machine. */
const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
