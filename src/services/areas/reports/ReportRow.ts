/** What a row of every CSV report tells, in the seller's words (not-shown §7.3). Undefined is unknown, never zero. */
import type { ItemId } from "../../../domain/Ids.js"
import { isSellerRegion } from "../analytics/Inventory.js"
import * as OrderDates from "../orders/OrderDates.js"
import type { Header, Reader, Readers } from "./CsvCells.js"

/** Of every row. A rest row sums whatever has no row of its own, so it belongs to no item. */
export interface Row {
  readonly rest: boolean
  /** Undefined in the grouped types, in a rest row, and where the cell holds no item id. */
  readonly itemId: ItemId | undefined
}

/** The row of every report type, as its columns below say. */
export type RowOf = { readonly [T in ReportType]: ReturnType<ReturnType<(typeof columns)[T]>> }
export type ReportType = keyof typeof columns

// Columns of every CSV report (not-shown §7.3): the name each has in a row, and how its cells are read.

/** A row that sums what has no row of its own carries this word in place of a name (field note A25). */
const restWord = "остальные"
const namingColumns = ["Text", "NmID", "Name", "SubjectName", "SizeName"] as const

const common = (header: Header) => {
  const naming = namingColumns.map((name) => header.may.text(name))
  return {
    rest: (cells: ReadonlyArray<string>) => naming.some((read) => read(cells)?.toLowerCase() === restWord)
  }
}

const nothing: Reader<never> = () => undefined

/** One day, week or month of the funnel. */
const funnel = ({ may, must }: Header) => ({
  /** First day of the stretch; a Moscow day unless another zone was asked for (field note A05). */
  day: must.day("dt"),
  opens: must.count("openCardCount"),
  carts: must.count("addToCartCount"),
  orders: must.count("ordersCount"),
  ordersSumKopecks: must.money("ordersSumRub"),
  buyouts: may.count("buyoutsCount"),
  buyoutsSumKopecks: may.money("buyoutsSumRub"),
  cancels: may.count("cancelCount"),
  cancelsSumKopecks: may.money("cancelSumRub"),
  /** Whole percent, as the two below; recompute rates from counts (field note A08). */
  addToCartPercent: may.number("addToCartConversion"),
  cartToOrderPercent: may.number("cartToOrderConversion"),
  buyoutPercent: may.number("buyoutPercent"),
  addsToWishlist: may.count("addToWishlist"),
  currency: may.text("currency")
})

/** Position 0 means no shows, not the first place (field note A13). */
const position =
  (read: Reader<number>): Reader<number> =>
  (cells) => {
    const value = read(cells)
    return value === 0 ? undefined : value
  }

const search = (from: Readers, suffix: "" | "Past") => ({
  position: position(from.number(`AveragePosition${suffix}`)),
  opens: from.count(`OpenCard${suffix}`),
  carts: from.count(`AddToCart${suffix}`),
  openToCartPercent: from.number(`OpenToCart${suffix}`),
  orders: from.count(`Orders${suffix}`),
  cartToOrderPercent: from.number(`CartToOrder${suffix}`),
  visibilityPercent: from.number(`Visibility${suffix}`)
})

const searched = (from: Readers, suffix: "" | "Past") => ({
  ...search(from, suffix),
  /** How often the text was searched. */
  frequency: from.count(`Frequency${suffix}`),
  medianPosition: position(from.number(`MedianPosition${suffix}`))
})

const described = ({ may }: Header) => ({
  vendorCode: may.text("VendorCode"),
  name: may.text("Name"),
  subject: may.text("SubjectName", "Subject"),
  brand: may.text("BrandName", "Brand")
})

const rated = ({ may }: Header) => ({
  rating: may.number("Rating"),
  feedbackRating: may.number("FeedbackRating"),
  minPriceKopecks: may.money("MinPrice"),
  maxPriceKopecks: may.money("MaxPrice"),
  currency: may.text("Currency")
})

const searchGroup = (header: Header) => ({
  ...common(header),
  itemId: nothing,
  subject: header.must.text("SubjectName", "Subject"),
  subjectId: header.may.count("SubjectID"),
  brand: header.may.text("BrandName", "Brand"),
  tagId: header.may.count("TagID"),
  current: record(search(header.must, "")),
  past: record(search(header.may, "Past"))
})

const searchProduct = (header: Header) => ({
  ...common(header),
  ...described(header),
  ...rated(header),
  itemId: header.must.item("NmID"),
  advertised: header.may.flag("IsAdvertised"),
  rated: header.may.flag("IsRated"),
  substituted: header.may.flag("IsSubstitutedSKU"),
  current: record(search(header.must, "")),
  past: record(search(header.may, "Past"))
})

