import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Frontier from "../../bench/profit/Frontier.js"
import * as Oracle from "../../bench/profit/Oracle.js"
import * as Streams from "../../bench/profit/Streams.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Market from "../../src/sandbox/market/Market.js"
import * as Model from "../../src/sandbox/market/model/Model.js"
import * as World from "../../src/sandbox/market/World.js"

const originMs = Date.parse("2026-09-01T06:00:00Z")
const first = Moscow.dayOf(originMs) + 1
const margin = 0.25

const models = {
  ...Model.named,
  "lean, second price": { ...Model.named.lean, price: "second" }
} as const

/** A few campaign-days of a market: every kind of campaign, a few seeds. */
const days = (model: Model.Model) =>
  [1, 2].flatMap((seed) => {
    const world = World.make({
      seller: "s",
      seed,
      scale: { campaigns: 6, items: 2, clusters: 12 },
      originMs,
      firstId: 1_000_001,
      market: model
    })
    return Streams.campaigns(world, originMs).map((campaign, i) => ({
      world,
      campaign,
      day: first + seed + i
    }))
  })

/** What a choice of bid and streams earns, looked at anew. */
const worth = (shown: ReadonlyArray<Streams.Day>, bidKopecks: number) =>
  shown.reduce((sum, day) => Streams.add(sum, Streams.expected(day, bidKopecks)), Streams.nothing)

/** The most a group could earn at a price of money, over every bid up to what anything there is worth. */
const exhaustively = ({ floorKopecks, streams }: Oracle.Group, lambda: number): number => {
  const step = Market.steps[streams[0]!.payment]
  const most = Math.max(...streams.map(Streams.worthOf)) + step
  let best = 0
  for (let bid = floorKopecks; bid <= most; bid += step) {
    let sum = 0
    for (const day of streams) {
      const { gain, spend } = Streams.expected(day, bid)
      const net = gain - (1 + lambda) * spend
      sum += day.stream.traffic.text === undefined && streams.length > 1 ? net : Math.max(0, net)
    }
    best = Math.max(best, sum)
  }
  return best
}

describe.each(Object.entries(models))("the oracle of the %s market", (_, model) => {
  it.each([60_000, 300_000])(
    "earns what no bids can exceed within %i kopecks a day: the bound of duality",
    (budget) => {
      for (const { campaign, day, world } of days(model).filter((_, i) => i % 3 === 0)) {
        const { groups, lambda, profit, spend } = Oracle.solve(
          Oracle.task(world, campaign, day, margin),
          budget
        )
        const bound = groups.reduce((sum, group) => sum + exhaustively(group, lambda), lambda * budget)
        expect(spend).toBeLessThanOrEqual(budget * (1 + 1e-9))
        expect(profit).toBeLessThanOrEqual(bound * (1 + 1e-9))
        expect(profit / bound).toBeGreaterThan(1 - 1e-9)
      }
    }
  )

  it("says what it earns: its bids, valued one by one, bring the same", () => {
    for (const { campaign, day, world } of days(model)) {
      const { mixes, profit, spend } = Oracle.solve(Oracle.task(world, campaign, day, margin), 100_000)
      const parts = mixes.flatMap(({ high, low, share }) => [
        { ...worth(high.shown, high.bidKopecks), part: share },
        { ...worth(low.shown, low.bidKopecks), part: 1 - share }
      ])
      expect(parts.reduce((sum, one) => sum + one.part * one.spend, 0)).toBeCloseTo(spend, 4)
      expect(parts.reduce((sum, one) => sum + one.part * (one.gain - one.spend), 0)).toBeCloseTo(profit, 3)
    }
  })

  it.each([60_000, 300_000])("earns no more after any small change, the budget of %i held", (budget) => {
    let tried = 0
    for (const { campaign, day, world } of days(model)) {
      const solved = Oracle.solve(Oracle.task(world, campaign, day, margin), budget)
      for (const changed of changes(solved)) {
        tried++
        expect(held(changed, solved, budget)).toBeLessThanOrEqual(solved.profit * (1 + 1e-9))
      }
    }
    expect(tried).toBeGreaterThan(300)
  })
})

/** A shelf is no cluster: where one bid is for all, nobody can leave it out. */
const isCluster = ({ stream }: Streams.Day): boolean => stream.traffic.text !== undefined

type Mixes = Oracle.Solved["mixes"]

