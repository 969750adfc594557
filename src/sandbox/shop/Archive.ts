/** What is in the list of orders, and what in the archive; for a while an order can be in neither (field note O26). */
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Orders from "./Orders.js"
import * as Progress from "./Progress.js"
import type { Order } from "./State.js"

/** Orders made since this instant are in the list: three calendar months before now. */
export const listedFrom = (nowMs: number): number => {
  const now = new Date(nowMs)
  const lastOfMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 0))
  const day = Math.min(now.getUTCDate(), lastOfMonth.getUTCDate())
  return Date.UTC(lastOfMonth.getUTCFullYear(), lastOfMonth.getUTCMonth(), day) + (nowMs % 86_400_000)
}

/** Archived orders created in a month (1..12) of the Moscow calendar, ascending by id. */
export const ofMonth = (
  world: World.World,
  year: number,
  month: number,
  nowMs: number
): ReadonlyArray<Order> => {
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
