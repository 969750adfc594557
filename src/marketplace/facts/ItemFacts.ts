/** Facts of an item as such, from the stock report, the sales funnel and the rating report (seed 002). */
import type { ItemId } from "../../domain/Ids.js"
import type { Kopecks } from "../../domain/Money.js"
import { type Cell, known, unknown } from "../../engine/facts/Cell.js"
import type { FactRow, SourceFailure } from "../../engine/gather/FactSource.js"
import type { FunnelItem } from "../../services/areas/analytics/FunnelRecords.js"
import type { RatedItem } from "../../services/areas/analytics/ItemRating.js"
import type { StockItem, StockMetrics } from "../../services/areas/analytics/StockMetrics.js"
import { type Answered, orAbsent, row } from "./Answered.js"

/** Price and stock. A price of zero is no price. */
export const stockRow = (item: StockItem, money: Money): FactRow =>
  row(
    { itemId: item.itemId },
    {
      "item.price": money(positive(item.minPriceKopecks)),
      "item.stock": orAbsent(counted(item.metrics?.stock)),
      "item.stock_days": stockDays(item.metrics)
    }
  )

/**
 * How long the stock lasts: 0 when nothing is left, else the report's own figure, endless where nothing is sold. A
 * figure it did not compute, or a zero beside stock that lies there, is made from stock and orders per day.
 */
export const stockDays = (metrics: StockMetrics | undefined): Cell => {
  const stock = counted(metrics?.stock)
  const lasts = metrics?.lasts
  if (stock === 0) return known(0)
  if (lasts?._tag === "Known" && lasts.value > 0) return known(lasts.value / 24)
  if (lasts?._tag === "Endless") return known(Number.POSITIVE_INFINITY)
  const perDay = metrics?.ordersPerDay
  if (stock === undefined || perDay === undefined || perDay < 0) return unknown("absent")
  return known(perDay === 0 ? Number.POSITIVE_INFINITY : stock / perDay)
}

/** What the card shows now. A rating of zero means that nobody has rated the item. */
export const cardRow = (item: FunnelItem): FactRow =>
  row(
    { itemId: item.itemId },
    {
      "item.stock.platform": orAbsent(counted(item.stock.platform)),
      "item.stock.seller": orAbsent(counted(item.stock.seller)),
      "item.rating": orAbsent(positive(item.feedbackRating))
    }
  )

/** What all visitors did, from ads and otherwise. Nothing is known of an item without a record of these days. */
export const funnelRow = ({ current, itemId }: FunnelItem, money: Money): FactRow =>
  row(
    { itemId },
    {
      "item.card_opens": orAbsent(current?.opens),
      "item.all_carts": orAbsent(current?.carts),
      "item.all_orders": orAbsent(current?.orders),
      "item.all_revenue": money(current?.orderSumKopecks),
      "item.buyouts": orAbsent(current?.buyouts),
      "item.buyout_revenue": money(current?.buyoutSumKopecks)
    }
  )

/** New reviews of the days asked. */
export const reviewRow = (item: RatedItem): FactRow =>
  row({ itemId: item.itemId }, { "item.reviews": orAbsent(item.reviews.current) })

/** An amount as a fact, if it may be compared with the amounts of the campaigns. */
export type Money = (kopecks: Kopecks | undefined) => Cell

interface Priced {
  readonly itemId: ItemId
  readonly currency: string | undefined
}

/**
 * Rows of a report with amounts. Amounts of another currency than the campaigns' could not be compared with theirs, so
 * they stay unknown and are told as a failure; counts stand.
 */
export const priced = <A extends Priced>(
  operation: string,
  items: ReadonlyArray<A>,
  campaignCurrency: string | undefined,
  rowOf: (item: A, money: Money) => FactRow
): Answered => {
  const isForeign = ({ currency }: Priced): boolean =>
    campaignCurrency !== undefined && currency !== undefined && currency !== campaignCurrency
  const foreign = items.filter(isForeign)
  return {
    rows: items.map((item) => rowOf(item, isForeign(item) ? () => unknown("failed") : orAbsent)),
    failures: foreign.length === 0 ? [] : [otherCurrency(operation, foreign, campaignCurrency)]
  }
}

const otherCurrency = (
  operation: string,
  items: ReadonlyArray<Priced>,
  campaignCurrency: string | undefined
): SourceFailure => ({
  operation,
  keys: items.length,
  message: `${operation}: amounts are in ${items[0]?.currency}, those of the campaigns in ${campaignCurrency}, so they cannot be compared. Amounts of this report stay unknown; use its counts, such as item.stock`,
  stopsAccount: false,
  reason: "failed"
})

const positive = <A extends number>(value: A | undefined): A | undefined =>
  value === undefined || value <= 0 ? undefined : value

/** Units on hand; fewer than none is no count. */
const counted = (units: number | undefined): number | undefined =>
  units === undefined || units < 0 ? undefined : units
