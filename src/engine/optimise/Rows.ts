/** The decided streams of one budget as columns, and what each is expected to do at a bid. */
import * as Allocate from "./Allocate.js"
import type { Outlook } from "./Decision.js"
import type { Estimate } from "./Estimate.js"
import * as Raised from "./Raised.js"
import type { Goal, Stream } from "./Stream.js"

export interface Row {
  /** Index in the input. */
  readonly index: number
  readonly stream: Stream
  readonly estimate: Estimate
}

export interface Columns extends Allocate.Streams {
  /** Per view at the reference bid: orders, kopecks of revenue, kopecks that orders leave. */
  readonly orders: Float64Array
  readonly revenue: Float64Array
  readonly profit: Float64Array
  /** By how many times overlays make a day's spend more: `demand` holds it. */
  readonly raised: Float64Array
  /** Views for a share of `demand`: below 1 where a part of that is a higher price. */
  readonly seen: Float64Array
}

/**
 * What overlays add counts as more of the same, so that it is paid from the budget and no bid is worth less for it: how much more an hour is
 * worth is the seller's own word. Fewer orders come of it than money goes, and those are told.
 */
export const columns = (rows: ReadonlyArray<Row>, goal: Goal, clickExponent: number): Columns => {
  // `Float64Array.from` goes through an iterator: 45 ms for half a million rows, where this takes 3.
  const column = (of: (row: Row, i: number) => number): Float64Array => {
    const values = new Float64Array(rows.length)
    for (let i = 0; i < values.length; i++) values[i] = of(rows[i]!, i)
    return values
  }
  const raised = rows.map(({ estimate, stream }) => Raised.of(stream, estimate, clickExponent))
  const perView = (of: (row: Row) => number): Float64Array =>
    column((row) => row.estimate.rates.ordersPerView * of(row))
  const told = (values: Float64Array): Float64Array =>
    values.map((value, i) => (value * raised[i]!.orders) / raised[i]!.spend)
  const orders = perView(() => 1)
  const revenue = perView(({ estimate: { worth } }) => worth.priceKopecks)
  const profit = perView(({ estimate: { worth } }) => worth.profitKopecks)
  return {
    size: rows.length,
    exponent: column(({ estimate }) => estimate.exponent),
    half: column(({ estimate }) => estimate.halfKopecks),
    demand: column(({ estimate }) => estimate.demandPerDay).map((views, i) => views * raised[i]!.spend),
    worth: goal === "profit" ? profit : goal === "revenue" ? revenue : orders,
    cost: column(({ estimate, stream }) => costPerView(stream, estimate)),
    reference: column(({ estimate }) => estimate.referenceKopecks),
    clickExponent,
    paysClicks: new Uint8Array(column(({ stream }) => (stream.payment === "cpc" ? 1 : 0))),
    orders: told(orders),
    revenue: told(revenue),
    profit: told(profit),
    raised: column((_, i) => raised[i]!.spend),
    seen: column((_, i) => raised[i]!.views / raised[i]!.spend)
  }
}

/** Kopecks per view and kopeck of bid. */
const costPerView = ({ payment }: Stream, { paidShare, rates }: Estimate): number =>
  payment === "cpm" ? paidShare / 1000 : paidShare * rates.ctr

/** Per day at a bid; 0 is off. */
export const outlook = (c: Columns, i: number, bidKopecks: number): Outlook => {
  const views = Allocate.viewsAt(c, i, bidKopecks)
  const clicked = views * Allocate.clickFactor(c, i, bidKopecks)
  const spend = Allocate.spendAt(c, i, bidKopecks)
  return {
    bidKopecks,
    viewsPerDay: views * c.seen[i]!,
    ordersPerDay: clicked * c.orders[i]!,
    spendKopecksPerDay: spend,
    revenueKopecksPerDay: clicked * c.revenue[i]!,
    profitKopecksPerDay: profitAt(c, i, bidKopecks)
  }
}

/** Kopecks that a day at a bid leaves. */
export const profitAt = (c: Columns, i: number, bidKopecks: number): number =>
  Allocate.viewsAt(c, i, bidKopecks) * Allocate.clickFactor(c, i, bidKopecks) * c.profit[i]! -
  Allocate.spendAt(c, i, bidKopecks)

/** What a view at this bid costs. */
export const viewCost = (c: Columns, i: number, bid: number): number =>
  c.cost[i]! * bid * (c.paysClicks[i] === 1 ? Allocate.clickFactor(c, i, bid) : 1)

/** The bid above which a view costs more than its orders leave. */
export const breakEvenBid = (c: Columns, i: number): number => {
  const ratio = Math.max(0, c.profit[i]! / c.cost[i]!)
  if (c.paysClicks[i] === 1 || c.clickExponent === 0) return ratio
  return (ratio / c.reference[i]! ** c.clickExponent) ** (1 / (1 - c.clickExponent))
}

/** What the next 1000 views (cpm) or the next click (cpc) cost above a bid: price · (1 + 1 / elasticity). */
export const marginal = (
  c: Pick<Columns, "clickExponent" | "demand" | "exponent" | "half" | "paysClicks">,
  i: number,
  bid: number,
  paidShare: number
): number => {
  if (bid <= 0) return 0
  const elasticity = c.exponent[i]! * (1 - Allocate.viewsAt(c, i, bid) / Math.max(1e-300, c.demand[i]!))
  const grows = elasticity + (c.paysClicks[i] === 1 ? c.clickExponent : 0)
  return grows > 1e-9 ? paidShare * bid * (1 + 1 / grows) : Number.POSITIVE_INFINITY
}
