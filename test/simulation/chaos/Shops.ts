/** What happens to orders, supplies and marks at the marketplace: by buyers, by its warehouse, and by people in the cabinet. */
import type { World } from "../../../src/sandbox/market/World.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import * as LabelChecks from "../../../src/sandbox/shop/LabelChecks.js"
import * as Orders from "../../../src/sandbox/shop/Orders.js"
import * as Play from "../../../src/sandbox/shop/Play.js"
import * as Staging from "../../../src/sandbox/shop/Staging.js"
import type { Order, Supply } from "../../../src/sandbox/shop/State.js"
import * as Supplies from "../../../src/sandbox/shop/Supplies.js"
import * as Warehouses from "../../../src/sandbox/shop/Warehouses.js"
import type { Event } from "./Events.js"
import * as Marks from "./Marks.js"

/** No orders of the past: the shop opens when the simulation begins. */
export const open = (sandbox: Service, nowMs: number): void => {
  sandbox.world(SandboxToken.defaultSeller).shop.ordersTo = nowMs
}

/** Plays it with one of the orders or supplies that it fits; says what was played, or that there was none. */
export const play = (sandbox: Service, event: Extract<Event, { _tag: "Shop" }>, nowMs: number): string => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  Orders.settle(world, nowMs)
  return `shop: ${event.kind}: ${played(world, event, nowMs) ?? "nothing to do it with"}`
}

type Played = string | undefined

const played = (
  world: World,
  { amount, kind, pick }: Extract<Event, { _tag: "Shop" }>,
  nowMs: number
): Played => {
  const orders = (fits: (order: Order) => boolean): Order | undefined =>
    one(Orders.all(world, nowMs).filter(fits), pick)
  const stands =
    (status: string) =>
    (order: Order): boolean =>
      Orders.status(world, order, nowMs) === status &&
      Orders.platformStatus(world, order, nowMs) === "waiting"
  const supplies = (fits: (supply: Supply) => boolean): Supply | undefined =>
    one([...world.shop.supplies.values()].filter(fits), pick)
  const isOpen = ({ closedAt }: Supply): boolean => closedAt === undefined
  switch (kind) {
    case "ordered":
      return ordered(world, pick, amount, nowMs)
    case "declined":
      return cancelled(world, orders(stands("new")), "buyer", nowMs)
    case "withdrawn":
      return cancelled(world, orders(stands(amount < 0.7 ? "confirm" : "complete")), "buyer", nowMs)
    case "refused":
      return cancelled(world, orders(stands(amount < 0.5 ? "new" : "confirm")), "seller", nowMs)
    case "packed":
    case "moved": {
      const order = orders(stands(kind === "packed" ? "new" : "confirm"))
      const supply = supplies(isOpen)
      if (order === undefined || supply === undefined) return undefined
      if (Supplies.unfitBecause(world, supply, [order], nowMs) !== undefined) return undefined
      Supplies.add(world, supply, [order], nowMs)
      return `${order.id} into ${supply.id}`
    }
    case "opened":
      return Supplies.create(world, `by hand ${pick}`, nowMs).id
    case "renamed": {
      const supply = supplies((found) => isOpen(found) && found.name.includes("#"))
      if (supply === undefined) return undefined
      world.shop.supplies.set(supply.id, {
        ...supply,
        name: `ours ${supply.name.slice(supply.name.lastIndexOf("#"))}`
      })
      return supply.id
    }
    case "left": {
      const supply = supplies((found) => isOpen(found) && Orders.inSupply(world, found.id, nowMs).length > 0)
      if (supply !== undefined) Supplies.close(world, supply, nowMs)
      return supply?.id
    }
    case "joined": {
      const supply = supplies((found) => isOpen(found) && found.name.includes("#"))
      return supply === undefined ? undefined : joined(world, supply, supplies, nowMs)
    }
    case "accepted":
      return accepted(world, supplies, amount, nowMs)
    case "marked":
    case "unmarked":
      return marked(world, orders, kind === "marked", pick, nowMs)
  }
}

