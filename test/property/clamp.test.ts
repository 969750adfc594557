import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Clamp from "../../src/engine/decide/intents/Clamp.js"
import * as Depth from "../Depth.js"

const kopecks = fc.integer({ min: 1, max: 200_000 })
const basisPoints = fc.integer({ min: 0, max: 10_000 })
const bound = (by: Clamp.Bound["by"]) =>
  kopecks.map((amount): Clamp.Bound => ({ by, kopecks: amount, where: by }))
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

type Road = Clamp.Road & { readonly minimum: Clamp.Bound }

const road = fc
  .record({
    current: kopecks,
    stepKopecks: fc.constantFrom(1, 7, 10, 100, 500),
    minimum: bound("min_bid"),
    maxBid: maybe(bound("max_bid")),
    day: maybe(fc.tuple(kopecks, basisPoints))
  })
  .map(({ day, ...rest }): Road => {
    if (day === undefined) return rest
    const reach = Clamp.share(day[0], day[1])
    return {
      ...rest,
      dayLow: { by: "move_per_day", kopecks: day[0] - reach, where: "day" } as const,
      dayHigh: { by: "move_per_day", kopecks: day[0] + reach, where: "day" } as const
    }
  })

/** What holds for every bid that moved, whatever moved it. */
const lawful = (way: Road, arrival: Clamp.Arrival, cap?: Clamp.Bound) => {
  if (arrival._tag !== "Moved") return
  const { kopecks: bid, clamps } = arrival
  assert.strictEqual(bid % way.stepKopecks, 0, "a multiple of the step")
  assert.isAtLeast(bid, way.minimum.kopecks, "not below the minimum")
  assert.isAtMost(bid, way.maxBid?.kopecks ?? bid, "not above max_bid")
  assert.isAtMost(bid, cap?.kopecks ?? bid, "not above the cap")
  assert.notStrictEqual(bid, way.current, "a move moves")
  assert.strictEqual(clamps.at(-1)?.to ?? bid, bid, "the last clamp ends where the bid is")
  for (const [index, clamp] of clamps.entries()) {
    if (index > 0) assert.strictEqual(clamp.from, clamps[index - 1]?.to, "clamps join")
  }
}

