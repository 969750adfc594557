/** Buyer, platform and seller, played by hand: what the test environment and the control routes let one do. */
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
 * Cancels an order at whatever step it is: the buyer declines a new one and withdraws from any later one, which stays in its
 * supply; the seller may until the platform has it. Answers what forbids it.
 */
export const cancel = (
  world: World.World,
  one: Order,
  by: "buyer" | "seller",
  nowMs: number
): string | undefined => {
  const platform = Orders.platformStatus(world, one, nowMs)
  const isReady = by === "buyer" ? !Progress.isFinal(platform) : Orders.isCancellable(world, one, nowMs)
  if (!isReady)
    return `the ${by} can no longer cancel: the order is ${Orders.status(world, one, nowMs)}, ${platform}`
  if (by === "seller") Orders.cancel(one, nowMs)
  else {
    const isNew = Orders.status(world, one, nowMs) === "new"
    one.plays.push({ what: isNew ? "decline" : "withdraw", at: nowMs })
  }
  return undefined
}

/**
 * Plays a step of an order: the buyer declines a new one, it reaches the pickup point once it was scanned, the buyer
 * receives or rejects it there, or it is found defective on its way. Answers why the order is not ready for that.
 */
export const order = (world: World.World, order: Order, what: What, nowMs: number): string | undefined => {
  const status = Orders.platformStatus(world, order, nowMs)
  const isReady = {
    decline: Orders.mayAssemble(world, order, nowMs),
    withdraw: !Progress.isFinal(status) && Orders.status(world, order, nowMs) !== "new",
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

/** An acceptance: orders that are not found by their numbers, or so many drawn by the seed; now, or that much later. */
export interface Acceptance {
  readonly unscanned: ReadonlyArray<number>
  readonly short: number
  readonly afterMs: number
}

/** Finds everything, now. */
export const whole: Acceptance = { unscanned: [], short: 0, afterMs: 0 }

/**
 * Plays acceptance: a supply still open is closed by its first scan (field note O23), everything in it is scanned but
 * what is not found, and this must be shipped again. Answers what forbids it.
 */
export const scan = (
  world: World.World,
  supply: Supply,
  { afterMs, short, unscanned }: Acceptance,
  nowMs: number
): string | undefined => {
  if (supply.scannedAt !== undefined) return "the supply is scanned already"
  const orders = Orders.inSupply(world, supply.id, nowMs)
  if (orders.length === 0) return "the supply has no orders"
  const foreign = unscanned.find((id) => !orders.some((order) => order.id === id))
  if (foreign !== undefined) return `order ${foreign} is not in the supply`
  if (short > orders.length) return `the supply has ${orders.length} orders`
  const scanDue = { at: nowMs + afterMs, short }
  if (afterMs > 0) {
    supply.scanDue = scanDue
    return undefined
  }
  Supplies.close(world, supply, nowMs)
  supply.scannedAt = nowMs
  const missing = Orders.missingOf(world, { id: supply.id, scanDue }, orders)
  for (const order of orders)
    if (unscanned.includes(order.id) || missing.has(order)) order.reshipment = true
    else order.scannedAt = nowMs
  return undefined
}
