/** Seed 000 "Assembly orders"; stickers are in `Stickers.ts`. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as CrossBorder from "../shop/CrossBorder.js"
import * as OrderRecords from "../shop/OrderRecords.js"
import * as Orders from "../shop/Orders.js"
import * as Progress from "../shop/Progress.js"
import type { Order } from "../shop/State.js"

const windowMs = 30 * 86_400_000

export const handlers: Call.Handlers<
  | "listNewOrders"
  | "listOrders"
  | "getOrderStatuses"
  | "listReshipmentOrders"
  | "cancelOrder"
  | "getOrderStatusHistory"
  | "getOrderClients"
  | "listArchivedOrders"
> = {
  /** All at once; what entered a supply or was cancelled is gone (field note O03). */
  listNewOrders: (call) => {
    const fresh = Orders.all(call.world, call.nowMs).filter((order) =>
      Orders.mayAssemble(call.world, order, call.nowMs)
    )
    return Either.right(Answer.json({ orders: fresh.map((order) => OrderRecords.fresh(call.world, order)) }))
  },

  /** From 30 days before now, and for at most 30 days, unless the caller says otherwise (seed 000, field note O02). */
  listOrders: (call) => {
    const { dateFrom, dateTo, limit, next } = call.query
    const from = dateFrom === undefined ? call.nowMs - windowMs : dateFrom * 1000
    const to = dateTo === undefined ? Math.min(call.nowMs, from + windowMs) : dateTo * 1000
    const least = Math.max(from, listedFrom(call.nowMs))
    const found = Orders.all(call.world, call.nowMs).filter(
      ({ sale }) => sale.orderedAt >= least && sale.orderedAt <= to
    )
    const rows = after(found, next, limit)
    const orders = rows.map((order) => OrderRecords.listed(call.world, order, call.nowMs))
    return Either.right(Answer.json({ next: nextOf(rows, next, limit), orders }))
  },

  /** Ids the seller never had are left out. */
  getOrderStatuses: (call) => {
    const orders = Orders.known(call.world, call.payload.orders, call.nowMs).map((order) => ({
      id: order.id,
      supplierStatus: Orders.status(call.world, order, call.nowMs),
      platformStatus: Orders.platformStatus(call.world, order, call.nowMs),
      isCancellable: Orders.isCancellable(call.world, order, call.nowMs)
    }))
    return Either.right(Answer.json({ orders }))
  },

  /** Orders of closed supplies that did not turn up at acceptance (field note O21). */
  listReshipmentOrders: (call) => {
    const orders = Orders.all(call.world, call.nowMs)
      .filter((order) => order.reshipment)
      .map((order) => ({ supplyID: order.supplyId, orderID: order.id }))
    return Either.right(Answer.json({ orders }))
  },

  cancelOrder: (call) => {
    const order = Orders.find(call.world, call.path.orderId, call.nowMs)
    if (order === undefined) return Either.left(notFound(call.path.orderId))
    const before = Orders.status(call.world, order, call.nowMs)
    if (before === "cancel")
      return Either.left(refuseCode(409, "StatusMismatch", "the order is cancelled already"))
    if (!Orders.isCancellable(call.world, order, call.nowMs))
      return Either.left(refuseCode(409, "StatusChangeNotAllowed", "the order can no longer be cancelled"))
    const { supplyId } = order
    Orders.cancel(order, call.nowMs)
    Call.record(call, {
      slot: "order",
      target: { orderId: order.id, ...(supplyId === undefined ? {} : { supplyId }) },
      before,
      after: "cancel",
      effectiveAt: call.nowMs
    })
    return Either.right(Answer.empty(204))
  },

  /** Domestic orders are left out. */
  getOrderStatusHistory: (call) =>
    Either.map(existing(call, call.payload.orders), (orders) =>
      Answer.json({
        orders: orders
          .filter((order) => order.crossBorder)
          .map((order) => CrossBorder.history(call.world, order, call.nowMs))
      })
    ),

  /** Null where none of the orders goes to the one country (field note O25). */
  getOrderClients: (call) =>
    Either.map(existing(call, call.payload.orders), (orders) => {
      const clients = orders.flatMap((order) => CrossBorder.client(order) ?? [])
      return Answer.json({ orders: clients.length === 0 ? null : clients })
    }),

  /** The cursor ends in null. */
  listArchivedOrders: (call) => {
    const { limit, month, next, year } = call.query
    const rows = after(ofMonth(call.world, year, month, call.nowMs), next, limit)
    const orders = rows.map((order) => OrderRecords.archived(call.world, order, call.nowMs))
    const last = rows.length < limit ? undefined : rows.at(-1)
    return Either.right(Answer.json({ next: last?.id ?? null, orders }))
  }
}

const after = (orders: ReadonlyArray<Order>, next: number, limit: number): ReadonlyArray<Order> =>
  orders.filter(({ id }) => id > next).slice(0, limit)

/** The cursor of the next page: 0 after a short page, the same again after an empty one (field note O01). */
const nextOf = (rows: ReadonlyArray<Order>, asked: number, limit: number): number => {
  const last = rows.at(-1)
  return last === undefined ? asked : rows.length < limit ? 0 : last.id
}

/** The orders of these ids that exist; 404 where none exists, but never in the test environment (seed 000 "always 200"). */
const existing = (
  call: Call.Context,
  ids: ReadonlyArray<number>
): Either.Either<ReadonlyArray<Order>, Refusal> => {
  const orders = Orders.known(call.world, ids, call.nowMs)
  return orders.length > 0 || call.world.shop.testEnvironment
    ? Either.right(orders)
    : Either.left(notFound(ids[0]))
}

const notFound = (id: number | undefined): Refusal =>
  refuseCode(404, "NotFound", `order ${id} does not exist`)

// What is in the list of orders, and what in the archive; for a while an order can be in neither (field note O26).

/** Orders made since this instant are in the list: three calendar months before now. */
export const listedFrom = (nowMs: number): number => {
  const now = new Date(nowMs)
  const lastOfMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 0))
  const day = Math.min(now.getUTCDate(), lastOfMonth.getUTCDate())
  return Date.UTC(lastOfMonth.getUTCFullYear(), lastOfMonth.getUTCMonth(), day) + (nowMs % 86_400_000)
}

/** Archived orders created in a month (1..12) of the Moscow calendar, ascending by id. */
const ofMonth = (world: World.World, year: number, month: number, nowMs: number): ReadonlyArray<Order> => {
  const prefix = `${year}-${`${month}`.padStart(2, "0")}`
  const open = openSupplies(world, nowMs)
  const before = listedFrom(nowMs)
  return Orders.all(world, nowMs).filter(
    (order) =>
      order.sale.orderedAt < before &&
      Moscow.dayText(order.sale.day).startsWith(prefix) &&
      isOver(world, order, nowMs) &&
      (order.supplyId === undefined || !open.has(order.supplyId))
  )
}

/** A supply goes to the archive as a whole: these hold an order that is not over. */
const openSupplies = (world: World.World, nowMs: number): ReadonlySet<string> =>
  new Set(
    Orders.all(world, nowMs).flatMap((order) =>
      order.supplyId === undefined || isOver(world, order, nowMs) ? [] : [order.supplyId]
    )
  )

const isOver = (world: World.World, order: Order, nowMs: number): boolean =>
  Progress.isFinal(Orders.platformStatus(world, order, nowMs))
