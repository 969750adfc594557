/** Statistics of campaigns and clusters (seed 001, "Statistics"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { CampaignId, Cluster } from "../../domain/Ids.js"
import type * as Money from "../../domain/Money.js"
import { key, type Pair } from "../../domain/Target.js"
import * as Batches from "../Batches.js"
import type { Client } from "../MarketplaceClient.js"
import { type CallError, local, Refused, Undecodable } from "../MarketplaceError.js"
import * as PairReads from "../PairReads.js"
import * as Amounts from "./Amounts.js"
import * as CampaignStatistics from "./CampaignStatistics.js"

/** Numbers of one cluster. `views`, `ctr` and `cpm` do not exist for cpc campaigns (field note M20). */
export interface ClusterNumbers {
  readonly cluster: Cluster
  readonly views: number | undefined
  readonly clicks: number | undefined
  /** Percent, as the marketplace computed it. */
  readonly ctr: number | undefined
  readonly cpcKopecks: Money.Kopecks | undefined
  readonly cpmKopecks: Money.Kopecks | undefined
  readonly spendKopecks: Money.Kopecks | undefined
  readonly carts: number | undefined
  readonly orders: number | undefined
  /** Ordered units. */
  readonly units: number | undefined
  /** Average position of the ad. */
  readonly position: number | undefined
  readonly currency: string | undefined
}

/** Clusters of one pair over the whole period. */
export interface PairNumbers extends Pair {
  readonly clusters: ReadonlyArray<ClusterNumbers>
}

/** Clusters of one pair by day, several a day (field note M40). */
export interface PairDays extends Pair {
  readonly rows: ReadonlyArray<ClusterNumbers & { readonly day: Days.Day }>
}

/** Longest period of cluster statistics; the live bound is a day shorter than the stated one (M20). */
export const longestClusterDays = 30

export const make = ({ api, refusedCampaigns, tokenKind }: Client) => ({
  /** Every pair of a chunk that was answered is among the values, without clusters if it has none. */
  clusters: (
    pairs: ReadonlyArray<Pair>,
    days: Days.DayRange
  ): Effect.Effect<Batches.Batched<Pair, PairNumbers>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getClusterStats",
      pairs,
      (chunk) =>
        within(days, longestClusterDays, "getClusterStats").pipe(
          Effect.andThen(
            api.statistics.getClusterStats({
              payload: {
                ...days,
                items: chunk.map((pair) => ({ advert_id: pair.campaignId, nm_id: pair.itemId }))
              }
            })
          ),
          Effect.map(({ stats }) => {
            const found = new Map(
              stats.map((row) => [key({ campaignId: row.advert_id, itemId: row.nm_id }), row.stats])
            )
            return chunk.map((pair) => ({
              campaignId: pair.campaignId,
              itemId: pair.itemId,
              clusters: (found.get(key(pair)) ?? []).map((row) => numbers(row.norm_query, row.avg_pos, row))
            }))
          })
        ),
      { concurrency: 4, halvings: 2 }
    ),

  /** As `clusters`, by day. */
  clustersDaily: (
    pairs: ReadonlyArray<Pair>,
    days: Days.DayRange
  ): Effect.Effect<Batches.Batched<Pair, PairDays>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getClusterDailyStats",
      pairs,
      (chunk) =>
        within(days, longestClusterDays, "getClusterDailyStats").pipe(
          Effect.andThen(
            api.statistics.getClusterDailyStats({
              payload: {
                ...days,
                items: chunk.map((pair) => ({ advertId: pair.campaignId, nmId: pair.itemId }))
              }
            })
          ),
          Effect.map(({ items }) => {
            const found = new Map(
              items.map((row) => [key({ campaignId: row.advertId, itemId: row.nmId }), row.dailyStats])
            )
            return chunk.map((pair) => ({
              campaignId: pair.campaignId,
              itemId: pair.itemId,
              rows: (found.get(key(pair)) ?? []).flatMap(({ date, stat }) => {
                const day = dayOf(date)
                return day === undefined || stat === undefined
                  ? []
                  : [{ day, ...numbers(stat.normQuery, stat.avgPos, stat) }]
              })
            }))
          })
        ),
      { concurrency: 4, halvings: 2 }
    ),

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
            Effect.andThen(CampaignStatistics.fetch(api, chunk, days))
          ),
        { halvings: 2 }
      ),
      withoutParts
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

/** The day of a date with or without time; days are Moscow days, however they are written (M23). */
const dayOf = (text: string | undefined): Days.Day | undefined =>
  text !== undefined && Days.Day.is(text.slice(0, 10)) ? Days.Day(text.slice(0, 10)) : undefined

interface WireNumbers {
  readonly views?: number | undefined
  readonly clicks?: number | undefined
  readonly ctr?: number | undefined
  readonly cpc?: number | undefined
  readonly cpm?: number | undefined
  readonly atbs?: number | undefined
  readonly orders?: number | undefined
  readonly shks?: number | undefined
  readonly spend?: number | undefined
  readonly currency?: string | undefined
}

const numbers = (cluster: Cluster, position: number | undefined, wire: WireNumbers): ClusterNumbers => ({
  cluster,
  views: wire.views,
  clicks: wire.clicks,
  ctr: wire.ctr,
  cpcKopecks: Amounts.decimal(wire.cpc),
  cpmKopecks: Amounts.decimal(wire.cpm),
  spendKopecks: Amounts.decimal(wire.spend),
  carts: wire.atbs,
  orders: wire.orders,
  units: wire.shks,
  position,
  currency: wire.currency
})
