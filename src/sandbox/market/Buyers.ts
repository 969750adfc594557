/**
 * How buyers answer to promotions, where a world has such buyers: while a promotion runs, whoever is in it is sold at its
 * plan price, ordered more often by an elasticity of the item's own, and seen more often by the boost of the tier that is
 * reached. What they met at an instant gone by never changes, whatever happens to the calendar later.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Blueprint from "./Blueprint.js"
import * as Calendar from "./Calendar.js"
import * as Promotions from "./Promotions.js"
import * as World from "./World.js"

/** What buyers meet of an item in a promotion, from an instant on. */
export interface Offer {
  /** The promotion whose price is paid: the lowest of those that it is in. */
  readonly promotionId: number
  readonly priceKopecks: number
  /** How many times the usual views, and the usual orders per view. */
  readonly views: number
  readonly orders: number
  readonly since: number
}

interface Span {
  readonly from: number
  readonly offer: Offer | undefined
}

/** The offer at an instant; undefined while the item is sold as usual. */
export const at = (world: World.World, itemId: number, atMs: number): Offer | undefined =>
  world.buyers ? spans(world, itemId).findLast(({ from }) => from <= atMs)?.offer : undefined

/** What a unit costs at an instant, kopecks. */
export const priceKopecks = (world: World.World, itemId: number, atMs: number): number =>
  at(world, itemId, atMs)?.priceKopecks ?? World.item(world, itemId).priceKopecks

/** Adds the instants strictly between two at which the item's offer changes. */
export const cuts = (
  world: World.World,
  itemId: number,
  from: number,
  to: number,
  into: Set<number>
): void => {
  if (!world.buyers) return
  for (const span of spans(world, itemId)) if (span.from > from && span.from < to) into.add(span.from)
}

/** Offers of a Moscow day, by time, each with the part of the day's traffic that it met up to an instant. */
export const ofDay = (
  world: World.World,
  itemId: number,
  day: number,
  nowMs: number
): ReadonlyArray<{ readonly offer: Offer; readonly share: number }> => {
  if (!world.buyers) return []
  const [start, end] = [Moscow.startOf(day), Math.min(nowMs, Moscow.startOf(day + 1))]
  const all = spans(world, itemId)
  return all.flatMap(({ from, offer }, i) => {
    const [since, until] = [Math.max(from, start), Math.min(all[i + 1]?.from ?? end, end)]
    return offer === undefined || since >= until
      ? []
      : [{ offer, share: Moscow.passed(until, day) - Moscow.passed(since, day) }]
  })
}

/** By which power of the price the orders fall: a percent less brings so many percent more of them. */
export const elasticity = (world: World.World, itemId: number): number =>
  Dice.between(Dice.roll(world.seed, 806, itemId), 1.2, 3)

interface Known {
  readonly revision: number
  readonly byItem: Map<number, ReadonlyArray<Span>>
}

/** What follows from the calendar as it stands; the next change of the calendar makes it anew. */
const kept = new WeakMap<World.World, Known>()

/** Every offer there was and, as things stand, will be: the first span begins before all time. */
const spans = (world: World.World, itemId: number): ReadonlyArray<Span> => {
  const { revision } = world.promotions
  const before = kept.get(world)
  const known = before?.revision === revision ? before : { revision, byItem: new Map() }
  kept.set(world, known)
  const found = known.byItem.get(itemId) ?? made(world, itemId)
  known.byItem.set(itemId, found)
  return found
}

const made = (world: World.World, itemId: number): ReadonlyArray<Span> => {
  const all: Array<Span> = [{ from: Number.NEGATIVE_INFINITY, offer: undefined }]
  if (!isOpenTo(world, itemId)) return all
  const own = Calendar.ids.filter((id) => Promotions.isIn(world, id, itemId, Number.POSITIVE_INFINITY))
  const edges = new Set(own.flatMap((id) => Promotions.edges(world, id)))
  for (const from of [...edges].sort((a, b) => a - b)) {
    const offer = offerAt(world, own, itemId, from)
    if (!isSame(offer, all.at(-1)?.offer)) all.push({ from, offer })
  }
  return all
}

const isOpenTo = (world: World.World, itemId: number): boolean =>
  Promotions.itemIds(world)[itemId - Blueprint.firstItemId] !== undefined

const isSame = (one: Offer | undefined, other: Offer | undefined): boolean =>
  one?.promotionId === other?.promotionId &&
  one?.priceKopecks === other?.priceKopecks &&
  one?.views === other?.views

const offerAt = (
  world: World.World,
  ids: ReadonlyArray<number>,
  itemId: number,
  atMs: number
): Offer | undefined => {
  const open = ids.filter((id) => {
    const promotion = Promotions.byId(world, id, atMs)
    return promotion !== undefined && atMs < promotion.endsAt && Promotions.isIn(world, id, itemId, atMs)
  })
  const running = open.filter((id) => (Promotions.byId(world, id, atMs)?.startsAt ?? 1 / 0) <= atMs)
  const offers = open
    .filter((id) => running.includes(id) || Promotions.isPriced(world, id, itemId, atMs))
    .map((id) => ({ id, ...Promotions.terms(world, id, itemId, atMs) }))
  const [best] = offers.sort((a, b) => a.planPriceKopecks - b.planPriceKopecks || a.id - b.id)
  if (best === undefined) return undefined
  const boost = Math.max(0, ...running.map((id) => Promotions.boostPercent(world, id, atMs)))
  return {
    promotionId: best.id,
    priceKopecks: best.planPriceKopecks,
    views: 1 + boost / 100,
    orders: (best.priceKopecks / best.planPriceKopecks) ** elasticity(world, itemId),
    since: atMs
  }
}
