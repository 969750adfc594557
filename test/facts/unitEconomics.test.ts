/** What a unit earns, against fractions that are never rounded. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as UnitEconomics from "../../src/engine/facts/UnitEconomics.js"
import * as Depth from "../Depth.js"
import * as Fractions from "./Fractions.js"
import { type Fraction, of } from "./Fractions.js"

/** The formula as people write it on paper, in fractions. */
const onPaper = (unit: Unit, advertising: number): Fraction => {
  const money = (kopecks: number) => of(BigInt(kopecks), 1n)
  const rate = (millionths: number) => of(BigInt(millionths), 1_000_000n)
  const p = money(unit.price)
  const b = rate(unit.kept)
  const one = of(1n, 1n)
  const costs = Fractions.sum([
    money(unit.unitCost),
    money(unit.packaging),
    money(unit.storage),
    money(unit.extra),
    Fractions.times(p, rate(unit.commission)),
    Fractions.times(p, rate(unit.acquiring)),
    money(unit.out),
    Fractions.times(
      Fractions.over(Fractions.minus(one, b), b),
      Fractions.sum([money(unit.out), money(unit.back)])
    ),
    Fractions.over(money(advertising), b)
  ])
  const gross = Fractions.minus(p, costs)
  const left = Fractions.isBelow(gross, of(0n, 1n)) ? of(0n, 1n) : gross
  return Fractions.minus(gross, Fractions.times(unit.isOnProfit ? left : p, rate(unit.tax)))
}

const kopecks = (most = 1_000_000) => fc.integer({ min: 0, max: most })
const millionths = (least = 0) => fc.integer({ min: least, max: 1_000_000 })
const units = fc.record({
  price: fc.integer({ min: 100, max: 5_000_000 }),
  commission: millionths(),
  acquiring: fc.integer({ min: 0, max: 50_000 }),
  unitCost: kopecks(),
  packaging: kopecks(20_000),
  storage: kopecks(20_000),
  extra: kopecks(20_000),
  out: kopecks(50_000),
  back: kopecks(50_000),
  tax: fc.integer({ min: 0, max: 250_000 }),
  isOnProfit: fc.boolean(),
  kept: millionths(1000)
})
/** Their figures are whole kopecks as often as not, or too large for floating point to tell. */
const round = fc.constantFrom(0, 50_000, 100_000, 250_000)
const onTheBound = fc
  .record({
    price: fc.integer({ min: 1, max: 5_000 }).map((n) => n * 100),
    times: fc.constantFrom(1, 1, 1, 1_000_000_000),
    commission: round,
    acquiring: round,
    cost: fc.integer({ min: 0, max: 2_000 }).map((n) => n * 100),
    out: fc.integer({ min: 0, max: 100 }).map((n) => n * 100),
    tax: round,
    isOnProfit: fc.boolean(),
    kept: fc.constantFrom(250_000, 500_000, 800_000, 1_000_000)
  })
  .map(({ cost, out, price, times, ...rest }) => ({
    ...rest,
    price: price * times,
    unitCost: cost * times,
    out: out * times,
    back: out * times,
    packaging: 0,
    storage: 0,
    extra: 0
  }))
type Unit = typeof units extends fc.Arbitrary<infer A> ? A : never

const termsOf = (unit: Unit): ReadonlyArray<number> => [
  unit.price,
  unit.commission / 1e6,
  unit.acquiring / 1e6,
  unit.unitCost,
  unit.packaging,
  unit.storage,
  unit.extra,
  unit.out,
  unit.back,
  unit.tax / 1e6,
  Number(unit.isOnProfit),
  unit.kept / 1e6
]

/** True when `shown` is the largest multiple of 1/parts that is not above `exact`. */
const isFloorOf = (shown: number, exact: Fraction, parts: bigint): boolean => {
  const steps = BigInt(Math.round(shown * Number(parts)))
  return !Fractions.isBelow(exact, of(steps, parts)) && Fractions.isBelow(exact, of(steps + 1n, parts))
}

