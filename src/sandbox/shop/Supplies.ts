/** Supplies: which orders go together, and when a supply is closed (seed 000 "Supply" and "States and transitions"). */
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as LabelChecks from "./LabelChecks.js"
import * as Orders from "./Orders.js"
import { nextSupplyId, type Order, type Shipping, type Supply } from "./State.js"

/** Files an empty supply; there is no check for a second one of the same name (field note O29). */
export const create = (world: World.World, name: string, nowMs: number): Supply => {
  const supply: Supply = {
    id: nextSupplyId(world.shop),
    name,
    createdAt: nowMs,
    closedAt: undefined,
    scannedAt: undefined,
    units: []
  }
  world.shop.supplies.set(supply.id, supply)
  return supply
}

export const find = (world: World.World, id: string, nowMs: number): Supply | undefined => {
  Orders.settle(world, nowMs)
  return world.shop.supplies.get(id)
}

/** The digits of an id: what the cursor of the list counts by. */
const numberOf = ({ id }: Supply): number => Number(/\d+$/.exec(id)?.[0] ?? 0)

/** At most `limit` supplies after a number that were there at `seenMs`, ascending; `next` is 0 on the last page. */
export const page = (world: World.World, after: number, limit: number, nowMs: number, seenMs = nowMs) => {
  Orders.settle(world, nowMs)
  const rest = [...world.shop.supplies.values()]
    .filter((supply) => numberOf(supply) > after && supply.createdAt <= seenMs)
    .sort((a, b) => numberOf(a) - numberOf(b))
  const supplies = rest.slice(0, limit)
  const last = supplies.at(-1)
  return { supplies, next: last === undefined || supplies.length === rest.length ? 0 : numberOf(last) }
}

/** Why these orders cannot all go into a supply; undefined where they can. Nobody is told which one it is. */
export const unfitBecause = (
  world: World.World,
  supply: Supply,
  orders: ReadonlyArray<Order>,
  nowMs: number
): string | undefined => {
  if (supply.closedAt !== undefined) return "the supply is closed"
  const like = Orders.inSupply(world, supply.id, nowMs)[0] ?? orders[0]
  for (const order of orders) {
    if (!mayMove(world, order, nowMs)) return "an order is in a status that does not allow it"
    if (order.warehouseId !== like?.warehouseId) return "orders of different warehouses"
    if (order.cargoType !== like.cargoType) return "orders of different cargo types"
    if (order.crossBorder !== like.crossBorder) return "domestic and cross-border orders together"
  }
  return undefined
}

/** New and still wanted, in assembly, or left unscanned in a closed supply. */
const mayMove = (world: World.World, order: Order, nowMs: number): boolean => {
  const status = Orders.status(world, order, nowMs)
  if (Orders.platformStatus(world, order, nowMs) !== "waiting") return false
  return status === "new" || status === "confirm" || (status === "complete" && order.reshipment)
}

/** Puts fit orders into an active supply; each is in assembly from now on. Answers those that were not in it. */
export const add = (
  world: World.World,
  supply: Supply,
  orders: ReadonlyArray<Order>,
  nowMs: number
): ReadonlyArray<Order> => {
  const moved = orders.filter((order) => order.supplyId !== supply.id)
  for (const order of moved) {
    Orders.move(order, supply.id, nowMs)
    if (Orders.status(world, order, nowMs) !== "confirm") Orders.setStatus(order, "confirm", nowMs)
  }
  return moved
}

/**
 * Closes an active supply at an instant, by deliver or by the first scan: its orders in assembly are in delivery.
 * Answers those orders; none where it was closed already.
 */
export const close = (world: World.World, supply: Supply, at: number): ReadonlyArray<Order> => {
  if (supply.closedAt !== undefined) return []
  return Orders.close(world, supply, Orders.inSupply(world, supply.id, at), at)
}

/** Labels that keep a supply from being handed over, by order; what is missing shows as the text `null` (O14). */
export const failingLabels = (world: World.World, orders: ReadonlyArray<Order>, nowMs: number) =>
  orders.flatMap((order) => {
    const metaDetails = LabelChecks.details(world, order, nowMs)
      .filter(({ decision }) => LabelChecks.blocks(decision))
      .map(({ decision, key, value }) => ({ key, value: value ?? "null", decision }))
    return metaDetails.length === 0 ? [] : [{ id: order.id, metaDetails }]
  })

/** From now on the supply is handed over only with shipping method, date and point. For control routes and tests. */
export const requireShipping = (supply: Supply): void => {
  supply.shipping ??= "required"
}

/** Gives method, date and point, as the operations outside the contract do (field note O20). */
export const giveShipping = (supply: Supply, shipping: Shipping): void => {
  supply.shipping = shipping
}

/** The details record of a supply with its orders; an empty one has cargo type 0 and null types (field note O29). */
export const record = (supply: Supply, orders: ReadonlyArray<Order>, seenMs: number) => {
  const first = orders[0]
  const time = (at: number | undefined) => (at === undefined || at > seenMs ? null : Moscow.utcText(at))
  const isClosed = supply.closedAt !== undefined && supply.closedAt <= seenMs
  return {
    id: supply.id,
    name: supply.name,
    done: isClosed,
    createdAt: time(supply.createdAt),
    closedAt: time(supply.closedAt),
    scanDt: time(supply.scannedAt),
    cargoType: first?.cargoType ?? 0,
    crossBorderType: first === undefined ? null : Number(first.crossBorder),
    isB2b: first === undefined ? null : orders.every((order) => order.sale.business),
    isPickupPointShipmentAllowed: toPickupPoint(orders),
    destinationOfficeId: first?.officeId ?? null,
    recommendedWhId: isClosed ? (first?.officeId ?? 0) : 0,
    ...shippingFields(supply),
    spotAvailable: false
  }
}

/** True where every order, and at least one, may go to a pickup point. */
export const toPickupPoint = (orders: ReadonlyArray<Order>): boolean =>
  orders.length > 0 && orders.every((order) => order.pickupPointAllowed)

const shippingFields = ({ shipping }: Supply) =>
  shipping === undefined || shipping === "required"
    ? {}
    : {
        shippingDt: shipping.date,
        shippingPointId: shipping.pointId,
        shippingType: shipping.type
      }
