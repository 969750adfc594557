/** The buyer and the platform, played by hand: what the test environment and the control routes let one do. */
import type * as World from "../market/World.js"
import * as Orders from "./Orders.js"
import * as Progress from "./Progress.js"
import type { Order, Play, Supply } from "./State.js"
import * as Supplies from "./Supplies.js"

export type What = Play["what"]
export const whats = [
  "decline",
  "deliver",
  "receive",
  "reject",
  "defect"
] as const satisfies ReadonlyArray<What>

/**
 * Plays a step of an order: the buyer declines a new one, it reaches the pickup point once it was scanned, the buyer
 * receives or rejects it there, or it is found defective on its way. Answers why the order is not ready for that.
 */
export const order = (world: World.World, order: Order, what: What, nowMs: number): string | undefined => {
  const status = Orders.platformStatus(world, order, nowMs)
  const isReady = {
    decline: Orders.mayAssemble(world, order, nowMs),
    deliver: isUnderWay(status) && status !== "ready_for_pickup",
    receive: status === "ready_for_pickup",
    reject: status === "ready_for_pickup",
    defect: isUnderWay(status)
  }[what]
  if (!isReady)
    return `${what} is not possible: the order is ${Orders.status(world, order, nowMs)}, ${status}`
  order.plays.push({ what, at: nowMs })
  return undefined
}

const isUnderWay = (status: Progress.PlatformStatus): boolean =>
  status !== "waiting" && !Progress.isFinal(status)

/**
 * Plays acceptance: a supply still open is closed by its first scan (field note O23), everything in it is scanned but
 * the orders named, and these must be shipped again. Answers what forbids it.
 */
export const scan = (
  world: World.World,
  supply: Supply,
  unscanned: ReadonlyArray<number>,
  nowMs: number
): string | undefined => {
  if (supply.scannedAt !== undefined) return "the supply is scanned already"
  const orders = Orders.inSupply(world, supply.id, nowMs)
  if (orders.length === 0) return "the supply has no orders"
  const foreign = unscanned.find((id) => !orders.some((order) => order.id === id))
  if (foreign !== undefined) return `order ${foreign} is not in the supply`
  Supplies.close(world, supply, nowMs)
  supply.scannedAt = nowMs
  for (const order of orders)
    if (unscanned.includes(order.id)) order.reshipment = true
    else order.scannedAt = nowMs
  return undefined
}
