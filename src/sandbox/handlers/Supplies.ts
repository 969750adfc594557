/** Seed 000 "Supplies". Shipping units are in `Units.ts`. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
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
    const { next, supplies } = Supplies.page(call.world, call.query.next, call.query.limit, call.nowMs)
    const orders = Orders.bySupply(call.world, call.nowMs)
    const rows = supplies.map((supply) => Supplies.record(supply, orders.get(supply.id) ?? []))
    return Either.right(Answer.json({ next, supplies: rows }))
  },

  /** All or none; the refusal names no order (field note O10). */
  addOrdersToSupply: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const orders = known(call, call.payload.orders)
      const unfit =
        orders === undefined
          ? "an order does not exist"
          : Supplies.unfitBecause(call.world, supply, orders, call.nowMs)
      if (orders === undefined || unfit !== undefined)
        return Either.left(refuseCode(409, "FailedToAddSupplyOrder", unfit ?? "orders cannot be added"))
      const before = new Map(orders.map((order) => [order, Orders.status(call.world, order, call.nowMs)]))
      for (const order of Supplies.add(call.world, supply, orders, call.nowMs))
        recordOrder(call, order, before.get(order), "confirm")
      return Either.right(Answer.empty(204))
    }),

  getSupply: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) =>
      Answer.json(Supplies.record(supply, Orders.inSupply(call.world, supply.id, call.nowMs)))
    ),

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
      const ids = Orders.inSupply(call.world, supply.id, call.nowMs).map((order) => order.id)
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
      if (supply.closedAt === undefined)
        return Either.left(refuseCode(409, "SupplyNotClosed", "the supply is not handed over yet"))
      const code = { barcode: supply.id, lines: [supply.id] }
      const file = Images.base64(code, call.query.type, Images.large)
      return Either.right(Answer.json({ barcode: supply.id, file }))
    })
}

/** The supply a path names, or 404. */
export const named = (call: Call.Context, id: string): Either.Either<Supply, Refusal> =>
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
