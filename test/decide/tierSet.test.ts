import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as TierSet from "../../src/engine/decide/sets/TierSet.js"
import * as Depth from "../Depth.js"

const costs = fc.array(fc.integer({ min: -3_000, max: 9_000 }), { maxLength: 16 })
const tier = fc.record({
  needed: fc.integer({ min: 1, max: 17 }),
  mostKopecks: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined })
})
const candidatesOf = (all: ReadonlyArray<number>) =>
  all.map((costKopecks, i) => ({ itemId: 7_000 + ((i * 5) % 17), costKopecks }))

/** The least that any subset of at least `needed` items costs; undefined where there is none. */
const bruteForce = (all: ReadonlyArray<number>, needed: number): number | undefined => {
  let best: number | undefined
  for (let mask = 0; mask < 1 << all.length; mask++) {
    let items = 0
    let sum = 0
    for (let i = 0; i < all.length; i++)
      if ((mask >> i) & 1) {
        items += 1
        sum += all[i]!
      }
    if (items >= needed && (best === undefined || sum < best)) best = sum
  }
  return best
}

describe("the cheapest set that reaches a tier", () => {
  it("is never dearer than the best of all subsets, and none where that is above at_most", () => {
    fc.assert(
      fc.property(costs, tier, (all, asked) => {
        const choice = TierSet.choose(candidatesOf(all), asked)
        const best = bruteForce(all, asked.needed)
        if (best === undefined) return choice._tag === "TooFew"
        const { mostKopecks = Number.POSITIVE_INFINITY } = asked
        if (best > mostKopecks) return choice._tag === "TooDear" && choice.kopecks === best
        return (
          choice._tag === "Set" &&
          choice.kopecks === best &&
          choice.items.length >= asked.needed &&
          new Set(choice.items).size === choice.items.length &&
          choice.items.reduce((sum, one) => sum + one.costKopecks, 0) === best
        )
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("has every item that costs nothing or earns", () => {
    fc.assert(
      fc.property(costs, tier, (all, asked) => {
        const candidates = candidatesOf(all)
        const choice = TierSet.choose(candidates, asked)
        return (
          choice._tag !== "Set" ||
          candidates.every((one) => one.costKopecks > 0 || choice.items.includes(one))
        )
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("is the same whatever the order of the rows", () => {
    fc.assert(
      fc.property(
        costs.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(candidatesOf(all), { minLength: all.length }))
        ),
        tier,
        ([all, shuffled], asked) => {
          expect(TierSet.choose(shuffled, asked)).toEqual(TierSet.choose(candidatesOf(all), asked))
        }
      ),
      { numRuns: Depth.cases(400) }
    )
  })

  it("is found among 100,000 items in well under a second", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({
      itemId: i + 1,
      costKopecks: ((i * 7_919) % 100_003) - 500
    }))
    const began = process.cpuUsage()
    const choice = TierSet.choose(many, { needed: 40_000 })
    const { system, user } = process.cpuUsage(began)
    expect(choice._tag === "Set" && choice.items.length).toBe(40_000)
    expect((system + user) / 1e6).toBeLessThan(1)
  })
})
