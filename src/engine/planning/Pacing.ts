/** Curves of spend through the day in a run: read where a policy asks for them, and learned from what the run read. */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as DailySpend from "../decide/limits/DailySpend.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as SpendCurve from "../facts/SpendCurve.js"
import type { Table } from "../facts/Table.js"
import { factKey } from "../facts/Table.js"
import type { SlotHistory } from "../kinds/SlotHistory.js"
import * as Status from "../kinds/Status.js"
import type { Policy } from "../language/Policy.js"
import { RuleMemory } from "./RuleMemory.js"

/** What is remembered of each campaign, and the curves at the instant of the run. */
export interface Learned {
  readonly watched: ReadonlyMap<CampaignId, SpendCurve.Watched>
  readonly curves: SpendCurve.Curves
}

/** Undefined where none of the policies asks for it: then nothing is read, and nothing kept. */
export const read = (
  account: string,
  policies: ReadonlyArray<Policy>,
  nowMs: number
): Effect.Effect<Learned | undefined, StoreFailure, RuleMemory> =>
  Effect.gen(function* () {
    const isAsked = policies.some(
      (policy) =>
        policy.mode !== "disabled" && FactRefs.ofPolicy(policy).some(({ id }) => id === SpendCurve.fact)
    )
    if (!isAsked) return undefined
    const watched = yield* (yield* RuleMemory).spendCurves(account)
    return { watched, curves: SpendCurve.curves(watched, nowMs) }
  })

/** What to keep after a run that read these campaigns. */
export const learned = (
  { watched }: Learned,
  campaigns: Table,
  slots: ReadonlyMap<string, SlotHistory>,
  nowMs: number
): ReadonlyArray<SpendCurve.Watched> =>
  SpendCurve.learn(
    watched,
    campaigns.rows.flatMap(({ campaignId }, row) =>
      campaignId === undefined ? [] : readingsOf(campaigns, row, campaignId, slots)
    ),
    nowMs
  )

/** A campaign that stands still reports no spend at all for a new day: that is 0. What could not be read is no reading. */
const readingsOf = (
  campaigns: Table,
  row: number,
  campaignId: CampaignId,
  slots: ReadonlyMap<string, SlotHistory>
): ReadonlyArray<SpendCurve.Reading> => {
  const status = campaigns.get(row, "campaign.status")
  const spend = campaigns.get(row, factKey(DailySpend.spend))
  if (status._tag === "Unknown" || (spend._tag === "Unknown" && spend.reason !== "absent")) return []
  const spendKopecks = spend._tag === "Unknown" ? 0 : spend.value
  if (typeof spendKopecks !== "number") return []
  const history = slots.get(Status.slot({ campaignId }))
  return [
    {
      campaignId,
      spendKopecks,
      isActive: status.value === "active",
      changedAtMs: latest([history?.lastAppliedAt, history?.lastWritten?.at, history?.pendingSince])
    }
  ]
}

const latest = (moments: ReadonlyArray<number | undefined>): number | undefined => {
  const known = moments.filter((at) => at !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
