/** Facts that bids are measured against: minimums, recommendations, steps; and the money there is to spend. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type CampaignId, Cluster } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import type { Pair, Subject } from "../../domain/Target.js"
import { unknown } from "../../engine/facts/Cell.js"
import { type FactRow, factRow, type Keeping, valueIn } from "../../engine/gather/FactSource.js"
import type { Campaign } from "../../services/areas/advertising/Campaigns.js"
import type { MinimumBid, Payment, Placement } from "../../services/areas/advertising/Creation.js"
import type { Balance, Budget } from "../../services/areas/advertising/Finance.js"
import type { Recommendations, Steps } from "../../services/areas/advertising/Management.js"

import * as OddEntries from "../../services/OddEntries.js"
import { orAbsent } from "./Answered.js"
import * as CampaignFacts from "./CampaignFacts.js"

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

/** Least bids hold for a day (decision 117): by payment, kind of bid and places, where each place has one that bounds no bid of now. */
export const keeping = (campaignOf: (id: CampaignId) => Campaign | undefined): Keeping => ({
  questionOf: ({ campaignId }) => {
    const campaign = campaignId === undefined ? undefined : campaignOf(campaignId)
    const question = minimumQuestion(campaign)
    return question === undefined ? "" : `${question.payment} ${question.placements.join(" ")}`
  },
  isSure: ({ campaignId, itemId }, rows, maxBids) => {
    const campaign = campaignId === undefined ? undefined : campaignOf(campaignId)
    const item = campaign?.items.find((one) => one.itemId === itemId)
    const question = minimumQuestion(campaign)
    if (campaign === undefined || item === undefined || question === undefined) return false
    return question.placements.every((placement) => {
      const isRecommendations = placement === "recommendations"
      const fact = isRecommendations ? minimumInRecommendations : minimum
      const bid = isRecommendations ? item.recommendationsBidKopecks : CampaignFacts.mainBid(campaign, item)
      const floor = rows.map((row) => valueIn(row, fact)).find((value) => value !== undefined)
      const most = Math.min(bid ?? 0, maxBids[question.payment] ?? Number.POSITIVE_INFINITY)
      return typeof floor === "number" && floor <= most
    })
  }
})

const minimum = "campaign_item.min_bid"
const minimumInRecommendations = "campaign_item.min_bid.recommendations"

export const minimumRow = (campaignId: CampaignId, bid: MinimumBid): ReadonlyArray<FactRow> => {
  const target = { campaignId, itemId: bid.itemId }
  switch (bid.placement) {
    case "combined":
    case "search":
      return [factRow(target, { [minimum]: orAbsent(bid.bidKopecks) })]
    case "recommendations":
      return [factRow(target, { [minimumInRecommendations]: orAbsent(bid.bidKopecks) })]
    default:
      return []
  }
}

/** Advice that was not given, or was zero, is absent (field note M27). */
const recommendationRows = (
  { campaignId, itemId }: Pair,
  advice: Recommendations
): ReadonlyArray<FactRow> => {
  const pair = { campaignId, itemId }
  if (advice._tag === "Cpc") {
    const level = advice.levels[0]
    return [
      factRow(pair, {
        "campaign_item.recommended.place_1_2": orAbsent(level?.top2Kopecks),
        "campaign_item.recommended.place_3_10": orAbsent(level?.top10Kopecks),
        "campaign_item.recommended.place_11_34": orAbsent(level?.top34Kopecks)
      })
    ]
  }
  return [
    factRow(pair, {
      "campaign_item.recommended.competitive": orAbsent(advice.competitiveKopecks),
      "campaign_item.recommended.leaders": orAbsent(advice.leadersKopecks),
      "campaign_item.recommended.top2": orAbsent(advice.top2Kopecks)
    }),
    ...advice.clusters.map(
      ({ cluster, reachMaxKopecks, reachMediumKopecks, reachMinKopecks }): FactRow => ({
        target: { ...pair, cluster },
        facts: ofClusters,
        values: [orAbsent(reachMaxKopecks), orAbsent(reachMediumKopecks), orAbsent(reachMinKopecks)]
      })
    )
  ]
}

const ofClusters = ["max", "medium", "min"].map((reach) => `cluster.recommended.reach_${reach}`)

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
  const failed = (target: Subject): FactRow => ({
    target,
    facts: ofClusters,
    values: ofClusters.map(() => unknown("failed"))
  })
  const { campaignId, itemId } = pair
  return [
    ...(unread.includes(undefined) ? [failed({ campaignId, itemId })] : []),
    ...recommendationRows(pair, answer),
    ...unread.flatMap((cluster) => (cluster === undefined ? [] : [failed({ campaignId, itemId, cluster })]))
  ]
}

export const stepsRow = (steps: Steps): FactRow =>
  factRow("account", {
    "account.bid_step.cpm": orAbsent(steps.cpmStepKopecks),
    "account.bid_step.cpc": orAbsent(steps.cpcStepKopecks)
  })

export const balanceRow = (balance: Balance): FactRow =>
  factRow("account", {
    "account.balance": kopecks(balance.balanceRoubles),
    "account.balance.net": kopecks(balance.netRoubles),
    "account.balance.bonus": kopecks(balance.bonusRoubles)
  })

export const budgetRow = (budget: Budget): FactRow =>
  factRow({ campaignId: budget.campaignId }, { "campaign.budget": kopecks(budget.totalRoubles) })

const kopecks = (roubles: Money.Roubles | undefined) =>
  orAbsent(roubles === undefined ? undefined : Money.toKopecks(roubles))
