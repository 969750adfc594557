/** Contents of the two inventory reports (not-shown §7.3): one row is one size at one office. */
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import * as Sales from "../shop/Sales.js"
import * as Stock from "../shop/Stock.js"
import * as Change from "./Change.js"
import * as Csv from "./Csv.js"
import type * as Goods from "./Goods.js"
import * as Periods from "./Periods.js"
import * as SearchRows from "./SearchRows.js"
import * as StockFigures from "./StockFigures.js"
import * as StockRows from "./StockRows.js"

/** Metrics of the period; months before an item existed are blank. */
export const metrics = (
  context: Context,
  rows: ReadonlyArray<StockRows.Row>,
  asked: StockRows.Asked
): Csv.Table => {
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
export const daily = (
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
