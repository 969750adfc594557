/** Items, sizes and offices as rows of the inventory reports. */
import type { Context } from "../Call.js"
import type { Days } from "../market/Statistics.js"
import * as Sales from "../shop/Sales.js"
import * as Warehouses from "../shop/Warehouses.js"
import type * as Change from "./Change.js"
import type * as Goods from "./Goods.js"
import * as SearchRows from "./SearchRows.js"
import * as StockFigures from "./StockFigures.js"

export interface Asked {
  readonly days: Days
  readonly type: StockFigures.StockType
}

export interface Row {
  readonly good: Goods.Good
  readonly sizes: ReadonlyArray<Sales.Size>
  readonly figures: StockFigures.Figures
  readonly availability: string
}

const ofGood = ({ world, nowMs }: Context, good: Goods.Good, { days, type }: Asked): Row => {
  const sizes = Sales.sizes(world, good.id)
  const places = StockFigures.placesOf(world, sizes, type)
  const figures = StockFigures.ofItem(world, good.id, good.priceKopecks, places, days, nowMs)
  return { good, sizes, figures, availability: StockFigures.availability(good.id, figures) }
}

/** Rows with their prices, of those goods whose availability is asked for; an empty list asks for all. */
export const ofGoods = (
  context: Context,
  goods: ReadonlyArray<Goods.Good>,
  asked: Asked,
  availability: ReadonlyArray<string>
): ReadonlyArray<Row & Measured> =>
  goods
    .map((good) => ({ ...ofGood(context, good, asked), prices: SearchRows.prices(good) }))
    .filter((row) => availability.length === 0 || availability.includes(row.availability))

/** An item without size has the single size "0" (seed 002). */
export const hasSizes = (sizes: ReadonlyArray<Sales.Size>): boolean => sizes[0]?.techSize !== "0"

export const item = ({ good, sizes, figures, availability }: Row) => ({
  nmID: good.id,
  isDeleted: good.isDeleted,
  subjectName: good.subjectName,
  name: good.title,
  vendorCode: good.vendorCode,
  brandName: good.brandName,
  hasSizes: hasSizes(sizes),
  metrics: {
    ...StockFigures.metrics(figures),
    currentPrice: SearchRows.prices(good),
    availability
  }
})

/** A place where stock lies, as the reports tell it: the seller's warehouses stand together under one region. */
export interface Office {
  readonly regionName: string
  readonly officeId: number
  readonly officeName: string
  readonly warehouses: ReadonlyArray<Warehouses.Warehouse>
}

const [aggregate, ...exempt] = Warehouses.platform

/** The aggregate has a number and no office name (not-shown §7.5). */
export const offices: ReadonlyArray<Office> = [
  {
    regionName: Warehouses.platformName,
    officeId: Warehouses.aggregateId,
    officeName: "",
    warehouses: [aggregate]
  },
  ...exempt.map((warehouse) => ({
    regionName: warehouse.regionName,
    officeId: warehouse.id,
    officeName: warehouse.name,
    warehouses: [warehouse]
  })),
  { regionName: Warehouses.sellerRegion, officeId: 0, officeName: "", warehouses: Warehouses.seller }
]

/** Figures of some sizes of an item at one office; undefined where they never lie there. */
export const atOffice = (
  { world, nowMs }: Context,
  good: Goods.Good,
  sizes: ReadonlyArray<Sales.Size>,
  office: Office,
  { days, type }: Asked
): StockFigures.Figures | undefined => {
  const ids = new Set(office.warehouses.map((warehouse) => warehouse.id))
  const places = StockFigures.placesOf(world, sizes, type).filter(({ warehouse }) => ids.has(warehouse.id))
  return places.length === 0
    ? undefined
    : StockFigures.ofItem(world, good.id, good.priceKopecks, places, days, nowMs)
}

export interface Measured {
  readonly figures: StockFigures.Figures
  readonly prices: { readonly minPrice: number; readonly maxPrice: number }
}

const lost = (name: keyof ReturnType<typeof StockFigures.lost>) => (row: Measured) =>
  StockFigures.lost(row.figures)[name]

/** The fields of not-shown §7.1; codes sort as the negative numbers they are. */
export const fields: Change.Fields<Measured> = {
  ordersCount: (row) => row.figures.orders,
  ordersSum: (row) => row.figures.orderKopecks,
  avgOrders: (row) => row.figures.orders,
  buyoutCount: (row) => row.figures.buyouts,
  buyoutSum: (row) => row.figures.buyoutKopecks,
  buyoutPercent: (row) => StockFigures.metrics(row.figures).buyoutPercent,
  stockCount: (row) => row.figures.stock,
  stockSum: (row) => row.figures.stockKopecks,
  saleRate: (row) => StockFigures.saleRateHours(row.figures),
  avgStockTurnover: (row) => StockFigures.turnoverHours(row.figures),
  toClientCount: (row) => row.figures.toClient,
  fromClientCount: (row) => row.figures.fromClient,
  minPrice: (row) => row.prices.minPrice,
  maxPrice: (row) => row.prices.maxPrice,
  officeMissingTime: (row) => StockFigures.missingHours(row.figures),
  lostOrdersCount: lost("lostOrdersCount"),
  lostOrdersSum: lost("lostOrdersSum"),
  lostBuyoutsCount: lost("lostBuyoutsCount"),
  lostBuyoutsSum: lost("lostBuyoutsSum")
}
