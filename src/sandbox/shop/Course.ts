/** What becomes of a sale: the statuses of the order feed, the same for feed, funnel, statuses and reports. */

import * as Days from "../../domain/Days.js"
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import * as Orders from "./Orders.js"
import * as Progress from "./Progress.js"
import type { Order, Sale } from "./State.js"

/** `at` is the instant the status began. `cancelType` goes with `cancel` only (not-shown §7.2). */
export interface Outcome {
  readonly status: "created" | "buyout" | "cancel" | "return" | "returnDefective"
  readonly cancelType?: "app" | "receipt" | "expire" | "other"
  readonly at: number
}

/** The status of a sale as it is at an instant, which may lie in the past but not before the order. */
export const outcome = (world: World.World, sale: Sale, nowMs: number): Outcome => {
  const order = sale.fulfilledBy === "seller" ? Orders.ofSale(world, sale, nowMs) : undefined
  return order === undefined ? ofPlatform(sale, nowMs) : ofOrder(world, order, nowMs)
}

/** Where a unit is between shelf and buyer: on its way there, on its way back, or neither. */
export const transit = (
  world: World.World,
  sale: Sale,
  nowMs: number
): "toClient" | "fromClient" | "none" => {
  const { status, at } = outcome(world, sale, nowMs)
  if (status === "buyout" || !wasSent(world, sale, status, at, nowMs)) return "none"
  if (status === "created") return "toClient"
  return nowMs - at >= wayBackMs(sale) ? "none" : "fromClient"
}

const wayBackMs = (sale: Sale): number =>
  Math.floor(Dice.between(Dice.mix(sale.seed, 66), 2 * Days.dayMs, 6 * Days.dayMs))

/** Whether the unit left its shelf: the seller's by the scan at acceptance, the platform's within a day. */
const wasSent = (
  world: World.World,
  sale: Sale,
  status: Outcome["status"],
  at: number,
  nowMs: number
): boolean => {
  const order = sale.fulfilledBy === "seller" ? Orders.ofSale(world, sale, nowMs) : undefined
  return order === undefined
    ? status !== "cancel" || at - sale.orderedAt > Days.dayMs
    : order.scannedAt !== undefined && order.scannedAt <= nowMs
}

const ofPlatform = (sale: Sale, nowMs: number): Outcome => {
  const later = (key: number, low: number, high: number): number =>
    Math.floor(Dice.between(Dice.mix(sale.seed, key), low, high))
  const end = Dice.unit(Dice.mix(sale.seed, 61))
  const arrived = sale.orderedAt + later(62, 2 * Days.dayMs, 5 * Days.dayMs)
  const created: Outcome = { status: "created", at: sale.orderedAt }
  const final: Outcome =
    end < 0.05
      ? { status: "cancel", cancelType: "app", at: sale.orderedAt + later(63, Days.hourMs, 18 * Days.hourMs) }
      : end < 0.1
        ? { status: "cancel", cancelType: "receipt", at: arrived }
        : end < 0.12
          ? { status: "cancel", cancelType: "expire", at: arrived + 7 * Days.dayMs }
          : end < 0.125
            ? { status: "cancel", cancelType: "other", at: arrived }
            : { status: "buyout", at: arrived }
  if (final.at > nowMs) return created
  return final.status === "buyout" ? returned(sale, final, nowMs) : final
}

/** A few units come back after the purchase. */
const returned = (sale: Sale, bought: Outcome, nowMs: number): Outcome => {
  const end = Dice.unit(Dice.mix(sale.seed, 64))
  const at = bought.at + Math.floor(Dice.between(Dice.mix(sale.seed, 65), 2 * Days.dayMs, 9 * Days.dayMs))
  if (end >= 0.03 || at > nowMs) return bought
  return { status: end < 0.005 ? "returnDefective" : "return", at }
}

const ofOrder = (world: World.World, order: Order, nowMs: number): Outcome => {
  const { status, at } = Progress.platform(world, order, nowMs)
  switch (status) {
    case "sold":
      return returned(order.sale, { status: "buyout", at }, nowMs)
    case "declined_by_client":
      return { status: "cancel", cancelType: "app", at }
    case "canceled_by_client":
      return { status: "cancel", cancelType: "receipt", at }
    case "canceled":
    case "canceled_by_carrier":
      return { status: "cancel", cancelType: "other", at }
    case "defect":
      return { status: "returnDefective", at }
    default:
      return { status: "created", at: order.sale.orderedAt }
  }
}
