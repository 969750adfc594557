/**
 * Statistics as they are shown before they are final: an hour or two late, orders still coming in for days, views and
 * clicks counted too many at first. What is charged, and what the shop sells, is not affected.
 */
import * as Dice from "../../Dice.js"
import * as Moscow from "../../Moscow.js"
import type { Totals } from "../Traffic.js"
import type { Setting } from "./Model.js"

/** Minutes that statistics of a day are behind. */
const lateMinutes = [60, 120] as const
/** By age in days: share of carts and orders that are not shown yet, and of views, clicks and spend taken off later. */
const missingOrders = [0.15, 0.08, 0.03] as const
const surplus = [0.03, 0.015] as const
/** How much a stream's own day may differ from that. */
const spread = [0.5, 1.5] as const

/** Up to when the statistics of a Moscow day are counted at an instant; alike for all streams of an item. */
export const countedTo = ({ itemSeed, model }: Setting, day: number, nowMs: number): number =>
  model.statistics === "prompt"
    ? nowMs
    : nowMs - Math.round(Dice.between(Dice.roll(itemSeed, 961, day), ...lateMinutes) * 60_000)

/** Whether the numbers of a day may still differ from what they will be. */
const isOpen = ({ model }: Setting, day: number, nowMs: number): boolean =>
  model.statistics === "late" && ageDays(day, nowMs) < missingOrders.length

/** A day of a stream as it is shown at an instant; `totals` are those counted up to then. Never more orders than clicks. */
export const shown = (
  setting: Setting,
  streamSeed: number,
  day: number,
  nowMs: number,
  totals: Totals
): Totals => {
  if (!isOpen(setting, day, nowMs)) return totals
  const age = ageDays(day, nowMs)
  const hash = Dice.roll(streamSeed, 962, day)
  const own = Dice.between(Dice.mix(hash, 1), ...spread)
  const more = 1 + own * (surplus[age] ?? 0)
  const part = 1 - own * (missingOrders[age] ?? 0)
  // The same die at every age: with fewer missing none is taken back that was shown.
  const die = Dice.unit(Dice.mix(hash, 2))
  const some = (count: number) => Math.floor(count * part + die)
  const orders = Math.min(totals.orders, some(totals.orders))
  return {
    views: Math.round(totals.views * more),
    clicks: Math.round(totals.clicks * more),
    carts: Math.min(totals.carts, some(totals.carts)),
    orders,
    cancelled: Math.min(totals.cancelled, orders),
    spend: Math.round(totals.spend * more),
    revenue: totals.orders === 0 ? 0 : Math.round((totals.revenue * orders) / totals.orders),
    places: totals.places * more
  }
}

const ageDays = (day: number, nowMs: number): number => Math.max(0, Moscow.dayOf(nowMs) - day)
