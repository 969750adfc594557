/** Seed 000 "Supplies", and their shipping units. */
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Faults from "../Faults.js"
import type * as World from "../market/World.js"
import * as Images from "../shop/Images.js"
import * as Orders from "../shop/Orders.js"
import type { Order, Supply } from "../shop/State.js"
import * as Supplies from "../shop/Supplies.js"

export const handlers: Call.Handlers<
  | "createSupply"
  | "listSupplies"
  | "addOrdersToSupply"
  | "getSupply"
  | "deleteSupply"
  | "getSupplyOrderIds"
  | "deliverSupply"
  | "getSupplyBarcode"
> = {
  createSupply: (call) => {
    const supply = Supplies.create(call.world, call.payload.name ?? "", call.nowMs)
    recordSupply(call, supply, null, "active")
    return Either.right(Answer.json({ id: supply.id }, 201))
  },

  listSupplies: (call) => {
    const seenMs = Call.seenMs(call)
    const { limit, next: after } = call.query
    const { next, supplies } = Supplies.page(call.world, after, limit, call.nowMs, seenMs)
    const orders = Orders.bySupply(call.world, call.nowMs, seenMs)
    const rows = supplies.map((supply) => Supplies.record(supply, orders.get(supply.id) ?? [], seenMs))
    return Either.right(Answer.json({ next, supplies: rows }))
  },

  /** All or none; the refusal names no order (field note O10). */
  addOrdersToSupply: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const orders = known(call, call.payload.orders)
      const unfit =
        orders === undefined
          ? "an order does not exist"
          : (struck(call, orders) ?? Supplies.unfitBecause(call.world, supply, orders, call.nowMs))
      if (orders === undefined || unfit !== undefined)
        return Either.left(refuseCode(409, "FailedToAddSupplyOrder", unfit ?? "orders cannot be added"))
      const before = new Map(orders.map((order) => [order, Orders.status(call.world, order, call.nowMs)]))
      for (const order of Supplies.add(call.world, supply, orders, call.nowMs))
        recordOrder(call, order, before.get(order), "confirm")
      for (const { ms = Days.hourMs } of Faults.ofShop(call.faults, call.operation, "selfScan"))
        supply.scanDue ??= { at: call.nowMs + ms, short: 0 }
      return Either.right(Answer.empty(204))
    }),

  getSupply: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) => {
      const seenMs = Call.seenMs(call)
      return Answer.json(Supplies.record(supply, inside(call, supply, seenMs), seenMs))
    }),

  deleteSupply: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
      if (orders.length > 0 || supply.closedAt !== undefined)
        return Either.left(
          refuseCode(409, "SupplyHasOrders", "only an active supply without orders can be deleted")
        )
      call.world.shop.supplies.delete(supply.id)
      recordSupply(call, supply, "active", "removed")
      return Either.right(Answer.empty(204))
    }),

  /** Null where there are none (field note O08). */
  getSupplyOrderIds: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) => {
      const ids = inside(call, supply, Call.seenMs(call)).map((order) => order.id)
      return Answer.json({ orderIds: ids.length === 0 ? null : ids })
    }),

  deliverSupply: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const refused = notDeliverable(call, supply)
      if (refused !== undefined) return Either.left(refused)
      for (const order of Supplies.close(call.world, supply, call.nowMs))
        recordOrder(call, order, "confirm", "complete")
      recordSupply(call, supply, "active", "closed")
      return Either.right(Answer.empty(204))
    }),

  getSupplyBarcode: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      if (call.nowMs < codedAt(call, supply))
        return Either.left(refuseCode(409, "SupplyNotClosed", "the supply is not handed over yet"))
      const code = { barcode: supply.id, lines: [supply.id] }
      const file = Images.base64(code, call.query.type, Images.large)
      return Either.right(Answer.json({ barcode: supply.id, file }))
    })
}

/** When the code of a supply is there: from its hand-over on, unless a fault holds it back. */
const codedAt = (call: Call.Context, { closedAt }: Supply): number =>
  closedAt === undefined
    ? Number.POSITIVE_INFINITY
    : closedAt +
      Math.max(
        0,
        ...Faults.ofShop(call.faults, call.operation, "lateCode").map(({ ms }) => ms ?? Days.minuteMs)
      )

/** Orders that a reader sees in a supply. */
const inside = ({ nowMs, world }: Call.Context, { id }: Supply, seenMs: number): ReadonlyArray<Order> =>
  Orders.all(world, nowMs).filter((order) => Orders.placeAt(order, seenMs) === id)

/** Why a fault refuses the whole batch, if it does. */
const struck = (call: Call.Context, orders: ReadonlyArray<Order>): string | undefined =>
  orders.length > 0 &&
  Faults.ofShop(call.faults, call.operation, "unfitOrders").some((fault) =>
    orders.some(({ id }) => Faults.strikes(call.world.seed, fault, id))
  )
    ? "an order cannot be added"
    : undefined

/** The supply a path names, or 404. */
const named = (call: Call.Context, id: string): Either.Either<Supply, Refusal> =>
  Either.fromNullable(Supplies.find(call.world, id, call.nowMs), () =>
    refuseCode(404, "NotFound", `supply ${id} does not exist`)
  )

