/** Contents of the three search reports (not-shown §7.3). */
import type { Context } from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import * as Change from "./Change.js"
import * as Csv from "./Csv.js"
import type * as Goods from "./Goods.js"
import * as Periods from "./Periods.js"
import * as Reviews from "./Reviews.js"
import * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as SearchTexts from "./SearchTexts.js"

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
  top: Top,
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
    const best = bestRows(row, top, limit)
    return [...best.map((one) => textCells(context, one)), restCells(context, row, best)]
  })
})

const textCells = (context: Context, row: Row): ReadonlyArray<Csv.Cell> => {
  const { now, past } = row
  const ranked = (value: Csv.Cell, key: number): ReadonlyArray<Csv.Cell> => [value, percentile(row, key)]
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
  best: ReadonlyArray<Row>
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

// Search texts of items as rows (seed 002 "Search-text row"), and a text's days.

export interface Row {
  readonly good: Goods.Good
  readonly now: SearchFigures.TextFigures
  /** Undefined without a past period. */
  readonly past: SearchFigures.Figures | undefined
}

type Top = "openCard" | "addToCart" | "openToCart" | "orders" | "cartToOrder"

/** The best texts of an item, those it was shown under only. */
export const bestRows = (row: SearchRows.Row, top: Top, limit: number): ReadonlyArray<Row> => {
  const read = SearchFigures.fields[top]
  const past = new Map(row.past?.texts.map((text) => [text.text, text]))
  return row.now.texts
    .filter((text) => text.position > 0)
    .map((text, i) => ({ text, i, key: read(text) }))
    .sort((a, b) => b.key - a.key || a.i - b.i)
    .slice(0, limit)
    .map(({ text }) => ({ good: row.good, now: text, past: past.get(text.text) }))
}

/** How many competitors do worse, percent; by chance, for the market knows no others. */
const percentile = (row: Row, key: number): number =>
  Dice.uint(Dice.mix(Dice.ofText(row.good.id, row.now.text), 970 + key)) % 101

export const wire = (context: Context, row: Row) => {
  const { good, now, past } = row
  const metrics = SearchFigures.metrics(now, past)
  const pair = (read: (figures: SearchFigures.Figures) => number) =>
    Change.pair(read(now), past === undefined ? undefined : read(past))
  return {
    text: now.text,
    ...SearchRows.described(context, good),
    frequency: pair((f) => f.frequency),
    weekFrequency: weekFrequency(context, good.id, now.text),
    medianPosition: pair((f) => f.median),
    avgPosition: metrics.avgPosition,
    openCard: { ...metrics.openCard, percentile: percentile(row, 1) },
    addToCart: { ...metrics.addToCart, percentile: percentile(row, 2) },
    openToCart: { ...metrics.openToCart, percentile: percentile(row, 3) },
    orders: { ...metrics.orders, percentile: percentile(row, 4) },
    cartToOrder: { ...metrics.cartToOrder, percentile: percentile(row, 5) },
    visibility: metrics.visibility
  }
}

const weekFrequency = ({ world, nowMs }: Context, itemId: number, text: string): number => {
  const today = Moscow.dayOf(nowMs)
  const week = SearchTexts.ofDays(world, itemId, { from: today - 7, to: today - 1 }, nowMs)
  return [...week.values()].reduce(
    (sum, texts) => sum + (texts.find((day) => day.text === text)?.frequency ?? 0),
    0
  )
}

/** Orders and positions of the asked texts by day; a text the item was never found by has zeros. */
export const byDay = (
  { world, nowMs }: Context,
  itemId: number,
  texts: ReadonlyArray<string>,
  days: Days
) => {
  const known = SearchTexts.ofDays(world, itemId, days, nowMs)
  const asked = [...new Set(texts)]
  const dayOf = (day: number, text: string) => known.get(day)?.find((one) => one.text === text)
  const shown = Periods.each(days).filter((day) => known.has(day))
  return {
    total: shown.map((day) => {
      const own = asked.flatMap((text) => dayOf(day, text) ?? [])
      const { orders, position } = SearchFigures.ofTextDays(own)
      return { dt: Moscow.dayText(day), avgPosition: position, orders }
    }),
    items: asked.map((text) => ({
      text,
      frequency: shown.reduce((sum, day) => sum + (dayOf(day, text)?.frequency ?? 0), 0),
      dateItems: shown.map((day) => {
        const own = dayOf(day, text)
        return { dt: Moscow.dayText(day), avgPosition: own?.position ?? 0, orders: own?.orders ?? 0 }
      })
    }))
  }
}
