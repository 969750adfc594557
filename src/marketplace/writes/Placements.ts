/** Where campaigns are shown: one campaign a request, since one bad row refuses the whole request (field note M06). */
import * as Effect from "effect/Effect"
import type { WriteBatch } from "../../engine/door/Writer.js"
import type { Change } from "../../engine/kinds/Change.js"
import type * as Management from "../../services/areas/advertising/Management.js"
import * as Outcomes from "./Outcomes.js"

export const batches = (
  management: ReturnType<typeof Management.make>,
  changes: ReadonlyArray<Change>
): ReadonlyArray<WriteBatch> =>
  changes.map((change) => {
    const places = String(change.after).split(", ")
    const row: Management.PlacementsChange = {
      campaignId: change.subject.campaignId,
      search: places.includes("search"),
      recommendations: places.includes("recommendations")
    }
    return Outcomes.batch(
      "setCampaignPlacements",
      [change],
      row,
      Effect.map(management.setPlacements([row]), ({ failures }) =>
        Outcomes.forAll(
          [change],
          failures[0] === undefined ? Outcomes.accepted : Outcomes.ofError(failures[0].error)
        )
      )
    )
  })
