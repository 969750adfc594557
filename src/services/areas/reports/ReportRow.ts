/** What a row of every CSV report tells, in the seller's words (not-shown §7.3). Undefined is unknown, never zero. */
import type * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import type { Kopecks } from "../../../domain/Money.js"
import type * as Sentinels from "../analytics/Sentinels.js"

/** Of every row. A rest row sums whatever has no row of its own, so it belongs to no item. */
export interface Row {
  readonly rest: boolean
  /** Undefined in the grouped types, in a rest row, and where the cell holds no item id. */
  readonly itemId: ItemId | undefined
}

/** DETAIL_HISTORY_REPORT and, without items, GROUPED_HISTORY_REPORT: one day, week or month of the funnel. */
export interface FunnelRow extends Row {
  /** First day of the stretch; a Moscow day unless another zone was asked for (field note A05). */
  readonly day: Days.Day | undefined
  readonly opens: number | undefined
  readonly carts: number | undefined
  readonly orders: number | undefined
  readonly ordersSumKopecks: Kopecks | undefined
  readonly buyouts: number | undefined
  readonly buyoutsSumKopecks: Kopecks | undefined
  readonly cancels: number | undefined
  readonly cancelsSumKopecks: Kopecks | undefined
  /** Whole percent, as the two below; recompute rates from counts (field note A08). */
  readonly addToCartPercent: number | undefined
  readonly cartToOrderPercent: number | undefined
  readonly buyoutPercent: number | undefined
  readonly addsToWishlist: number | undefined
  readonly currency: string | undefined
}

/** `position` 0 means that the item was not shown (field note A13) and reads as undefined. */
export interface SearchNumbers {
  readonly position: number | undefined
  readonly opens: number | undefined
  readonly carts: number | undefined
  readonly openToCartPercent: number | undefined
  readonly orders: number | undefined
  readonly cartToOrderPercent: number | undefined
  readonly visibilityPercent: number | undefined
}

export interface SearchGroupRow extends Row {
  readonly subject: string | undefined
  readonly subjectId: number | undefined
  readonly brand: string | undefined
  readonly tagId: number | undefined
  readonly current: SearchNumbers
  readonly past: SearchNumbers
}

interface Described {
  readonly vendorCode: string | undefined
  readonly name: string | undefined
  readonly subject: string | undefined
  readonly brand: string | undefined
}

interface Rated {
  readonly rating: number | undefined
  readonly feedbackRating: number | undefined
  readonly minPriceKopecks: Kopecks | undefined
  readonly maxPriceKopecks: Kopecks | undefined
  readonly currency: string | undefined
}

export interface SearchProductRow extends Row, Described, Rated {
  readonly advertised: boolean | undefined
  readonly rated: boolean | undefined
  readonly substituted: boolean | undefined
  readonly current: SearchNumbers
  readonly past: SearchNumbers
}

interface TextNumbers extends SearchNumbers {
  /** How often the text was searched. */
  readonly frequency: number | undefined
  readonly medianPosition: number | undefined
}

export interface SearchTextRow extends Row, Described, Rated {
  readonly text: string | undefined
  readonly current: TextNumbers
  readonly past: TextNumbers
  /** Share of competitors that do worse, percent. */
  readonly percentiles: Omit<SearchNumbers, "position" | "visibilityPercent">
}

/** Stock and sales of one size in one office over the period. */
export interface StockMetricsRow extends Row, Described {
  readonly size: string | undefined
  readonly sizeId: number | undefined
  readonly region: string | undefined
  readonly office: string | undefined
  /** The sum of the seller's own warehouses. */
  readonly seller: boolean
  readonly availability: string | undefined
  readonly orders: number | undefined
  readonly ordersSumKopecks: Kopecks | undefined
  readonly buyouts: number | undefined
  readonly buyoutsSumKopecks: Kopecks | undefined
  readonly buyoutPercent: number | undefined
  readonly ordersPerDay: number | undefined
  readonly stock: number | undefined
  readonly stockSumKopecks: Kopecks | undefined
  readonly lasts: Sentinels.Hours | undefined
  readonly turnover: Sentinels.Hours | undefined
  readonly toClient: number | undefined
  readonly fromClient: number | undefined
  readonly priceKopecks: Kopecks | undefined
  readonly missing: Sentinels.Hours | undefined
  readonly lostOrders: Sentinels.Lost<number> | undefined
  readonly lostOrdersSum: Sentinels.Lost<Kopecks> | undefined
  readonly lostBuyouts: Sentinels.Lost<number> | undefined
  readonly lostBuyoutsSum: Sentinels.Lost<Kopecks> | undefined
  /** `month` is `YYYY-MM`; undefined means that the item did not exist then, not that it sold nothing. */
  readonly ordersPerDayByMonth: ReadonlyArray<{ readonly month: string; readonly value: number | undefined }>
  readonly currency: string | undefined
}

export interface StockDailyRow extends Row, Described {
  readonly size: string | undefined
  readonly sizeId: number | undefined
  readonly office: string | undefined
  /** Stock at 23:59; undefined means that the item did not exist on that day, not that there was none. */
  readonly days: ReadonlyArray<{ readonly day: Days.Day; readonly stock: number | undefined }>
}

/** The row of every report type. */
export interface RowOf {
  readonly DETAIL_HISTORY_REPORT: FunnelRow
  readonly GROUPED_HISTORY_REPORT: FunnelRow
  readonly SEARCH_QUERIES_PREMIUM_REPORT_GROUP: SearchGroupRow
  readonly SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT: SearchProductRow
  readonly SEARCH_QUERIES_PREMIUM_REPORT_TEXT: SearchTextRow
  readonly STOCK_HISTORY_REPORT_CSV: StockMetricsRow
  readonly STOCK_HISTORY_DAILY_CSV: StockDailyRow
}
export type ReportType = keyof RowOf
