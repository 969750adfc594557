/** What the stories write, each in the words of the ledger and of the journal. */
import { CampaignId, Cluster, ItemId, PromotionId } from "../../../src/domain/Ids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import type { ShopLook } from "../chaos/ShopLook.js"
import { campaignId, cheapItem, itemId, promotionId } from "./StoryWorld.js"

/** What a write changed, in the words of the ledger and of the journal. */
export interface Written {
  readonly slot: Ledger.Slot
  readonly before: unknown
  readonly after: unknown
  readonly change: Change
  readonly rowSlot: string
  readonly operation: string
  readonly url: string
  readonly body: unknown
  /** Of a filed task: its items. */
  readonly items?: ReadonlyArray<number>
  /** What the ledger's entry is about, where the change's own subject does not say it. */
  readonly target?: Ledger.Entry["target"]
  /** The operation that reads it, where its slot does not say that. */
  readonly readBy?: string
  /** How the marketplace has the orders that it is about. */
  readonly shop?: ShopLook
}

/** A change of the stories, of the policy `bids` unless said. */
export const changeOf = (part: Partial<Change>): Change =>
  ({
    id: `${part.action} ${part.before} ${part.after}`,
    origin: { by: "policy", name: "bids", line: 1 },
    subject: { campaignId: CampaignId.make(campaignId), itemId: ItemId.make(itemId) },
    campaignName: "Search",
    reason: [{ condition: "campaign.status = active", value: "active", holds: "true" }],
    clamps: [],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: 0,
    ...part
  }) as Change

/** The bid of an item in search, kopecks. */
export const bid = (before: number, after: number, more: Partial<Change> = {}): Written => ({
  slot: "bid.search",
  before,
  after,
  change: changeOf({
    action: after > before ? "raise_bid" : "lower_bid",
    before,
    after,
    kind: "item_bid",
    details: { payment: "cpm", placement: "search" },
    ...more
  } as Change),
  rowSlot: `item_bid:${campaignId}/${itemId}/search`,
  operation: "setItemBids",
  url: "/bids",
  body: { advert_id: campaignId, nm_id: itemId, bid_kopecks: after }
})

const clusterOf = (cluster: string, item: number = itemId) => ({
  campaignId: CampaignId.make(campaignId),
  itemId: ItemId.make(item),
  cluster: Cluster.make(cluster)
})

/** What `optimise` says of a change; an invariant looks at how many views it has seen. */
const told = {
  verb: "bid",
  bound: "optimum",
  worthKopecks: { low: 1, mean: 1, high: 1 },
  seen: { views: 0, clicks: 0, orders: 0, days: 14 },
  curve: { source: "levels", exponent: 2, halfKopecks: 20_000 },
  nextKopecks: null,
  targetKopecks: 1,
  roubleEarns: 1,
  before: { views: 0, orders: 0, spendKopecks: 0, profitKopecks: 0 },
  after: { views: 0, orders: 0, spendKopecks: 0, profitKopecks: 0 }
} as const

/** The own bid of a cluster, kopecks, by a policy that optimises and has seen so many views of it. */
export const optimised = (
  policy: string,
  [item, cluster]: readonly [item: number, cluster: string],
  before: number,
  after: number,
  views: number
): Written => {
  const subject = clusterOf(cluster, item)
  return {
    slot: "bid",
    before,
    after,
    change: changeOf({
      action: after > before ? "raise_bid" : "lower_bid",
      before,
      after,
      kind: "cluster_bid",
      origin: { by: "policy", name: policy, line: 9 },
      details: { payment: "cpm", optimised: { ...told, seen: { ...told.seen, views } } },
      subject
    } as Partial<Change>),
    rowSlot: `cluster_bid:${campaignId}/${item}/${cluster}`,
    operation: "setClusterBidsMinorUnits",
    url: `/bids?item=${item}`,
    body: { bids: [{ advert_id: campaignId, nm_id: item, norm_query: cluster, bid_kopecks: after }] },
    target: subject,
    readBy: "getClusterBids"
  }
}

/** A minus list before and after, for one phrase that was added to it or taken from it. */
export const minus = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
  phrase: string,
  more: Partial<Change> = {}
): Written => {
  const isAdded = after.includes(phrase)
  const target = clusterOf(phrase)
  return {
    slot: "minus",
    before,
    after,
    change: changeOf({
      action: isAdded ? "add_minus" : "remove_minus",
      before: !isAdded,
      after: isAdded,
      kind: "minus_phrase",
      details: {},
      subject: target,
      ...more
    } as Partial<Change>),
    rowSlot: `minus:${campaignId}/${itemId}/${phrase}`,
    operation: "setMinusPhrases",
    url: "/minus",
    body: { advert_id: campaignId, nm_id: itemId, norm_queries: after }
  }
}

/** An active campaign is paused. */
export const pause = (more: Partial<Change> = {}): Written => ({
  slot: "status",
  before: 9,
  after: 11,
  change: changeOf({
    action: "pause",
    before: "active",
    after: "paused",
    kind: "campaign_status",
    details: {},
    subject: { campaignId: CampaignId.make(campaignId) },
    ...more
  } as Partial<Change>),
  rowSlot: `status:${campaignId}`,
  operation: "pauseCampaign",
  url: `/pause?id=${campaignId}`,
  body: ""
})

/** A deposit of so many roubles. */
export const deposit = (roubles: number): Written => ({
  slot: "budget",
  before: 100,
  after: 100 + roubles,
  change: changeOf({
    action: "deposit",
    before: 10_000,
    after: 10_000 + roubles * 100,
    kind: "campaign_deposit",
    details: { from: "balance" },
    subject: { campaignId: CampaignId.make(campaignId) }
  }),
  rowSlot: `deposit:${campaignId}`,
  operation: "depositCampaignBudget",
  url: `/deposit?id=${campaignId}`,
  body: { sum: roubles }
})

/** An item is filed for a promotion. */
export const enrol = (
  policy = "joins",
  item = cheapItem,
  promotion = promotionId,
  more: Partial<Change> = {}
): Written => ({
  slot: "promotion",
  before: [],
  after: [item],
  change: changeOf({
    id: `enrol ${promotion}/${item}`,
    origin: { by: "policy", name: policy, line: 9 },
    action: "enrol",
    before: false,
    after: true,
    kind: "enrolment",
    details: { promotionName: "Sale" },
    subject: { promotionId: PromotionId.make(promotion), itemId: ItemId.make(item) },
    ...more
  } as Partial<Change>),
  rowSlot: `enrolment:${promotion}/${item}`,
  operation: "uploadPromotionItems",
  url: "/upload",
  body: { data: { promotionID: promotion, uploadNow: true, nomenclatures: [item] } },
  items: [item]
})
