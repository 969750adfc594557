/**
 * How far off a budget's prediction may be. Streams err for themselves (what is counted of them is little, their curve and value are
 * estimates, a day is not the mean day) and together (demand of the whole shop), and variances add up:
 *
 *     spend²  · (1 / counted views + 1 / expected views + day² + (ln(bid / old bid) · error of the elasticity)²)   per stream
 *     total²  · together²
 *
 * Intervals are of 90%, normal. Spend and orders are those of one day, profit that of the estimate.
 */
import type { Interval } from "./Decision.js"
import { z90 } from "./Distribution.js"
import * as Rows from "./Rows.js"

/** Of a stream's views from day to day, and of all streams' together (both assumed). */
const dayError = 0.25
const togetherError = 0.1

export interface Sums {
  readonly spend: Interval
  readonly orders: Interval
  readonly profit: Interval
  readonly revenue: number
}

/** `bids`: kopecks, 0 for off; `otherSpend`, `otherOrders`: of streams that are not decided. */
export const sums = (
  c: Rows.Columns,
  rows: ReadonlyArray<Rows.Row>,
  bids: Float64Array,
  otherSpend: number,
  otherOrders: number
): Sums => {
  let [spend, orders, profit, revenue] = [otherSpend, otherOrders, 0, 0]
  let [ofSpend, ofOrders, ofProfit] = [(otherSpend * dayError) ** 2, otherOrders, 0]
  for (let i = 0; i < c.size; i++) {
    const bid = bids[i]!
    if (bid <= 0) continue
    const { counts, curve, exponent, rates } = rows[i]!.estimate
    const day = Rows.outlook(c, i, bid)
    const moved = Math.log(bid / rows[i]!.stream.bidKopecks)
    const estimate = 1 / (counts.views + 1) + moved ** 2 * exponent ** 2 * curve.varExponent
    const clicks = c.paysClicks[i] === 1 ? 1 / (counts.clicks + 1) : 0
    const views = estimate + dayError ** 2 + 1 / (day.viewsPerDay + 0.1)
    const value = (rates.ordersPerViewError / Math.max(1e-300, rates.ordersPerView)) ** 2
    spend += day.spendKopecksPerDay
    orders += day.ordersPerDay
    profit += day.profitKopecksPerDay
    revenue += day.revenueKopecksPerDay
    ofSpend += day.spendKopecksPerDay ** 2 * (views + clicks)
    ofOrders += day.ordersPerDay ** 2 * (value + views) + day.ordersPerDay
    ofProfit +=
      (day.profitKopecksPerDay + day.spendKopecksPerDay) ** 2 * value +
      day.profitKopecksPerDay ** 2 * estimate
  }
  const around = (mean: number, variance: number, together: number, least: number): Interval => {
    const half = z90 * Math.sqrt(variance + (together * mean) ** 2)
    return { low: Math.max(least, mean - half), mean, high: mean + half }
  }
  return {
    spend: around(spend, ofSpend, togetherError, 0),
    orders: around(orders, ofOrders, togetherError, 0),
    profit: around(profit, ofProfit, togetherError / 2, Number.NEGATIVE_INFINITY),
    revenue
  }
}
