/** Units that buyers ordered, one by one: the one truth behind orders, order feed, funnel, reports and stock. */

import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import { firstItemId } from "../market/Blueprint.js"
import * as Buyers from "../market/Buyers.js"
import type { Days } from "../market/Statistics.js"
import * as World from "../market/World.js"
import * as Advertising from "./Advertising.js"
import * as Memo from "./Memo.js"
import type { Sale } from "./State.js"

/** A size of an item, `chrtId`; an unsized item has one, with `techSize` "0". */
export interface Size {
  readonly id: number
  readonly itemId: number
  readonly techSize: string
  /** Barcode, 13 digits: the `skus` of an order. */
  readonly sku: string
}

/**
 * Sales of an item on these Moscow days, ordered up to now, by time. Never fewer than the advertising statistics show:
 * the advertised ones are exactly theirs, the others came by themselves. A sale once seen stays as it is.
 */
export const ofItem = (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number
): ReadonlyArray<Sale> => {
  const [past, since] = [pastOf(world, itemId), sinceOf(world, itemId)]
  for (const kept of [past, since]) Memo.shorten(kept)
  const today = Moscow.dayOf(nowMs)
  const last = Math.min(days.to, today)
  const history = Math.min(last, Moscow.dayOf(world.originMs) - 1)
  const found: Array<Sale> = []
  for (let day = days.from; day <= last; day++) {
    const kept = day <= history ? past : since
    const known = kept.get(day)
    if (known === undefined && day <= history)
      Advertising.counts(world, itemId, { from: day, to: history }, world.originMs)
    const sales = known ?? made(world, itemId, day, day <= history ? world.originMs : nowMs)
    if (day <= history || day < today) kept.set(day, sales)
    for (const sale of sales) if (day < today || sale.orderedAt <= nowMs) found.push(sale)
  }
  return found
}

/** Bounds what a report over "all items" computes, whatever the scale. */
const mostItems = 1_000

/** Ids of the shop's items, ascending: those the campaigns began with, and the spare ones; at most a thousand. */
export const items = (world: World.World): ReadonlyArray<number> =>
  Array.from(
    { length: Math.min(mostItems, World.lastItemId(world) - firstItemId + 1) },
    (_, i) => firstItemId + i
  )

const names = [
  ["S", "M", "L", "XL"],
  ["40", "42", "44", "46"]
] as const
const firstSizeId = 300_000_000
const mostSizes = 4

/** Sizes of an item: one to four, or the single "0". */
export const sizes = Memo.perItem((world, itemId): ReadonlyArray<Size> => {
  const hash = Dice.roll(world.seed, 501, itemId)
  const count = Dice.unit(hash) < 0.3 ? 0 : 1 + (Dice.uint(Dice.mix(hash, 1)) % mostSizes)
  const all = Dice.pick(Dice.mix(hash, 2), names)
  return Array.from({ length: Math.max(1, count) }, (_, i) => {
    const id = firstSizeId + (itemId - firstItemId) * mostSizes + i
    return {
      id,
      itemId,
      techSize: count === 0 ? "0" : (all[i] as string),
      sku: `2${`${id}`.padStart(12, "0")}`
    }
  })
})

/** A size by its id; undefined if the shop has none of that id. */
export const size = (world: World.World, sizeId: number): Size | undefined => {
  const itemId = firstItemId + Math.floor((sizeId - firstSizeId) / mostSizes)
  return World.hasItem(world, itemId) ? sizes(world, itemId).find(({ id }) => id === sizeId) : undefined
}

/** A size by its barcode; undefined if the shop has none of that code. */
export const sizeOfSku = (world: World.World, sku: string): Size | undefined => {
  const found = /^2\d{12}$/.test(sku) ? size(world, Number(sku.slice(1))) : undefined
  return found?.sku === sku ? found : undefined
}

/** The seller's own code of an item: `article`, `vendorCode`. */
export const article = (itemId: number): string => `art-${`${itemId - firstItemId + 1}`.padStart(4, "0")}`

/** Only so many items are ever sent by the seller, so that a huge account has a day's worth of orders. */
const mostSellerItems = 100

/** Who sends an item: half of the shop by the seller, some of these by the platform as well. */
export const fulfilment = (world: World.World, itemId: number): "seller" | "platform" | "both" => {
  if (itemId - firstItemId >= mostSellerItems) return "platform"
  const u = Dice.unit(Dice.roll(world.seed, 502, itemId))
  return u < 0.25 ? "seller" : u < 0.5 ? "both" : "platform"
}

