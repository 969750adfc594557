/**
 * Assembly orders: one per unit the seller sends himself. They appear as sales come in, are scanned some hours after
 * their supply was delivered, and what was not scanned must be shipped again a day later. Call `settle` before reading
 * or changing anything of the shop.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../World.js"
import * as History from "./History.js"
import * as Making from "./Making.js"
import * as Progress from "./Progress.js"
import * as Sales from "./Sales.js"
import type { Order, SupplierStatus, Supply } from "./State.js"

const hour = 3_600_000
const day = 24 * hour

/** Brings orders and supplies up to now. Doing it twice, or in smaller steps, gives the same. */
export const settle = (world: World.World, nowMs: number): void => {
  const { shop } = world
  const to = Math.max(nowMs, world.originMs)
  if (shop.ordersTo !== undefined && to <= shop.ordersTo) return
  if (!shop.testEnvironment) {
    const from = shop.ordersTo ?? world.originMs - History.days * day
    for (const sale of sellerSales(world, from, to)) Making.file(world, sale)
    if (shop.ordersTo === undefined) History.ship(world)
    for (const supply of shop.supplies.values()) accept(world, supply, to)
  }
  shop.ordersTo = to
}

/** Every order, ascending by id and so by time; settled. */
export const all = (world: World.World, nowMs: number): ReadonlyArray<Order> => {
  settle(world, nowMs)
  return [...world.shop.orders.values()]
}

/** An order by its id, settled; undefined if the seller never had it. */
export const find = (world: World.World, id: number, nowMs: number): Order | undefined => {
  settle(world, nowMs)
  return world.shop.orders.get(id)
}

/** The order of a sale; undefined where the platform sends the unit, or it was sold before the first order. */
export const ofSale = (world: World.World, sale: Sales.Sale, nowMs: number): Order | undefined => {
  settle(world, nowMs)
  const index = bySrid.get(world) ?? new Map<string, Order>()
  bySrid.set(world, index)
  if (index.size < world.shop.orders.size)
    for (const order of world.shop.orders.values()) index.set(order.sale.srid, order)
  return index.get(sale.srid)
}

/** Orders of a supply, ascending by id. */
export const inSupply = (world: World.World, supplyId: string, nowMs: number): ReadonlyArray<Order> =>
  all(world, nowMs).filter((order) => order.supplyId === supplyId)

/** supplierStatus at an instant. An order its buyer declined stays `new`: see `mayAssemble`. */
export const status = (world: World.World, order: Order, nowMs: number): SupplierStatus =>
  Progress.supplier(world, order, nowMs).status

/** platformStatus at an instant. */
export const platformStatus = (world: World.World, order: Order, nowMs: number): Progress.PlatformStatus =>
  Progress.platform(world, order, nowMs).status

/** New, and its buyer still wants it: it is in the list of new orders and may be put into a supply. */
export const mayAssemble = (world: World.World, order: Order, nowMs: number): boolean =>
  status(world, order, nowMs) === "new" && platformStatus(world, order, nowMs) === "waiting"

/** The seller may cancel until the platform has the goods; what must be shipped again is with the seller, too. */
export const isCancellable = (world: World.World, order: Order, nowMs: number): boolean => {
  if (platformStatus(world, order, nowMs) !== "waiting") return false
  const now = status(world, order, nowMs)
  return now === "new" || now === "confirm" || (now === "complete" && order.reshipment)
}

/** Begins a status. */
export const setStatus = (order: Order, status: SupplierStatus, at: number): void => {
  order.statuses.push({ status, at })
}

/** Cancelled by the seller: it leaves its supply. */
export const cancel = (order: Order, at: number): void => {
  setStatus(order, "cancel", at)
  order.supplyId = undefined
  order.reshipment = false
}

const bySrid = new WeakMap<World.World, Map<string, Order>>()

const sellerSales = (world: World.World, from: number, to: number): ReadonlyArray<Sales.Sale> => {
  const days = { from: Moscow.dayOf(from), to: Moscow.dayOf(to) }
  return Sales.items(world)
    .filter((itemId) => Sales.fulfilment(world, itemId) !== "platform")
    .flatMap((itemId) => Sales.ofItem(world, itemId, days, to))
    .filter((sale) => sale.fulfilledBy === "seller" && sale.orderedAt > from)
    .sort((a, b) => a.orderedAt - b.orderedAt || (a.srid < b.srid ? -1 : 1))
}

/** Scans a delivered supply some hours after it was closed; a day later the rest must be shipped again. */
const accept = (world: World.World, supply: Supply, nowMs: number): void => {
  const { closedAt } = supply
  if (closedAt === undefined) return
  if (supply.scannedAt === undefined) {
    const at = closedAt + Math.floor(Dice.between(Dice.ofText(world.seed, supply.id), 3 * hour, 8 * hour))
    if (at > nowMs) return
    supply.scannedAt = at
    for (const order of world.shop.orders.values())
      if (order.supplyId === supply.id && order.scannedAt === undefined && !isForgotten(world, order, supply))
        order.scannedAt = at
  }
  if (supply.scannedAt + day > nowMs || reshipped.has(supply)) return
  reshipped.add(supply)
  for (const order of world.shop.orders.values())
    if (order.supplyId === supply.id && order.scannedAt === undefined) order.reshipment = true
}

/** Supplies whose unscanned orders were looked for. */
const reshipped = new WeakSet<Supply>()

/** A few goods do not turn up at acceptance; those of old supplies were shipped again long ago. */
const isForgotten = (world: World.World, order: Order, supply: Supply): boolean =>
  (supply.closedAt ?? 0) > world.originMs - 3 * day &&
  Dice.unit(Dice.roll(order.sale.seed, 51, Dice.ofText(world.seed, supply.id))) < 0.02
