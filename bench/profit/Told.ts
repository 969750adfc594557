/**
 * What a seller earns who is told every true rate and every rival's bid of the day, but not how many buyers will come, and who can do
 * no more than a rule: a bid moves so far a day from where it stood, a shelf stays on the market, and where clicks are paid all
 * clusters do. No rule that has to learn the rates is expected to earn more; it is no proof, for the budget is shared out by mean demand.
 */
import * as Market from "../../src/sandbox/market/Market.js"
import type { Model } from "../../src/sandbox/market/model/Model.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Account from "./Account.js"
import * as Best from "./Best.js"
import * as Frontier from "./Frontier.js"
import * as Oracle from "./Oracle.js"
import * as Streams from "./Streams.js"

export interface Told {
  /** Kopecks, and expected orders. */
  readonly profit: number
  readonly spend: number
  readonly orders: number
  readonly profitByKind: Readonly<Record<string, number>>
}

/** The most that a bid moves a day, as `10-optimise` has it. */
const move = 0.3

/** How much of a budget is planned by mean demand: what is too much is stopped by the daily stop. The best of these is taken. */
const planned = [0.95, 1, 1.05, 1.1, 1.2]

/** For several daily budgets at once, in their order. */
export const find = (
  seed: number,
  market: Model,
  scale: Scale,
  days: number,
  margin: number,
  budgets: ReadonlyArray<number>
): ReadonlyArray<Told> => {
  const world = World.make({
    seller: "told",
    seed,
    scale,
    originMs: Account.startMs,
    firstId: 1_000_001,
    market
  })
  const tasks = Streams.campaigns(world, Account.startMs).flatMap((campaign) =>
    [...Account.daysOf(days)].map((day) => ({
      kind: Best.kindOf(campaign),
      hulls: Oracle.groups(world, campaign, day, margin).map((group) => hullOf(world, group, day))
    }))
  )
  return budgets.map((budget) => {
    const all = planned.map((share) => {
      const sum = { profit: 0, spend: 0, orders: 0, profitByKind: {} as Record<string, number> }
      for (const { hulls, kind } of tasks) {
        const real = lived(Frontier.fill(hulls, budget * share).mixes)
        const part = Math.min(1, budget / real.spend)
        const profit = part * (real.gain - real.spend)
        sum.profit += profit
        sum.spend += part * real.spend
        sum.orders += part * real.orders
        sum.profitByKind[kind] = (sum.profitByKind[kind] ?? 0) + profit
      }
      return sum
    })
    return all.reduce((best, one) => (one.profit > best.profit ? one : best))
  })
}

/** A choice by mean demand; `shown` are its streams with the demand that came. */
type Point = Oracle.Choice

const hullOf = (world: World.World, group: Oracle.Group, day: number): ReadonlyArray<Point> => {
  const { floorKopecks, streams } = group
  const [first] = streams
  if (first === undefined) return []
  const { campaign, traffic } = first.stream
  const step = Market.steps[first.payment]
  const start = bidAtStart(world, first.stream) ?? floorKopecks
  const passed = day - Account.firstDay + 1
  const least = Math.max(floorKopecks, Math.ceil((start * (1 - move) ** passed) / step) * step)
  const highest = Math.min(Oracle.bids(group).at(-1) ?? least, start * (1 + move) ** passed)
  const most = Math.max(least, Math.floor(highest / step) * step)
  const usual = streams.map((one) => ({ ...one, demand: usualDemand(campaign, one.stream, day) }))
  const real = new Map(usual.map((one, i) => [one as Streams.Day, streams[i]!]))
  const canBeOff = first.payment === "cpm" && traffic.text !== undefined && streams.length === 1
  const fewest = first.payment === "cpm" ? 1 : streams.length
  const points: Array<Point> = []
  for (let bidKopecks = least; bidKopecks <= most; bidKopecks += step) {
    let sum = Streams.nothing
    const shown: Array<Streams.Day> = []
    for (const one of Oracle.inOrder({ streams: usual }, bidKopecks)) {
      sum = Streams.add(sum, Streams.expected(one, bidKopecks))
      shown.push(real.get(one)!)
      if (shown.length >= fewest)
        points.push({ bidKopecks, shown: [...shown], spend: sum.spend, gain: sum.gain })
    }
  }
  const base: Point = canBeOff
    ? { bidKopecks: 0, shown: [], spend: 0, gain: 0 }
    : points.reduce((low, one) => (one.spend < low.spend ? one : low))
  const above = Frontier.hull(
    Float64Array.from(points, ({ spend }) => spend - base.spend),
    Float64Array.from(points, ({ gain }) => gain - base.gain)
  )
  return [base, ...above.map((index) => points[index]!)]
}

/** Of the week around a day. */
const usualDemand = (campaign: World.Campaign, { traffic }: Streams.Stream, day: number): number => {
  let sum = 0
  for (let other = day - 3; other <= day + 3; other++) sum += Traffic.demandOf(campaign, traffic, other)
  return sum / 7
}

const bidAtStart = (world: World.World, { campaign, item, traffic }: Streams.Stream): number | undefined =>
  Traffic.pieces(world, campaign, item.id, traffic, Account.startMs, Account.startMs + 1)[0]?.bidKopecks

/** What the mixes bring with the demand that came. */
const lived = (mixes: ReadonlyArray<Frontier.Mix<Point>>): Streams.Expected =>
  mixes
    .flatMap(({ high, low, share }) =>
      [
        { choice: high, part: share },
        { choice: low, part: 1 - share }
      ].flatMap(({ choice, part }) =>
        choice.shown.map((one) => Streams.expected(one, choice.bidKopecks, part))
      )
    )
    .reduce(Streams.add, Streams.nothing)
