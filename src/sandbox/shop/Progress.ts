/**
 * The platform's side of an assembly order (not-shown §4.7): what happens to it between hand-over and buyer. It follows
 * from the seed and the instants of delivery and scan, unless somebody plays it. In the test environment nothing
 * happens by itself (not-shown §5).
 */

import * as Days from "../../domain/Days.js"
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import type { Order, SupplierStatus } from "./State.js"

export type PlatformStatus =
  | "waiting"
  | "sorted"
  | "sold"
  | "canceled"
  | "canceled_by_client"
  | "declined_by_client"
  | "defect"
  | "ready_for_pickup"
  | "postponed_delivery"
  | "accepted_by_carrier"
  | "sent_to_carrier"
  | "canceled_by_carrier"

/** A status and the instant it began. */
export interface Since<A> {
  readonly status: A
  readonly at: number
}

/** What the seller, or the carrier, made of the order by an instant. */
export const supplier = (world: World.World, order: Order, nowMs: number): Since<SupplierStatus> => {
  const last =
    order.statuses.findLast(({ at }) => at <= nowMs) ?? (order.statuses[0] as Since<SupplierStatus>)
  if (last.status !== "complete") return last
  const { status, at } = shipped(world, order, nowMs)
  return status === "canceled_by_carrier" ? { status: "cancel_carrier", at } : last
}

/** Where the platform has the order at an instant, and since when. */
export const platform = (world: World.World, order: Order, nowMs: number): Since<PlatformStatus> => {
  const last =
    order.statuses.findLast(({ at }) => at <= nowMs) ?? (order.statuses[0] as Since<SupplierStatus>)
  const play = order.plays.findLast(({ at }) => at <= nowMs)
  if (play !== undefined && last.status !== "cancel") return { status: playedTo[play.what], at: play.at }
  switch (last.status) {
    case "cancel":
      return { status: "canceled", at: last.at }
    case "cancel_carrier":
      return { status: "canceled_by_carrier", at: last.at }
    case "new": {
      const at = declineAt(world, order)
      return at !== undefined && at <= nowMs
        ? { status: "declined_by_client", at }
        : { status: "waiting", at: order.sale.orderedAt }
    }
    case "confirm":
      return { status: "waiting", at: order.sale.orderedAt }
    case "complete":
      return shipped(world, order, nowMs)
  }
}

/**
 * Stations a scanned order has passed by itself by an instant, ascending: none before its scan, none after somebody
 * played it, and in the test environment the first only.
 */
export const stations = (
  world: World.World,
  order: Order,
  nowMs: number
): ReadonlyArray<Since<PlatformStatus>> => {
  if (order.scannedAt === undefined) return []
  const playedAt = order.plays[0]?.at ?? Number.POSITIVE_INFINITY
  return way(world, order, order.scannedAt).filter(({ at }) => at <= nowMs && at < playedAt)
}

/** Statuses nothing follows (field note O04 tells to ask about all others). */
export const isFinal = (status: PlatformStatus): boolean => finals.has(status)

const finals: ReadonlySet<PlatformStatus> = new Set<PlatformStatus>([
  "sold",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "defect",
  "canceled_by_carrier"
])

const playedTo = {
  decline: "declined_by_client",
  withdraw: "canceled_by_client",
  deliver: "ready_for_pickup",
  receive: "sold",
  reject: "canceled_by_client",
  defect: "defect"
} as const

/** Within the first hour a few buyers change their mind; too late once the order is in assembly. */
const declineAt = (world: World.World, order: Order): number | undefined => {
  const hash = Dice.mix(order.sale.seed, 31)
  if (world.shop.testEnvironment || Dice.unit(hash) >= 0.02) return undefined
  return order.sale.orderedAt + Math.floor(Dice.between(Dice.mix(hash, 1), 5 * 60_000, 55 * 60_000))
}

const shipped = (world: World.World, order: Order, nowMs: number): Since<PlatformStatus> => {
  const { scannedAt } = order
  if (scannedAt === undefined || scannedAt > nowMs) return { status: "waiting", at: order.sale.orderedAt }
  const reached = way(world, order, scannedAt).findLast(({ at }) => at <= nowMs)
  return reached ?? { status: "waiting", at: order.sale.orderedAt }
}

/** The stations of a scanned order, ascending in time; where it ends follows from the seed. */
const way = (world: World.World, order: Order, scannedAt: number): ReadonlyArray<Since<PlatformStatus>> => {
  if (world.shop.testEnvironment) return [{ status: "sorted", at: scannedAt }]
  const hash = Dice.mix(order.sale.seed, 32)
  const later = (at: number, key: number, low: number, high: number): number =>
    at + Math.floor(Dice.between(Dice.mix(hash, key), low, high))
  const stations: Array<Since<PlatformStatus>> = []
  let at = scannedAt
  if (order.crossBorder) {
    stations.push({ status: "sent_to_carrier", at })
    at = later(at, 1, 3 * Days.hourMs, 12 * Days.hourMs)
    stations.push({ status: "accepted_by_carrier", at })
    at = later(at, 2, Days.dayMs, 4 * Days.dayMs)
    if (Dice.unit(Dice.mix(hash, 3)) < 0.03) return [...stations, { status: "canceled_by_carrier", at }]
  }
  stations.push({ status: "sorted", at })
  at = later(at, 4, 12 * Days.hourMs, 3 * Days.dayMs)
  const end = Dice.unit(Dice.mix(hash, 5))
  if (end < 0.01) return [...stations, { status: "defect", at }]
  if (end < 0.04) {
    stations.push({ status: "postponed_delivery", at })
    at = later(at, 6, 12 * Days.hourMs, 2 * Days.dayMs)
  }
  stations.push({ status: "ready_for_pickup", at })
  at = later(at, 7, 2 * Days.hourMs, 3 * Days.dayMs)
  return [...stations, { status: end > 0.93 ? "canceled_by_client" : "sold", at }]
}
