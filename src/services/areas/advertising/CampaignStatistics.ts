/**
 * Full statistics of campaigns, per campaign and per item. Sums are made here from the entries of each (day, app,
 * item), counted once (field note M23), and only of the days asked for.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Days from "../../../domain/Days.js"
import { CampaignId, type ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import type { Batched } from "../../Batches.js"
import type * as Wire from "../../endpoints/Statistics.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as OddEntries from "../../OddEntries.js"
import * as Amounts from "../Amounts.js"

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
}

/**
 * One call for at most 50 ids. The four faces of "no data" (M21) all answer `reported: false`. A campaign whose entry
 * cannot be read, or may be it, is a failure: half a sum is none.
 */
export const fetch = (
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

type Row = typeof Wire.CampaignStats.Type
type Entry = Pick<Row, "views" | "clicks" | "atbs" | "orders" | "shks" | "canceled" | "sum" | "sum_price">

const saysNoData = (error: { readonly status: number | undefined; readonly text: string }): boolean =>
  error.status === 400 &&
  /(no|without|нет|отсутств).{0,20}(statistic|stats|data|статистик|данных)/i.test(error.text)

const summed = (campaignId: CampaignId, row: Row | undefined, days: Days.DayRange): CampaignNumbers => {
  if (row === undefined) return { campaignId, reported: false, isPart: false, totals: sum([]), items: [] }
  const seen = new Set<string>()
  const byItem = new Map<ItemId, Array<Entry>>()
  for (const day of row.days) {
    const date = day.date?.slice(0, 10) ?? ""
    if (date < days.from || date > days.to) continue
    for (const app of day.apps) {
      for (const entry of app.nms) {
        const id = `${date} ${app.appType} ${entry.nmId}`
        if (entry.nmId === undefined || seen.has(id)) continue
        seen.add(id)
        const entries = byItem.get(entry.nmId)
        if (entries === undefined) byItem.set(entry.nmId, [entry])
        else entries.push(entry)
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
      .map(([itemId, entries]) => ({ itemId, totals: sum(entries) }))
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
