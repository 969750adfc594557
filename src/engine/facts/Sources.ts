/** Where facts come from: the marketplace operations that are read, what one call takes, and what it costs. */

/** Cheap first: the planner asks `scarce` sources only for rows that survived everything cheaper. */
export type Cost = "local" | "batched" | "per_campaign" | "scarce"
export const costs: ReadonlyArray<Cost> = ["local", "batched", "per_campaign", "scarce"]

/** Where facts come from: one marketplace operation. */
export interface Source {
  readonly id: string
  /** Operation id of the contract. */
  readonly operation: string
  readonly cost: Cost
  /** Level of the keys a call takes, and how many keys fit one call. */
  readonly keyLevel: "account" | "campaign" | "item" | "campaign_item" | "promotion"
  readonly batch: number
  /** Keys of one call must share a campaign (getMinimumBids). */
  readonly oneCampaignPerCall: boolean
  /** Longest look-back in days for windowed sources; absent when the source has no window. */
  readonly maxWindowDays?: number
  /** Answers are kept and used by later runs until they are no longer fresh. */
  readonly isKept?: true
  /** The newest day it tells is yesterday, so `today` has no answer. */
  readonly untilYesterday?: true
  /** Minutes after which an answer is too old to act on. */
  readonly freshMinutes: number
}

const source = (
  id: string,
  operation: string,
  cost: Cost,
  keyLevel: Source["keyLevel"],
  batch: number,
  freshMinutes: number,
  more: Partial<Pick<Source, "oneCampaignPerCall" | "maxWindowDays" | "untilYesterday" | "isKept">> = {}
): Source => ({ id, operation, cost, keyLevel, batch, freshMinutes, oneCampaignPerCall: false, ...more })

/** Reports of items take and show 1000 a page; after a full page one more is asked, so one less is one call less. */
const itemsPerPage = 999

/**
 * Batch bounds: seeds 001 and 002 "Payload bounds"; window bounds: their rows and field notes M20, A02 and A20. The
 * reports of items are renewed once an hour (seed 002 "Data freshness").
 */
export const sources = {
  campaigns: source("campaigns", "getCampaigns", "local", "campaign", 50, 15),
  promotionConfig: source("promotionConfig", "getPromotionConfig", "local", "account", 1, 1440),
  balance: source("balance", "getBalance", "local", "account", 1, 15),
  clusters: source("clusters", "listClusters", "batched", "campaign_item", 100, 60),
  clusterBids: source("clusterBids", "getClusterBids", "batched", "campaign_item", 100, 15),
  minusPhrases: source("minusPhrases", "getMinusPhrases", "batched", "campaign_item", 100, 15),
  clusterStats: source("clusterStats", "getClusterStats", "batched", "campaign_item", 100, 180, {
    maxWindowDays: 30
  }),
  campaignStats: source("campaignStats", "getCampaignStats", "batched", "campaign", 50, 180, {
    maxWindowDays: 31
  }),
  budgets: source("budgets", "getCampaignBudget", "per_campaign", "campaign", 1, 15),
  minimumBids: source("minimumBids", "getMinimumBids", "per_campaign", "campaign_item", 100, 1440, {
    oneCampaignPerCall: true,
    isKept: true
  }),
  recommendations: source("recommendations", "getBidRecommendations", "scarce", "campaign_item", 1, 180, {
    isKept: true
  }),
  itemStocks: source("itemStocks", "getStockProducts", "batched", "item", itemsPerPage, 60),
  itemCards: source("itemCards", "getFunnelProducts", "batched", "item", itemsPerPage, 60),
  itemFunnel: source("itemFunnel", "getFunnelProducts", "batched", "item", itemsPerPage, 60, {
    maxWindowDays: 365
  }),
  itemReviews: source("itemReviews", "getItemRating", "batched", "item", 50, 1440, {
    maxWindowDays: 365,
    untilYesterday: true
  }),
  /** The calendar ahead, and the state of each promotion in it: a list, and details 100 ids at a time. */
  promotions: source("promotions", "getPromotionDetails", "local", "account", 1, 720),
  /** Items that are in a promotion and items that may join it, a thousand a page. Not of auto promotions (field note P02). */
  promotionItems: source("promotionItems", "listPromotionItems", "local", "promotion", 1, 720),
  /** Tables of the seller's, read with the rules: no operation, nothing to ask. */
  own: source("own", "", "local", "item", 1, 0),
  /** The clock of a city when the run begins: nothing to ask either. */
  clock: source("clock", "", "local", "account", 1, 0),
  /** What earlier runs saw of the spend of hours (`SpendCurve`): nothing to ask either. */
  spendCurve: source("spendCurve", "", "local", "campaign", 1, 0)
} as const satisfies Record<string, Source>

export type SourceId = keyof typeof sources

/** Sources that the marketplace answers. */
export type AskedId = Exclude<SourceId, "own" | "clock" | "spendCurve">

/** True for what is another at every instant of the day, and so is no lasting property of a row. */
export const passes = (id: SourceId): boolean => id === "clock" || id === "spendCurve"

export const isAsked = (id: SourceId): id is AskedId => sources[id].operation !== ""

/** How long later runs use an answer of an operation instead of asking again, milliseconds; 0 where each run asks for what it wants. */
export const keptMs = (operation: string): number =>
  Object.values<Source>(sources).reduce(
    (most, one) =>
      one.operation === operation && one.isKept === true && one.cost !== "scarce"
        ? Math.max(most, one.freshMinutes * 60_000)
        : most,
    0
  )
