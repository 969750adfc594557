/**
 * What a unit earns, in exact decimals (decision 0083). Amounts are whole kopecks, shares fractions on a grid of millionths. Every
 * figure is rounded once, at its end, against the seller: what is earned down, what is paid up. So a rule that asks for 18% never
 * sees 18% where there is less. Pure.
 *
 * Of a unit that a buyer keeps, at price p and with the share b of orders that are kept:
 *
 *     costs  = unit_cost + packaging + storage + extra + p × (commission + acquiring)
 *            + (logistics_out + (1 − b) × logistics_back + advertising per order) / b
 *     profit = p − costs − tax_rate × (p, or, where profit is taxed, max(0, p − costs))
 *
 * An order placed is worth b of that, before advertising.
 */

/** The days of orders that `orders_per_day` and `ad_cost_per_order` look at. */
export const paceDays = 14

/** The terms of a unit, in the order in which the figures take them. */
const termCount = 12

/** NaN where there is nothing to say (0/0); a figure that is endless is infinite. */
type Figure = (terms: Float64Array | ReadonlyArray<number>) => number

/** By the name that a formula calls it; how many terms each takes stands in `DerivedFacts`. */
const figures = {
  /** Kopecks of a kept unit after all costs. Terms: `Unit`, then advertising per order. */
  unit_profit: (terms) => ofUnit(terms, ({ profit, scale }) => floor(profit, scale)),
  /** The same as a share of the price. */
  unit_margin: (terms) =>
    ofUnit(terms, ({ price, profit, scale }) =>
      price === 0n ? Number.NaN : floor(profit * millionths, scale * price) / Number(millionths)
    ),
  /** Kopecks of an order placed, before advertising. Terms: `Unit`. */
  order_profit: (terms) => ofOrder(terms, ({ profit }) => profit),
  /** Kopecks that an order's advertising may cost until nothing is left: then there is no profit to be taxed. Terms: `Unit`. */
  order_break_even: (terms) => ofOrder(terms, ({ untaxed }) => untaxed),
  /** Share of orders that were kept. Terms: kept, placed. */
  share_kept: ([kept = Number.NaN, placed = Number.NaN]) =>
    placed > 0 && kept >= 0 && placed < Number.POSITIVE_INFINITY
      ? floor(whole(Math.min(kept, placed)) * millionths, whole(placed)) / Number(millionths)
      : Number.NaN,
  /** Kopecks of advertising per order, of whoever ordered. Terms: spend, orders. */
  cost_per_order: ([spend = Number.NaN, orders = Number.NaN]) => {
    if (spend === 0) return 0
    if (!isFinite([spend, orders])) return Number.NaN
    return orders <= 0 ? Number.POSITIVE_INFINITY : ceil(whole(spend), whole(orders))
  },
  /** How many times the orders must grow so that the lower profit earns as much. Terms: `Unit`, advertising per order, price and commission then. */
  uplift: (terms) => {
    if (terms[termCount] === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
    return ofBoth(terms, (now, then) => {
      if (then.profit <= 0n) return Number.POSITIVE_INFINITY
      return now.profit <= 0n ? 0 : ceil(now.profit * upliftParts, then.profit) / Number(upliftParts)
    })
  },
  /** Kopecks a day that the lower profit costs at today's orders. Terms: those of `uplift`, then orders of `paceDays`. */
  cost_per_day: (terms) =>
    // The share kept, which makes units of orders, falls out against the scale.
    ofBoth(terms, (now, then) =>
      ceil((now.profit - then.profit) * whole(terms[bothCount] ?? 0), millionths ** 3n * BigInt(paceDays))
    )
} as const satisfies Record<string, Figure>

export type FigureName = keyof typeof figures

/** A figure of terms that are all known. Terms that no table and no report can hold have none. */
export const figure = (name: FigureName, terms: Float64Array | ReadonlyArray<number>): number =>
  sure(name, terms) ?? figures[name](terms)

/** What a unit costs: kopecks, and shares as fractions. */
interface Unit {
  readonly price: bigint
  /** Over `scale`. */
  readonly profit: bigint
  /** As `profit`, but for the tax on it. */
  readonly untaxed: bigint
  readonly scale: bigint
}

/** Terms of two units that differ by their price and commission alone. */
const bothCount = termCount + 3

/** The same unit now, and then: both over one scale. */
const ofBoth = (
  terms: Float64Array | ReadonlyArray<number>,
  made: (now: Unit, then: Unit) => number
): number => {
  if (!((terms[termCount - 1] ?? 0) > 0 && isFinite(terms))) return Number.NaN
  const advertising = whole(terms[termCount] ?? 0)
  return made(unitOf(terms, advertising), unitOf(thenOf(terms), advertising))
}

const thenOf = (terms: Float64Array | ReadonlyArray<number>): ReadonlyArray<number> => [
  ...terms.slice(termCount + 1, bothCount),
  ...terms.slice(2, termCount + 1)
]

const millionths = 1_000_000n
const upliftParts = 10_000n

const ofUnit = (terms: Float64Array | ReadonlyArray<number>, made: (unit: Unit) => number): number => {
  const advertising = terms[termCount] ?? 0
  if (advertising === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  const kept = terms[termCount - 1] ?? 0
  return kept > 0 && isFinite(terms) ? made(unitOf(terms, whole(advertising))) : Number.NaN
}

/** The share kept falls out: what a kept unit earns, times the share, has no share below the line. */
const ofOrder = (terms: Float64Array | ReadonlyArray<number>, chosen: (unit: Unit) => bigint): number =>
  isFinite(terms) ? floor(chosen(unitOf(terms, 0n)), millionths ** 3n) : Number.NaN

const unitOf = (terms: Float64Array | ReadonlyArray<number>, advertising: bigint): Unit => {
  const money = (at: number) => whole(terms[at] ?? Number.NaN)
  const rate = (at: number) => share(terms[at] ?? Number.NaN)
  const [price, commission, acquiring, kept] = [money(0), rate(1), rate(2), rate(11)]
  const [unitCost, packaging, storage, extra] = [money(3), money(4), money(5), money(6)]
  const [out, back, tax, isOnProfit] = [money(7), money(8), rate(9), terms[10] === 1]
  // All over millionths × the share kept.
  const fixed = (unitCost + packaging + storage + extra) * millionths * kept
  const byPrice = price * (commission + acquiring) * kept
  const byOrder = ((out + advertising) * millionths + (millionths - kept) * back) * millionths
  const gross = price * millionths * kept - fixed - byPrice - byOrder
  const untaxed = gross * millionths - (isOnProfit ? 0n : price * tax * millionths * kept)
  const ofProfit = isOnProfit && gross > 0n ? gross * tax : 0n
  return { price, profit: untaxed - ofProfit, untaxed, scale: millionths ** 2n * kept }
}

const isFinite = (terms: Float64Array | ReadonlyArray<number>): boolean =>
  terms.every((one: number) => Number.isFinite(one))

/** Amounts are whole kopecks, and counts whole numbers. */
const whole = (amount: number): bigint => BigInt(Math.round(amount))

const share = (fraction: number): bigint => BigInt(Math.round(fraction * Number(millionths)))

const floor = (above: bigint, below: bigint): number => {
  const quotient = above / below
  return Number(above < 0n && quotient * below !== above ? quotient - 1n : quotient)
}

const ceil = (above: bigint, below: bigint): number => 0 - floor(-above, below)

// The same in floating point, for most units are far enough from where rounding would tip: a large account asks for a million
// figures, and whole numbers of any length take twenty times as long.

/** The figure where floating point cannot be wrong about it; undefined where the exact numbers must say. */
const sure = (name: FigureName, terms: Float64Array | ReadonlyArray<number>): number | undefined => {
  const unit = name in ofUnits ? roughly(terms, name === "unit_profit" || name === "unit_margin") : undefined
  return unit === undefined ? undefined : ofUnits[name as keyof typeof ofUnits](unit)
}

/** Kopecks, each off by less than `err`. */
interface Rough {
  readonly price: number
  readonly kept: number
  readonly profit: number
  readonly untaxed: number
  readonly err: number
}

const ofUnits = {
  unit_profit: ({ err, profit }: Rough) => floored(profit, err),
  unit_margin: ({ err, price, profit }: Rough) => {
    const share = floored((profit / price) * 1e6, (err / price) * 1e6)
    return share === undefined ? undefined : share / 1e6
  },
  order_profit: ({ err, kept, profit }: Rough) => floored(profit * kept, err),
  order_break_even: ({ err, kept, untaxed }: Rough) => floored(untaxed * kept, err)
}

/** Some twenty roundings, each off by 2^-53 of what is added up at most. */
const mayErr = 2 ** -47

/** What is no plain unit (nothing kept, an amount below zero, no number) is for the exact way to refuse. */
const roughly = (terms: Float64Array | ReadonlyArray<number>, isAdvertised: boolean): Rough | undefined => {
  const price = Math.round(terms[0]!)
  const byPrice = onGrid(terms[1]!) + onGrid(terms[2]!)
  const fixed = Math.round(terms[3]!) + Math.round(terms[4]!) + Math.round(terms[5]!) + Math.round(terms[6]!)
  const out = Math.round(terms[7]!) + (isAdvertised ? Math.round(terms[termCount]!) : 0)
  const back = Math.round(terms[8]!)
  const tax = onGrid(terms[9]!)
  const kept = onGrid(terms[11]!)
  const isPlain = price > 0 && byPrice >= 0 && fixed >= 0 && out >= 0 && back >= 0 && tax >= 0
  if (!(isPlain && kept > 0 && kept <= 1 && (terms[10] === 0 || terms[10] === 1))) return undefined
  const gross = price - fixed - price * byPrice - (out + (1 - kept) * back) / kept
  const untaxed = terms[10] === 1 ? gross : gross - price * tax
  const profit = terms[10] === 1 && gross > 0 ? gross - gross * tax : untaxed
  const most = (price * (1 + byPrice + tax) + fixed + (out + back) / kept) * (1 + tax)
  return { price, kept, profit, untaxed, err: most * mayErr }
}

const onGrid = (share: number): number => Math.round(share * 1e6) / 1e6

/** Undefined where the value may be on either side of a whole number. */
const floored = (value: number, err: number): number | undefined => {
  const low = Math.floor(value - err)
  return low === Math.floor(value + err) ? low + 0 : undefined
}
