/** Budgets of a few campaigns, for a question that no rule asks. */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import { FactSource } from "./Ports.js"

/** One call per campaign; more wait for the next run. */
const most = 50

/** Kopecks by campaign; those that could not be read are left out. */
export const read = (
  campaigns: ReadonlyArray<CampaignId>
): Effect.Effect<ReadonlyMap<CampaignId, number>, never, FactSource> =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const found = new Map<CampaignId, number>()
    for (const campaignId of campaigns.slice(0, most)) {
      const { rows } = yield* source.fetch({ source: "budgets", keys: [{ campaignId }] })
      const cell = rows[0]?.cells.get("campaign.budget")
      if (cell?._tag === "Known") found.set(campaignId, Number(cell.value))
    }
    return found
  })
