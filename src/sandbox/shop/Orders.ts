/**
 * Assembly orders: one per unit the seller sends himself. They appear as sales come in, are scanned some hours after
 * their supply was delivered, and what was not scanned must be shipped again a day later. Call `settle` before reading
 * or changing anything of the shop.
 */

import type * as Arr from "effect/Array"
import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Once from "../Once.js"
import * as Memo from "./Memo.js"
import * as Progress from "./Progress.js"
import * as Sales from "./Sales.js"
import type { LabelKey, Order, Sale, SupplierStatus, Supply } from "./State.js"
import * as Stock from "./Stock.js"
import * as Warehouses from "./Warehouses.js"

/** Brings orders and supplies up to now. Doing it twice, or in smaller steps, gives the same. */
export const settle = (world: World.World, nowMs: number): void => {
  const { shop } = world
  const to = Math.max(nowMs, world.originMs)
  if (shop.ordersTo !== undefined && to <= shop.ordersTo) return
  if (!shop.testEnvironment) {
    const from = shop.ordersTo ?? world.originMs - pastDays * Days.dayMs
    for (const sale of sellerSales(world, from, to)) file(world, sale)
    if (shop.ordersTo === undefined) shipPast(world)
    accept(world, to)
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

/** The orders of these ids that exist, each once, in the order asked; settled. */
export const known = (world: World.World, ids: ReadonlyArray<number>, nowMs: number): ReadonlyArray<Order> =>
  [...new Set(ids)].flatMap((id) => find(world, id, nowMs) ?? [])

/** The order of a sale; undefined where the platform sends the unit, or it was sold before the first order. */
export const ofSale = (world: World.World, sale: Sale, nowMs: number): Order | undefined => {
  settle(world, nowMs)
  const index = bySrid(world)
  if (index.size < world.shop.orders.size)
    for (const order of world.shop.orders.values()) index.set(order.sale.srid, order)
  return index.get(sale.srid)
}

/** Orders of a supply, ascending by id. */
export const inSupply = (world: World.World, supplyId: string, nowMs: number): ReadonlyArray<Order> =>
  all(world, nowMs).filter((order) => order.supplyId === supplyId)

/** Orders by the supply they are in, or were a little earlier, each list ascending by id; for a caller that looks at many. */
export const bySupply = (
  world: World.World,
  nowMs: number,
  seenMs = nowMs
): ReadonlyMap<string, ReadonlyArray<Order>> => {
  settle(world, nowMs)
  return grouped(world, seenMs)
}

/** The supply an order was in at an instant, as far back as its last move. */
export const placeAt = ({ moved, supplyId }: Order, atMs: number): string | undefined =>
  moved !== undefined && atMs < moved.at ? moved.from : supplyId

/** Moves an order into a supply, or out of any. */
export const move = (order: Order, supplyId: string | undefined, at: number): void => {
  order.moved = { from: order.supplyId, at }
  order.supplyId = supplyId
  order.reshipment = false
}

/** Closes an active supply: those of its orders that are in assembly are in delivery. Answers these. */
export const close = (
  world: World.World,
  supply: Supply,
  orders: ReadonlyArray<Order>,
  at: number
): ReadonlyArray<Order> => {
  supply.closedAt = at
  const packed = orders.filter((order) => status(world, order, at) === "confirm")
  for (const order of packed) setStatus(order, "complete", at)
  return packed
}

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

/** Ordered when the stock was used up. */
export const isOversold = (world: World.World, order: Order): boolean => {
  const known = oversold.get(order) ?? Stock.isOversold(world, order.sale)
  oversold.set(order, known)
  return known
}

/** Of the orders that were shown, which are few of the past's. */
const oversold = new WeakMap<Order, boolean>()

/** Begins a status. */
export const setStatus = (order: Order, status: SupplierStatus, at: number): void => {
  order.statuses.push({ status, at })
}

/** Cancelled by the seller: it leaves its supply. */
export const cancel = (order: Order, at: number): void => {
  setStatus(order, "cancel", at)
  move(order, undefined, at)
}

const bySrid = Memo.perWorld(() => new Map<string, Order>())

const sellerSales = (world: World.World, from: number, to: number): ReadonlyArray<Sale> => {
  const days = { from: Moscow.dayOf(from), to: Moscow.dayOf(to) }
  return Sales.items(world)
    .filter((itemId) => Sales.fulfilment(world, itemId) !== "platform")
    .flatMap((itemId) => Sales.ofItem(world, itemId, days, to))
    .filter((sale) => sale.fulfilledBy === "seller" && sale.orderedAt > from)
    .sort((a, b) => a.orderedAt - b.orderedAt || TextOrder.compare(a.srid, b.srid))
}

const grouped = (
  world: World.World,
  atMs = Number.POSITIVE_INFINITY
): ReadonlyMap<string, ReadonlyArray<Order>> => {
  const groups = new Map<string, Arr.NonEmptyArray<Order>>()
  for (const order of world.shop.orders.values()) {
    const supplyId = placeAt(order, atMs)
    if (supplyId !== undefined) Groups.add(groups, supplyId, order)
  }
  return groups
}

/** Scans delivered supplies some hours after they were closed; a day later the rest must be shipped again. */
const accept = (world: World.World, nowMs: number): void => {
  const due = [...world.shop.supplies.values()].filter((supply) => {
    const at = supply.scannedAt === undefined ? scanAt(world, supply) : supply.scannedAt + Days.dayMs
    return at <= nowMs && !reshipped.has(supply)
  })
  if (due.length === 0) return
  const orders = grouped(world)
  for (const supply of due) acceptOne(world, supply, orders.get(supply.id) ?? [], nowMs)
}

const acceptOne = (world: World.World, supply: Supply, orders: ReadonlyArray<Order>, nowMs: number): void => {
  const unscanned = orders.filter((order) => order.scannedAt === undefined)
  if (supply.scannedAt === undefined) {
    const at = scanAt(world, supply)
    if (supply.closedAt === undefined) close(world, supply, orders, at)
    supply.scannedAt = at
    const missing = supply.scanDue === undefined ? undefined : missingOf(world, supply, unscanned)
    for (const order of unscanned) {
      if (missing?.has(order) === true) order.reshipment = true
      else if (missing !== undefined || !isForgotten(world, order, supply)) order.scannedAt = at
    }
  }
  if (supply.scannedAt + Days.dayMs > nowMs) return
  reshipped.add(supply)
  for (const order of unscanned) order.reshipment = order.scannedAt === undefined
}

/** When a supply is scanned: when somebody said so, else some hours after its hand-over. */
const scanAt = (world: World.World, { closedAt, id, scanDue }: Supply): number =>
  scanDue !== undefined
    ? scanDue.at
    : closedAt === undefined
      ? Number.POSITIVE_INFINITY
      : closedAt + Math.floor(Dice.between(Dice.ofText(world.seed, id), 3 * Days.hourMs, 8 * Days.hourMs))

/** So many orders of a supply as are not to be found at its acceptance, drawn by the seed. */
export const missingOf = (
  { seed }: World.World,
  { id, scanDue }: Pick<Supply, "id" | "scanDue">,
  orders: ReadonlyArray<Order>
): ReadonlySet<Order> => {
  const drawn = (order: Order) => Dice.uint(Dice.roll(Dice.ofText(seed, id), 52, order.id))
  return new Set(orders.toSorted((a, b) => drawn(a) - drawn(b)).slice(0, scanDue?.short ?? 0))
}

/** Supplies whose unscanned orders were looked for. */
const reshipped = new WeakSet<Supply>()

/** A few goods do not turn up at acceptance; those of old supplies were shipped again long ago. */
const isForgotten = (world: World.World, order: Order, supply: Supply): boolean =>
  (supply.closedAt ?? 0) > world.originMs - 3 * Days.dayMs &&
  Dice.unit(Dice.roll(order.sale.seed, 51, Dice.ofText(world.seed, supply.id))) < 0.02

// What the seller did before the origin: every day the orders of the last day went out, except those just come in.

/** How far back there are assembly orders, days; the oldest are in the archive. */
const pastDays = 110

/** Below every supply made since. */
const firstId = 9_000_001
/** What was ordered this late before the origin is still new. */
const freshMs = 12 * Days.hourMs

/** Ships the orders of the past, by day and by what may go together; a few were cancelled instead. */
const shipPast = (world: World.World): void => {
  const groups = new Map<string, Arr.NonEmptyArray<Order>>()
  for (const order of world.shop.orders.values()) {
    const { orderedAt, seed } = order.sale
    const ago = Math.floor((world.originMs - freshMs - orderedAt) / Days.dayMs)
    if (ago < 0) continue
    if (Progress.platform(world, order, world.originMs).status === "declined_by_client") continue
    if (Dice.unit(Dice.mix(seed, 71)) < 0.02) {
      setStatus(order, "cancel", orderedAt + 2 * Days.hourMs)
      continue
    }
    const kind = `${order.warehouseId} ${order.cargoType} ${order.crossBorder} ${order.sale.business}`
    const key = `${`${pastDays - ago}`.padStart(4, "0")} ${kind}`
    Groups.add(groups, key, order)
  }
  const sorted = [...groups].sort(TextOrder.byKey)
  for (const [index, [key, orders]] of sorted.entries()) {
    const ago = pastDays - Number(key.slice(0, 4))
    send(world, `PLATFORM-GI-${firstId + index}`, orders, world.originMs - freshMs - ago * Days.dayMs)
  }
}

const send = (world: World.World, id: string, orders: ReadonlyArray<Order>, packedAt: number): void => {
  const supply: Supply = {
    id,
    name: `Отгрузка ${Moscow.dayText(Moscow.dayOf(packedAt))}`,
    createdAt: packedAt,
    closedAt: packedAt + Days.hourMs,
    scannedAt: undefined,
    units: []
  }
  world.shop.supplies.set(supply.id, supply)
  for (const order of orders) {
    order.supplyId = supply.id
    setStatus(order, "confirm", packedAt)
    setStatus(order, "complete", packedAt + Days.hourMs)
    for (const key of order.required) {
      const values = Once.of(() => [valueOf(order, key)])
      order.labels.set(key, {
        get values() {
          return values()
        },
        setAt: packedAt
      })
    }
  }
}

const valueOf = (order: Order, key: LabelKey): string => {
  const digits = (count: number): string =>
    Array.from({ length: count }, (_, i) => Dice.uint(Dice.roll(order.sale.seed, 72, i)) % 10).join("")
  switch (key) {
    case "imei":
      return digits(15)
    case "uin":
      return digits(16)
    case "gtin":
      return digits(13)
    case "sgtin":
      return `010${digits(13)}215${digits(12)}\u001d91EE06\u001d92${digits(44)}`
    case "expiration":
      return Moscow.dottedText(order.sale.day + 365)
    case "customsDeclaration":
      return `${digits(8)}/${digits(6)}/${digits(7)}`
  }
}

// An assembly order as it comes into being from a sale (seed 000 "Assembly order").

/** Makes the order of a sale, new, and files it under the next number. */
export const file = (world: World.World, sale: Sale): Order => {
  const { orders } = world.shop
  const warehouse = Warehouses.sellerOf(world, sale.sizeId)
  const own = Dice.roll(world.seed, 541, sale.itemId)
  const cargo = Dice.unit(Dice.mix(own, 1))
  const cargoType = cargo < 0.92 ? 1 : cargo < 0.98 ? 2 : 3
  const crossBorder = Dice.unit(Dice.mix(sale.seed, 41)) < 0.08
  const { optional, required } = labelsOf(world, sale.itemId, own, crossBorder)
  const order: Order = {
    id: firstMadeId + world.firstId + orders.size,
    sale,
    warehouseId: warehouse.id,
    officeId: warehouse.officeId,
    cargoType,
    crossBorder,
    pickupPointAllowed: cargoType === 1 && !crossBorder && Dice.unit(Dice.mix(own, 2)) < 0.8,
    required,
    optional,
    labels: new Map(),
    statuses: [{ status: "new", at: sale.orderedAt }],
    supplyId: undefined,
    scannedAt: undefined,
    reshipment: false,
    plays: []
  }
  orders.set(order.id, order)
  return order
}

const firstMadeId = 4_100_000_000

/** Its basket: a few are open at a time, and what falls into the same one within five minutes is one purchase. */
export const uid = (world: World.World, { sale }: Order): string => {
  const hash = Dice.roll(world.seed, 542, Math.floor(sale.orderedAt / 300_000), Dice.uint(sale.seed) % 6)
  return [1, 2, 3, 4].map((key) => Dice.uint(Dice.mix(hash, key)).toString(16).padStart(8, "0")).join("")
}

interface Labels {
  readonly required: ReadonlyArray<LabelKey>
  readonly optional: ReadonlyArray<LabelKey>
}

const none: Labels = { required: [], optional: [] }
const kinds = {
  sgtin: { required: ["sgtin"], optional: [] },
  uin: { required: ["uin"], optional: [] },
  imei: { required: ["imei"], optional: [] },
  expiration: { required: ["expiration"], optional: [] },
  gtin: { required: [], optional: ["gtin"] }
} as const satisfies Record<string, Labels>

/** The first goods a seller sends are chosen, so that even a small shop has one of each kind. */
const chosen: ReadonlyArray<Labels> = [
  none,
  kinds.sgtin,
  none,
  kinds.uin,
  none,
  kinds.imei,
  none,
  kinds.expiration
]

/** The first items the seller sends, as many as are chosen. */
const sent = Memo.perWorld(
  (world): ReadonlyArray<number> =>
    Sales.items(world)
      .filter((item) => Sales.fulfilment(world, item) !== "platform")
      .slice(0, chosen.length)
)

/** What the goods are decides; a foreign one that crosses a border needs its customs declaration. */
const labelsOf = (world: World.World, itemId: number, item: number, crossBorder: boolean): Labels => {
  const goods = chosen[sent(world).indexOf(itemId)] ?? kindOf(Dice.unit(Dice.mix(item, 3)))
  if (!crossBorder) return goods
  return Dice.unit(Dice.mix(item, 4)) < 0.4
    ? { ...goods, required: [...goods.required, "customsDeclaration"] }
    : { ...goods, optional: [...goods.optional, "customsDeclaration"] }
}

const kindOf = (u: number): Labels => {
  if (u < 0.15) return kinds.sgtin
  if (u < 0.22) return kinds.uin
  if (u < 0.29) return kinds.imei
  if (u < 0.36) return kinds.expiration
  return u < 0.46 ? kinds.gtin : none
}
