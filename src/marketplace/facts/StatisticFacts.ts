/** Facts of the statistics sources. Ratios are recomputed from counts, never taken over or averaged. */
import type { Pair } from "../../domain/Target.js"
import { type Cell, unknown } from "../../engine/facts/Cell.js"
import * as DerivedFacts from "../../engine/facts/DerivedFacts.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type {
  CampaignNumbers,
  ClusterNumbers,
  PairNumbers,
  Totals
} from "../../services/areas/advertising/Statistics.js"

import { orAbsent, row, unansweredRow } from "./Answered.js"

/** One row for the campaign, one for each reported item; nothing for a campaign that was not reported (M21). */
export const campaignRows = (numbers: CampaignNumbers): ReadonlyArray<FactRow> => {
  if (!numbers.reported) return []
  const { campaignId, totals, items } = numbers
  return [
    row(
      { campaignId },
      { ...withRevenue("campaign", totals), "campaign.cancelled": orAbsent(totals.canceled) }
    ),
    ...items.map((item) =>
      row({ campaignId, itemId: item.itemId }, withRevenue("campaign_item", item.totals))
    )
  ]
}

/**
 * One row per reported cluster. One that is reported and cannot be read is not absent, and neither is any that is not
 * reported, where nobody can tell which one was.
 */
export const clusterRows = ({
  campaignId,
  clusters,
  itemId,
  unread
}: PairNumbers): ReadonlyArray<FactRow> => [
  ...(unread.includes(undefined) ? [unansweredRow({ campaignId, itemId }, "clusterStats", "failed")] : []),
  ...clusters.map((cluster) =>
    row(
      { campaignId, itemId, cluster: cluster.cluster },
      { ...counted("cluster", cluster), "cluster.avg_pos": orAbsent(cluster.position) }
    )
  ),
  ...unread.flatMap((cluster) =>
    cluster === undefined ? [] : [unansweredRow({ campaignId, itemId, cluster }, "clusterStats", "failed")]
  )
]

/** This source serves cpm campaigns only (seed 001 "Statistics"), so for others its facts do not exist. */
export const noClusterStatistics = ({ campaignId, itemId }: Pair): FactRow =>
  unansweredRow({ campaignId, itemId }, "clusterStats", "notApplicable")

const withRevenue = (level: string, totals: Totals): Record<string, Cell> => ({
  ...counted(level, totals),
  [`${level}.revenue`]: orAbsent(totals.orderValueKopecks),
  [`${level}.acos`]: DerivedFacts.ratios({ ...totals, revenueKopecks: totals.orderValueKopecks }).acos,
  ...unpriced(level, totals)
})

/** What was shown, with its spend left out or beyond all amounts, was paid all the same: it could not be read. */
const unpriced = (level: string, totals: Totals): Record<string, Cell> => {
  const { associatedOrders, spendKopecks, views } = totals
  const isShown = views !== undefined || associatedOrders !== undefined
  return spendKopecks === undefined && isShown
    ? Object.fromEntries(ofSpend.map((word) => [`${level}.${word}`, unknown("failed")]))
    : {}
}

const ofSpend = ["spend", "cpc", "cpm", "cpo", "acos"]

const counted = (
  level: string,
  sums: Pick<ClusterNumbers, "views" | "clicks" | "carts" | "orders" | "spendKopecks">
): Record<string, Cell> => {
  const { ctr, cr, cpc, cpm, cpo } = DerivedFacts.ratios(sums)
  return {
    [`${level}.views`]: orAbsent(sums.views),
    [`${level}.clicks`]: orAbsent(sums.clicks),
    [`${level}.carts`]: orAbsent(sums.carts),
    [`${level}.orders`]: orAbsent(sums.orders),
    [`${level}.spend`]: orAbsent(sums.spendKopecks),
    [`${level}.ctr`]: ctr,
    [`${level}.cr`]: cr,
    [`${level}.cpc`]: cpc,
    [`${level}.cpm`]: cpm,
    [`${level}.cpo`]: cpo
  }
}
