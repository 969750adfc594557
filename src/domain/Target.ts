/** What a change is about: a campaign, one item in it, or one search cluster of that item; or an item in a promotion. */
import type { CampaignId, Cluster, ItemId, PromotionId } from "./Ids.js"

/** A campaign as a whole. */
export interface CampaignTarget {
  readonly campaignId: CampaignId
  readonly itemId?: never
  readonly cluster?: never
  readonly promotionId?: never
}

/** One item in a campaign. */
export interface ItemTarget {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
  readonly cluster?: never
  readonly promotionId?: never
}

/** One search cluster of an item in a campaign. */
export interface ClusterTarget {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
  readonly cluster: Cluster
  readonly promotionId?: never
}

/** What a change of advertising is about. */
export type Target = CampaignTarget | ItemTarget | ClusterTarget

/** An item in a promotion of the calendar, or one that may join it. */
export interface PromotionItemTarget {
  readonly campaignId?: never
  readonly itemId: ItemId
  readonly cluster?: never
  readonly promotionId: PromotionId
}

/** What any change is about. */
export type ChangeSubject = Target | PromotionItemTarget

/** An item wherever it is advertised. */
export interface ItemSubject {
  readonly campaignId?: never
  readonly itemId: ItemId
  readonly cluster?: never
  readonly promotionId?: never
}

/** A promotion of the calendar. */
export interface PromotionSubject {
  readonly campaignId?: never
  readonly itemId?: never
  readonly cluster?: never
  readonly promotionId: PromotionId
}

/** The account itself. */
export interface AccountSubject {
  readonly campaignId?: never
  readonly itemId?: never
  readonly cluster?: never
  readonly promotionId?: never
}

/** What a row is about. Facts and notices may be about any subject, a change is about a `ChangeSubject`. */
export type Subject = ChangeSubject | ItemSubject | PromotionSubject | AccountSubject

/** The subject as a target of advertising; undefined for what is in no campaign. */
export const ofSubject = (subject: Subject): Target | undefined =>
  subject.campaignId === undefined ? undefined : subject

/** The item above a cluster; what is coarser stays as it is. */
export const withoutCluster = (subject: ChangeSubject): CampaignTarget | ItemTarget | PromotionItemTarget => {
  const { campaignId, itemId } = subject
  if (campaignId === undefined) return subject
  return itemId === undefined ? { campaignId } : { campaignId, itemId }
}

/** The item in a campaign that something is or is in; undefined for anything else. */
export const pairOf = ({ campaignId, itemId }: Subject): Pair | undefined =>
  campaignId === undefined || itemId === undefined ? undefined : { campaignId, itemId }

/** A (campaign, item) pair: the key of every cluster operation (field note M16). */
export interface Pair {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
}

/**
 * Stable text key: `account`, `item/1001`, `promotion/2001`, `promotion/2001/1001`, `777`, `777/1001`,
 * `777/1001/женские кеды`.
 */
export const key = ({ campaignId, cluster, itemId, promotionId }: Subject): string => {
  if (promotionId !== undefined)
    return itemId === undefined ? `promotion/${promotionId}` : `promotion/${promotionId}/${itemId}`
  if (campaignId === undefined) return itemId === undefined ? "account" : `item/${itemId}`
  if (itemId === undefined) return `${campaignId}`
  return cluster === undefined ? `${campaignId}/${itemId}` : `${campaignId}/${itemId}/${cluster}`
}

/**
 * Order by campaign, then promotion, item, and cluster; coarser subjects first, those without a campaign before all
 * others. Used wherever output is sorted.
 */
export const compare = (a: Subject, b: Subject): number =>
  (a.campaignId ?? 0) - (b.campaignId ?? 0) ||
  (a.promotionId ?? 0) - (b.promotionId ?? 0) ||
  (a.itemId ?? 0) - (b.itemId ?? 0) ||
  text(a.cluster ?? "", b.cluster ?? "")

/** By code units: a locale's collation would make the order depend on the machine. */
const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
