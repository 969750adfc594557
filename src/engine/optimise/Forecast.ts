/**
 * How far off a budget's prediction may be. Streams err for themselves (what is counted of them is little, their curve and value are
 * estimates), the day errs for all of them (no day is the mean day), and variances add up:
 *
 *     spend² · (1 / counted views + 1 / expected views + (ln(bid / counted bid) · error of the elasticity)²)   per stream
 *     total² · day² · (1 + 1 / days)
 *     (sum of |spend at the bid − spend at the counted bid|)² · change²
 *
 * How far days of this budget lie apart is seen in the days themselves, where it is told of them; less is known of few days, so an
 * assumption weighs as much as some of them. Intervals are of 90% (`Spread`). Spend and orders are those of one day, the orders' own
 * chance among it; profit is that of the estimate, normal.
 */
import * as Allocate from "./Allocate.js"
import type { Interval } from "./Decision.js"
import { z90 } from "./Distribution.js"
import type * as Rows from "./Rows.js"
import * as Spread from "./Spread.js"

/** Of a stream's views from day to day, and of all streams' together (both assumed). */
const dayError = 0.25
const togetherError = 0.1

/** Of what bids bring that differ from those at which was counted: curves of all streams are wrong in the same way (assumed). */
const changeError = 0.25

/** Days that the assumption weighs as much as. */
const assumedDays = 4

export interface Sums {
  readonly spend: Interval
  readonly orders: Interval
  readonly profit: Interval
  readonly revenue: number
  /** Kopecks a day of each row. */
  readonly spends: Float64Array
}

/** What stands beside the rows of a budget: a day of what is not decided, and whole days as they were, kopecks, oldest first. */
export interface Beside {
  readonly spend: number
  readonly orders: number
  readonly dailySpends: ReadonlyArray<number>
}

/** `bids`: kopecks, 0 for off. */
export const sums = (
  c: Rows.Columns,
  rows: ReadonlyArray<Rows.Row>,
  bids: Float64Array,
  beside: Beside
): Sums => {
  let [spend, orders, profit, revenue] = [beside.spend, beside.orders, 0, 0]
  let [ofSpend, ofOrders, ofProfit] = [0, beside.orders, 0]
  let apart = beside.spend ** 2
  let changed = 0
  const spends = new Float64Array(c.size)
  for (let i = 0; i < c.size; i++) {
    const bid = bids[i]!
    if (bid <= 0) continue
    const { counts, curve, exponent, rates, referenceKopecks } = rows[i]!.estimate
    // Number by number: an outlook of each would leave two hundred bytes to collect.
    const won = Allocate.viewsAt(c, i, bid)
    const clicked = won * Allocate.clickFactor(c, i, bid)
    const seen = won * c.seen[i]!
    const ordered = clicked * c.orders[i]!
    const spent = (c.paysClicks[i] === 1 ? clicked : won) * c.cost[i]! * bid
    spends[i] = spent
    const earned = clicked * c.profit[i]! - spent
    const moved = Math.log(bid / referenceKopecks)
    const counted = Allocate.spendAt(c, i, referenceKopecks) / c.raised[i]!
    changed += Math.abs(spent - counted)
    const estimate = 1 / (counts.views + 1) + moved ** 2 * exponent ** 2 * curve.varExponent
    const clicks = c.paysClicks[i] === 1 ? 1 / (counts.clicks + 1) + 1 / (seen * rates.ctr + 0.1) : 0
    const views = estimate + 1 / (seen + 0.1)
    const value = (rates.ordersPerViewError / Math.max(1e-300, rates.ordersPerView)) ** 2
    spend += spent
    orders += ordered
    profit += earned
    revenue += clicked * c.revenue[i]!
    apart += spent ** 2
    ofSpend += spent ** 2 * (views + clicks)
    ofOrders += ordered ** 2 * (value + views) + ordered
    ofProfit += (earned + spent) ** 2 * value + earned ** 2 * estimate
  }
  const assumed = togetherError ** 2 + (spend > 0 ? (dayError ** 2 * apart) / spend ** 2 : 0)
  const ofAll =
    dayVariance(beside.dailySpends, assumed) + (spend > 0 ? (changeError * changed) / spend : 0) ** 2
  const half = z90 * Math.sqrt(ofProfit + ((togetherError / 2) * profit) ** 2)
  return {
    spend: Spread.ofAmount(spend, ofSpend + ofAll * spend ** 2),
    orders: Spread.ofCount(orders, ofOrders + ofAll * orders ** 2),
    profit: { low: profit - half, mean: profit, high: profit + half },
    revenue,
    spends
  }
}

/**
 * Relative variance of one day about what is expected of it, as a square of a share. Each day is compared with the one before, so that
 * neither a season nor bids that moved weeks ago count as noise.
 */
export const dayVariance = (dailySpends: ReadonlyArray<number>, assumed: number): number => {
  let [squares, steps] = [0, 0]
  for (let i = 1; i < dailySpends.length; i++) {
    const [before, after] = [dailySpends[i - 1]!, dailySpends[i]!]
    if (!(before > 0 && after > 0)) continue
    // The variance of a difference is twice that of a day.
    squares += Math.log(after / before) ** 2 / 2
    steps += 1
  }
  const seen = (assumedDays * assumed + squares) / (assumedDays + steps)
  return seen * (1 + 1 / (assumedDays + steps))
}
