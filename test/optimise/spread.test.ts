/** Where nine of ten days lie: amounts and counts that are drawn as they are believed to be, and days that tell how far they lie apart. */
import { describe, expect, it } from "vitest"
import * as Estimate from "../../src/engine/optimise/Estimate.js"
import * as Forecast from "../../src/engine/optimise/Forecast.js"
import * as Learn from "../../src/engine/optimise/Learn.js"
import * as Rows from "../../src/engine/optimise/Rows.js"
import * as Spread from "../../src/engine/optimise/Spread.js"
import * as Market from "./MadeUpMarket.js"
import { stream } from "./Streams.js"

const normal = (roll: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll())

/** Marsaglia & Tsang's way, with the usual step for shapes below 1. */
const gamma = (roll: () => number, shape: number): number => {
  if (shape < 1) return gamma(roll, shape + 1) * (1 - roll()) ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const x = normal(roll)
    const v = (1 + x / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - roll()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

const poisson = (roll: () => number, mean: number): number => {
  let [count, time] = [0, -Math.log(1 - roll())]
  while (time < mean) {
    count += 1
    time -= Math.log(1 - roll())
  }
  return count
}

const shareWithin = (of: { readonly low: number; readonly high: number }, draw: () => number): number => {
  const draws = 20_000
  let within = 0
  for (let i = 0; i < draws; i++) {
    const value = draw()
    if (value >= of.low && value <= of.high) within += 1
  }
  return within / draws
}

describe("an interval", () => {
  it("of counts holds nine of ten draws or a little more, few or many, certain or not of their mean", () => {
    const roll = Market.dice(11)
    for (const mean of [0.2, 0.7, 1.5, 4, 11, 40, 180, 900])
      for (const uncertain of [0, 0.15, 0.5]) {
        const interval = Spread.ofCount(mean, mean + (uncertain * mean) ** 2)
        const rate = () => (uncertain === 0 ? mean : gamma(roll, uncertain ** -2) * mean * uncertain ** 2)
        const share = shareWithin(interval, () => poisson(roll, rate()))
        expect([mean, uncertain, share > 0.885]).toEqual([mean, uncertain, true])
        // Whole numbers near 0 leave no closer choice.
        if (mean > 10) expect([mean, uncertain, share < 0.95]).toEqual([mean, uncertain, true])
        expect(interval.low).toBeLessThanOrEqual(mean)
        expect(interval.high).toBeGreaterThanOrEqual(mean)
        expect(Number.isInteger(interval.low) && Number.isInteger(interval.high)).toBe(true)
      }
  }, 60_000)

  it("of money holds nine of ten draws, is never negative and has its mean within", () => {
    const roll = Market.dice(5)
    for (const share of [0.05, 0.15, 0.4, 1]) {
      const variance = (share * 70_000) ** 2
      const { high, low, mean } = Spread.ofAmount(70_000, variance)
      const logVariance = Math.log1p(share ** 2)
      const draw = () => mean * Math.exp(Math.sqrt(logVariance) * normal(roll) - logVariance / 2)
      expect(shareWithin({ low, high }, draw)).toBeCloseTo(0.9, 1)
      expect([low >= 0, low <= mean, mean <= high]).toEqual([true, true, true])
    }
  })

  it("of nothing is nothing but what may come of it", () => {
    expect(Spread.ofCount(0, 0)).toEqual({ low: 0, mean: 0, high: 0 })
    expect(Spread.ofAmount(0, 0)).toEqual({ low: 0, mean: 0, high: 0 })
  })
})

describe("how far days lie apart", () => {
  it("is learned from them: quiet days make it less than what is assumed, wild ones more, few ones leave it alone", () => {
    const roll = Market.dice(3)
    const days = (count: number, share: number) =>
      Array.from({ length: count }, () => 50_000 * Math.exp(share * normal(roll)))
    const assumed = 0.13 ** 2
    const seen = (of: ReadonlyArray<number>) => Math.sqrt(Forecast.dayVariance(of, assumed))
    expect(seen(days(30, 0.04))).toBeLessThan(0.08)
    expect(seen(days(30, 0.35))).toBeGreaterThan(0.25)
    expect(seen([])).toBeCloseTo(0.13 * Math.sqrt(1.25), 5)
    expect(seen([50_000])).toBe(seen([]))
  })

  it("takes no trend for noise, and no day without spend", () => {
    const rising = Array.from({ length: 14 }, (_, day) => 50_000 * 1.05 ** day)
    expect(Math.sqrt(Forecast.dayVariance(rising, 0.05 ** 2))).toBeLessThan(0.06)
    const gaps = [50_000, 0, 50_000, 51_000]
    expect(Forecast.dayVariance(gaps, 0.01)).toBeLessThan(0.02)
  })
})

describe("what is forecast of one bid", () => {
  for (const payment of ["cpm", "cpc"] as const)
    it(`is what its reasons say of it, paid by ${payment}`, () => {
      const own = stream({ payment, raises: [{ factor: 1.4, share: 0.3 }] })
      const learned = { ...Learn.learn([own]), clickExponent: 0.2 }
      const estimate = Estimate.of(own, learned)
      if (!("_tag" in estimate)) throw new Error(estimate.code)
      const rows = [{ index: 0, stream: own, estimate }]
      const c = Rows.columns(rows, "profit", learned.clickExponent)
      for (const bid of [10_000, 17_300, 45_000]) {
        const day = Rows.outlook(c, 0, bid)
        const beside = { spend: 0, orders: 0, dailySpends: [] }
        const sums = Forecast.sums(c, rows, Float64Array.of(bid), beside)
        expect(sums.spend.mean).toBeCloseTo(day.spendKopecksPerDay, 6)
        expect(sums.orders.mean).toBeCloseTo(day.ordersPerDay, 9)
        expect(sums.profit.mean).toBeCloseTo(day.profitKopecksPerDay, 6)
        expect(sums.revenue).toBeCloseTo(day.revenueKopecksPerDay, 6)
      }
    })
})
