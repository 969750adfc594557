/** Facts of the statistics sources. Ratios are recomputed from counts, never taken over or averaged. */
import type { Pair } from "../../domain/Target.js"
import { type Given, unknown } from "../../engine/facts/Cell.js"
import type { DayFigures } from "../../engine/facts/DayFigures.js"
import * as DerivedFacts from "../../engine/facts/DerivedFacts.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type {
  CampaignNumbers,
  ClusterNumbers,
  PairNumbers,
  Totals
} from "../../services/areas/advertising/Statistics.js"

import { orAbsent, unansweredRow } from "./Answered.js"

/** One row for the campaign, one for each reported item; nothing for a campaign that was not reported (M21). */
export const campaignRows = (numbers: CampaignNumbers): ReadonlyArray<FactRow> => {
  if (!numbers.reported) return []
  const { campaignId, totals, items } = numbers
  return [
    {
      target: { campaignId },
      facts: ofCampaign,
      values: [...withRevenue(totals), orAbsent(totals.canceled)],
      days: numbers.days.map(dayFigures)
    },
    ...items.map(
      ({ itemId, totals }): FactRow => ({
        target: { campaignId, itemId },
        facts: ofItem,
        values: withRevenue(totals)
      })
    )
  ]
}

const dayFigures = ({ day, totals }: CampaignNumbers["days"][number]): DayFigures => ({
  day,
  spendKopecks: totals.spendKopecks,
  orders: totals.orders,
  revenueKopecks: totals.orderValueKopecks
})

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
  ...clusters.map(
    (numbers): FactRow => ({
      target: { campaignId, itemId, cluster: numbers.cluster },
      facts: ofCluster,
      values: counted(numbers, orAbsent(numbers.position))
    })
  ),
  ...unread.flatMap((cluster) =>
    cluster === undefined ? [] : [unansweredRow({ campaignId, itemId, cluster }, "clusterStats", "failed")]
  )
]

/** This source serves cpm campaigns only (seed 001 "Statistics"), so for others its facts do not exist. */
export const noClusterStatistics = ({ campaignId, itemId }: Pair): FactRow =>
  unansweredRow({ campaignId, itemId }, "clusterStats", "notApplicable")

/** The last words of the facts, in the order of their values below. */
const countedWords = ["views", "clicks", "carts", "orders", "spend", "ctr", "cr", "cpc", "cpm", "cpo"]
const revenueWords = [...countedWords, "revenue", "acos"]
const ofCampaign = [...revenueWords, "cancelled"].map((word) => `campaign.${word}`)
const ofItem = revenueWords.map((word) => `campaign_item.${word}`)
const ofCluster = [...countedWords, "avg_pos"].map((word) => `cluster.${word}`)

const withRevenue = (totals: Totals): ReadonlyArray<Given> => {
  const revenueKopecks = totals.orderValueKopecks
  const { acos } = DerivedFacts.ratios({ ...totals, revenueKopecks })
  const values = [...counted(totals, orAbsent(revenueKopecks)), acos]
  return isUnpriced(totals)
    ? values.map((value, at) => (ofSpend.has(revenueWords[at]!) ? unknown("failed") : value))
    : values
}

/** What was shown, with its spend left out or beyond all amounts, was paid all the same: it could not be read. */
const isUnpriced = ({ associatedOrders, spendKopecks, views }: Totals): boolean =>
  spendKopecks === undefined && (views !== undefined || associatedOrders !== undefined)

const ofSpend: ReadonlySet<string> = new Set(["spend", "cpc", "cpm", "cpo", "acos"])

/** With one more value: a list that grows takes three times the memory, and there is one for each cluster. */
const counted = (
  sums: Pick<ClusterNumbers, "views" | "clicks" | "carts" | "orders" | "spendKopecks">,
  last: Given
): ReadonlyArray<Given> => {
  const { ctr, cr, cpc, cpm, cpo } = DerivedFacts.ratios(sums)
  return [
    orAbsent(sums.views),
    orAbsent(sums.clicks),
    orAbsent(sums.carts),
    orAbsent(sums.orders),
    orAbsent(sums.spendKopecks),
    ctr,
    cr,
    cpc,
    cpm,
    cpo,
    last
  ]
}
