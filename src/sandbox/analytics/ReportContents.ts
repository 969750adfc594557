/** What a CSV report holds, by its type; its periods, and how far back they may reach (not-shown §7.3, §7.4). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ReportRequest } from "../../services/endpoints/CsvReports.js"
import type { Refusal } from "../Answer.js"
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import * as Sales from "../shop/Sales.js"
import type { Report } from "../shop/State.js"
import * as Stock from "../shop/Stock.js"
import * as Change from "./Change.js"
import * as Csv from "./Csv.js"
import * as FunnelMetrics from "./FunnelMetrics.js"
import * as Goods from "./Goods.js"
import * as Periods from "./Periods.js"
import * as ReportSearch from "./ReportSearch.js"
import type * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as StockFigures from "./StockFigures.js"
import * as StockRows from "./StockRows.js"

export type Request = typeof ReportRequest.Type

/** Days the report is about and those it is compared with; the refusal names the earliest date (field note A24). */
export const periodsOf = (
  request: Request,
  nowMs: number
): Either.Either<{ readonly days: Days; readonly past: Days | undefined }, Refusal> =>
  Either.gen(function* () {
    switch (request.reportType) {
      case "DETAIL_HISTORY_REPORT":
      case "GROUPED_HISTORY_REPORT": {
        const { startDate: start, endDate: end } = request.params
        return {
          days: yield* Periods.read({ start, end }, nowMs, { backDays: Periods.year }),
          past: undefined
        }
      }
      case "STOCK_HISTORY_REPORT_CSV":
      case "STOCK_HISTORY_DAILY_CSV": {
        const bounds = { backDays: Periods.threeMonths }
        return { days: yield* Periods.read(request.params.currentPeriod, nowMs, bounds), past: undefined }
      }
      default: {
        const bounds = { backDays: Periods.year }
        const days = yield* Periods.read(request.params.currentPeriod, nowMs, bounds)
        return { days, past: yield* Periods.pastNotLonger(request.params.pastPeriod, days, nowMs, bounds) }
      }
    }
  })

/** The request a task was made from. */
export const requestOf = (report: Report): Request => {
  const { id, params, reportType } = report
  return Schema.decodeUnknownSync(ReportRequest)({ id, reportType, params })
}

/** The report's table as of the context's now. */
export const table = (context: Context, request: Request, days: Days, past: Days | undefined): Csv.Table => {
  const select = (filter: Goods.Filter) => Goods.select(context, filter)
  switch (request.reportType) {
    case "DETAIL_HISTORY_REPORT": {
      const { nmIDs, skipDeletedNm, aggregationLevel = "day", ...filter } = request.params
      const goods = select({ ...filter, itemIds: nmIDs, skipDeleted: skipDeletedNm })
      return detail(context, goods, days, aggregationLevel)
    }
    case "GROUPED_HISTORY_REPORT": {
      const { skipDeletedNm, aggregationLevel = "day", ...filter } = request.params
      return grouped(context, select({ ...filter, skipDeleted: skipDeletedNm }), days, aggregationLevel)
    }
    case "STOCK_HISTORY_REPORT_CSV":
      return stockMetrics(context, request.params, days)
    case "STOCK_HISTORY_DAILY_CSV": {
      const { nmIds, skipDeletedNm, stockType, ...filter } = request.params
      const goods = select({ ...filter, itemIds: nmIds, skipDeleted: skipDeletedNm })
      return daily(context, goods, { days, type: stockType })
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_GROUP": {
      const { nmIds, positionCluster, orderBy, ...filter } = request.params
      const goods = SearchRows.included(select({ ...filter, itemIds: nmIds }), filter)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: positionCluster })
      const groups = SearchRows.groupsOf(rows, filter.tagIds)
      return ReportSearch.groups(ordered(groups, orderBy, (row) => row.now, SearchRows.groupId))
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT": {
      const { brandName, nmIds, subjectId, tagId, ...rest } = request.params
      const filter = {
        itemIds: nmIds,
        subjectIds: Goods.oneOrAll(subjectId, 0),
        brandNames: Goods.oneOrAll(brandName, ""),
        tagIds: Goods.oneOrAll(tagId, 0)
      }
      const goods = SearchRows.included(select(filter), rest)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: rest.positionCluster })
      return ReportSearch.items(
        context,
        ordered(rows, rest.orderBy, (row) => row.now, itemId)
      )
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_TEXT": {
      const { limit, nmIds, orderBy, topOrderBy, ...filter } = request.params
      const goods = SearchRows.included(select({ ...filter, itemIds: nmIds }), filter)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: "all" })
      const sorted = ordered(rows, orderBy, (row) => row.now, itemId)
      return ReportSearch.texts(context, sorted, topOrderBy, limit)
    }
  }
}

