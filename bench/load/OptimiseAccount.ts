/**
 * Rows of an account for `optimise`, made of arithmetic: every item is one of its own with a price, every cluster has views,
 * clicks, orders and money of its own, a bid and three levels. Most clusters are hardly seen and few are seen much, as in life.
 */
import * as Days from "../../src/domain/Days.js"
import { type CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import type * as Target from "../../src/domain/Target.js"
import { factRow, factRows } from "../../src/engine/gather/FactSource.js"
import * as Synthetic from "../demand/SyntheticAccount.js"

type Shape = Pick<Synthetic.Shape, "itemsPerCampaign" | "clustersPerItem">

/** Answers of an account of this shape; items are numbered through all campaigns. */
export const rowsOf = ({ clustersPerItem, itemsPerCampaign }: Shape): Synthetic.RowsOf => {
  const clusters = Array.from({ length: clustersPerItem }, (_, i) => Cluster.make(`query ${i}`))
  const itemsOf = (campaign: CampaignId) =>
    Array.from({ length: itemsPerCampaign }, (_, i) => ItemId.make(campaign * itemsPerCampaign + i))
  const ofItems = new Map<ItemId, Daily>()
  const ofClusters = (item: ItemId): Daily => {
    const known = ofItems.get(item) ?? sum(clusters.map((_, i) => daily(item, i)))
    ofItems.set(item, known)
    return known
  }
  const each = (
    { campaignId, itemId }: Target.Pair,
    of: (target: Target.ClusterTarget, i: number) => ReturnType<typeof Synthetic.listed>
  ) => clusters.map((cluster, i) => of({ campaignId, itemId, cluster }, i))
  return ({ days, source }, { campaignId, itemId }) => {
    const count = days === undefined ? 1 : Days.length(days)
    if (source === "itemStocks")
      return itemId === undefined
        ? []
        : [price({ itemId }, 200_000 + Math.round(draw(itemId, 0, 5) * 400_000))]
    if (campaignId === undefined) return []
    const target = { campaignId, itemId: itemId ?? ItemId.make(campaignId * itemsPerCampaign) }
    switch (source) {
      case "campaigns":
        return [
          factRow({ campaignId }, Synthetic.campaignFacts(campaignId)),
          ...itemsOf(campaignId).map((item) =>
            Synthetic.ofItem({ campaignId, itemId: item }, item, "Shoes", 30_000, 30_000)
          )
        ]
      case "campaignStats":
        return [
          told("campaign", { campaignId }, sum(itemsOf(campaignId).map(ofClusters)), count),
          ...itemsOf(campaignId).map((item) =>
            told("campaign_item", { campaignId, itemId: item }, ofClusters(item), count)
          )
        ]
      case "clusterStats":
        return each(target, (cluster, i) => told("cluster", cluster, daily(target.itemId, i), count))
      case "clusters":
        return clusters.map((cluster) => Synthetic.listed({ ...target, cluster }, cluster, "active"))
      case "clusterBids":
        return each(target, (cluster, i) => Synthetic.bid(cluster, bidOf(target.itemId, i), true))
      case "minusPhrases":
        return [Synthetic.minus(target, 0, false)]
      case "minimumBids":
        return [Synthetic.minimum(target, 10_000, 10_000)]
      case "recommendations":
        return each(target, (cluster, i) => levels(cluster, ...levelsOf(bidOf(target.itemId, i))))
      default:
        return []
    }
  }
}

const levels = factRows(
  "cluster.recommended.reach_min",
  "cluster.recommended.reach_medium",
  "cluster.recommended.reach_max"
)
const price = factRows("item.price")

/** What a day brings. */
interface Daily {
  readonly views: number
  readonly clicks: number
  readonly orders: number
  readonly spendKopecks: number
}

/** 1 to 400 roubles per 1000 views, in whole roubles. */
const bidOf = (item: ItemId, cluster: number): number =>
  10_000 + 100 * Math.floor(draw(item, cluster, 1) * 300)

const levelsOf = (bidKopecks: number): [number, number, number] => [
  100 * Math.round((bidKopecks * 0.6) / 100),
  100 * Math.round((bidKopecks * 1.1) / 100),
  100 * Math.round((bidKopecks * 1.8) / 100)
]

const daily = (item: ItemId, cluster: number): Daily => {
  // The cube makes one cluster of ten bring most of the views.
  const views = 3 + 600 * draw(item, cluster, 2) ** 3
  const clicks = views * (0.01 + 0.06 * draw(item, cluster, 3))
  return {
    views,
    clicks,
    orders: clicks * 0.12 * draw(item, cluster, 4),
    spendKopecks: (views * bidOf(item, cluster) * 0.8) / 1000
  }
}

const sum = (all: ReadonlyArray<Daily>): Daily => {
  let [views, clicks, orders, spendKopecks] = [0, 0, 0, 0]
  for (const one of all) {
    views += one.views
    clicks += one.clicks
    orders += one.orders
    spendKopecks += one.spendKopecks
  }
  return { views, clicks, orders, spendKopecks }
}

const statistics = {
  campaign: factRows("campaign.views", "campaign.clicks", "campaign.orders", "campaign.spend"),
  campaign_item: factRows(
    "campaign_item.views",
    "campaign_item.clicks",
    "campaign_item.orders",
    "campaign_item.spend"
  ),
  cluster: factRows("cluster.views", "cluster.clicks", "cluster.orders", "cluster.spend")
}

const told = (level: keyof typeof statistics, target: Target.Target, a: Daily, days: number) =>
  statistics[level](
    target,
    Math.round(a.views * days),
    Math.round(a.clicks * days),
    Math.round(a.orders * days),
    Math.round(a.spendKopecks * days)
  )

/** 0 to 1, by position alone. */
const draw = (item: number, cluster: number, salt: number): number =>
  Synthetic.scatter((item * 64 + cluster) * 8 + salt)
