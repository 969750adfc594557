/** Bids of items: one campaign a request, because a request is all or nothing (field note M06). */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Money from "../../domain/Money.js"
import type { WriteBatch } from "../../engine/door/Writer.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { Change } from "../../engine/kinds/Change.js"
import type * as Management from "../../services/areas/advertising/Management.js"
import * as Outcomes from "./Outcomes.js"

export const batches = (
  management: ReturnType<typeof Management.make>,
  changes: ReadonlyArray<Change>
): ReadonlyArray<WriteBatch> =>
  Object.values(Arr.groupBy(changes, (change) => `${change.subject.campaignId}`))
    .flatMap((ofCampaign) => Arr.chunksOf(ofCampaign, 50))
    .map((chunk) => {
      const bids = chunk.flatMap(bidOf)
      return Outcomes.batch(
        "setItemBids",
        chunk,
        bids,
        Effect.map(management.setItemBids(bids), ({ failures }) =>
          Outcomes.forAll(
            chunk,
            failures[0] === undefined ? Outcomes.accepted : Outcomes.ofError(failures[0].error)
          )
        )
      )
    })

const bidOf = (change: Change): ReadonlyArray<Management.ItemBid> => {
  const { after, subject: target } = change
  const { placement } = Bids.detailsOf(change)
  const { campaignId, itemId } = target
  return itemId === undefined || placement === undefined || typeof after !== "number"
    ? []
    : [{ campaignId, itemId, placement, bidKopecks: Money.Kopecks(after) }]
}
