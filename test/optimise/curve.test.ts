/** Curves: found again where the world is as the model says, and honest about what they do not know. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Allocate from "../../src/engine/optimise/Allocate.js"
import * as Curve from "../../src/engine/optimise/Curve.js"
import * as Demand from "../../src/engine/optimise/Demand.js"
import type { Day, Stream } from "../../src/engine/optimise/Stream.js"
import { levelsOf } from "./Streams.js"

const floorKopecks = 10_000
const absent: Stream["levels"] = { _tag: "Absent", reason: "absent" }
const curve = (levels: Stream["levels"], history?: ReadonlyArray<Day>): Curve.Curve => {
  const found = Curve.of(
    { floorKopecks, levels, ...(history === undefined ? {} : { history }) },
    Curve.assumed
  )
  if ("code" in found) throw new Error(found.code)
  return found
}
const days = (half: number, exponent: number, bids: ReadonlyArray<number>): ReadonlyArray<Day> =>
  bids.map((bidKopecks, i) => {
    const views = 2000 * Curve.share(bidKopecks, exponent, half)
    return {
      daysAgo: i + 1,
      bidKopecks,
      views,
      clicks: views / 50,
      spendKopecks: (views * bidKopecks) / 1000,
      liveShare: 1
    }
  })
const bids = Array.from({ length: 14 }, (_, i) => 12_000 + 1500 * i)

describe("a curve", () => {
  it("goes near the levels, and between what they say and what is usual", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1.5, max: 4, noNaN: true }),
        fc.double({ min: 1.1, max: 3, noNaN: true }),
        (exponent, over) => {
          const found = curve(levelsOf(floorKopecks * over, exponent))
          for (const named of [0.55, 0.68, 0.86]) {
            const bid = floorKopecks * over * (named / (1 - named)) ** (1 / exponent)
            const share = Curve.share(bid, Math.exp(found.lnExponent), Math.exp(found.lnHalf))
            expect(Math.abs(share - named)).toBeLessThan(0.1)
          }
          const off = found.lnExponent - Math.log(exponent)
          expect(Math.abs(off)).toBeLessThanOrEqual(
            Math.abs(Curve.assumed.lnExponent - Math.log(exponent)) + 0.1
          )
          expect(found.source).toBe("levels")
        }
      )
    )
  })

  it("is drawn to the stream's own days, and surer for them", () => {
    for (const exponent of [1.5, 4]) {
      const alone = curve(absent)
      const moved = curve(absent, days(20_000, exponent, bids))
      expect(moved.source).toBe("history")
      expect(moved.varHalf + moved.varExponent).toBeLessThan(alone.varHalf + alone.varExponent)
      // By how much views grow over the bids of these days.
      const growth = (lnExponent: number, lnHalf: number) =>
        Math.log(
          Curve.share(bids.at(-1)!, Math.exp(lnExponent), Math.exp(lnHalf)) /
            Curve.share(bids[0]!, Math.exp(lnExponent), Math.exp(lnHalf))
        )
      const truth = growth(Math.log(exponent), Math.log(20_000))
      const off = ({ lnExponent, lnHalf }: Curve.Curve) => Math.abs(growth(lnExponent, lnHalf) - truth)
      expect(off(moved)).toBeLessThan(off(alone) / 2)
    }
    expect(curve(levelsOf(20_000, 2.5), days(20_000, 2.5, bids)).source).toBe("levels_and_history")
    // A bid that stood still says nothing of what another would have brought.
    expect(curve(absent, days(20_000, 3, Array(14).fill(20_000))).source).toBe("pooled")
  })

  it("forgives levels that change places by what advice errs, and takes the own days where advice is nonsense", () => {
    const known = (...values: ReadonlyArray<number>): Stream["levels"] => ({
      _tag: "Known",
      value: (["reach_min", "reach_medium", "reach_max"] as const).map((name, i) => ({
        name,
        bidKopecks: values[i]!
      }))
    })
    expect(curve(known(20_000, 18_000, 35_000)).source).toBe("levels")
    const code = (levels: Stream["levels"]) => {
      const found = Curve.of({ floorKopecks, levels }, Curve.assumed)
      return "code" in found ? found.code : undefined
    }
    expect(code(known(40_000, 30_000, 20_000))).toBe("contradictory_levels")
    expect(code(known(20_000, 90_000, 30_000))).toBe("contradictory_levels")
    const own = curve(known(40_000, 30_000, 20_000), [...days(20_000, 2.5, bids), ...days(20_000, 2.5, bids)])
    expect(own.source).toBe("history")
  })

  it("reads no advice in 0, and little in what the floor cuts off", () => {
    const of = (...values: ReadonlyArray<number>) =>
      curve({
        _tag: "Known",
        value: values.map((bidKopecks, i) => ({
          name: (["reach_min", "reach_medium", "reach_max"] as const)[i]!,
          bidKopecks
        }))
      })
    expect(of(0, 0, 0).source).toBe("pooled")
    const cut = of(floorKopecks, floorKopecks, 14_000)
    expect(Math.exp(cut.lnHalf)).toBeLessThan(floorKopecks)
  })

  it("is learned from the account where a stream shows nothing of its own", () => {
    const all = Array.from({ length: 60 }, () => ({
      floorKopecks,
      levels: levelsOf(floorKopecks * 2.6, 3.6)
    }))
    const learned = Curve.learn(all)
    expect(Math.exp(learned.lnHalf)).toBeGreaterThan(2.3)
    expect(Math.exp(learned.lnExponent)).toBeGreaterThan(3)
    const pooled = Curve.of({ floorKopecks, levels: absent }, learned)
    expect("source" in pooled && pooled.source).toBe("pooled")
  })
})

describe("demand", () => {
  it("gives back the present views at the present bid, whatever the curve", () => {
    const counts = { views: 7000, clicks: 100, orders: 3, spendKopecks: 0, liveDays: 10 }
    for (const half of [8000, 20_000, 90_000]) {
      const demand = Demand.viewsPerDay(counts, undefined, 20_000, 2.5, half)
      expect(demand * Curve.share(20_000, 2.5, half)).toBeCloseTo(700, 9)
    }
  })

  it("sees clicks follow places, and nothing where they do not", () => {
    const histories = (eta: number) =>
      Array.from({ length: 200 }, () =>
        days(20_000, 2.5, bids).map((day) => ({
          ...day,
          views: 5000,
          clicks: 5000 * 0.02 * (day.bidKopecks / 20_000) ** eta
        }))
      )
    expect(Demand.clickExponent(histories(0.3))).toBeGreaterThan(0.25)
    expect(Demand.clickExponent(histories(0))).toBeLessThan(0.02)
    expect(Demand.clickExponent(histories(-0.3))).toBe(0)
  })

  it("believes what is paid of a bid as far as it was seen", () => {
    const paid = (views: number) => ({
      spendKopecks: views * 14,
      bidCostKopecks: views * 20,
      bidKopecks: 20_000
    })
    expect(Demand.ownPaidShare("cpm", paid(0), 1)).toBe(1)
    expect(Demand.ownPaidShare("cpm", paid(100_000), 1)).toBeCloseTo(0.7, 1)
    expect(Demand.ownPaidShare("cpm", { spendKopecks: 0, bidCostKopecks: 1e7, bidKopecks: 20_000 }, 1)).toBe(
      0.4
    )
  })
})

describe("an allocation", () => {
  const market = fc.array(
    fc.record({
      exponent: fc.double({ min: 1.5, max: 4, noNaN: true }),
      half: fc.double({ min: 500, max: 3000, noNaN: true }),
      demand: fc.double({ min: 1, max: 900, noNaN: true }),
      worth: fc.double({ min: 0, max: 5, noNaN: true }),
      off: fc.boolean(),
      clicks: fc.boolean()
    }),
    { minLength: 1, maxLength: 4 }
  )

  it("is the best of all combinations of bids that cost no more", () => {
    fc.assert(
      fc.property(
        market,
        fc.double({ min: 0, max: 600, noNaN: true }),
        fc.constantFrom(0, 0.2),
        (rows, budget, eta) => {
          const column = (of: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, of)
          const s: Allocate.Streams = {
            size: rows.length,
            exponent: column((r) => r.exponent),
            half: column((r) => r.half),
            demand: column((r) => r.demand),
            worth: column((r) => r.worth),
            cost: column(() => 1 / 1000),
            reference: column((r) => r.half),
            clickExponent: eta,
            paysClicks: Uint8Array.from(rows, (r) => (r.clicks ? 1 : 0))
          }
          const o = Allocate.open(rows.length)
          rows.forEach((r, i) => {
            o.canBeOff[i] = r.off ? 1 : 0
            o.step[i] = 100
            o.lowFrom[i] = 6
            o.lowTo[i] = 16
          })
          const found = Allocate.within(s, o, budget, 1)
          const listOf = (i: number) => [
            ...(rows[i]!.off ? [0] : []),
            ...Array.from({ length: 11 }, (_, k) => (6 + k) * 100)
          ]
          // What the allocation gives must be the best that its own spend can buy.
          const own = found.bids.reduce(
            (sum, bid, i) => sum + Allocate.worthAt(s, i, bid) - Allocate.spendAt(s, i, bid),
            0
          )
          let best = Number.NEGATIVE_INFINITY
          const visit = (i: number, spend: number, profit: number): void => {
            if (spend > found.spend + 1e-9) return
            if (i === rows.length) best = Math.max(best, profit)
            else
              for (const bid of listOf(i)) {
                const cost = Allocate.spendAt(s, i, bid)
                visit(i + 1, spend + cost, profit + Allocate.worthAt(s, i, bid) - cost)
              }
          }
          visit(0, 0, 0)
          expect(own).toBeGreaterThanOrEqual(best - 1e-6)
          if (!found.isOverspent) expect(found.spend).toBeLessThanOrEqual(budget + 1e-9)
        }
      ),
      { numRuns: 150 }
    )
  })
})