/** Sales of days gone by, by day: before the origin's, and since. */
const pastOf = Memo.perPastItem(() => new Map<number, ReadonlyArray<Sale>>())
const sinceOf = Memo.perItem(() => new Map<number, ReadonlyArray<Sale>>())

const made = (world: World.World, itemId: number, day: number, nowMs: number): ReadonlyArray<Sale> => {
  // The millisecond at which the statistics count an order ends the span in which it was made.
  const advertised = Advertising.orderInstants(world, itemId, day, nowMs).map((at) => ({
    at,
    advertised: true,
    offer: Buyers.at(world, itemId, Math.max(at - 1, Moscow.startOf(day)))
  }))
  const organic = [...organicInstants(world, itemId, day), ...lured(world, itemId, day)].flatMap((at) =>
    at <= nowMs ? [{ at, advertised: false, offer: Buyers.at(world, itemId, at) }] : []
  )
  const all = [...advertised, ...organic].sort((a, b) => a.at - b.at)
  if (all.length === 0) return []
  const { priceKopecks } = World.item(world, itemId)
  const own = sizes(world, itemId)
  const sender = fulfilment(world, itemId)
  return all.map(({ at, advertised, offer }, index) => {
    const seed = Dice.roll(world.seed, 503, itemId, day, index)
    return {
      itemId,
      sizeId: Dice.pick(Dice.mix(seed, 1), own).id,
      day,
      index,
      srid: `${hex(Dice.mix(seed, 2))}${itemId.toString(16)}${day.toString(16)}.${index}.0`,
      orderedAt: at,
      priceKopecks: offer?.priceKopecks ?? priceKopecks,
      ...(offer === undefined ? {} : { promotionId: offer.promotionId }),
      business: Dice.unit(Dice.mix(seed, 3)) < 0.05,
      fulfilledBy: sender === "both" ? (Dice.unit(Dice.mix(seed, 4)) < 0.5 ? "seller" : "platform") : sender,
      advertised,
      seed
    }
  })
}

const hex = (hash: number): string => Dice.uint(hash).toString(16).padStart(8, "0")

const weekdays = [1, 0.95, 0.95, 0.95, 1, 1.15, 1.2]

/**
 * The first Moscow day of an item's card: before it nobody visited or ordered it and none was in stock. Half of the
 * spare items are new, the others were always there.
 */
export const bornOn = (world: World.World, itemId: number): number => {
  const isSpare = itemId >= firstItemId + world.scale.campaigns * world.scale.items
  const hash = Dice.roll(world.seed, 506, itemId)
  return isSpare && Dice.unit(hash) < 0.5
    ? Moscow.dayOf(world.originMs) - 5 - (Dice.uint(Dice.mix(hash, 1)) % 60)
    : Number.NEGATIVE_INFINITY
}

/** Orders that no advertisement brought. */
const organicInstants = (world: World.World, itemId: number, day: number): ReadonlyArray<number> => {
  if (day < bornOn(world, itemId)) return []
  return spread(expectedOrders(world, itemId, day), Dice.roll(world.seed, 505, itemId, day), day)
}

/** How many come by themselves on a day without a promotion. */
const expectedOrders = (world: World.World, itemId: number, day: number): number => {
  const usual = Dice.between(Dice.roll(world.seed, 504, itemId), 0.3, 3)
  const hash = Dice.roll(world.seed, 505, itemId, day)
  return usual * (weekdays[day % 7] as number) * Dice.between(Dice.mix(hash, 1), 0.5, 1.5)
}

/** Further orders that no advertisement brought, but a promotion's price and boost. */
const lured = (world: World.World, itemId: number, day: number): ReadonlyArray<number> =>
  Buyers.ofDay(world, itemId, day, Number.POSITIVE_INFINITY).flatMap(
    ({ offer: { orders, since, views } }) => {
      const more = expectedOrders(world, itemId, day) * (orders * views - 1)
      const hash = Dice.roll(world.seed, 507, itemId, day, Math.floor(since / 1000))
      return spread(more, hash, day).filter((at) => Buyers.at(world, itemId, at)?.since === since)
    }
  )

/** So many instants of a day on average. */
const spread = (expected: number, hash: number, day: number): ReadonlyArray<number> => {
  const count = Math.floor(expected + Dice.unit(Dice.mix(hash, 2)))
  return Array.from({ length: count }, (_, i) => Advertising.instantOf(Dice.unit(Dice.roll(hash, 3, i)), day))
}
