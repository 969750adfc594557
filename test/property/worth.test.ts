/** Which keys get the scarce calls, for any candidates. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Worth from "../../src/engine/gather/Worth.js"

const claim = (rotates: fc.Arbitrary<boolean>) =>
  fc.record({
    policy: fc.constantFrom("01", "02"),
    rotates,
    told: fc.integer({ min: 0, max: 100_000 }),
    untold: fc.integer({ min: 0, max: 100_000 }),
    rowsTold: fc.integer({ min: 0, max: 5 }),
    rowsActing: fc.constant(0)
  })

const candidates = (rotates: fc.Arbitrary<boolean>) =>
  fc.uniqueArray(
    fc.record({
      name: fc.integer({ min: 1, max: 60 }).map((n) => `777/${n}`),
      readAt: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
      claims: fc.array(claim(rotates), { minLength: 1, maxLength: 3 })
    }),
    { selector: ({ name }) => name, maxLength: 40 }
  )
const capacity = fc.integer({ min: 0, max: 45 })
const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const names = (chosen: ReadonlyArray<Worth.Candidate>) => chosen.map(({ name }) => name)

describe("the choice among more keys than calls", () => {
  it("takes as many as there are calls, each once, whatever the order they came in", () =>
    fc.assert(
      fc.property(candidates(fc.boolean()), capacity, dice, (all, calls, chance) => {
        const chosen = names(Worth.choose(all, calls, chance))
        expect(chosen).toHaveLength(Math.min(calls, all.length))
        expect(new Set(chosen).size).toBe(chosen.length)
        expect(names(Worth.choose([...all].reverse(), calls, chance))).toEqual(chosen)
      })
    ))

  it("spends nineteen calls of twenty on the most valuable: nobody left out is worth more than they", () =>
    fc.assert(
      fc.property(candidates(fc.constant(false)), capacity, dice, (all, calls, chance) => {
        const worth = Worth.worthOf(all)
        const chosen = names(Worth.choose(all, calls, chance))
        const best = chosen.slice(0, calls - Math.floor(calls * 0.05 + chance))
        const others = names(all).filter((name) => !best.includes(name))
        const least = Math.min(...best.map((name) => worth.get(name)!))
        if (calls < all.length) for (const name of others) expect(worth.get(name)!).toBeLessThanOrEqual(least)
      })
    ))

  it("a pair is never worse off for more money at stake", () =>
    fc.assert(
      fc.property(candidates(fc.constant(false)), capacity, (all, calls) => {
        const first = all[0]
        if (first === undefined || !names(Worth.choose(all, calls, 0)).includes(first.name)) return
        const [one, ...more] = first.claims
        const richer = { ...first, claims: [{ ...one!, told: one!.told + 1000 }, ...more] }
        expect(names(Worth.choose([richer, ...all.slice(1)], calls, 0))).toContain(first.name)
      })
    ))

  it("rotating keys all get their turn in as few runs as the calls allow", () =>
    fc.assert(
      fc.property(
        candidates(fc.constant(true)),
        fc.integer({ min: 1, max: 9 }),
        dice,
        (all, calls, chance) => {
          let now = 2000
          let keys: ReadonlyArray<Worth.Candidate> = all
          const seen = new Set<string>()
          for (let run = 0; run < Math.ceil(all.length / calls); run++) {
            const chosen = new Set(names(Worth.choose(keys, calls, chance)))
            now += 1
            for (const name of chosen) seen.add(name)
            keys = keys.map((key) => (chosen.has(key.name) ? { ...key, readAt: now } : key))
          }
          expect(seen.size).toBe(all.length)
        }
      )
    ))

  it("never starves anybody: a pair of little worth is asked after a while", () => {
    const keys = Array.from({ length: 30 }, (_, n) => ({
      name: `777/${n}`,
      readAt: undefined as number | undefined,
      claims: [{ policy: "01", rotates: false, told: 0, untold: 1000 - n, rowsTold: 0, rowsActing: 0 }]
    }))
    for (let run = 1; run <= 60; run++)
      for (const { name } of Worth.choose(keys, 10, run % 2 === 0 ? 0.9 : 0))
        keys.find((key) => key.name === name)!.readAt = run
    expect(keys.filter(({ readAt }) => readAt === undefined)).toEqual([])
  })

  it("takes who was never asked to act as often as the policy's others did", () => {
    const told = { policy: "01", rotates: false, told: 0, untold: 0, rowsTold: 98, rowsActing: 8 }
    const untold = { ...told, untold: 1000, rowsTold: 0, rowsActing: 0 }
    const worth = Worth.worthOf([
      { name: "a", readAt: 1, claims: [told] },
      { name: "b", readAt: undefined, claims: [untold] }
    ])
    expect(worth.get("b")).toBeCloseTo(90)
  })
})
