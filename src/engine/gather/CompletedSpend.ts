/**
 * What campaigns that were completed today had spent before. No rule steers them and no table has their rows, but the
 * money is gone: `spend_per_day` counts it. Deleted ones never ran (seed 001, status table: only a ready one is deleted).
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Window from "../../domain/Window.js"
import * as DailySpend from "../decide/limits/DailySpend.js"
import * as Sources from "../facts/Sources.js"
import { type CampaignList, type FactRow, FactSource, type SourceFailure } from "./FactSource.js"
import * as LeftOut from "./LeftOut.js"

export interface Read {
  readonly spent: DailySpend.Spent
  readonly failures: ReadonlyArray<SourceFailure>
}

/** Asks only about campaigns that changed today, or of which nobody says when. */
export const read = (
  completed: CampaignList["completed"],
  nowMs: number
): Effect.Effect<Read, never, FactSource> =>
  Effect.gen(function* () {
    const { fetch } = yield* FactSource
    const days = Window.resolve(DailySpend.spend.window, nowMs)
    const keys = completed
      .filter(({ changedAtMs }) => changedAtMs === undefined || Days.ofMarket(changedAtMs) >= days.from)
      .map(({ campaignId }) => ({ campaignId }))
    const { batch } = Sources.sources.campaignStats
    const answers = yield* Effect.forEach(Arr.chunksOf(keys, batch), (chunk) =>
      fetch({ source: "campaignStats", keys: chunk, days })
    )
    const failures = answers.flatMap((answer) => answer.failures)
    return {
      failures,
      spent:
        failures.length > 0 ? unread : DailySpend.sum(answers.flatMap(({ rows }) => rows.flatMap(spendOf)))
    }
  })

export const unread = "today's spend of campaigns that were completed today could not be read"

/** Campaigns that the list counts as completed and does not name: nobody can be asked what they spent. */
export const unnamed = (campaigns: number): Read => ({
  spent: `today's spend is unknown: ${LeftOut.completed(campaigns)}`,
  failures: [
    {
      operation: Sources.sources.campaignStats.operation,
      keys: campaigns,
      message: `${LeftOut.completed(campaigns)}; what they spent today cannot be read`,
      stopsAccount: false,
      reason: "failed"
    }
  ]
})

const spendOf = ({ cells, target }: FactRow) => {
  const cell = cells.get(DailySpend.spend.id)
  return cell === undefined || target === "account" ? [] : [{ campaignId: target.campaignId, cell }]
}
