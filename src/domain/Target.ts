/** What a change is about: a campaign, one item in it, or one search cluster of that item. */
import type { CampaignId, Cluster, ItemId } from "./Ids.js"

/** A campaign as a whole. */
export interface CampaignTarget {
  readonly campaignId: CampaignId
  readonly itemId?: never
  readonly cluster?: never
}

/** One item in a campaign. */
export interface ItemTarget {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
  readonly cluster?: never
}

/** One search cluster of an item in a campaign. */
export interface ClusterTarget {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
  readonly cluster: Cluster
}

/** What a change of advertising is about. */
export type Target = CampaignTarget | ItemTarget | ClusterTarget

/** An item wherever it is advertised. */
export interface ItemSubject {
  readonly campaignId?: never
  readonly itemId: ItemId
  readonly cluster?: never
}

/** The account itself. */
export interface AccountSubject {
  readonly campaignId?: never
  readonly itemId?: never
  readonly cluster?: never
}

/** What a row is about. Facts and notices may be about any subject, a change is about a `Target`. */
export type Subject = Target | ItemSubject | AccountSubject

/** The subject as a target of advertising; undefined for an item as such and for the account. */
export const ofSubject = (subject: Subject): Target | undefined => {
  const { campaignId } = subject
  return campaignId === undefined ? undefined : { ...subject, campaignId }
}

/** The item above a cluster; what is coarser stays as it is. */
export const withoutCluster = (target: Target): CampaignTarget | ItemTarget => {
  const { campaignId, itemId } = target
  return itemId === undefined ? { campaignId } : { campaignId, itemId }
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
