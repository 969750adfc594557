/** Sets and removes bids of clusters, each row judged alone except for a disabled phrase (field notes M12, M13). */
import * as Either from "effect/Either"
import * as Call from "../Call.js"
import * as Timeline from "../Timeline.js"
import * as Bids from "./Bids.js"
import { status } from "./Blueprint.js"
import * as Market from "./Market.js"
import * as Statistics from "./Statistics.js"
import * as World from "./World.js"

export interface Row {
  readonly campaignId: number
  readonly itemId: number
  readonly cluster: string
  /** null removes the cluster's own bid. */
  readonly kopecks: number | null
}

export interface Outcome {
  readonly success: ReadonlyArray<Row>
  readonly failed: ReadonlyArray<{ readonly row: Row; readonly reason: string }>
}

interface Pair {
  readonly campaign: World.Campaign
  readonly item: Market.Item
}

/** A pair of a campaign and an item that it holds, settled up to now; undefined for any other. */
export const pair = (context: Call.Context, campaignId: number, itemId: number): Pair | undefined => {
  const campaign = Either.getOrUndefined(Call.campaign(context, campaignId))
  return campaign?.items.steps.some((step) => step.value.includes(itemId))
    ? { campaign, item: World.item(context.world, itemId) }
    : undefined
}

/** Accepts the rows that pass. A disabled phrase fails every row, with its reason repeated. */
export const set = (context: Call.Context, rows: ReadonlyArray<Row>): Outcome => {
  const disabled = rows.find((row) => isDisabled(context, row))
  const reasons = rows.map((row) =>
    disabled === undefined ? refusalOf(context, row) : `the phrase "${disabled.cluster}" is disabled`
  )
  const success = rows.filter((_, i) => reasons[i] === undefined)
  for (const row of success) write(context, row)
  return {
    success,
    failed: rows.flatMap((row, i) => {
      const reason = reasons[i]
      return reason === undefined ? [] : [{ row, reason }]
    })
  }
}

const isDisabled = (context: Call.Context, row: Row): boolean => {
  const found = pair(context, row.campaignId, row.itemId)
  return (
    found !== undefined &&
    Timeline.latest(Bids.minus(context.world, found.campaign, row.itemId)).has(row.cluster)
  )
}

/** Why a row is refused; undefined when it is not. */
const refusalOf = (context: Call.Context, row: Row): string | undefined => {
  const found = pair(context, row.campaignId, row.itemId)
  if (found === undefined) return "invalid campaign or item id"
  const { campaign, item } = found
  if (!Bids.hasClusterBids(campaign)) return "cluster bids are for custom-bid cpm campaigns only"
  const now = Timeline.latest(campaign.status)
  if (![status.ready, status.active, status.paused].some((s) => s === now))
    return "the campaign is in a status that takes no changes"
  const cluster = item.clusters[item.clusterIndex.get(row.cluster) ?? -1]
  if (cluster === undefined) return "unknown search phrase"
  if (row.kopecks === null) return undefined
  const views = Statistics.recentViews(context, campaign, item, cluster)
  if (views < Statistics.leastViews)
    return `the cluster is gathering data: ${views} views out of ${Statistics.leastViews}`
  const floor = item.floors.cpm.search
  if (row.kopecks < floor) return `the bid must be no less than ${floor / 100}, min: ${floor}`
  return row.kopecks % Market.steps.cpm === 0
    ? undefined
    : `the bid must be a multiple of ${Market.steps.cpm} minor units`
}

const write = (context: Call.Context, row: Row): void => {
  const campaign = World.campaign(context.world, row.campaignId)
  if (campaign === undefined) return
  const bids = Bids.clusterBids(context.world, campaign, row.itemId)
  const timeline = bids.get(row.cluster) ?? Timeline.of<number | null>(null)
  bids.set(row.cluster, timeline)
  const before = Timeline.latest(timeline)
  const effectiveAt = Timeline.write(timeline, context.nowMs, Timeline.delays.bid, row.kopecks)
  Call.record(context, {
    slot: "bid",
    target: { campaignId: row.campaignId, itemId: row.itemId, cluster: row.cluster },
    before,
    after: row.kopecks,
    effectiveAt
  })
}