/** The orders of these ids, each once; undefined where one does not exist. */
const known = (call: Call.Context, ids: ReadonlyArray<number>): ReadonlyArray<Order> | undefined => {
  const orders = [...new Set(ids)].map((id) => Orders.find(call.world, id, call.nowMs))
  return orders.every((order) => order !== undefined) ? orders : undefined
}

/** The first reason that forbids to hand a supply over (field note O18). No code is documented for a closed one. */
const notDeliverable = (call: Call.Context, supply: Supply): Refusal | undefined => {
  if (supply.closedAt !== undefined)
    return refuseCode(400, "IncorrectParameter", "the supply is closed already")
  const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
  if (orders.length === 0) return refuseCode(409, "SupplyHasZeroOrders", "the supply has no orders")
  const failing = Supplies.failingLabels(call.world, orders, call.nowMs)
  if (failing.length > 0)
    return refuseCode(409, "MetaValidationFail", "labels are missing or failed validation", {
      orders: failing
    })
  return supply.shipping === "required"
    ? refuseCode(409, "SupplyShippingRequired", "shipping method, date and point must be set")
    : undefined
}

const recordSupply = (call: Call.Context, supply: Supply, before: string | null, after: string): void =>
  Call.record(call, {
    slot: "supply",
    target: { supplyId: supply.id },
    before,
    after,
    effectiveAt: call.nowMs
  })

const recordOrder = (call: Call.Context, order: Order, before: string | undefined, after: string): void =>
  Call.record(call, {
    slot: "order",
    target: { orderId: order.id, ...(order.supplyId === undefined ? {} : { supplyId: order.supplyId }) },
    before,
    after,
    effectiveAt: call.nowMs
  })

// Seed 000 "Supplies": shipping units. Only 400 and 404 are documented for them, so a wrong state is 400.

export const unitHandlers: Call.Handlers<
  "listShippingUnits" | "addShippingUnits" | "deleteShippingUnits" | "getShippingUnitStickers"
> = {
  listShippingUnits: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) =>
      Answer.json({ trbxes: supply.units.map((id) => ({ id })) })
    ),

  addShippingUnits: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const refused = noRoomFor(call, supply, call.payload.amount)
      if (refused !== undefined) return Either.left(refuseCode(400, "IncorrectParameter", refused))
      const before = supply.units
      const trbxIds = addUnits(call.world, supply, call.payload.amount)
      record(call, supply, before)
      return Either.right(Answer.json({ trbxIds }, 201))
    }),

  deleteShippingUnits: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const { trbxIds } = call.payload
      if (supply.closedAt !== undefined)
        return Either.left(refuseCode(400, "IncorrectParameter", "the supply is not being assembled"))
      const unknown = trbxIds.find((id) => !supply.units.includes(id))
      if (unknown !== undefined)
        return Either.left(refuseCode(404, "NotFound", `unit ${unknown} is not in the supply`))
      const before = supply.units
      removeUnits(supply, trbxIds)
      record(call, supply, before)
      return Either.right(Answer.empty(204))
    }),

  /** Units without orders, and units of other supplies, are silently missing. */
  getShippingUnitStickers: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) => {
      const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
      const stickers = [...new Set(call.payload.trbxIds)]
        .filter((id) => ordersIn(supply, id, orders).length > 0)
        .map((id) => ({
          barcode: id,
          file: Images.base64({ barcode: id, lines: [id] }, call.query.type, Images.large)
        }))
      return Answer.json({ stickers })
    })
}

const noRoomFor = (call: Call.Context, supply: Supply, amount: number): string | undefined => {
  const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
  if (supply.closedAt !== undefined) return "the supply is closed"
  if (!Supplies.toPickupPoint(orders)) return "the supply does not go to a pickup point"
  const room = roomIn(supply, orders.length)
  return amount > room
    ? `${orders.length} orders allow ${Math.floor(orders.length / 2)} units; ${Math.max(0, room)} may be added`
    : undefined
}

const record = (call: Call.Context, supply: Supply, before: ReadonlyArray<string>): void =>
  Call.record(call, {
    slot: "units",
    target: { supplyId: supply.id },
    before,
    after: supply.units,
    effectiveAt: call.nowMs
  })

// Shipping units of a supply to a pickup point (seed 000 "Shipping unit", field note O22).

/** How many more units a supply of so many orders may take: half of the orders, counting what is there. */
const roomIn = (supply: Supply, orders: number): number => Math.floor(orders / 2) - supply.units.length

/** Adds units; answers their ids, `PLATFORM-TRBX-<digits>`. */
export const addUnits = (world: World.World, supply: Supply, amount: number): ReadonlyArray<string> => {
  const letters = world.shop.testEnvironment ? "SAND-" : ""
  const ids = Array.from(
    { length: amount },
    () => `PLATFORM-TRBX-${letters}${world.firstId + world.shop.nextUnit++}`
  )
  supply.units = [...supply.units, ...ids]
  return ids
}

const removeUnits = (supply: Supply, ids: ReadonlyArray<string>): void => {
  supply.units = supply.units.filter((id) => !ids.includes(id))
}

/** Orders in a unit: the supply's orders by id go round the units one by one, so a surplus unit stays empty. */
export const ordersIn = (
  supply: Supply,
  unit: string,
  orders: ReadonlyArray<Order>
): ReadonlyArray<Order> => {
  const at = supply.units.indexOf(unit)
  return at < 0 ? [] : orders.filter((_, i) => i % supply.units.length === at)
}
