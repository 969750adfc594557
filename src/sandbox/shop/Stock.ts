/**
 * Stock of a size in a warehouse: filled up to its usual level once a week (now and then a week is missed), one less
 * with every sale sent from there, never below zero. What is on its way is in Transit.ts. After a count set by hand
 * all units lie in the item's first place, and nothing is filled up any more.
 */

import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Conditions from "../market/model/Conditions.js"
import type { Days } from "../market/Statistics.js"
import * as World from "../market/World.js"
import * as Sales from "./Sales.js"
import type { Sale, StockCount } from "./State.js"
import * as Warehouses from "./Warehouses.js"

export interface Level {
  readonly warehouse: Warehouses.Warehouse
  readonly units: number
}

/** Warehouses that may hold a size: those its sales are sent from. */
export const placesOf = (world: World.World, sizeId: number): ReadonlyArray<Warehouses.Warehouse> => {
  const size = Sales.size(world, sizeId)
  if (size === undefined) return []
  const sentBy = Sales.fulfilment(world, size.itemId)
  return [
    ...(sentBy === "platform" ? [] : [Warehouses.sellerOf(world, sizeId)]),
    ...(sentBy === "seller" ? [] : Warehouses.platform)
  ]
}

/** Units of a size in each of its warehouses at an instant, zeros included. `atMs` must not be after now. */
export const levels = (world: World.World, sizeId: number, atMs: number): ReadonlyArray<Level> =>
  placesOf(world, sizeId).map((warehouse) => ({ warehouse, units: left(world, sizeId, warehouse, atMs) }))

/** Units of a size in one warehouse at an instant; 0 in one that never holds it. */
export const left = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  atMs: number
): number => leftAt(world, sizeId, warehouse, [atMs])[0] ?? 0

/** The same at each of several instants, ascending; quicker than one by one. */
export const leftAt = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  instants: ReadonlyArray<number>
): ReadonlyArray<number> => balances(world, sizeId, warehouse, instants).map((units) => Math.max(0, units))

/** Units of an item over all its sizes, in the seller's and in the platform's warehouses. */
export const ofItem = (
  world: World.World,
  itemId: number,
  atMs: number
): { readonly seller: number; readonly platform: number } => {
  const sum = { seller: 0, platform: 0 }
  for (const size of Sales.sizes(world, itemId))
    for (const { warehouse, units } of levels(world, size.id, atMs))
      sum[warehouse.officeId === 0 ? "platform" : "seller"] += units
  return sum
}

/** Whether the unit was sold after the last one had gone. */
export const isOversold = (world: World.World, sale: Sale): boolean =>
  balances(world, sale.sizeId, Warehouses.ofSale(world, sale), [sale.orderedAt]).some((units) => units < 0)

/** What a full shelf holds: the more clusters bring buyers, the more. */
const fullUnits = (world: World.World, sizeId: number, warehouse: Warehouses.Warehouse): number => {
  const hash = Dice.roll(world.seed, 531, sizeId, warehouse.id)
  const small = warehouse.officeId === 0 && warehouse.id > 0
  const busy = Math.max(1, world.scale.clusters / 12)
  return Math.round(busy * Dice.between(hash, small ? 2 : 12, small ? 9 : 45))
}

/** Sales of a size that one warehouse sends, by time, up to now. */
export const sentFrom = (
  world: World.World,
  size: Sales.Size,
  warehouse: Warehouses.Warehouse,
  days: Days,
  nowMs: number
): ReadonlyArray<Sale> =>
  Sales.ofItem(world, size.itemId, days, nowMs).filter(
    (sale) => sale.sizeId === size.id && Warehouses.ofSale(world, sale).id === warehouse.id
  )

const mostWeeks = 4

/** The first Moscow day of the week the shelf was last filled, at or before a day. */
export const filledOn = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  day: number
): number => {
  const hash = Dice.roll(world.seed, 532, sizeId, warehouse.id)
  const shift = Dice.uint(hash) % 7
  let week = Math.floor((day - shift) / 7)
  while (week % mostWeeks !== 0 && Dice.unit(Dice.roll(hash, 1, week)) < 0.12) week--
  return week * 7 + shift
}

/** The full shelf less what was sold since, at each instant; below zero where more was sold than there was. */
const balances = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  instants: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const [first, last] = [instants[0], instants.at(-1)]
  const size = Sales.size(world, sizeId)
  if (size === undefined || first === undefined || last === undefined) return instants.map(() => 0)
  const born = Sales.bornOn(world, size.itemId)
  const { setting } = World.item(world, size.itemId).recommendations
  const full = fullUnits(world, sizeId, warehouse)
  const days = { from: filledOn(world, sizeId, warehouse, Moscow.dayOf(first)), to: Moscow.dayOf(last) }
  const sales = sentFrom(world, size, warehouse, days, last)
  let [before, until] = [0, 0]
  return instants.map((at) => {
    const count = countAt(world, size.itemId, at)
    if (count !== undefined) return sinceCount(world, size, warehouse, count, at)
    const day = Moscow.dayOf(at)
    if (day < born || Conditions.isSoldOut(setting, day)) return 0
    const filled = filledOn(world, sizeId, warehouse, day)
    while (before < sales.length && (sales[before] as Sale).day < filled) before++
    while (until < sales.length && (sales[until] as Sale).orderedAt <= at) until++
    return full - (until - before)
  })
}

/** Counts an item anew: so many units are there from now on. */
export const count = (world: World.World, itemId: number, units: number, nowMs: number): void => {
  const before = world.shop.stockCounts.get(itemId) ?? []
  world.shop.stockCounts.set(itemId, [...before, { at: nowMs, units }])
}

const countAt = (world: World.World, itemId: number, at: number): StockCount | undefined =>
  world.shop.stockCounts.get(itemId)?.findLast((count) => count.at <= at)

const sinceCount = (
  world: World.World,
  size: Sales.Size,
  warehouse: Warehouses.Warehouse,
  count: StockCount,
  at: number
): number => {
  const first = Sales.sizes(world, size.itemId)[0]?.id === size.id ? placesOf(world, size.id)[0] : undefined
  const days = { from: Moscow.dayOf(count.at), to: Moscow.dayOf(at) }
  const sent = sentFrom(world, size, warehouse, days, at).filter(
    ({ orderedAt }) => orderedAt > count.at && orderedAt <= at
  )
  return (first?.id === warehouse.id ? count.units : 0) - sent.length
}
