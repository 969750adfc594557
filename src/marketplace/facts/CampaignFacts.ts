/** Facts of source `campaigns`: a campaign's settings, and its items with their bids. */
import type { Kopecks } from "../../domain/Money.js"
import { type Cell, unknown } from "../../engine/facts/Cell.js"
import type { FactRow } from "../../engine/run/Ports.js"
import type { Campaign, Item } from "../../services/areas/Campaigns.js"
import { orAbsent, row } from "./Answered.js"

/** One row for the campaign, one for each of its items. */
export const rows = (campaign: Campaign): ReadonlyArray<FactRow> => [
  row(
    { campaignId: campaign.campaignId },
    {
      "campaign.id": orAbsent(campaign.campaignId),
      "campaign.name": orAbsent(campaign.name),
      "campaign.status": orAbsent(campaign.status),
      "campaign.payment": orAbsent(campaign.payment),
      "campaign.bid_type": orAbsent(campaign.bidType),
      "campaign.search": orAbsent(campaign.placements.search),
      "campaign.recommendations": orAbsent(campaign.placements.recommendations)
    }
  ),
  ...campaign.items.map((item) =>
    row(
      { campaignId: campaign.campaignId, itemId: item.itemId },
      {
        "campaign_item.item.id": orAbsent(item.itemId),
        "campaign_item.item.subject": orAbsent(item.subject),
        "item.id": orAbsent(item.itemId),
        "item.subject": orAbsent(item.subject),
        "campaign_item.bid": orAbsent(mainBid(campaign, item)),
        "campaign_item.bid.recommendations": recommendationsBid(campaign, item)
      }
    )
  )
]

/**
 * The bid in search; of a standard-bid campaign its one bid, which may stand under either placement or both (field
 * note M10). Undefined when there is none: a bid of zero does not exist (M08).
 */
export const mainBid = (campaign: Campaign, item: Item): Kopecks | undefined => {
  const { searchBidKopecks: search, recommendationsBidKopecks: recommendations } = item
  if (campaign.bidType !== "unified") return positive(search)
  return (search ?? 0) >= (recommendations ?? 0) ? positive(search) : positive(recommendations)
}

const recommendationsBid = (campaign: Campaign, item: Item): Cell =>
  campaign.bidType === "unified"
    ? unknown("notApplicable")
    : orAbsent(positive(item.recommendationsBidKopecks))

const positive = (bid: Kopecks | undefined): Kopecks | undefined =>
  bid === undefined || bid <= 0 ? undefined : bid