type StockParams = Extract<Request, { readonly reportType: "STOCK_HISTORY_REPORT_CSV" }>["params"]

const stockMetrics = (context: Context, params: StockParams, days: Days): Csv.Table => {
  const asked = { days, type: params.stockType }
  const goods = Goods.select(context, {
    itemIds: params.nmIDs,
    subjectIds: params.subjectIDs,
    brandNames: params.brandNames,
    tagIds: params.tagIDs,
    skipDeleted: params.skipDeletedNm
  })
  const rows = StockRows.ofGoods(context, goods, asked, params.availabilityFilters)
  const sorted = Change.sorted(rows, params.orderBy, StockRows.fields, itemId)
  return metrics(
    context,
    Either.getOrElse(sorted, () => rows),
    asked
  )
}

const itemId = (row: { readonly good: Goods.Good }): number => row.good.id

/** By the asked field; one the report does not know leaves the order of the items. */
const ordered = <A>(
  rows: ReadonlyArray<A>,
  orderBy: Change.OrderBy,
  figuresOf: (row: A) => SearchFigures.Figures,
  idOf: (row: A) => number
): ReadonlyArray<A> =>
  Either.getOrElse(Change.sorted(rows, orderBy, SearchRows.fieldsBy(figuresOf), idOf), () => rows)

// Contents of the detail and the grouped history report (not-shown §7.3): a row a day, week or month.

type Level = "day" | "week" | "month"

const columns = [
  "dt",
  "openCardCount",
  "addToCartCount",
  "ordersCount",
  "ordersSumRub",
  "buyoutsCount",
  "buyoutsSumRub",
  "cancelCount",
  "cancelSumRub",
  "addToCartConversion",
  "cartToOrderConversion",
  "buyoutPercent",
  "addToWishlist",
  "currency"
]

/** One row for each item and part of the period, from the item's first day on. */
const detail = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  days: Days,
  level: Level
): Csv.Table => ({
  columns: ["nmID", ...columns],
  rows: goods.flatMap((good) =>
    parts(days, level)
      .filter((part) => part.to >= Sales.bornOn(world, good.id))
      .map((part) => [good.id, ...cells(part, FunnelMetrics.ofDays(world, good.id, part, nowMs))])
  )
})

/** One row for each part of the period, all items together. */
const grouped = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  days: Days,
  level: Level
): Csv.Table => {
  const ids = goods.map((good) => good.id)
  return {
    columns,
    rows: parts(days, level).map((part) => cells(part, FunnelMetrics.ofItems(world, ids, part, nowMs)))
  }
}

const parts = (days: Days, level: Level): ReadonlyArray<Days> =>
  level === "month" ? Periods.months(days) : Periods.parts(days, level)

/** Rates carry a decimal comma here (field note A25). */
const cells = (part: Days, sum: FunnelMetrics.Sum): ReadonlyArray<Csv.Cell> => [
  Moscow.dayText(part.from),
  sum.opens,
  sum.carts,
  sum.orders,
  Change.wholeRoubles(sum.orderKopecks),
  sum.buyouts,
  Change.wholeRoubles(sum.buyoutKopecks),
  sum.cancels,
  Change.wholeRoubles(sum.cancelKopecks),
  Csv.rate(sum.carts, sum.opens),
  Csv.rate(sum.orders, sum.carts),
  Csv.rate(sum.buyouts, sum.buyouts + sum.cancels),
  sum.wishlist,
  "RUB"
]

// Contents of the two inventory reports (not-shown §7.3): one row is one size at one office.