const one = <A>(found: ReadonlyArray<A>, pick: number): A | undefined =>
  found[pick % Math.max(1, found.length)]

/** A few at once, of any kind, in one or more warehouses. */
const ordered = (world: World, pick: number, amount: number, nowMs: number): Played => {
  const ids = Warehouses.ofOrders.map(({ id }) => id)
  const first = pick % ids.length
  const made = Staging.make(
    world,
    {
      count: 1 + Math.floor(amount * 7),
      warehouses: pick % 5 < 3 ? ids.slice(first, first + 1) : ids,
      cargo: pick % 7 < 4 ? [1] : [1, 2, 3],
      crossBorderShare: pick % 11 < 3 ? 0.4 : 0,
      businessShare: pick % 13 < 3 ? 0.5 : 0,
      markedShare: 0.35,
      marks: ["sgtin", "sgtin", "expiration", "imei"],
      minutesAgo: pick % 4 === 0 ? 50 : 0
    },
    nowMs
  )
  return "problem" in made ? made.problem : made.join(" ")
}

const cancelled = (world: World, order: Order | undefined, by: "buyer" | "seller", nowMs: number): Played => {
  if (order === undefined) return undefined
  const problem = Play.cancel(world, order, by, nowMs)
  return `${order.id}${problem === undefined ? "" : `: ${problem}`}`
}

/** All orders of a supply are put into another one that takes them, and it is deleted. */
const joined = (
  world: World,
  supply: Supply,
  supplies: (fits: (supply: Supply) => boolean) => Supply | undefined,
  nowMs: number
): Played => {
  const orders = Orders.inSupply(world, supply.id, nowMs)
  const other = supplies(
    (found) =>
      found.id !== supply.id &&
      found.closedAt === undefined &&
      Supplies.unfitBecause(world, found, orders, nowMs) === undefined
  )
  if (orders.length > 0) {
    if (other === undefined) return undefined
    Supplies.add(world, other, orders, nowMs)
  }
  world.shop.supplies.delete(supply.id)
  return `${supply.id}${orders.length === 0 ? "" : ` into ${other?.id}`}`
}

/** A supply is scanned, closed or not, and up to two of its orders are not found. */
const accepted = (
  world: World,
  supplies: (fits: (supply: Supply) => boolean) => Supply | undefined,
  amount: number,
  nowMs: number
): Played => {
  const inside = ({ id }: Supply) => Orders.inSupply(world, id, nowMs).length
  const supply = supplies(
    (found) =>
      found.scannedAt === undefined && inside(found) > 0 && (amount < 0.1 || found.closedAt !== undefined)
  )
  if (supply === undefined) return undefined
  const short = Math.min(inside(supply), 1 + Math.floor(amount * 2))
  const problem = Play.scan(world, supply, { ...Play.whole, short }, nowMs)
  return `${supply.id}, ${short} missing${problem === undefined ? "" : `: ${problem}`}`
}

/** Somebody sets a mark in the cabinet, which may be found wanting; or takes one away, which the marketplace may ask for anew. */
const marked = (
  world: World,
  orders: (fits: (order: Order) => boolean) => Order | undefined,
  isSet: boolean,
  pick: number,
  nowMs: number
): Played => {
  const has = ({ labels, required }: Order, key: Order["required"][number]): boolean =>
    required.includes(key) && (labels.get(key)?.values.length ?? 0) > 0
  const order = orders(
    (found) =>
      Orders.status(world, found, nowMs) === "confirm" &&
      found.required.some((key) => has(found, key) !== isSet && (isSet || key !== "expiration"))
  )
  const key = order?.required.find((name) => has(order, name) !== isSet)
  if (order === undefined || key === undefined) return undefined
  if (isSet) LabelChecks.set(world, order, key, [Marks.of(key, order.id, pick)], nowMs)
  else LabelChecks.remove(order, key, nowMs)
  return `${key} of ${order.id}`
}