/** Every single bid a step or a tenth up or down, and every single cluster left out. */
const changes = ({ groups, mixes }: Oracle.Solved): ReadonlyArray<Mixes> =>
  mixes.flatMap((mix, index) => {
    const { floorKopecks, streams } = groups[index]!
    const step = Market.steps[streams[0]!.payment]
    const { bidKopecks, shown } = mix.high
    const choice = (bid: number, streams: ReadonlyArray<Streams.Day>): Oracle.Choice => {
      const { gain, spend } = worth(streams, bid)
      return { bidKopecks: bid, shown: streams, gain, spend }
    }
    const tenth = Math.max(step, Math.round(bidKopecks / 10 / step) * step)
    const bids = [-tenth, -step, step, tenth]
      .map((by) => bidKopecks + by)
      .filter((bid) => bidKopecks > 0 && bid >= floorKopecks)
    const others = [
      ...bids.map((bid) => choice(bid, shown)),
      ...shown.filter(isCluster).map((one) =>
        choice(
          bidKopecks,
          shown.filter((day) => day !== one)
        )
      ),
      ...(bidKopecks === 0 ? [choice(floorKopecks, streams)] : [])
    ]
    return others.map((high) => mixes.with(index, { ...mix, high }))
  })

/** What changed bids earn when the budget stays: the campaign stops when it is spent, and what is left goes where it earns most. */
const held = (mixes: Mixes, { mixes: before }: Oracle.Solved, budget: number): number => {
  const sum = (of: (mix: Mixes[number]) => number) => mixes.reduce((total, mix) => total + of(mix), 0)
  const [spend, gain] = [sum(Frontier.spendOf), sum(Frontier.gainOf)]
  if (spend > budget) return (gain - spend) * (budget / spend)
  // Some mix has room left: the one that shares time.
  const open = mixes.findIndex((mix, i) => before[i]!.share < 1 && mix === before[i])
  const mix = mixes[open]
  if (mix === undefined) return gain - spend
  const room = Math.min(1 - mix.share, (budget - spend) / (mix.high.spend - mix.low.spend))
  return gain - spend + room * (mix.high.gain - mix.low.gain - (mix.high.spend - mix.low.spend))
}

it("refuses a market with more than one top, for halving would find any of them", () => {
  const [one] = days({ ...Model.named.hard, price: "second" })
  expect(() => Oracle.task(one!.world, one!.campaign, one!.day, margin)).toThrow("second price")
})

it("such small changes do earn more where the bids are not the best ones", () => {
  const [one] = days(Model.plain)
  const task = Oracle.task(one!.world, one!.campaign, one!.day, margin)
  const solved = Oracle.solve(task, 60_000)
  // Those of a much larger budget, stopped when the small one is spent.
  const dear = Oracle.solve(task, 600_000)
  const profit = held(dear.mixes, dear, 60_000)
  expect(profit).toBeLessThan(solved.profit * 0.9)
  expect(changes(dear).some((changed) => held(changed, dear, 60_000) > profit)).toBe(true)
})

describe("a budget spent on hulls", () => {
  const point = fc.record({
    spend: fc.integer({ min: 1, max: 1000 }),
    gain: fc.integer({ min: 0, max: 5000 })
  })
  const lists = fc.array(fc.array(point, { maxLength: 8 }), { minLength: 1, maxLength: 4 })
  const none = { spend: 0, gain: 0 }

  it("earns at least what any shares of any points earn within it", () => {
    fc.assert(
      fc.property(
        lists,
        fc.integer({ min: 0, max: 3000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 32, maxLength: 32 }),
        (points, budget, drawn) => {
          const hulls = points.map((list) => [
            none,
            ...Frontier.hull(
              Float64Array.from(list, ({ spend }) => spend),
              Float64Array.from(list, ({ gain }) => gain)
            ).map((index) => list[index]!)
          ])
          const { mixes } = Frontier.fill(hulls, budget)
          const sum = (of: (mix: Frontier.Mix<Frontier.Point>) => number) =>
            mixes.reduce((total, mix) => total + of(mix), 0)
          const spend = sum(Frontier.spendOf)
          expect(spend).toBeLessThanOrEqual(budget + 1e-6)
          // Shares of each list that add up to one at most, all scaled into the budget.
          const rival = points.flatMap((list, l) => {
            const shares = list.map((_, i) => drawn[l * 8 + i]!)
            const whole = Math.max(
              1,
              shares.reduce((a, b) => a + b, 0)
            )
            return list.map(({ gain, spend }, i) => ({
              gain: (gain * shares[i]!) / whole,
              spend: (spend * shares[i]!) / whole
            }))
          })
          const [spent, gained] = [
            rival.reduce((total, one) => total + one.spend, 0),
            rival.reduce((total, one) => total + one.gain, 0)
          ]
          const scale = spent > budget ? budget / spent : 1
          expect(sum(Frontier.gainOf) - spend).toBeGreaterThanOrEqual((gained - spent) * scale - 1e-6)
        }
      ),
      { numRuns: 500 }
    )
  })
})
