/**
 * Seed 002, "Inventory". Mind the spelling: `nmIds` and `chrtIds` of the two warehouse reports, `nmIDs`, `subjectIDs`
 * and `tagIDs` of the four others; a wrong one is ignored and everything comes back (field note A16).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ItemId, SizeId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { FilterId, limitUpTo, nmIds, Offset, orderBy, PriceSpan, periodUpTo } from "./Periods.js"
import { flag, list, listNamed, maybe, number, orEmpty, text, underData, whole } from "./Shapes.js"

// Records of the stock reports (seed 002, "Inventory"): groups, items, sizes, warehouses and regions, with their
// metrics.

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
const ItemMetrics = Schema.Struct({
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

const StockSize = Schema.Struct({
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

const area = {
  area: "inventory",
  host: "analytics",
  tokenCategory: "analytics",
  errors: [400, 401, 402, 403, 429],
  errorShape: "detail"
} as const

/** Rows of a warehouse report per page. */
export const mostRows = 250_000

const WarehouseQuery = Schema.Struct({
  ...nmIds(1000),
  chrtIds: Schema.optional(Schema.Array(SizeId)),
  limit: Schema.optional(limitUpTo(mostRows)),
  offset: Schema.optional(Offset)
})

/** One size in one warehouse; a negative `warehouseId` is an aggregate of warehouses (A14). */
const sellerRow = {
  nmId: ItemId,
  chrtId: maybe(Schema.Int),
  warehouseId: maybe(Schema.Int),
  warehouseName: text,
  regionName: text,
  quantity: whole
}
const SellerWarehouseRow = Schema.Struct(sellerRow)
export const PlatformWarehouseRow = Schema.Struct({
  ...sellerRow,
  inWayToClient: whole,
  inWayFromClient: whole
})

/** The rows must be named: their absence would read as sold out (A15). Null and nothing are no rows (T22). */
const warehouseAnswer = <A, I>(row: Schema.Schema<A, I>) =>
  orEmpty(Schema.Struct({ data: Schema.NullOr(Schema.Struct({ items: listNamed(row) })) }), { data: null })

const SellerWarehouseAnswer = warehouseAnswer(SellerWarehouseRow)

const warehouseFacts = {
  ...area,
  limits: { personal: Operation.limit("1 min", 3, 1), base: "not available" },
  batch: { field: "nmIds", min: 0, max: 1000 }
} as const

const getPlatformWarehouseStocks = Operation.read(
  HttpApiEndpoint.post("getPlatformWarehouseStocks", "/api/analytics/v1/stocks-report/platform-warehouses")
    .setPayload(WarehouseQuery)
    .addSuccess(warehouseAnswer(PlatformWarehouseRow)),
  {
    ...warehouseFacts,
    tokenKinds: ["personal", "service", "base_with_secret"],
    paging: { kind: "offset", rows: "data.items", most: 250_000 },
    entries: Operation.whole("a row that is missing reads as sold out"),
    notes: ["A14", "A15"]
  }
)

const getSellerWarehouseStocks = Operation.read(
  HttpApiEndpoint.post("getSellerWarehouseStocks", "/api/analytics/v1/stocks-report/seller-warehouses")
    .setPayload(WarehouseQuery)
    .addSuccess(SellerWarehouseAnswer)
    .addSuccess(
      HttpApiSchema.asEmpty(Schema.typeSchema(SellerWarehouseAnswer), {
        status: 204,
        decode: () => ({ data: null })
      })
    ),
  {
    ...warehouseFacts,
    tokenKinds: ["personal", "service"],
    success: [200, 204],
    paging: { kind: "offset", rows: "data.items", most: 250_000 },
    entries: Operation.whole("a row that is missing reads as sold out"),
    notes: ["A15"]
  }
)

/** Fields a report may be ordered by (not-shown §7.1). */
export const stockFields = [
  "ordersCount",
  "ordersSum",
  "avgOrders",
  "buyoutCount",
  "buyoutSum",
  "buyoutPercent",
  "stockCount",
  "stockSum",
  "saleRate",
  "avgStockTurnover",
  "toClientCount",
  "fromClientCount",
  "minPrice",
  "maxPrice",
  "officeMissingTime",
  "lostOrdersCount",
  "lostOrdersSum",
  "lostBuyoutsCount",
  "lostBuyoutsSum"
] as const
export const StockOrder = orderBy(stockFields)