describe("after every clamp", () => {
  it("a raise is up, a whole step, above the minimum and below every cap, or it is not", () => {
    const input = fc.record({
      way: road,
      distance: kopecks,
      cap: bound("cap"),
      toward: maybe(bound("toward"))
    })
    fc.assert(
      fc.property(input, ({ way, distance, cap, toward }) => {
        const arrival = Clamp.raise(way, distance, { cap, toward })
        lawful(way, arrival, cap)
        if (arrival._tag !== "Moved") return
        assert.isAbove(arrival.kopecks, way.current)
        assert.isAtMost(arrival.kopecks, toward?.kopecks ?? arrival.kopecks)
        assert.isAtMost(arrival.kopecks, way.dayHigh?.kopecks ?? arrival.kopecks)
      }),
      { numRuns: Depth.cases(3000) }
    )
  })

  it("a raise moves whenever every bound has room for one step", () => {
    const input = fc.record({ way: road, distance: kopecks, cap: bound("cap") })
    fc.assert(
      fc.property(input, ({ way, distance, cap }) => {
        const next = Math.floor(way.current / way.stepKopecks) * way.stepKopecks + way.stepKopecks
        const uppers = [cap, way.maxBid, way.dayHigh].map(
          (upper) => upper?.kopecks ?? Number.POSITIVE_INFINITY
        )
        fc.pre(way.minimum.kopecks <= way.current && uppers.every((upper) => upper >= next))
        assert.strictEqual(Clamp.raise(way, distance, { cap })._tag, "Moved")
      }),
      { numRuns: Depth.cases(2000) }
    )
  })

  it("a lower is down, a whole step, above minimum and floor and below every cap, or it is not", () => {
    const input = fc.record({
      way: road,
      distance: kopecks,
      floor: bound("floor"),
      toward: maybe(bound("toward"))
    })
    fc.assert(
      fc.property(input, ({ way, distance, floor, toward }) => {
        const arrival = Clamp.lower(way, distance, { floor, toward })
        lawful(way, arrival)
        if (arrival._tag !== "Moved") return
        assert.isBelow(arrival.kopecks, way.current)
        assert.isAtLeast(arrival.kopecks, floor.kopecks)
      }),
      { numRuns: Depth.cases(3000) }
    )
  })

  it("a set is a whole step, above the minimum and below every cap, never up when it was to go down, and never past where it was to go up", () => {
    const input = fc.record({
      way: road,
      to: bound("toward"),
      cap: bound("cap"),
      floor: maybe(bound("floor")),
      maxStepBasisPoints: maybe(basisPoints),
      deadbandBasisPoints: maybe(basisPoints)
    })
    fc.assert(
      fc.property(input, ({ way, to, ...bounds }) => {
        const arrival = Clamp.set(way, to, bounds)
        lawful(way, arrival, bounds.cap)
        if (arrival._tag !== "Moved") return
        if (to.kopecks <= way.current) assert.isBelow(arrival.kopecks, way.current)
        const least = Math.ceil(way.minimum.kopecks / way.stepKopecks) * way.stepKopecks
        assert.isAtMost(arrival.kopecks, Math.max(way.current, to.kopecks, bounds.floor?.kopecks ?? 0, least))
      }),
      { numRuns: Depth.cases(5000) }
    )
  })

  it("a set leaves no bid above its caps, and brings none down for another reason when it was to go up", () => {
    const input = fc.record({
      way: road,
      to: bound("toward"),
      cap: bound("cap"),
      floor: maybe(bound("floor")),
      maxStepBasisPoints: maybe(basisPoints),
      deadbandBasisPoints: maybe(basisPoints)
    })
    fc.assert(
      fc.property(input, fc.boolean(), ({ way: any, to, ...bounds }, isThere) => {
        const way = isThere ? { ...any, current: Math.min(to.kopecks, bounds.cap.kopecks + 1) } : any
        const arrival = Clamp.set(way, to, bounds)
        const ceiling = Math.min(bounds.cap.kopecks, way.maxBid?.kopecks ?? Number.POSITIVE_INFINITY)
        const onStep = Math.floor(ceiling / way.stepKopecks) * way.stepKopecks
        if (way.current > ceiling && onStep >= way.minimum.kopecks) assert.strictEqual(arrival._tag, "Moved")
        if (arrival._tag !== "Moved" || to.kopecks < way.current) return
        if (arrival.kopecks < way.current) assert.isAbove(way.current, ceiling)
      }),
      { numRuns: Depth.cases(5000) }
    )
  })

  it("a set goes down no farther than the day allows, or than the caps ask", () => {
    const input = fc.record({
      way: road,
      to: bound("toward"),
      cap: bound("cap"),
      maxStepBasisPoints: maybe(basisPoints)
    })
    fc.assert(
      fc.property(input, ({ way, to, ...bounds }) => {
        const arrival = Clamp.set(way, to, bounds)
        const ceiling = Math.min(bounds.cap.kopecks, way.maxBid?.kopecks ?? Number.POSITIVE_INFINITY)
        fc.pre(arrival._tag === "Moved" && arrival.kopecks < way.current && way.dayLow !== undefined)
        if (arrival._tag !== "Moved" || way.dayLow === undefined) return
        // A bid between two steps may come down to its own step.
        const least = Math.min(way.current, way.dayLow.kopecks, ceiling)
        assert.isAtLeast(arrival.kopecks, Math.floor(least / way.stepKopecks) * way.stepKopecks)
      }),
      { numRuns: Depth.cases(2000) }
    )
  })

  it("a set that arrived stays there", () => {
    const input = fc.record({
      way: road,
      to: bound("toward"),
      cap: bound("cap"),
      maxStep: maybe(basisPoints)
    })
    fc.assert(
      fc.property(input, ({ way, to, cap, maxStep }) => {
        const { dayLow: _, dayHigh: __, ...free } = { dayLow: undefined, dayHigh: undefined, ...way }
        const bounds = { cap, maxStepBasisPoints: maxStep }
        const seen = new Set<number>()
        let current = way.current
        for (;;) {
          assert.isFalse(seen.has(current), `came back to ${current}`)
          seen.add(current)
          const arrival = Clamp.set({ ...free, current }, to, bounds)
          if (arrival._tag !== "Moved") return
          current = arrival.kopecks
        }
      }),
      { numRuns: Depth.cases(500) }
    )
  })
})
