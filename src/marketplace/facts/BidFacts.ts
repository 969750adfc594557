/** Facts that bids are measured against: minimums, recommendations, steps; and the money there is to spend. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type CampaignId, Cluster } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import type { Pair, Subject } from "../../domain/Target.js"
import { unknown } from "../../engine/facts/Cell.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type { Campaign } from "../../services/areas/advertising/Campaigns.js"
import type { MinimumBid, Payment, Placement } from "../../services/areas/advertising/Creation.js"
import type { Balance, Budget } from "../../services/areas/advertising/Finance.js"
import type { Recommendations, Steps } from "../../services/areas/advertising/Management.js"

import * as OddEntries from "../../services/OddEntries.js"
import { orAbsent, row } from "./Answered.js"

/** How to ask for a campaign's minimum bids; undefined when its settings do not say. */
export const minimumQuestion = (
  campaign: Campaign | undefined
): { readonly payment: Payment; readonly placements: ReadonlyArray<Placement> } | undefined => {
  const payment = campaign?.payment
  if (campaign === undefined || (payment !== "cpm" && payment !== "cpc")) return undefined
  if (campaign.bidType === "unified") return { payment, placements: ["combined"] }
  return {
    payment,
    placements: campaign.placements.recommendations === true ? ["search", "recommendations"] : ["search"]
  }
}

export const minimumRow = (campaignId: CampaignId, bid: MinimumBid): ReadonlyArray<FactRow> => {
  const target = { campaignId, itemId: bid.itemId }
  switch (bid.placement) {
    case "combined":
    case "search":
      return [row(target, { "campaign_item.min_bid": orAbsent(bid.bidKopecks) })]
    case "recommendations":
      return [row(target, { "campaign_item.min_bid.recommendations": orAbsent(bid.bidKopecks) })]
    default:
      return []
  }
}

/** Advice that was not given, or was zero, is absent (field note M27). */
export const recommendationRows = (
  { campaignId, itemId }: Pair,
  advice: Recommendations
): ReadonlyArray<FactRow> => {
  const pair = { campaignId, itemId }
  if (advice._tag === "Cpc") {
    const level = advice.levels[0]
    return [
      row(pair, {
        "campaign_item.recommended.place_1_2": orAbsent(level?.top2Kopecks),
        "campaign_item.recommended.place_3_10": orAbsent(level?.top10Kopecks),
        "campaign_item.recommended.place_11_34": orAbsent(level?.top34Kopecks)
      })
    ]
  }
  return [
    row(pair, {
      "campaign_item.recommended.competitive": orAbsent(advice.competitiveKopecks),
      "campaign_item.recommended.leaders": orAbsent(advice.leadersKopecks),
      "campaign_item.recommended.top2": orAbsent(advice.top2Kopecks)
    }),
    ...advice.clusters.map((cluster) =>
      row(
        { ...pair, cluster: cluster.cluster },
        {
          "cluster.recommended.reach_max": orAbsent(cluster.reachMaxKopecks),
          "cluster.recommended.reach_medium": orAbsent(cluster.reachMediumKopecks),
          "cluster.recommended.reach_min": orAbsent(cluster.reachMinKopecks)
        }
      )
    )
  ]
}

const clusterOf = OddEntries.named(Schema.Struct({ normQuery: Cluster }), (entry) => entry.normQuery)

/**
 * Advice with entries of clusters that cannot be read: it was given, so it is not absent; where an entry names no cluster,
 * that holds for all of the pair's without advice.
 */
export const adviceRows = (
  pair: Pair,
  { answer, odd }: OddEntries.Told<Recommendations>
): ReadonlyArray<FactRow> => {
  const unread = odd.map((entry) => Option.getOrUndefined(clusterOf(entry)))
  const failed = (target: Subject) => row(target, ofClusters)
  const { campaignId, itemId } = pair
  return [
    ...(unread.includes(undefined) ? [failed({ campaignId, itemId })] : []),
    ...recommendationRows(pair, answer),
    ...unread.flatMap((cluster) => (cluster === undefined ? [] : [failed({ campaignId, itemId, cluster })]))
  ]
}

const ofClusters = Object.fromEntries(
  ["max", "medium", "min"].map((reach) => [`cluster.recommended.reach_${reach}`, unknown("failed")])
)

export const stepsRow = (steps: Steps): FactRow =>
  row("account", {
    "account.bid_step.cpm": orAbsent(steps.cpmStepKopecks),
    "account.bid_step.cpc": orAbsent(steps.cpcStepKopecks)
  })

export const balanceRow = (balance: Balance): FactRow =>
  row("account", {
    "account.balance": kopecks(balance.balanceRoubles),
    "account.balance.net": kopecks(balance.netRoubles),
    "account.balance.bonus": kopecks(balance.bonusRoubles)
  })

export const budgetRow = (budget: Budget): FactRow =>
  row({ campaignId: budget.campaignId }, { "campaign.budget": kopecks(budget.totalRoubles) })

const kopecks = (roubles: Money.Roubles | undefined) =>
  orAbsent(roubles === undefined ? undefined : Money.toKopecks(roubles))