describe("what a unit earns", () => {
  it("is what the formula says on paper, rounded down once: kopecks, and millionths of the price", () => {
    fc.assert(
      fc.property(fc.oneof(units, onTheBound), kopecks(100_000), (unit, advertising) => {
        const exact = onPaper(unit, advertising)
        const terms = [...termsOf(unit), advertising]
        expect(isFloorOf(UnitEconomics.figure("unit_profit", terms), exact, 1n)).toBe(true)
        const margin = Fractions.over(exact, of(BigInt(unit.price), 1n))
        expect(isFloorOf(UnitEconomics.figure("unit_margin", terms), margin, 1_000_000n)).toBe(true)
      }),
      { numRuns: Depth.cases(1000) }
    )
  })

  it("of an order placed is the kept share of what a kept unit earns, before advertising", () => {
    fc.assert(
      fc.property(fc.oneof(units, onTheBound), (unit) => {
        const exact = Fractions.times(onPaper(unit, 0), of(BigInt(unit.kept), 1_000_000n))
        expect(isFloorOf(UnitEconomics.figure("order_profit", termsOf(unit)), exact, 1n)).toBe(true)
        const untaxed = Fractions.times(
          onPaper(unit.isOnProfit ? { ...unit, tax: 0 } : unit, 0),
          of(BigInt(unit.kept), 1_000_000n)
        )
        expect(isFloorOf(UnitEconomics.figure("order_break_even", termsOf(unit)), untaxed, 1n)).toBe(true)
      }),
      { numRuns: Depth.cases(1000) }
    )
  })

  it("is exactly the bound where the bound is exactly met, and below it by one kopeck more of cost", () => {
    const even: Unit = {
      price: 100_000, commission: 170_000, acquiring: 15_000, unitCost: 45_000, packaging: 1_000, storage: 500,
      extra: 0, out: 5_000, back: 5_000, tax: 60_000, isOnProfit: false, kept: 1_000_000
    } // biome-ignore format: a table
    expect(UnitEconomics.figure("unit_margin", [...termsOf(even), 6_000])).toBe(Number("18e-2"))
    const dearer = { ...even, unitCost: 45_001 }
    expect(UnitEconomics.figure("unit_margin", [...termsOf(dearer), 6_000])).toBeLessThan(0.18)
  })

  it("of an item that nobody keeps costs the way out and back, and no unit earns anything", () => {
    const lost = [100_000, 0.1, 0, 50_000, 0, 0, 0, 5_000, 3_000, 0, 0, 0]
    expect(UnitEconomics.figure("order_profit", lost)).toBe(-8_000)
    expect(UnitEconomics.figure("unit_profit", [...lost, 0])).toBeNaN()
  })
})

describe("figures around it", () => {
  it("round shares that are kept down, and costs up", () => {
    expect(UnitEconomics.figure("share_kept", [2, 3])).toBe(0.666666)
    expect(UnitEconomics.figure("share_kept", [5, 3])).toBe(1)
    expect(UnitEconomics.figure("share_kept", [0, 0])).toBeNaN()
    expect(UnitEconomics.figure("cost_per_order", [1000, 3])).toBe(334)
    expect(UnitEconomics.figure("cost_per_order", [0, 0])).toBe(0)
    expect(UnitEconomics.figure("cost_per_order", [1, 0])).toBe(Number.POSITIVE_INFINITY)
    expect(UnitEconomics.figure("unit_profit", [...Array(12).fill(1), Number.POSITIVE_INFINITY])).toBe(
      Number.NEGATIVE_INFINITY
    )
  })

  /** Of a unit that costs so much and nothing else, at a price of now and of then. */
  const both = (unitCost: number, now: number, then: number, kept = 1, acquiring = 0) => {
    const [before, after] = [
      [now, 0, acquiring, unitCost],
      [0, 0, 0, 0, 0, 0, 0, kept, 0]
    ]
    return [...before, ...after, then, 0]
  }

  it("say how many times the orders must grow, and that nothing makes up for a loss", () => {
    expect(UnitEconomics.figure("uplift", both(0, 180, 100))).toBe(1.8)
    expect(UnitEconomics.figure("uplift", both(0, 100, 300))).toBe(0.3334)
    expect(UnitEconomics.figure("uplift", both(100, 200, 100))).toBe(Number.POSITIVE_INFINITY)
    expect(UnitEconomics.figure("uplift", both(105, 100, 205))).toBe(0)
    expect(UnitEconomics.figure("uplift", both(105, 100, 5))).toBe(Number.POSITIVE_INFINITY)
  })

  it("count what the lower profit costs a day", () => {
    expect(UnitEconomics.figure("cost_per_day", [...both(0, 10_000, 4_000, 0.5), 28])).toBe(6_000)
    expect(UnitEconomics.figure("cost_per_day", [...both(0, 10_000, 4_001, 0.5), 1])).toBe(215)
    expect(UnitEconomics.figure("cost_per_day", [...both(0, 4_000, 10_000, 0.5), 28])).toBe(-6_000)
  })

  it("of two prices are rounded once, at their end: part of a kopeck of either profit counts for each order", () => {
    // 98.5 and 49.25 kopecks are left.
    const terms = both(0, 100, 50, 1, 0.015)
    expect(UnitEconomics.figure("uplift", terms)).toBe(2)
    expect(UnitEconomics.figure("cost_per_day", [...terms, 140])).toBe(493)
  })
})
