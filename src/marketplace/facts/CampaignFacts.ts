/** Facts of source `campaigns`: a campaign's settings, and its items with their bids. */
import type { Kopecks } from "../../domain/Money.js"
import { type Given, unknown } from "../../engine/facts/Cell.js"
import { type FactRow, factRow } from "../../engine/gather/FactSource.js"
import type { Campaign, Item } from "../../services/areas/advertising/Campaigns.js"
import { orAbsent } from "./Answered.js"

/** One row for the campaign, one for each of its items; `nowMs` is when it was read. */
export const rows = (campaign: Campaign, nowMs: number): ReadonlyArray<FactRow> => [
  factRow(
    { campaignId: campaign.campaignId },
    {
      "campaign.id": orAbsent(campaign.campaignId),
      "campaign.name": orAbsent(campaign.name),
      "campaign.age": age(campaign.createdAt, nowMs),
      "campaign.status": orAbsent(campaign.status),
      "campaign.payment": orAbsent(campaign.payment),
      "campaign.bid_type": orAbsent(campaign.bidType),
      "campaign.search": orAbsent(campaign.placements.search),
      "campaign.recommendations": orAbsent(campaign.placements.recommendations)
    }
  ),
  ...campaign.items.map(
    (item): FactRow => ({
      target: { campaignId: campaign.campaignId, itemId: item.itemId },
      facts: ofItem,
      values: [
        orAbsent(item.itemId),
        orAbsent(item.subject),
        orAbsent(item.itemId),
        orAbsent(item.subject),
        orAbsent(mainBid(campaign, item)),
        recommendationsBid(campaign, item)
      ]
    })
  )
]

const ofItem = [
  "campaign_item.item.id",
  "campaign_item.item.subject",
  "item.id",
  "item.subject",
  "campaign_item.bid",
  "campaign_item.bid.recommendations"
]

/**
 * Milliseconds since the campaign was created (seed 001, `timestamps`). `started` is null before the first start, and
 * nobody says whether a later start moves it, so age is counted from the creation. An instant without its offset, or one
 * to come, is not believed.
 */
const age = (createdAt: string | undefined, nowMs: number): Given => {
  if (createdAt === undefined) return unknown("absent")
  const createdMs = /T.*(Z|[+-]\d\d:?\d\d)$/.test(createdAt) ? Date.parse(createdAt) : Number.NaN
  return createdMs <= nowMs ? nowMs - createdMs : unknown("failed")
}

/**
 * The bid in search; of a standard-bid campaign its one bid, which may stand under either placement or both (field
 * note M10). Undefined when there is none: a bid of zero does not exist (M08).
 */
export const mainBid = (campaign: Campaign, item: Item): Kopecks | undefined => {
  const { searchBidKopecks: search, recommendationsBidKopecks: recommendations } = item
  if (campaign.bidType !== "unified") return positive(search)
  return (search ?? 0) >= (recommendations ?? 0) ? positive(search) : positive(recommendations)
}

const recommendationsBid = (campaign: Campaign, item: Item): Given =>
  campaign.bidType === "unified"
    ? unknown("notApplicable")
    : orAbsent(positive(item.recommendationsBidKopecks))

const positive = (bid: Kopecks | undefined): Kopecks | undefined =>
  bid === undefined || bid <= 0 ? undefined : bid
