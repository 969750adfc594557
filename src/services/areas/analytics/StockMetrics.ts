/** Metrics and places of the stock reports in the seller's words. */
import type { ItemId } from "../../../domain/Ids.js"
import type { Kopecks } from "../../../domain/Money.js"
import type * as Inventory from "../../endpoints/Inventory.js"
import * as Amounts from "../Amounts.js"
import * as Sentinels from "./Sentinels.js"

/** Metrics of a period; undefined is what the marketplace did not name, never zero. */
export interface StockMetrics {
  readonly orders: number | undefined
  readonly ordersSumKopecks: Kopecks | undefined
  readonly ordersPerDay: number | undefined
  readonly ordersPerDayByMonth: ReadonlyArray<{
    readonly from: string | undefined
    readonly to: string | undefined
    readonly value: number | undefined
  }>
  readonly buyouts: number | undefined
  readonly buyoutsSumKopecks: Kopecks | undefined
  readonly buyoutPercent: number | undefined
  readonly stock: number | undefined
  readonly stockSumKopecks: Kopecks | undefined
  /** How long the stock lasts at the present rate of sales. */
  readonly lasts: Sentinels.Hours | undefined
  readonly turnover: Sentinels.Hours | undefined
  readonly toClient: number | undefined
  readonly fromClient: number | undefined
  /** How long warehouses that sell the item were without it. */
  readonly missing: Sentinels.Hours | undefined
  readonly lostOrders: Sentinels.Lost<number> | undefined
  readonly lostOrdersSum: Sentinels.Lost<Kopecks> | undefined
  readonly lostBuyouts: Sentinels.Lost<number> | undefined
  readonly lostBuyoutsSum: Sentinels.Lost<Kopecks> | undefined
}

/**
 * Where stock lies. `aggregate` sums warehouses that are not told apart and has no id of a real one (field note A14);
 * `seller` is the sum of the seller's own warehouses.
 */
export type Place =
  | { readonly _tag: "warehouse"; readonly id: number; readonly name: string | undefined }
  | { readonly _tag: "aggregate" }
  | { readonly _tag: "seller" }

/** The v2 reports name the seller's own warehouses by a region: its name now, and until August 2026 (not-shown §7.5). */
const sellerRegions: ReadonlySet<string> = new Set(["Свой склад", "Маркетплейс"])

/** True for the region that sums the seller's own warehouses. */
export const isSellerRegion = (name: string | undefined): boolean =>
  name !== undefined && sellerRegions.has(name.trim())

/** A place by its id and names; no id, 0 and a negative one name no warehouse. */
export const placeOf = (
  id: number | undefined,
  name: string | undefined,
  region: string | undefined
): Place =>
  isSellerRegion(region)
    ? { _tag: "seller" }
    : id !== undefined && id > 0
      ? { _tag: "warehouse", id, name: name === "" ? undefined : name }
      : { _tag: "aggregate" }

type Metrics = typeof Inventory.StockMetrics.Type

export const metrics = (row: Metrics | undefined): StockMetrics | undefined =>
  row === undefined
    ? undefined
    : {
        orders: row.ordersCount,
        ordersSumKopecks: Amounts.decimal(row.ordersSum),
        ordersPerDay: row.avgOrders,
        ordersPerDayByMonth: row.avgOrdersByMonth.map(({ end, start, value }) => ({
          from: start,
          to: end,
          value
        })),
        buyouts: row.buyoutCount,
        buyoutsSumKopecks: Amounts.decimal(row.buyoutSum),
        buyoutPercent: row.buyoutPercent,
        stock: row.stockCount,
        stockSumKopecks: Amounts.decimal(row.stockSum),
        lasts: Sentinels.duration(row.saleRate),
        turnover: Sentinels.duration(row.avgStockTurnover),
        toClient: row.toClientCount,
        fromClient: row.fromClientCount,
        missing: Sentinels.duration(row.officeMissingTime),
        lostOrders: Sentinels.lost(row.lostOrdersCount),
        lostOrdersSum: Sentinels.lostSum(row.lostOrdersSum),
        lostBuyouts: Sentinels.lost(row.lostBuyoutsCount),
        lostBuyoutsSum: Sentinels.lostSum(row.lostBuyoutsSum)
      }

/** Stock of one item over a period. */
export interface StockItem {
  readonly itemId: ItemId
  readonly name: string | undefined
  readonly vendorCode: string | undefined
  readonly brand: string | undefined
  readonly subject: string | undefined
  readonly deleted: boolean | undefined
  readonly hasSizes: boolean | undefined
  /** deficient, actual, balanced, nonActual, nonLiquid, invalidData, or a word that came later. */
  readonly availability: string | undefined
  readonly minPriceKopecks: Kopecks | undefined
  readonly maxPriceKopecks: Kopecks | undefined
  readonly metrics: StockMetrics | undefined
  /** Of all amounts, as the report names it. */
  readonly currency: string | undefined
}

export const item = (row: typeof Inventory.StockItem.Type, currency: string | undefined): StockItem => ({
  itemId: row.nmID,
  name: row.name,
  vendorCode: row.vendorCode,
  brand: row.brandName,
  subject: row.subjectName,
  deleted: row.isDeleted,
  hasSizes: row.hasSizes,
  availability: row.availability ?? row.metrics?.availability,
  minPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.minPrice),
  maxPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.maxPrice),
  metrics: metrics(row.metrics),
  currency
})
