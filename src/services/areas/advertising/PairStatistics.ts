/** Statistics of pairs, by cluster, out of an answer in which entries of pairs and of clusters may be odd. */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Days from "../../../domain/Days.js"
import { Cluster } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import { key, type Pair } from "../../../domain/Target.js"
import type { Batched } from "../../Batches.js"
import type * as Wire from "../../endpoints/Statistics.js"
import * as OddEntries from "../../OddEntries.js"
import * as PairReads from "../../PairReads.js"
import * as Amounts from "../Amounts.js"
import * as PairRows from "./PairRows.js"

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

/**
 * Clusters of one pair over the whole period. `unread`: clusters whose entries could not be read, undefined for one of
 * which not even the name can be.
 */
export interface PairNumbers extends Pair {
  readonly clusters: ReadonlyArray<ClusterNumbers>
  readonly unread: ReadonlyArray<Cluster | undefined>
}

/** Clusters of one pair by day, several a day (field note M40). */
export interface PairDays extends Pair {
  readonly rows: ReadonlyArray<ClusterNumbers & { readonly day: Days.Day }>
}

type Told<A> = OddEntries.Told<A>

export const clustersOf = (
  asked: ReadonlyArray<Pair>,
  { answer, odd }: Told<{ readonly stats: ReadonlyArray<typeof Wire.PairStats.Type> }>
): Batched<Pair, PairNumbers> => {
  const operation = "getClusterStats"
  const [ofPairs, ofClusters] = Arr.partition(odd, ({ inside }) => inside !== undefined)
  const keyOf = PairRows.pairOfSnake
  const read = PairReads.parted(operation, asked, answer.stats, keyOf, ofPairs, PairRows.snakeOwner)
  const found = new Map(read.rows.map((row) => [key(keyOf(row)), row.stats]))
  const unread = Arr.groupBy(ofClusters, ownerOf)
  return {
    values: read.pairs.map(({ campaignId, itemId }) => {
      const pair = key({ campaignId, itemId })
      return {
        campaignId,
        itemId,
        clusters: (found.get(pair) ?? []).map((row) => numbers(row.norm_query, row.avg_pos, row)),
        unread: (unread[pair] ?? []).map((entry) => Option.getOrUndefined(clusterOf(entry)))
      }
    }),
    failures:
      ofClusters.length === 0
        ? read.failures
        : [...read.failures, { keys: [], error: OddEntries.error(operation, ofClusters) }]
  }
}

/** The pair that a cluster's entry lies in; an entry without one is odd itself. */
const ownerOf = ({ inside }: OddEntries.OddEntry): string =>
  Option.match(PairRows.snakeOwner({ raw: inside }), { onNone: () => "", onSome: key })

const clusterOf = OddEntries.named(Schema.Struct({ norm_query: Cluster }), (row) => row.norm_query)

export const daysOf = (
  asked: ReadonlyArray<Pair>,
  { answer, odd }: Told<{ readonly items: ReadonlyArray<typeof Wire.PairDays.Type> }>
): Batched<Pair, PairDays> => {
  const keyOf = PairRows.pairOfCamel
  const read = PairReads.parted("getClusterDailyStats", asked, answer.items, keyOf, odd, PairRows.camelOwner)
  const found = new Map(read.rows.map((row) => [key(keyOf(row)), row.dailyStats]))
  return {
    values: read.pairs.map(({ campaignId, itemId }) => ({
      campaignId,
      itemId,
      rows: (found.get(key({ campaignId, itemId })) ?? []).flatMap(({ date, stat }) => {
        const day = dayOf(date)
        return day === undefined || stat === undefined
          ? []
          : [{ day, ...numbers(stat.normQuery, stat.avgPos, stat) }]
      })
    })),
    failures: read.failures
  }
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
