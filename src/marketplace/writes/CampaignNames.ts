/** Names of campaigns: one campaign a request. */
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
    const name = String(change.after)
    return Outcomes.batch(
      "renameCampaign",
      [change],
      { advertId: campaignId, name },
      management.rename(campaignId, name).pipe(
        Effect.as(Outcomes.accepted),
        Effect.catchAll((error) => Effect.succeed(Outcomes.ofError(error))),
        Effect.map((outcome) => Outcomes.forAll([change], outcome))
      )
    )
  })
