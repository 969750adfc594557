/** Seed 001 "Statistics" of search clusters; the full statistics of campaigns are in FullStatistics.ts. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import type * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import * as ClusterBids from "../market/ClusterBids.js"
import type * as Market from "../market/Market.js"
import * as Statistics from "../market/Statistics.js"

/** The live limit; 31 days give 400 (field note M20). */
const mostDays = 30
const badPeriod = refuse(400, `the period must be in order and at most ${mostDays} days`)

export const handlers: Call.Handlers<"getClusterStats" | "getClusterDailyStats"> = {
  /** Sums over the period, for cpm only: a cpc pair has no statistics here. */
  getClusterStats: (call) => {
    const days = Statistics.daysOf(call.payload.from, call.payload.to, mostDays)
    if (days === undefined) return Either.left(badPeriod)
    const stats = call.payload.items.map(({ advert_id, nm_id }) => {
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      if (pair === undefined || pair.campaign.blueprint.payment === "cpc")
        return { advert_id, nm_id, stats: null }
      const rows = pair.item.clusters.flatMap((cluster: Market.Traffic) => {
        const total = Statistics.sum(Statistics.byDay(call, pair.campaign, pair.item, cluster, days))
        return total === undefined
          ? []
          : [
              {
                norm_query: cluster.text,
                avg_pos: Statistics.place(total),
                ...Statistics.clusterFields(total, "cpm")
              }
            ]
      })
      return { advert_id, nm_id, stats: rows.length === 0 ? null : rows }
    })
    return Either.right(Answer.json({ stats }))
  },

  /** One entry per date and cluster, for cpm and cpc (field note M40). */
  getClusterDailyStats: (call) => {
    const days = Statistics.daysOf(call.payload.from, call.payload.to, mostDays)
    if (days === undefined) return Either.left(badPeriod)
    const items = call.payload.items.map(({ advertId, nmId }) => {
      const pair = ClusterBids.pair(call, advertId, nmId)
      if (pair === undefined) return { advertId, nmId, dailyStats: null }
      const rows = pair.item.clusters.flatMap((cluster) =>
        Statistics.byDay(call, pair.campaign, pair.item, cluster, days).map(({ day, totals }) => ({
          date: Moscow.dayText(day),
          stat: {
            normQuery: cluster.text,
            avgPos: Statistics.place(totals),
            ...Statistics.clusterFields(totals, pair.campaign.blueprint.payment)
          }
        }))
      )
      return { advertId, nmId, dailyStats: rows.length === 0 ? null : rows }
    })
    return Either.right(Answer.json({ items }))
  }
}