/** Whose stock: all, that of the platform's warehouses, or that of the seller's own. */
export const StockType = Schema.Literal("", "platform", "mp")

/** How the stock of an item stands; answers may carry further words (T19). */
export const Availability = Schema.Literal(
  "deficient",
  "actual",
  "balanced",
  "nonActual",
  "nonLiquid",
  "invalidData"
)

/** Days a stock report may cover: three months of 31 days. */
const mostDays = 93
export const StockPeriod = periodUpTo(mostDays)

const limits = { personal: Operation.limit("1 min", 3, 3), base: Operation.hourly(2) }
const paged = { limit: Schema.optional(limitUpTo(1000)), offset: Offset }

/** Several groups at once; every filter may be left out or empty. */
const manyFilters = {
  nmIDs: Schema.optional(Schema.Array(ItemId)),
  subjectIDs: Schema.optional(Schema.Array(FilterId)),
  brandNames: Schema.optional(Schema.Array(Schema.String)),
  tagIDs: Schema.optional(Schema.Array(FilterId))
}

const scope = { currentPeriod: StockPeriod, stockType: StockType, skipDeletedNm: Schema.Boolean }
const ordered = { availabilityFilters: Schema.Array(Availability), orderBy: StockOrder }

const getStockGroups = Operation.read(
  HttpApiEndpoint.post("getStockGroups", "/api/v2/stocks-report/products/groups")
    .setPayload(Schema.Struct({ ...manyFilters, ...scope, ...ordered, ...paged }))
    .addSuccess(underData(Schema.Struct({ groups: list(StockGroup), currency: text }))),
  {
    ...area,
    limits,
    paging: { kind: "offset", rows: "data.groups", most: 1_000 },
    entries: Operation.apart("data.groups", StockGroup),
    notes: ["A16", "A17", "A18"]
  }
)

const getStockProducts = Operation.read(
  HttpApiEndpoint.post("getStockProducts", "/api/v2/stocks-report/products/products")
    .setPayload(
      Schema.Struct({
        nmIDs: manyFilters.nmIDs,
        subjectID: Schema.optional(FilterId),
        brandName: Schema.optional(Schema.String),
        tagID: Schema.optional(FilterId),
        ...scope,
        ...ordered,
        ...paged
      })
    )
    .addSuccess(underData(Schema.Struct({ items: list(StockItem), currency: text }))),
  {
    ...area,
    limits,
    paging: { kind: "offset", rows: "data.items", most: 1_000 },
    entries: Operation.apart("data.items", StockItem),
    notes: ["A16", "A17", "A18"]
  }
)

const getStockSizes = Operation.read(
  HttpApiEndpoint.post("getStockSizes", "/api/v2/stocks-report/products/sizes")
    .setPayload(
      Schema.Struct({
        nmID: ItemId,
        currentPeriod: StockPeriod,
        stockType: StockType,
        orderBy: StockOrder,
        includeOffice: Schema.Boolean
      })
    )
    .addSuccess(
      underData(Schema.Struct({ offices: list(StockOffice), sizes: list(StockSize), currency: text }))
    ),
  {
    ...area,
    limits,
    entries: Operation.whole("sizes and warehouses add up to the item's stock"),
    notes: ["A16", "A17", "A18", "A19"]
  }
)

const getStockOffices = Operation.read(
  HttpApiEndpoint.post("getStockOffices", "/api/v2/stocks-report/offices")
    .setPayload(Schema.Struct({ ...manyFilters, ...scope }))
    .addSuccess(underData(Schema.Struct({ regions: list(StockRegion), currency: text }))),
  {
    ...area,
    limits,
    entries: Operation.whole("regions add up to the stock"),
    notes: ["A16", "A18", "A19", "A14"]
  }
)

export const group = HttpApiGroup.make("inventory")
  .add(getPlatformWarehouseStocks)
  .add(getSellerWarehouseStocks)
  .add(getStockGroups)
  .add(getStockProducts)
  .add(getStockSizes)
  .add(getStockOffices)
