/**
 * What all campaigns together bring an item: the same numbers as the advertising statistics, and the instant of each
 * order. From the origin's day on an order happens at the very millisecond from which the statistics count it; on
 * days before, instants are spread over the day by seed.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Blueprint from "../market/Blueprint.js"
import * as Purse from "../market/Purse.js"
import type { Days } from "../market/Statistics.js"
import * as Traffic from "../market/Traffic.js"
import * as World from "../market/World.js"
import * as Memo from "./Memo.js"

export interface Counts {
  readonly clicks: number
  readonly carts: number
  readonly orders: number
}

export const nothing: Counts = { clicks: 0, carts: 0, orders: 0 }

/** Clicks, carts and orders by Moscow day, up to now; every asked day up to today is in the answer. */
export const counts = (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number
): ReadonlyMap<number, Counts> => {
  const kept = memoOf(world, itemId).counts
  Memo.shorten(kept)
  const last = Math.min(days.to, Moscow.dayOf(nowMs))
  let first = days.from
  while (first <= last && kept.has(first)) first++
  if (first > last) return kept
  const found = counted(world, itemId, { from: first, to: last }, nowMs)
  for (const [day, value] of found) if (Moscow.startOf(day + 1) <= nowMs) kept.set(day, value)
  return kept.has(last) ? kept : new Map([...kept, ...found])
}

/** Instants of the orders of a Moscow day up to now, ascending, whole milliseconds. What was seen once never changes. */
export const orderInstants = (
  world: World.World,
  itemId: number,
  day: number,
  nowMs: number
): ReadonlyArray<number> => {
  if (day >= Moscow.dayOf(world.originMs)) return crossings(world, itemId, day, nowMs)
  const orders = counts(world, itemId, { from: day, to: day }, world.originMs).get(day)?.orders ?? 0
  const hash = Dice.roll(world.seed, 511, itemId, day)
  return Array.from({ length: orders }, (_, i) => instantOf(Dice.unit(Dice.mix(hash, i)), day)).sort(
    (a, b) => a - b
  )
}

/** A share of the day's traffic as a whole millisecond of it. */
export const instantOf = (share: number, day: number): number => Math.floor(Moscow.instantOf(share, day))

interface Known {
  /** Days gone by. */
  readonly counts: Map<number, Counts>
  /** Days since the origin's: instants by stream, known up to an instant. */
  readonly running: Map<number, { to: number; readonly byStream: Map<string, Array<number>> }>
}

const memoOf = Memo.perItem<Known>(() => ({ counts: new Map(), running: new Map() }))

/** Campaigns that ever held the item, settled up to now. */
export const campaignsOf = (
  world: World.World,
  itemId: number,
  nowMs: number
): ReadonlyArray<World.Campaign> => {
  const found = new Map<number, World.Campaign>()
  const index = Math.floor((itemId - Blueprint.firstItemId) / world.scale.items)
  const native =
    index >= 0 && index < world.scale.campaigns
      ? World.campaign(world, World.nativeId(world, index))
      : undefined
  if (native !== undefined) found.set(native.id, native)
  for (const campaign of world.campaigns.values())
    if (
      (campaign.items.steps.length > 1 || campaign.id >= World.nativeId(world, world.scale.campaigns)) &&
      campaign.items.steps.some((step) => step.value.includes(itemId))
    )
      found.set(campaign.id, campaign)
  for (const campaign of found.values()) Purse.settle(world, campaign, nowMs)
  return [...found.values()].sort((a, b) => a.id - b.id)
}

const counted = (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number
): ReadonlyMap<number, Counts> => {
  const sums = new Map<number, Counts>()
  for (let day = days.from; day <= days.to; day++) sums.set(day, nothing)
  const item = World.item(world, itemId)
  const [from, to] = [Moscow.startOf(days.from), Math.min(Moscow.startOf(days.to + 1), nowMs)]
  for (const campaign of campaignsOf(world, itemId, nowMs))
    for (const traffic of Traffic.streams(item)) {
      const spans = Traffic.pieces(world, campaign, itemId, traffic, from, to)
      if (spans.length === 0) continue
      for (const [day, sum] of sums) {
        const { clicks, carts, orders } = Traffic.ofDay(campaign, item, traffic, day, spans)
        if (clicks > 0)
          sums.set(day, {
            clicks: sum.clicks + clicks,
            carts: sum.carts + carts,
            orders: sum.orders + orders
          })
      }
    }
  return sums
}

const crossings = (world: World.World, itemId: number, day: number, nowMs: number): ReadonlyArray<number> => {
  const { running } = memoOf(world, itemId)
  Memo.shorten(running)
  const start = Moscow.startOf(day)
  const known = running.get(day) ?? { to: start, byStream: new Map<string, Array<number>>() }
  running.set(day, known)
  const to = Math.min(nowMs, Moscow.startOf(day + 1))
  if (to > known.to) {
    const item = World.item(world, itemId)
    for (const campaign of campaignsOf(world, itemId, nowMs))
      for (const [i, traffic] of Traffic.streams(item).entries()) {
        const spans = Traffic.pieces(world, campaign, itemId, traffic, start, to)
        const count = (at: number) => Traffic.ofDay(campaign, item, traffic, day, upTo(spans, at)).orders
        extend(known.byStream, `${campaign.id} ${i}`, count, known.to, to)
      }
    known.to = to
  }
  return [...known.byStream.values()]
    .flat()
    .filter((at) => at <= nowMs)
    .sort((a, b) => a - b)
}

/** Adds the instants between two at which a count that only grows takes a step. */
const extend = (
  into: Map<string, Array<number>>,
  key: string,
  count: (at: number) => number,
  from: number,
  to: number
): void => {
  const known = into.get(key) ?? []
  const all = count(to)
  while (known.length < all) {
    let [before, reached] = [Math.max(from, (known.at(-1) ?? from) - 1), to]
    while (reached - before > 1) {
      const middle = Math.floor((before + reached) / 2)
      if (count(middle) > known.length) reached = middle
      else before = middle
    }
    known.push(reached)
  }
  if (known.length > 0) into.set(key, known)
}

const upTo = (spans: ReadonlyArray<Traffic.Piece>, at: number): ReadonlyArray<Traffic.Piece> =>
  spans.flatMap((span) => (span.from >= at ? [] : [span.to <= at ? span : { ...span, to: at }]))