const searchText = (header: Header) => ({
  ...common(header),
  ...described(header),
  ...rated(header),
  itemId: header.must.item("NmID"),
  text: header.must.text("Text"),
  current: record(searched(header.must, "")),
  past: record(searched(header.may, "Past")),
  /** Share of competitors that do worse, percent. */
  percentiles: record({
    opens: header.may.number("OpenCardPercentile"),
    carts: header.may.number("AddToCartPercentile"),
    openToCartPercent: header.may.number("OpenToCartPercentile"),
    orders: header.may.number("OrdersPercentile"),
    cartToOrderPercent: header.may.number("CartToOrderPercentile")
  })
})

const size = ({ may }: Header) => ({ size: may.text("SizeName"), sizeId: may.count("ChrtID") })

/** Stock and sales of one size in one office over the period. */
const stockMetrics = (header: Header) => {
  const { may, must } = header
  const region = may.text("RegionName")
  const months = header.series(/^AvgOrdersByMonth_(\d{2})\.(\d{4})$/i)
  return {
    ...common(header),
    ...described(header),
    ...size(header),
    itemId: must.item("NmID"),
    region,
    office: may.text("OfficeName"),
    /** The sum of the seller's own warehouses. */
    seller: (cells: ReadonlyArray<string>) => isSellerRegion(region(cells)),
    availability: may.text("Availability"),
    orders: must.count("OrdersCount"),
    ordersSumKopecks: may.money("OrdersSum"),
    buyouts: may.count("BuyoutCount"),
    buyoutsSumKopecks: may.money("BuyoutSum"),
    buyoutPercent: may.number("BuyoutPercent"),
    ordersPerDay: may.number("AvgOrders"),
    stock: must.count("StockCount"),
    stockSumKopecks: may.money("StockSum"),
    lasts: may.hours("SaleRate"),
    turnover: may.hours("AvgStockTurnover"),
    toClient: may.count("ToClientCount"),
    fromClient: may.count("FromClientCount"),
    priceKopecks: may.money("Price"),
    missing: may.hours("OfficeMissingTime"),
    lostOrders: may.lost("LostOrdersCount"),
    lostOrdersSum: may.lostSum("LostOrdersSum"),
    lostBuyouts: may.lost("LostBuyoutsCount"),
    lostBuyoutsSum: may.lostSum("LostBuyoutsSum"),
    /** `month` is `YYYY-MM`; an undefined value means that the item did not exist then, not that it sold nothing. */
    ordersPerDayByMonth: (cells: ReadonlyArray<string>) =>
      months.map(({ match, read }) => ({ month: `${match[2]}-${match[1]}`, value: read(cells) })),
    currency: may.text("Currency")
  }
}

const stockDaily = (header: Header) => {
  const days = header.series(/^\d{2}\.\d{2}\.\d{4}$/).flatMap(({ match, read }) => {
    const day = OrderDates.dottedDay(match[0])
    return day === undefined ? [] : [{ day, read }]
  })
  return {
    ...common(header),
    ...described(header),
    ...size(header),
    itemId: header.must.item("NmID"),
    office: header.may.text("OfficeName"),
    /** Stock at 23:59; undefined means that the item did not exist on that day, not that there was none. */
    days: (cells: ReadonlyArray<string>) => days.map(({ day, read }) => ({ day, stock: read(cells) }))
  }
}

type Readings<R> = {
  readonly [K in keyof R]: R[K] extends (cells: ReadonlyArray<string>) => infer A ? A : never
}

/** One reader of a whole record out of a reader for each of its fields. */
const record = <R extends Readonly<Record<string, (cells: ReadonlyArray<string>) => unknown>>>(
  readers: R
) => {
  const entries = Object.entries(readers)
  return (cells: ReadonlyArray<string>): Readings<R> =>
    Object.fromEntries(entries.map(([name, read]) => [name, read(cells)])) as Readings<R>
}

const columns = {
  DETAIL_HISTORY_REPORT: (header: Header) =>
    record({ ...common(header), itemId: header.must.item("nmID"), ...funnel(header) }),
  GROUPED_HISTORY_REPORT: (header: Header) =>
    record({ ...common(header), itemId: nothing, ...funnel(header) }),
  SEARCH_QUERIES_PREMIUM_REPORT_GROUP: (header: Header) => record(searchGroup(header)),
  SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT: (header: Header) => record(searchProduct(header)),
  SEARCH_QUERIES_PREMIUM_REPORT_TEXT: (header: Header) => record(searchText(header)),
  STOCK_HISTORY_REPORT_CSV: (header: Header) => record(stockMetrics(header)),
  STOCK_HISTORY_DAILY_CSV: (header: Header) => record(stockDaily(header))
}

/** Binds the columns of a report once, then reads record after record. */
export const layouts: {
  readonly [T in ReportType]: (header: Header) => (cells: ReadonlyArray<string>) => RowOf[T]
} = columns
