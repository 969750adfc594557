/** Statistics of campaigns and clusters (seed 001, "Statistics"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import type { Pair } from "../../../domain/Target.js"
import * as Batches from "../../Batches.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused, Undecodable } from "../../MarketplaceError.js"
import * as OddEntries from "../../OddEntries.js"
import * as PairReads from "../../PairReads.js"
import * as CampaignStatistics from "./CampaignStatistics.js"
import * as PairRows from "./PairRows.js"
import * as PairStatistics from "./PairStatistics.js"

/** Longest period of cluster statistics; the live bound is a day shorter than the stated one (M20). */
export const longestClusterDays = 30

export const make = ({ api, refusedCampaigns, tokenKind }: Client) => ({
  /** Every pair of a chunk that was answered is among the values, without clusters if it has none. */
  clusters: (
    pairs: ReadonlyArray<Pair>,
    days: Days.DayRange
  ): Effect.Effect<Batches.Batched<Pair, PairStatistics.PairNumbers>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getClusterStats",
      pairs,
      (chunk) =>
        within(days, longestClusterDays, "getClusterStats").pipe(
          Effect.andThen(
            OddEntries.apart(
              api.statistics.getClusterStats({ payload: { ...days, items: chunk.map(PairRows.snake) } })
            )
          ),
          Effect.map((told) => [PairStatistics.clustersOf(chunk, told)])
        ),
      { concurrency: 4, halvings: 2 }
    ).pipe(Effect.map(Batches.flat)),

  /** As `clusters`, by day. */
  clustersDaily: (
    pairs: ReadonlyArray<Pair>,
    days: Days.DayRange
  ): Effect.Effect<Batches.Batched<Pair, PairStatistics.PairDays>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getClusterDailyStats",
      pairs,
      (chunk) =>
        within(days, longestClusterDays, "getClusterDailyStats").pipe(
          Effect.andThen(
            OddEntries.apart(
              api.statistics.getClusterDailyStats({ payload: { ...days, items: chunk.map(PairRows.camel) } })
            )
          ),
          Effect.map((told) => [PairStatistics.daysOf(chunk, told)])
        ),
      { concurrency: 4, halvings: 2 }
    ).pipe(Effect.map(Batches.flat)),

  /**
   * Every id of a chunk that was answered is among the values; `reported` false is the marketplace having no data for
   * it. Campaigns in the states 7, 9 and 11 have statistics. A campaign of which the answer leaves days out is a failure.
   */
  campaigns: (
    ids: ReadonlyArray<CampaignId>,
    days: Days.DayRange
  ): Effect.Effect<Batches.Batched<CampaignId, CampaignStatistics.CampaignNumbers>> =>
    Effect.map(
      Batches.run(
        ids,
        50,
        (chunk) =>
          within(days, 31, "getCampaignStats").pipe(
            Effect.andThen(CampaignStatistics.fetch(api, chunk, days)),
            Effect.map((read) => [read])
          ),
        { halvings: 2 }
      ),
      (answered) => withoutParts(Batches.flat(answered))
    )
})

/** What the answer itself shows to be a part is not known; a part taken for the whole would be acted on. */
const withoutParts = ({
  failures,
  values
}: Batches.Batched<CampaignId, CampaignStatistics.CampaignNumbers>): Batches.Batched<
  CampaignId,
  CampaignStatistics.CampaignNumbers
> => {
  const [whole, parts] = Arr.partition(values, ({ isPart }) => isPart)
  const keys = parts.map(({ campaignId }) => campaignId)
  return keys.length === 0
    ? { failures, values }
    : { values: whole, failures: [...failures, { keys, error: partOnly(keys) }] }
}

const partOnly = (ids: ReadonlyArray<CampaignId>): CallError =>
  new Undecodable({
    operation: "getCampaignStats",
    status: 200,
    text: `the days of ${ids.length === 1 ? "campaign" : "campaigns"} ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? " and others" : ""} add up to less than the answer states in all, so some were left out`,
    retryAfterMs: undefined,
    arrived: "yes"
  })

const within = (days: Days.DayRange, most: number, operation: string): Effect.Effect<void, Refused> => {
  const length = Days.length(days)
  return length >= 1 && length <= most
    ? Effect.void
    : Effect.fail(new Refused(local(operation, `${length} days asked; 1 to ${most} are allowed`)))
}
