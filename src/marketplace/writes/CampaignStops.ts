/** Stopping campaigns for good: one campaign a request. */
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
    const { campaignId } = change.subject
    return Outcomes.batch(
      "stopCampaign",
      [change],
      { id: campaignId },
      management.stop(campaignId).pipe(
        Effect.as(Outcomes.accepted),
        Effect.catchAll((error) => Effect.succeed(Outcomes.ofError(error))),
        Effect.map((outcome) => Outcomes.forAll([change], outcome))
      )
    )
  })
