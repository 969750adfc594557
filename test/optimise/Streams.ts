/** Streams that are drawn, for properties. */
import * as fc from "fast-check"
import type { Input, LevelName, Settings, Stream } from "../../src/engine/optimise/Stream.js"

export const settings: Settings = {
  goal: "profit",
  move: 0.3,
  deadband: 0.05,
  explore: 0,
  minusConfidence: 0.99,
  park: true
}

const shares: ReadonlyArray<readonly [LevelName, number]> = [
  ["reach_min", 0.55],
  ["reach_medium", 0.68],
  ["reach_max", 0.86]
]

/** Levels that a curve with this half and exponent has. */
export const levelsOf = (half: number, exponent: number): Stream["levels"] => ({
  _tag: "Known",
  value: shares.map(([name, share]) => ({
    name,
    bidKopecks: Math.round(half * (share / (1 - share)) ** (1 / exponent))
  }))
})

export const stream = (over: Partial<Stream> = {}): Stream => ({
  id: "a",
  campaignId: 1,
  itemId: 1,
  group: "g",
  budget: "c",
  payment: "cpm",
  counts: {
    _tag: "Known",
    value: { views: 10_000, clicks: 300, orders: 15, spendKopecks: 200_000, liveDays: 14 }
  },
  bidKopecks: 20_000,
  firstBidTodayKopecks: 20_000,
  floorKopecks: 10_000,
  capKopecks: 90_000,
  stepKopecks: 100,
  levels: levelsOf(20_000, 2.5),
  worth: { _tag: "Known", value: { profitKopecks: 50_000, priceKopecks: 200_000 } },
  standing: { _tag: "Live" },
  canMinus: true,
  ...over
})

const drawn: fc.Arbitrary<Stream> = fc
  .record({
    payment: fc.constantFrom("cpm" as const, "cpc" as const),
    views: fc.integer({ min: 0, max: 30_000 }),
    ctr: fc.double({ min: 0, max: 0.08, noNaN: true }),
    cvr: fc.double({ min: 0, max: 0.15, noNaN: true }),
    days: fc.integer({ min: 1, max: 14 }),
    floor: fc.integer({ min: 50, max: 150 }),
    over: fc.double({ min: 0, max: 3, noNaN: true }),
    cap: fc.integer({ min: 150, max: 900 }),
    half: fc.double({ min: 0.6, max: 4, noNaN: true }),
    exponent: fc.double({ min: 1.5, max: 4, noNaN: true }),
    advised: fc.boolean(),
    profit: fc.integer({ min: -10_000, max: 200_000 }),
    canMinus: fc.boolean(),
    parked: fc.option(
      fc.record({ forDays: fc.integer({ min: 0, max: 20 }), times: fc.integer({ min: 1, max: 3 }) })
    ),
    backForDays: fc.option(fc.integer({ min: 0, max: 8 })),
    group: fc.constantFrom("g", "h"),
    moved: fc.option(fc.constantFrom(1 as const, -1 as const)),
    lacks: fc.constantFrom("nothing", "nothing", "nothing", "nothing", "worth", "counts")
  })
  .map((d): Stream => {
    const unit = d.payment === "cpm" ? 100 : 10
    const floorKopecks = d.floor * unit
    const bidKopecks = Math.floor(floorKopecks * (1 + d.over))
    const clicks = Math.round(d.views * d.ctr)
    const spend = d.payment === "cpm" ? (d.views * bidKopecks) / 1000 : clicks * bidKopecks
    return {
      ...stream(),
      group: d.group,
      payment: d.payment,
      counts:
        d.lacks === "counts"
          ? { _tag: "Absent", reason: "absent" }
          : {
              _tag: "Known",
              value: {
                views: d.views,
                clicks,
                orders: Math.round(clicks * d.cvr),
                spendKopecks: Math.round(spend),
                liveDays: d.days
              }
            },
      bidKopecks,
      firstBidTodayKopecks: bidKopecks,
      floorKopecks,
      capKopecks: Math.max(d.cap * unit, floorKopecks),
      stepKopecks: unit,
      levels: d.advised ? levelsOf(floorKopecks * d.half, d.exponent) : { _tag: "Absent", reason: "absent" },
      worth:
        d.lacks === "worth"
          ? { _tag: "Absent", reason: "unlisted" }
          : { _tag: "Known", value: { profitKopecks: d.profit, priceKopecks: 250_000 } },
      canMinus: d.canMinus,
      standing:
        d.parked !== null && d.canMinus
          ? { _tag: "Parked", ...d.parked }
          : { _tag: "Live", ...(d.backForDays === null ? {} : { backForDays: d.backForDays }) },
      ...(d.moved === null ? {} : { lastMove: { direction: d.moved, daysAgo: 2, turns: 1 } })
    }
  })

/** Some streams of two campaigns with a budget each. */
export const input = (over: Partial<Settings> = {}): fc.Arbitrary<Input> =>
  fc
    .record({
      streams: fc.array(drawn, { minLength: 1, maxLength: 25 }),
      first: fc.integer({ min: 0, max: 300_000 }),
      goal: fc.constantFrom("profit" as const, "orders" as const, "revenue" as const),
      drr: fc.option(fc.double({ min: 0.02, max: 0.5, noNaN: true }))
    })
    .map(({ drr, first, goal, streams }) => ({
      streams: streams.map((one, i) => ({
        ...one,
        id: `s${String(i).padStart(2, "0")}`,
        budget: i % 3 === 0 ? "d" : "c"
      })),
      budgets: [{ id: "c", dailyKopecks: first }, { id: "d" }],
      settings: { ...settings, goal, ...(drr === null ? {} : { drr }), ...over }
    }))
