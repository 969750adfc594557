/**
 * The most that a campaign can earn on a day within its budget, by the market's truth: every bid on its step, each cluster
 * or none, and time shared between two choices. Nobody who knows less, or is bound to a budget as hard, earns more.
 */
import * as Bids from "../../src/sandbox/market/Bids.js"
import * as Market from "../../src/sandbox/market/Market.js"
import type * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as Account from "./Account.js"
import * as Frontier from "./Frontier.js"
import * as Streams from "./Streams.js"

/** One bid for some streams of a group; the others of the group are minus phrases, or not shown at all. */
export interface Choice extends Frontier.Point {
  readonly bidKopecks: number
  readonly shown: ReadonlyArray<Streams.Day>
}

/** Streams that one bid is for. */
export interface Group {
  readonly streams: ReadonlyArray<Streams.Day>
  readonly floorKopecks: number
}

export interface Solved {
  readonly groups: ReadonlyArray<Group>
  readonly mixes: ReadonlyArray<Frontier.Mix<Choice>>
  /** What one more rouble of budget would earn beside itself. */
  readonly lambda: number
  /** Kopecks. */
  readonly spend: number
  readonly profit: number
}

/** A phrase that the seller had before stays: nobody has statistics of it, and no rule takes back what a person did. */
const stoodInMinus = (world: World.World, { campaign, item, traffic }: Streams.Stream): boolean =>
  traffic.text !== undefined &&
  Timeline.at(Bids.minus(world, campaign, item.id), Account.startMs).has(traffic.text)

/** A campaign's streams by the bid that they hang on: a cluster's own, the item's for search or recommendations, or one. */
export const groups = (
  world: World.World,
  campaign: World.Campaign,
  day: number,
  margin: number
): ReadonlyArray<Group> => {
  const { bidType, payment } = campaign.blueprint
  const byKey = new Map<string, Array<Streams.Day>>()
  for (const [index, stream] of Streams.ofCampaign(world, campaign).entries()) {
    if (stoodInMinus(world, stream)) continue
    const isShelf = stream.traffic.text === undefined
    const place =
      bidType === "unified"
        ? "all"
        : isShelf
          ? "shelf"
          : Bids.hasClusterBids(campaign)
            ? `${index}`
            : "search"
    const key = `${stream.item.id} ${place}`
    const found = byKey.get(key) ?? []
    found.push(Streams.onDay(stream, day, margin))
    byKey.set(key, found)
  }
  return [...byKey.values()].map((streams) => {
    const { item, traffic } = (streams[0] as Streams.Day).stream
    const floors = item.floors[payment]
    const floorKopecks =
      bidType === "unified"
        ? floors.combined
        : traffic.text === undefined
          ? floors.recommendations
          : floors.search
    return { streams, floorKopecks }
  })
}

const none: Choice = { bidKopecks: 0, shown: [], spend: 0, gain: 0 }

/** Bids worth a look: from the floor, on the step, up to where every stream alone earns most. */
export const bids = ({ floorKopecks, streams }: Group): ReadonlyArray<number> => {
  const [first] = streams
  if (first === undefined) return []
  if (first.auction.price === "second" && first.auction.byPlace > 0)
    throw new Error("second price with clicks by place has more than one top; no oracle solves it here")
  const step = Market.steps[first.payment]
  const most = Math.max(...streams.map((day) => best(day, floorKopecks, step)))
  const all: Array<number> = []
  for (let bid = floorKopecks; bid <= most; bid += step) all.push(bid)
  return all
}

/**
 * The bid at which a stream earns most when money costs no more than itself; dearer money only lowers it. What is earned
 * rises to one top and then falls (docs/decisions/0096), so halving finds it; one below the floor is the floor.
 */
const best = (day: Streams.Day, floorKopecks: number, step: number): number => {
  const profit = (bid: number) => {
    const { gain, spend } = Streams.expected(day, bid)
    return gain - spend
  }
  let low = 0
  let high = Math.max(0, Math.ceil((Streams.worthOf(day) - floorKopecks) / step))
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (profit(floorKopecks + (middle + 1) * step) > profit(floorKopecks + middle * step)) low = middle + 1
    else high = middle
  }
  return floorKopecks + low * step
}

/**
 * The choices of a group that are the best ones at some price of money, by rising spend, from none on. At a bid, streams are
 * worth showing by what they gain per rouble, so only the first few in that order need a look. A shelf cannot be a minus
 * phrase: where one bid is for all, it is shown whenever anything is.
 */
export const frontier = (group: Group): ReadonlyArray<Choice> => {
  const all = bids(group)
  const count = group.streams.length
  const table = Array.from({ length: count }, () => columns(all.length))
  for (const [index, bid] of all.entries()) {
    let [spend, gain] = [0, 0]
    for (const [shown, day] of inOrder(group, bid).entries()) {
      const one = Streams.expected(day, bid)
      spend += one.spend
      gain += one.gain
      const column = table[shown] as Columns
      column.spend[index] = spend
      column.gain[index] = gain
    }
  }
  const found = table.flatMap(({ gain, spend }, shown) =>
    Frontier.hull(spend, gain).map((index) => ({
      bidKopecks: all[index] as number,
      count: shown + 1,
      spend: spend[index] as number,
      gain: gain[index] as number
    }))
  )
  const best =
    count === 1
      ? found
      : Frontier.hull(
          Float64Array.from(found, ({ spend }) => spend),
          Float64Array.from(found, ({ gain }) => gain)
        ).map((index) => found[index] as (typeof found)[number])
  return [
    none,
    ...best.map(({ bidKopecks, count, gain, spend }) => ({
      bidKopecks,
      shown: inOrder(group, bidKopecks).slice(0, count),
      gain,
      spend
    }))
  ]
}

interface Columns {
  readonly spend: Float64Array
  readonly gain: Float64Array
}

const columns = (length: number): Columns => ({
  spend: new Float64Array(length),
  gain: new Float64Array(length)
})

/** Streams by what they gain per rouble at a bid; what cannot be left out comes first. */
export const inOrder = (
  { streams }: Pick<Group, "streams">,
  bidKopecks: number
): ReadonlyArray<Streams.Day> => {
  if (streams.length === 1) return streams
  const ranked = streams.map((day) => {
    const { gain, spend } = Streams.expected(day, bidKopecks)
    return { day, rank: isFixed(day) ? Number.POSITIVE_INFINITY : spend === 0 ? -1 : gain / spend }
  })
  return ranked.sort((a, b) => b.rank - a.rank).map(({ day }) => day)
}

const isFixed = ({ stream }: Streams.Day): boolean => stream.traffic.text === undefined

/** A campaign's day, ready to be solved for any budget. */
export interface Task {
  readonly groups: ReadonlyArray<Group>
  readonly frontiers: ReadonlyArray<ReadonlyArray<Choice>>
}

export const task = (world: World.World, campaign: World.Campaign, day: number, margin: number): Task => {
  const all = groups(world, campaign, day, margin)
  return { groups: all, frontiers: all.map(frontier) }
}

/** The best of a campaign's day. */
export const solve = ({ frontiers, groups }: Task, budgetKopecks: number): Solved => {
  const { lambda, mixes } = Frontier.fill(frontiers, budgetKopecks)
  const spend = mixes.reduce((sum, mix) => sum + Frontier.spendOf(mix), 0)
  const gain = mixes.reduce((sum, mix) => sum + Frontier.gainOf(mix), 0)
  return { groups, mixes, lambda, spend, profit: gain - spend }
}
