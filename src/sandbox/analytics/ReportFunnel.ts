/** Contents of the detail and the grouped history report (not-shown §7.3): a row a day, week or month. */
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import * as Sales from "../shop/Sales.js"
import * as Change from "./Change.js"
import * as Csv from "./Csv.js"
import * as FunnelMetrics from "./FunnelMetrics.js"
import type * as Goods from "./Goods.js"
import * as Periods from "./Periods.js"

export type Level = "day" | "week" | "month"

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
export const detail = (
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
export const grouped = (
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
