/** Contents of the three search reports (not-shown §7.3). */
import type { Context } from "../Call.js"
import * as Csv from "./Csv.js"
import type * as Goods from "./Goods.js"
import * as Reviews from "./Reviews.js"
import type * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as SearchTextRows from "./SearchTextRows.js"

const metrics = [
  "AveragePosition",
  "OpenCard",
  "AddToCart",
  "OpenToCart",
  "Orders",
  "CartToOrder",
  "Visibility"
]
const past = metrics.map((name) => `${name}Past`)

export const groups = (rows: ReadonlyArray<SearchRows.GroupRow>): Csv.Table => ({
  columns: ["SubjectName", "SubjectID", "BrandName", "TagID", ...metrics, ...past],
  rows: rows.map((row) => [
    row.group.subjectName,
    row.group.subjectId,
    row.group.brandName,
    row.group.tag?.id,
    ...seven(row.now),
    ...seven(row.past)
  ])
})

export const items = (context: Context, rows: ReadonlyArray<SearchRows.Row>): Csv.Table => ({
  columns: [
    ...["NmID", "VendorCode", "Name", "SubjectName", "BrandName", "IsAdvertised", "IsRated"],
    ...["Rating", "FeedbackRating", "MinPrice", "MaxPrice"],
    ...metrics,
    ...past,
    "IsSubstitutedSKU",
    "Currency"
  ],
  rows: rows.map((row) => {
    const { good } = row
    return [
      good.id,
      good.vendorCode,
      good.title,
      good.subjectName,
      good.brandName,
      String(SearchRows.isAdvertised(context.world, good.id, context.nowMs)),
      "true",
      ...ratings(context, good),
      ...seven(row.now),
      ...seven(row.past),
      String(good.isSubstituted),
      "RUB"
    ]
  })
})

/** The row under which everything stands that is not among the best texts of an item (field note A25). */
const bucket = "Остальные"

export const texts = (
  context: Context,
  rows: ReadonlyArray<SearchRows.Row>,
  top: SearchTextRows.Top,
  limit: number
): Csv.Table => ({
  columns: [
    ...["Text", "NmID", "SubjectName", "BrandName", "VendorCode", "Name"],
    ...["Rating", "FeedbackRating", "MinPrice", "MaxPrice", "Frequency", "MedianPosition", "AveragePosition"],
    ...["OpenCard", "OpenCardPercentile", "AddToCart", "AddToCartPercentile"],
    ...["OpenToCart", "OpenToCartPercentile", "Orders", "OrdersPercentile"],
    ...["CartToOrder", "CartToOrderPercentile", "Visibility"],
    ...["FrequencyPast", "MedianPositionPast", ...past],
    "Currency"
  ],
  rows: rows.flatMap((row) => {
    const best = SearchTextRows.best(row, top, limit)
    return [...best.map((one) => textCells(context, one)), restCells(context, row, best)]
  })
})

const textCells = (context: Context, row: SearchTextRows.Row): ReadonlyArray<Csv.Cell> => {
  const { now, past } = row
  const ranked = (value: Csv.Cell, key: number): ReadonlyArray<Csv.Cell> => [
    value,
    SearchTextRows.percentile(row, key)
  ]
  return [
    now.text,
    ...described(context, row.good),
    now.frequency,
    now.median,
    now.position,
    ...ranked(now.opens, 1),
    ...ranked(now.carts, 2),
    ...ranked(Csv.rate(now.carts, now.opens), 3),
    ...ranked(now.orders, 4),
    ...ranked(Csv.rate(now.orders, now.carts), 5),
    now.visibility,
    past?.frequency,
    past?.median,
    ...seven(past),
    "RUB"
  ]
}

const restCells = (
  context: Context,
  row: SearchRows.Row,
  best: ReadonlyArray<SearchTextRows.Row>
): ReadonlyArray<Csv.Cell> => {
  const rest = (read: (figures: SearchFigures.Figures) => number) =>
    read(row.now) - best.reduce((sum, one) => sum + read(one.now), 0)
  const blanks = (count: number): ReadonlyArray<Csv.Cell> => Array.from({ length: count }, () => undefined)
  const [opens, carts, orders] = [rest((f) => f.opens), rest((f) => f.carts), rest((f) => f.orders)]
  return [
    bucket,
    ...described(context, row.good),
    rest((f) => f.frequency),
    ...blanks(2),
    ...[opens, undefined, carts, undefined, Csv.rate(carts, opens), undefined],
    ...[orders, undefined, Csv.rate(orders, carts), undefined],
    ...blanks(1 + 2 + past.length),
    "RUB"
  ]
}

const described = (context: Context, good: Goods.Good): ReadonlyArray<Csv.Cell> => [
  good.id,
  good.subjectName,
  good.brandName,
  good.vendorCode,
  good.title,
  ...ratings(context, good)
]

/** Rating, rating by reviews or words that there is none, and the span of prices. */
const ratings = ({ world, nowMs }: Context, good: Goods.Good): ReadonlyArray<Csv.Cell> => {
  const mean = Reviews.mean(Reviews.ofAllTime(world, good.id, nowMs))
  const { minPrice, maxPrice } = SearchRows.prices(good)
  return [
    Csv.comma(Reviews.cardRating(world, good.id)),
    mean === undefined ? "нет рейтинга" : Csv.comma(mean),
    minPrice,
    maxPrice
  ]
}

/** The seven metrics; blank without a past period. */
const seven = (figures: SearchFigures.Figures | undefined): ReadonlyArray<Csv.Cell> =>
  figures === undefined
    ? metrics.map(() => undefined)
    : [
        figures.position,
        figures.opens,
        figures.carts,
        Csv.rate(figures.carts, figures.opens),
        figures.orders,
        Csv.rate(figures.orders, figures.carts),
        figures.visibility
      ]
