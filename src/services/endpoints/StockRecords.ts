/** Records of the stock reports (seed 002, "Inventory"): groups, items, sizes, warehouses and regions, with their metrics. */
import * as Schema from "effect/Schema"
import { ItemId } from "../../domain/Ids.js"
import { PriceSpan } from "./Periods.js"
import { flag, list, maybe, number, text, whole } from "./Shapes.js"

/** Whole days and hours; both may be negative codes (A17). */
const Duration = maybe(Schema.Struct({ days: number, hours: number }))

/** Counts, base-unit sums, and durations; negative values of some are codes, never numbers (A17, `Sentinels.ts`). */
const metrics = {
  ordersCount: number,
  ordersSum: number,
  avgOrders: number,
  avgOrdersByMonth: list(Schema.Struct({ start: text, end: text, value: number })),
  buyoutCount: number,
  buyoutSum: number,
  buyoutPercent: number,
  stockCount: number,
  stockSum: number,
  saleRate: Duration,
  avgStockTurnover: Duration,
  toClientCount: number,
  fromClientCount: number,
  officeMissingTime: Duration,
  lostOrdersCount: number,
  lostOrdersSum: number,
  lostBuyoutsCount: number,
  lostBuyoutsSum: number
}
export const StockMetrics = Schema.Struct(metrics)

/** Metrics of one item or size also tell its price range, base units, and how its stock stands. */
export const ItemMetrics = Schema.Struct({
  ...metrics,
  currentPrice: maybe(PriceSpan),
  availability: text
})

export const StockItem = Schema.Struct({
  nmID: ItemId,
  isDeleted: flag,
  subjectName: text,
  name: text,
  vendorCode: text,
  brandName: text,
  mainPhoto: text,
  hasSizes: flag,
  metrics: maybe(ItemMetrics),
  availability: text
})

export const StockGroup = Schema.Struct({
  subjectID: whole,
  subjectName: text,
  brandName: text,
  tagID: whole,
  tagName: text,
  metrics: maybe(StockMetrics),
  items: list(StockItem)
})

/** An `officeID` may be a negative aggregate, 0 or absent (A14). */
export const StockOffice = Schema.Struct({
  regionName: text,
  officeID: whole,
  officeName: text,
  metrics: maybe(StockMetrics)
})

export const StockSize = Schema.Struct({
  name: text,
  chrtID: whole,
  offices: list(StockOffice),
  metrics: maybe(ItemMetrics)
})

export const StockRegion = Schema.Struct({
  regionName: text,
  metrics: maybe(StockMetrics),
  offices: list(StockOffice)
})
