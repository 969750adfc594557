/** Metrics and places of the stock reports in the seller's words. */
import type * as Inventory from "../../endpoints/Inventory.js"
import * as Amounts from "../Amounts.js"
import * as Sentinels from "./Sentinels.js"

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

/** Metrics of a period; undefined is what the marketplace did not name, never zero. */
export const metrics = (row: typeof Inventory.StockMetrics.Type | undefined) =>
  row && {
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
    /** How long the stock lasts at the present rate of sales. */
    lasts: Sentinels.duration(row.saleRate),
    turnover: Sentinels.duration(row.avgStockTurnover),
    toClient: row.toClientCount,
    fromClient: row.fromClientCount,
    /** How long warehouses that sell the item were without it. */
    missing: Sentinels.duration(row.officeMissingTime),
    lostOrders: Sentinels.lost(row.lostOrdersCount),
    lostOrdersSum: Sentinels.lostSum(row.lostOrdersSum),
    lostBuyouts: Sentinels.lost(row.lostBuyoutsCount),
    lostBuyoutsSum: Sentinels.lostSum(row.lostBuyoutsSum)
  }

export type StockMetrics = Readonly<NonNullable<ReturnType<typeof metrics>>>

/** Stock of one item over a period; `currency` is that of all amounts, as the report names it. */
export const item = (row: typeof Inventory.StockItem.Type, currency: string | undefined) => ({
  itemId: row.nmID,
  name: row.name,
  vendorCode: row.vendorCode,
  brand: row.brandName,
  subject: row.subjectName,
  deleted: row.isDeleted,
  hasSizes: row.hasSizes,
  /** deficient, actual, balanced, nonActual, nonLiquid, invalidData, or a word that came later. */
  availability: row.availability ?? row.metrics?.availability,
  minPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.minPrice),
  maxPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.maxPrice),
  metrics: metrics(row.metrics),
  currency
})

export type StockItem = Readonly<ReturnType<typeof item>>
