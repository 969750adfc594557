/** Seed 001 "Search clusters": bids of clusters, and the list of clusters. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import type * as Call from "../Call.js"
import * as Bids from "../market/Bids.js"
import * as ClusterBids from "../market/ClusterBids.js"
import * as Statistics from "../market/Statistics.js"
import * as Timeline from "../Timeline.js"

export const handlers: Call.Handlers<
  "getClusterBids" | "setClusterBids" | "setClusterBidsMinorUnits" | "deleteClusterBids" | "listClusters"
> = {
  getClusterBids: (call) => {
    const bids = call.payload.items.flatMap(({ advert_id, nm_id }) => {
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      if (pair === undefined) return []
      const own = Bids.clusterBids(call.world, pair.campaign, nm_id)
      return pair.item.clusters.flatMap(({ text }) => {
        const timeline = text === undefined ? undefined : own.get(text)
        const kopecks = timeline === undefined ? null : Timeline.at(timeline, call.nowMs)
        return kopecks === null
          ? []
          : [
              {
                advert_id,
                nm_id,
                norm_query: text,
                bid: Math.floor(kopecks / 100),
                bid_kopecks: kopecks,
                currency: "RUB"
              }
            ]
      })
    })
    return Either.right(Answer.json({ bids: bids.length === 0 ? null : bids }))
  },

  /** Whole roubles (field note M11). */
  setClusterBids: (call) => {
    const outcome = ClusterBids.set(
      call,
      call.payload.bids.map((b) => ({
        campaignId: b.advert_id,
        itemId: b.nm_id,
        cluster: b.norm_query,
        kopecks: b.bid * 100
      }))
    )
    return Either.right(Answer.json(inSnakeCase(outcome)))
  },

  setClusterBidsMinorUnits: (call) => {
    const outcome = ClusterBids.set(
      call,
      call.payload.bids.map((b) => ({
        campaignId: b.advertId,
        itemId: b.nmId,
        cluster: b.normQuery,
        kopecks: b.bidMinorUnits
      }))
    )
    const name = (row: ClusterBids.Row) => ({
      advertId: row.campaignId,
      nmId: row.itemId,
      normQuery: row.cluster
    })
    return Either.right(
      Answer.json({
        success: outcome.success.map((row) => ({ ...name(row), currency: "RUB" })),
        failed: outcome.failed.map(({ row, reason }) => ({ ...name(row), reason }))
      })
    )
  },

  deleteClusterBids: (call) => {
    const outcome = ClusterBids.set(
      call,
      call.payload.bids.map((b) => ({
        campaignId: b.advert_id,
        itemId: b.nm_id,
        cluster: b.norm_query,
        kopecks: null
      }))
    )
    return Either.right(Answer.json(inSnakeCase(outcome)))
  },

  /** Clusters with at least 100 views; empty lists come as null (field note M15). */
  listClusters: (call) => {
    const orNull = (list: ReadonlyArray<string>) => (list.length === 0 ? null : list)
    const items = call.payload.items.map(({ advertId, nmId }) => {
      const pair = ClusterBids.pair(call, advertId, nmId)
      if (pair === undefined) return { advertId, nmId, normQueries: null }
      const minus = Timeline.at(Bids.minus(call.world, pair.campaign, nmId), call.nowMs)
      const lists = {
        active: [] as Array<string>,
        excluded: [] as Array<string>,
        archived: [] as Array<string>
      }
      for (const cluster of pair.item.clusters) {
        if (cluster.text === undefined) continue
        if (cluster.archived) lists.archived.push(cluster.text)
        else if (Statistics.recentViews(call, pair.campaign, pair.item, cluster) >= Statistics.leastViews)
          (minus.has(cluster.text) ? lists.excluded : lists.active).push(cluster.text)
      }
      return {
        advertId,
        nmId,
        normQueries: {
          active: orNull(lists.active),
          excluded: orNull(lists.excluded),
          archived: orNull(lists.archived)
        }
      }
    })
    return Either.right(Answer.json({ items }))
  }
}

const inSnakeCase = (outcome: ClusterBids.Outcome) => {
  const name = (row: ClusterBids.Row) => ({
    advert_id: row.campaignId,
    nm_id: row.itemId,
    norm_query: row.cluster
  })
  return {
    success: outcome.success.map((row) => ({ ...name(row), currency: "RUB" })),
    failed: outcome.failed.map(({ row, reason }) => ({ ...name(row), reason }))
  }
}
