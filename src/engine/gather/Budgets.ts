/** Budgets of a few campaigns, for a question that no rule asks. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import type { CampaignId } from "../../domain/Ids.js"
import * as TextOrder from "../../domain/TextOrder.js"
import { FactSource, valueIn } from "./FactSource.js"

/** One call per campaign; more wait for a later run, whose turn falls on others. */
const mostInARun = 50

/** Those that ran out of money are doubtful in every run, and must not keep the others from being asked. */
const drawn = (
  campaigns: ReadonlyArray<CampaignId>,
  most: number,
  nowMs: number
): ReadonlyArray<CampaignId> =>
  campaigns
    .map((campaignId) => ({ campaignId, lot: Hash.of([nowMs, campaignId]) }))
    .sort(TextOrder.by(({ lot }) => lot))
    .slice(0, most)
    .map(({ campaignId }) => campaignId)

/** Kopecks by campaign, each asked for once; those that could not be read are left out. `most`: unless there is a later run. */
export const read = (
  asked: ReadonlyArray<CampaignId>,
  most = mostInARun
): Effect.Effect<ReadonlyMap<CampaignId, number>, never, FactSource> =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const campaigns = [...new Set(asked)]
    const found = new Map<CampaignId, number>()
    const nowMs = yield* Clock.currentTimeMillis
    for (const campaignId of campaigns.length <= most ? campaigns : drawn(campaigns, most, nowMs)) {
      const { rows } = yield* source.fetch({ source: "budgets", keys: [{ campaignId }] })
      const budget = rows[0] === undefined ? undefined : valueIn(rows[0], "campaign.budget")
      if (typeof budget === "number") found.set(campaignId, budget)
    }
    return found
  })
