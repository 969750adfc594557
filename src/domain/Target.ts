/**
 * What a change is about: a campaign, one item in it, or one search cluster of that item; an item in a promotion; an assembly
 * order, a supply, or a pass.
 */
import type { CampaignId, Cluster, ItemId, OrderId, PromotionId } from "./Ids.js"
import * as TextOrder from "./TextOrder.js"

/** Every key that a subject may have. */
interface Keys {
  readonly campaignId: CampaignId
  readonly itemId: ItemId
  readonly cluster: Cluster
  readonly promotionId: PromotionId
  readonly orderId: OrderId
  readonly supply: SupplyRef
  readonly pass: PassRef
}

/** A subject with these keys and no others, so that one key tells subjects apart. */
type Only<K extends keyof Keys> = Pick<Keys, K> & { readonly [N in Exclude<keyof Keys, K>]?: never }

/** A supply's id; of one that is not made yet `new:` and its name, which holds a marker (field note O29). */
export type SupplyRef = string

/** A car at an office that asks for a pass: `507/А123ВС777`. */
type PassRef = string

/** A campaign as a whole. */
type CampaignTarget = Only<"campaignId">

/** One item in a campaign. */
type ItemTarget = Only<"campaignId" | "itemId">

/** One search cluster of an item in a campaign. */
export type ClusterTarget = Only<"campaignId" | "itemId" | "cluster">

/** What a change of advertising is about. */
export type Target = CampaignTarget | ItemTarget | ClusterTarget

/** An item in a promotion of the calendar, or one that may join it. */
export type PromotionItemTarget = Only<"itemId" | "promotionId">

/** An assembly order: one unit of goods (field note O05). */
export type OrderTarget = Only<"orderId">

export type SupplyTarget = Only<"supply">

export type PassTarget = Only<"pass">

/** What a change of fulfilment is about. */
type FulfilmentTarget = OrderTarget | SupplyTarget | PassTarget

/** What any change is about. */
export type ChangeSubject = Target | PromotionItemTarget | FulfilmentTarget

/** An item wherever it is advertised. */
type ItemSubject = Only<"itemId">

/** A promotion of the calendar. */
type PromotionSubject = Only<"promotionId">

/** The account itself. */
type AccountSubject = Only<never>

/** What a row is about. Facts and notices may be about any subject, a change is about a `ChangeSubject`. */
export type Subject = ChangeSubject | ItemSubject | PromotionSubject | AccountSubject

/** The subject as a target of advertising; undefined for what is in no campaign. */
export const ofSubject = (subject: Subject): Target | undefined =>
  subject.campaignId === undefined ? undefined : subject

/** The item above a cluster; what is coarser stays as it is. */
export const withoutCluster = (subject: ChangeSubject): Exclude<ChangeSubject, ClusterTarget> => {
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
 * Stable text key: `account`, `item/1001`, `promotion/2001`, `promotion/2001/1001`, `order/5001`, `supply/PLATFORM-GI-1`,
 * `pass/507/А123ВС777`, `777`, `777/1001`, `777/1001/женские кеды`.
 */
export const key = ({ campaignId, cluster, itemId, orderId, pass, promotionId, supply }: Subject): string => {
  if (orderId !== undefined) return `order/${orderId}`
  if (supply !== undefined) return `supply/${supply}`
  if (pass !== undefined) return `pass/${pass}`
  if (promotionId !== undefined)
    return itemId === undefined ? `promotion/${promotionId}` : `promotion/${promotionId}/${itemId}`
  if (campaignId === undefined) return itemId === undefined ? "account" : `item/${itemId}`
  if (itemId === undefined) return `${campaignId}`
  return cluster === undefined ? `${campaignId}/${itemId}` : `${campaignId}/${itemId}/${cluster}`
}

/**
 * Order by campaign, then promotion, item, and cluster, then supply, order and pass; coarser subjects first, those without a
 * campaign before all others. Used wherever output is sorted.
 */
export const compare = (a: Subject, b: Subject): number =>
  (a.campaignId ?? 0) - (b.campaignId ?? 0) ||
  (a.promotionId ?? 0) - (b.promotionId ?? 0) ||
  (a.itemId ?? 0) - (b.itemId ?? 0) ||
  TextOrder.compare(a.cluster ?? "", b.cluster ?? "") ||
  TextOrder.compare(a.supply ?? "", b.supply ?? "") ||
  (a.orderId ?? 0) - (b.orderId ?? 0) ||
  TextOrder.compare(a.pass ?? "", b.pass ?? "")
