/** Seed 001 "Search clusters": their bids, the list of them, and minus phrases. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Bids from "../market/Bids.js"
import * as ClusterBids from "../market/ClusterBids.js"
import * as Statistics from "../market/Statistics.js"
import * as Timeline from "../Timeline.js"
import { changeable } from "./Settings.js"

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
    const rows = call.payload.bids.map((bid) => ({ ...rowOf(bid), kopecks: bid.bid * 100 }))
    return Either.right(Answer.json(inSnakeCase(ClusterBids.set(call, rows))))
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
    const rows = call.payload.bids.map((bid) => ({ ...rowOf(bid), kopecks: null }))
    return Either.right(Answer.json(inSnakeCase(ClusterBids.set(call, rows))))
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

const rowOf = (bid: { readonly advert_id: number; readonly nm_id: number; readonly norm_query: string }) => ({
  campaignId: bid.advert_id,
  itemId: bid.nm_id,
  cluster: bid.norm_query
})

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

// Seed 001 "Search clusters": minus phrases. The list of a pair is replaced as a whole (field note M14).

export const minusHandlers: Call.Handlers<"getMinusPhrases" | "setMinusPhrases"> = {
  getMinusPhrases: (call) => {
    const items = call.payload.items.map(({ advert_id, nm_id }) => {
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      const phrases =
        pair === undefined ? [] : [...Timeline.at(Bids.minus(call.world, pair.campaign, nm_id), call.nowMs)]
      return { advert_id, nm_id, norm_queries: phrases.length === 0 ? null : phrases }
    })
    return Either.right(Answer.json({ items }))
  },

  setMinusPhrases: (call) =>
    Either.gen(function* () {
      const { advert_id, nm_id, norm_queries } = call.payload
      const campaign = yield* changeable(call, advert_id)
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      if (pair === undefined)
        return yield* Either.left(refuse(400, `item ${nm_id} is not in the campaign ${advert_id}`))
      const unknown = norm_queries.find((phrase) => !pair.item.clusterIndex.has(phrase))
      if (unknown !== undefined) return yield* Either.left(refuse(400, `unknown search phrase "${unknown}"`))
      const timeline = Bids.minus(call.world, campaign, nm_id)
      const before = sorted(Timeline.latest(timeline))
      const after = new Set<string>(norm_queries)
      const effectiveAt = Timeline.write(timeline, call.nowMs, Timeline.delays.database, after)
      const target = { campaignId: advert_id, itemId: nm_id }
      Call.record(call, { slot: "minus", target, before, after: sorted(after), effectiveAt })
      return Answer.empty()
    })
}

const sorted = (phrases: ReadonlySet<string>): ReadonlyArray<string> => [...phrases].sort()
