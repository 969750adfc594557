/** Statistics of campaigns and clusters (seed 001, "Statistics"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Days from "../../../domain/Days.js"
import * as Groups from "../../../domain/Groups.js"
import { CampaignId, Cluster, type ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import { key, type Pair } from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Batched } from "../../Batches.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Statistics.js"
import { isNoRoom } from "../../Limiter.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused, Undecodable } from "../../MarketplaceError.js"
import * as OddEntries from "../../OddEntries.js"
import * as PairReads from "../../PairReads.js"
import * as PlainBytes from "../../PlainBytes.js"
import * as Amounts from "../Amounts.js"
import * as PairRows from "./PairRows.js"

/** Longest period of cluster statistics; the live bound is a day shorter than the stated one (M20). */
const longestClusterDays = 30

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
            OddEntries.apart(
              api.statistics.getClusterStats({ payload: { ...days, items: chunk.map(PairRows.snake) } })
            ).pipe(PlainBytes.without(besideNumbers))
          ),
          Effect.map((told) => [clustersOf(chunk, told)])
        ),
      { concurrency: 4, halvings: 2 }
    ).pipe(Effect.map(Batches.flat)),

  /**
   * Every id of a chunk that was answered is among the values; `reported` false is the marketplace having no data for
   * it. Campaigns in the states 7, 9 and 11 have statistics. A campaign of which the answer leaves days out is a failure.
   * Who `mayHaveSome` and is left out among others is asked about once more (M21).
   */
  campaigns: (
    ids: ReadonlyArray<CampaignId>,
    days: Days.DayRange,
    mayHaveSome: (id: CampaignId) => boolean = () => true
  ): Effect.Effect<Batches.Batched<CampaignId, CampaignNumbers>> =>
    Effect.map(
      Batches.run(
        ids,
        50,
        (chunk) =>
          within(days, 31, "getCampaignStats").pipe(
            Effect.andThen(fetch(api, chunk, days)),
            // With one call an hour a second one would cost more than what it may find.
            Effect.flatMap((read) =>
              tokenKind === "base" ? Effect.succeed(read) : askedAgain(api, read, days, mayHaveSome)
            ),
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
}: Batches.Batched<CampaignId, CampaignNumbers>): Batches.Batched<CampaignId, CampaignNumbers> => {
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

// Full statistics of campaigns, per campaign and per item. Sums are made here from the entries of each (day, app,
// item), counted once (field note M23), and only of the days asked for.

/** Sums over the period; undefined when the marketplace named none of them, or left one out: half a sum is none. */
export interface Totals {
  readonly views: number | undefined
  readonly clicks: number | undefined
  readonly carts: number | undefined
  /** Orders of the advertised item after the click. */
  readonly orders: number | undefined
  /** Orders of other items after the click: entries without views (field note M24). */
  readonly associatedOrders: number | undefined
  /** Ordered units. */
  readonly units: number | undefined
  readonly canceled: number | undefined
  readonly spendKopecks: Money.Kopecks | undefined
  readonly orderValueKopecks: Money.Kopecks | undefined
}

export interface CampaignNumbers {
  readonly campaignId: CampaignId
  /** False: the marketplace has no data for this campaign and period; nothing is known, not zero. */
  readonly reported: boolean
  /** The days are far less than the sum the answer itself states: some of them were left out. */
  readonly isPart: boolean
  readonly totals: Totals
  readonly items: ReadonlyArray<{ readonly itemId: ItemId; readonly totals: Totals }>
  /** The same by day, ascending; a day that the marketplace does not name is not there. */
  readonly days: ReadonlyArray<{ readonly day: Days.Day; readonly totals: Totals }>
}

/**
 * One call for at most 50 ids. The four faces of "no data" (M21) all answer `reported: false`. A campaign whose entry
 * cannot be read, or may be it, is a failure: half a sum is none.
 */
const fetch = (
  api: Client["api"],
  ids: ReadonlyArray<CampaignId>,
  days: Days.DayRange
): Effect.Effect<Batched<CampaignId, CampaignNumbers>, CallError> =>
  api.statistics
    .getCampaignStats({
      // One day alone may be refused, so the day before is asked with it and left out of the sums (M22).
      urlParams: {
        ids,
        beginDate: days.from === days.to ? Days.shift(days.from, -1) : days.from,
        endDate: days.to
      }
    })
    .pipe(
      Effect.catchTag("Refused", (error) => (saysNoData(error) ? Effect.succeed([]) : Effect.fail(error))),
      OddEntries.apart,
      Effect.map(({ answer, odd }) => {
        const found = new Map(
          answer.flatMap((row) => (row.advertId === undefined ? [] : [[row.advertId, row] as const]))
        )
        const { failures } = OddEntries.parted({
          operation: "getCampaignStats",
          asked: ids,
          nameOf: Number,
          rows: [...found.keys()],
          keyOf: (id) => id,
          odd,
          whose: OddEntries.named(Schema.Struct({ advertId: CampaignId }), ({ advertId }) => advertId)
        })
        const lost = new Set(failures.flatMap(({ keys }) => keys))
        const read = ids.filter((id) => !lost.has(id))
        return { values: read.map((id) => summed(id, found.get(id), days)), failures }
      })
    )

/**
 * The marketplace leaves ids out without a word, and what is left out has spent nothing to whoever sums; so they are
 * asked about by themselves before that is believed. A second look that fails leaves them unread.
 */
const askedAgain = (
  api: Client["api"],
  first: Batched<CampaignId, CampaignNumbers>,
  days: Days.DayRange,
  mayHaveSome: (id: CampaignId) => boolean
): Effect.Effect<Batched<CampaignId, CampaignNumbers>, CallError> => {
  const doubted = first.values
    .filter(({ campaignId, reported }) => !reported && mayHaveSome(campaignId))
    .map(({ campaignId }) => campaignId)
  if (doubted.length === 0 || first.values.length === 1) return Effect.succeed(first)
  return fetch(api, doubted, days).pipe(
    Effect.catchAll((error) =>
      Batches.stopsAll(error) && !isNoRoom(error)
        ? Effect.fail(error)
        : Effect.succeed({ values: [], failures: [{ keys: doubted, error }] })
    ),
    Effect.map(({ failures, values }) => {
      const second = new Map(values.map((one) => [one.campaignId, one]))
      const unread = new Set(failures.flatMap(({ keys }) => keys))
      return {
        values: first.values.flatMap((one) =>
          unread.has(one.campaignId) ? [] : [second.get(one.campaignId) ?? one]
        ),
        failures: [...first.failures, ...failures]
      }
    })
  )
}

type Row = typeof Wire.CampaignStats.Type
type Entry = Pick<Row, "views" | "clicks" | "atbs" | "orders" | "shks" | "canceled" | "sum" | "sum_price">

/** Whole words, next to each other: "cannot parse request data" is a refusal, and no news of any campaign. */
const saysNoData = (error: { readonly status: number | undefined; readonly text: string }): boolean =>
  error.status === 400 &&
  /(?<!\p{L})(no|without|нет|отсутств\p{L}+)\s+(\p{L}+\s+)?(statistic|stats|data(?!\p{L})|статистик|данны)/iu.test(
    error.text
  )

const summed = (campaignId: CampaignId, row: Row | undefined, days: Days.DayRange): CampaignNumbers => {
  if (row === undefined)
    return { campaignId, reported: false, isPart: false, totals: sum([]), items: [], days: [] }
  const seen = new Set<string>()
  const byItem = new Map<ItemId, Arr.NonEmptyArray<Entry>>()
  const byDay = new Map<Days.Day, Arr.NonEmptyArray<Entry>>()
  for (const day of row.days) {
    const date = day.date?.slice(0, 10) ?? ""
    if (date < days.from || date > days.to || !Days.Day.is(date)) continue
    for (const app of day.apps) {
      for (const entry of app.nms) {
        const id = `${date} ${app.appType} ${entry.nmId}`
        if (entry.nmId === undefined || seen.has(id)) continue
        seen.add(id)
        Groups.add(byDay, date, entry)
        Groups.add(byItem, entry.nmId, entry)
      }
    }
  }
  return {
    campaignId,
    reported: true,
    isPart: isPart(row),
    totals: sum([...byItem.values()].flat()),
    items: [...byItem]
      .sort(([a], [b]) => a - b)
      .map(([itemId, entries]) => ({ itemId, totals: sum(entries) })),
    days: [...byDay].sort(TextOrder.byKey).map(([day, entries]) => ({ day, totals: sum(entries) }))
  }
}

/** By views, of every day and item that is named; an entry that is repeated counts, as it may in the stated sum. */
const isPart = ({ days, views }: Row): boolean => {
  const entries = days.flatMap(({ apps, date }) => (date === undefined ? [] : apps.flatMap(({ nms }) => nms)))
  const told = entries.flatMap((entry) => (entry.nmId === undefined ? [] : [entry.views]))
  if (views === undefined || told.includes(undefined)) return false
  return told.reduce<number>((total, one) => total + (one ?? 0), 0) < views * leastPart
}

/** Above it the sums are still fit to decide on. */
const leastPart = 0.95

const sum = (entries: ReadonlyArray<Entry>): Totals => {
  const associated = (entry: Entry) => entry.views === 0 && (entry.orders ?? 0) > 0
  const direct = entries.filter((entry) => !associated(entry))
  const other = entries.filter(associated)
  return {
    views: add(direct, (entry) => entry.views),
    clicks: add(direct, (entry) => entry.clicks),
    carts: add(direct, (entry) => entry.atbs),
    orders: add(direct, (entry) => entry.orders),
    associatedOrders:
      direct.length === 0 && other.length === 0 ? undefined : (add(other, (e) => e.orders) ?? 0),
    units: add(direct, (entry) => entry.shks),
    canceled: add(direct, (entry) => entry.canceled),
    spendKopecks: addMoney(entries, (entry) => entry.sum),
    orderValueKopecks: addMoney(direct, (entry) => entry.sum_price)
  }
}

const add = (entries: ReadonlyArray<Entry>, of: (entry: Entry) => number | undefined): number | undefined => {
  let total: number | undefined
  for (const entry of entries) {
    const value = of(entry)
    if (value === undefined) return undefined
    total = (total ?? 0) + value
  }
  return total
}

const addMoney = (
  entries: ReadonlyArray<Entry>,
  of: (entry: Entry) => number | undefined
): Money.Kopecks | undefined => Amounts.total(add(entries, (entry) => Amounts.decimal(of(entry))))

// Statistics of pairs, by cluster, out of an answer in which entries of pairs and of clusters may be odd.

/**
 * Clusters of one pair over the whole period. `unread`: clusters whose entries could not be read, undefined for one of
 * which not even the name can be.
 */
export interface PairNumbers extends Pair {
  readonly clusters: ReadonlyArray<ClusterNumbers>
  readonly unread: ReadonlyArray<Cluster | undefined>
}

type Told<A> = OddEntries.Told<A>

const clustersOf = (
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
        clusters: (found.get(pair) ?? []).map(numbers),
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

/** Numbers of one cluster. `views` do not exist for cpc campaigns (field note M20). */
const numbers = (wire: (typeof Wire.PairStats.Type)["stats"][number]) => ({
  cluster: wire.norm_query,
  views: wire.views,
  clicks: wire.clicks,
  spendKopecks: Amounts.decimal(wire.spend),
  carts: wire.atbs,
  orders: wire.orders,
  /** Average position of the ad. */
  position: wire.avg_pos
})

/** What the marketplace tells of a cluster besides. */
const besideNumbers: PlainBytes.LeftOut = new Set(["ctr", "cpc", "cpm", "shks", "currency"])

export type ClusterNumbers = Readonly<ReturnType<typeof numbers>>
