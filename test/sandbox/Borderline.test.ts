import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Dice from "../../src/sandbox/Dice.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Market from "../../src/sandbox/market/Market.js"

describe("the borderline market", () => {
  const clusters = Array.from({ length: 40 }, (_, i) =>
    Market.item(7, Blueprint.firstItemId + i, 20, "borderline")
  ).flatMap((item) => item.clusters)

  it("has many clusters that are just good enough, and bad ones that are not plainly so", () => {
    const share = (low: number, high: number) =>
      clusters.filter(({ ctr }) => ctr >= low && ctr < high).length / clusters.length
    expect(share(0.01, 0.013)).toBeGreaterThan(0.35)
    expect(share(0.003, 0.008)).toBeGreaterThan(0.08)
    expect(share(0.008, 0.01)).toBe(0)
  })

  it("is not the market anybody gets who does not ask for it", () => {
    const usual = Market.item(7, Blueprint.firstItemId, 12)
    expect(usual.clusters.every(({ chance }) => chance === "smooth")).toBe(true)
    expect(clusters.every(({ chance }) => chance === "binomial")).toBe(true)
  })
})

describe("chance that counts successes", () => {
  it("has the mean and the variance of the binomial distribution", () => {
    const [trials, chance, draws] = [40, 0.012, 50_000]
    const counts = Array.from({ length: draws }, (_, i) => Dice.binomial(Dice.roll(11, i), trials, chance))
    const mean = counts.reduce((a, b) => a + b, 0) / draws
    const variance = counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / draws
    expect(mean).toBeCloseTo(trials * chance, 1)
    expect(variance).toBeCloseTo(trials * chance * (1 - chance), 1)
  })

  it("never falls as the trials grow, and never exceeds them, however many they are", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(50_000),
        fc.nat(500),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (hash, trials, more, chance) => {
          const few = Dice.binomial(hash, trials, chance)
          expect(few).toBeLessThanOrEqual(trials)
          expect(Dice.binomial(hash, trials + more, chance)).toBeGreaterThanOrEqual(few)
        }
      ),
      { numRuns: 100 }
    )
  })
})