/** Metrics of the period; months before an item existed are blank. */
const metrics = (context: Context, rows: ReadonlyArray<StockRows.Row>, asked: StockRows.Asked): Csv.Table => {
  const months = Periods.months(asked.days).map(({ month }) => month)
  return {
    columns: [
      ...["VendorCode", "Name", "NmID", "SubjectName", "BrandName", "SizeName", "ChrtID", "RegionName"],
      ...["OfficeName", "Availability", "OrdersCount", "OrdersSum", "BuyoutCount", "BuyoutSum"],
      ...["BuyoutPercent", "AvgOrders", "StockCount", "StockSum", "SaleRate", "AvgStockTurnover"],
      ...["ToClientCount", "FromClientCount", "Price", "OfficeMissingTime", "LostOrdersCount"],
      ...["LostOrdersSum", "LostBuyoutsCount", "LostBuyoutsSum"],
      ...months.map((month) => `AvgOrdersByMonth_${month}`),
      "Currency"
    ],
    rows: rows.flatMap((row) =>
      row.sizes.flatMap((size) =>
        StockRows.offices.flatMap((office) => {
          const figures = StockRows.atOffice(context, row.good, [size], office, asked)
          return figures === undefined ? [] : [metricCells(row, size, office, figures, months)]
        })
      )
    )
  }
}

const metricCells = (
  { good, availability }: StockRows.Row,
  size: Sales.Size,
  office: StockRows.Office,
  figures: StockFigures.Figures,
  months: ReadonlyArray<string>
): ReadonlyArray<Csv.Cell> => {
  const json = StockFigures.metrics(figures)
  const byMonth = new Map(figures.ordersByMonth.map((month) => [month.month, month]))
  return [
    ...named(good, size),
    office.regionName,
    office.officeName,
    availability,
    json.ordersCount,
    json.ordersSum,
    json.buyoutCount,
    json.buyoutSum,
    json.buyoutPercent,
    Csv.comma(json.avgOrders),
    json.stockCount,
    json.stockSum,
    StockFigures.saleRateHours(figures),
    StockFigures.turnoverHours(figures),
    json.toClientCount,
    json.fromClientCount,
    SearchRows.prices(good).minPrice,
    StockFigures.missingHours(figures),
    json.lostOrdersCount,
    json.lostOrdersSum,
    json.lostBuyoutsCount,
    json.lostBuyoutsSum,
    ...months.map((name) => {
      const month = byMonth.get(name)
      return month?.orders === undefined
        ? undefined
        : Csv.comma(Change.round2(month.orders / Periods.length(month)))
    }),
    "RUB"
  ]
}

/** Stock at 23:59 of every day; blank before the item existed, and on days to come. */
const daily = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  asked: StockRows.Asked
): Csv.Table => {
  const days = Periods.each(asked.days)
  const today = Moscow.dayOf(nowMs)
  const ends = days.map((day) => StockFigures.endOf(day, nowMs))
  return {
    columns: [
      ...["VendorCode", "Name", "NmID", "SubjectName", "BrandName", "SizeName", "ChrtID", "OfficeName"],
      ...days.map((day) => Moscow.dottedText(day))
    ],
    rows: goods.flatMap((good) =>
      Sales.sizes(world, good.id).flatMap((size) => {
        const born = Sales.bornOn(world, good.id)
        const places = StockFigures.placesOf(world, [size], asked.type)
        return StockRows.offices.flatMap((office) => {
          const here = places.filter(({ warehouse }) => office.warehouses.includes(warehouse))
          if (here.length === 0) return []
          const levels = here.map(({ sizeId, warehouse }) => Stock.leftAt(world, sizeId, warehouse, ends))
          const units = days.map((day, i) =>
            day < born || day > today ? undefined : levels.reduce((sum, level) => sum + (level[i] ?? 0), 0)
          )
          // This report has no region, so the name of the region stands where the office has none.
          const name = office.officeName === "" ? office.regionName : office.officeName
          return [[...named(good, size), name, ...units]]
        })
      })
    )
  }
}

const named = (good: Goods.Good, size: Sales.Size): ReadonlyArray<Csv.Cell> => [
  good.vendorCode,
  good.title,
  good.id,
  good.subjectName,
  good.brandName,
  size.techSize,
  size.id
]
