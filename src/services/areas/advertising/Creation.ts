/** Floors of the bids of campaigns (seed 001, "Creating campaigns"). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type CampaignId, ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Creation.js"
import type { Client } from "../../MarketplaceClient.js"
import * as OddEntries from "../../OddEntries.js"
import * as Amounts from "../Amounts.js"

export type Payment = "cpm" | "cpc"
export type Placement = "combined" | "search" | "recommendations"

/** The least bid of an item at one placement; undefined when the marketplace did not name a value. */
export interface MinimumBid {
  readonly itemId: ItemId
  /** In the words used everywhere else: `recommendations`, not `recommendation` (field note M05). */
  readonly placement: Placement | (string & {}) | undefined
  readonly bidKopecks: Money.Kopecks | undefined
}

export const make = ({ api }: Client) => ({
  /** Floors of any number of items of one campaign. */
  minimumBids: (
    campaignId: CampaignId,
    items: ReadonlyArray<ItemId>,
    payment: Payment,
    placements: ReadonlyArray<Placement>
  ): Effect.Effect<Batches.Batched<ItemId, MinimumBid>> =>
    Batches.run(items, 100, (chunk) =>
      OddEntries.apart(
        api.campaignCreation.getMinimumBids({
          payload: {
            advert_id: campaignId,
            nm_ids: chunk,
            payment_type: payment,
            placement_types: placements.map((placement) =>
              placement === "recommendations" ? "recommendation" : placement
            )
          }
        })
      ).pipe(
        Effect.map(({ answer, odd }) => {
          const read = OddEntries.parted({
            operation: "getMinimumBids",
            asked: chunk,
            nameOf: Number,
            rows: answer.bids,
            keyOf: (row) => row.nm_id,
            odd,
            whose: OddEntries.named(Schema.Struct({ nm_id: ItemId }), (row) => row.nm_id)
          })
          return [{ values: read.values.flatMap(floors), failures: read.failures }]
        })
      )
    ).pipe(Effect.map(Batches.flat))
})

const floors = (item: typeof Wire.ItemFloors.Type): ReadonlyArray<MinimumBid> =>
  item.bids.map(({ type, value }) => ({
    itemId: item.nm_id,
    placement: type === "recommendation" ? "recommendations" : type,
    bidKopecks: Amounts.minor(value)
  }))
