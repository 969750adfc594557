/** Adds up traffic over days, the way the marketplace's statistics show it. */
import type { Context } from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as Market from "./Market.js"
import type { Setting } from "./model/Model.js"
import * as Traffic from "./Traffic.js"
import type * as World from "./World.js"

/** Days of an answer, both ends included, as Moscow day numbers. */
export interface Days {
  readonly from: number
  readonly to: number
}

/** Reads two dates; undefined unless in order and within the span. */
export const daysOf = (from: string, to: string, most: number): Days | undefined => {
  const days = { from: Moscow.parseDay(from), to: Moscow.parseDay(to) }
  if (days.from === undefined || days.to === undefined) return undefined
  const length = days.to - days.from + 1
  return length < 1 || length > most ? undefined : { from: days.from, to: days.to }
}

export interface StreamDay {
  readonly day: number
  readonly totals: Readonly<Traffic.Totals>
}

/** A stream's days with at least one view, ascending, as they are; the campaign must be settled up to now. */
export const byDay = (
  context: Context,
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic,
  days: Days
): ReadonlyArray<StreamDay> => {
  const end = Math.min(Moscow.startOf(days.to + 1), context.nowMs)
  const spans = Traffic.pieces(context.world, campaign, item.id, traffic, Moscow.startOf(days.from), end)
  if (spans.length === 0) return []
  const answer: Array<StreamDay> = []
  for (let day = days.from; day <= days.to && Moscow.startOf(day) < end; day++) {
    const totals = Traffic.ofDay(campaign, item, traffic, day, spans)
    if (totals.views > 0) answer.push({ day, totals })
  }
  return answer
}

/** The same as statistics show it, which may be late, and be corrected for days. */
export const shown = (
  context: Context,
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic,
  days: Days
): ReadonlyArray<StreamDay> => {
  const { seed, setting } = traffic
  if (setting.model.statistics === "prompt") return byDay(context, campaign, item, traffic, days)
  const { nowMs, world } = context
  const spans = Traffic.pieces(world, campaign, item.id, traffic, Moscow.startOf(days.from), nowMs)
  const answer: Array<StreamDay> = []
  for (let day = days.from; spans.length > 0 && day <= days.to && Moscow.startOf(day) < nowMs; day++) {
    const to = countedTo(setting, day, nowMs)
    const counted = spans.flatMap((span) => (span.from < to ? [{ ...span, to: Math.min(span.to, to) }] : []))
    const totals = asCounted(setting, seed, day, nowMs, Traffic.ofDay(campaign, item, traffic, day, counted))
    if (totals.views > 0) answer.push({ day, totals })
  }
  return answer
}

/** The sum of a stream's days; undefined when it was never shown. */
export const sum = (days: ReadonlyArray<StreamDay>): Traffic.Totals | undefined => {
  if (days.length === 0) return undefined
  const total = Traffic.none()
  for (const { totals } of days) Traffic.addTo(total, totals)
  return total
}

/** The marketplace lists a cluster, and takes bids for it, from this many views of the last month on. */
export const leastViews = 100

/** Views of the last 31 days, counted until they suffice for the list. */
export const recentViews = (
  context: Context,
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic
): number => {
  const today = Moscow.dayOf(context.nowMs)
  const from = Moscow.startOf(today - 30)
  const spans = Traffic.pieces(context.world, campaign, item.id, traffic, from, context.nowMs)
  let views = 0
  for (let day = today; day >= today - 30 && views < leastViews; day--)
    views += Traffic.ofDay(campaign, item, traffic, day, spans).views
  return views
}

/** Roubles of kopecks, with fractions, as statistics and only they print money. */
export const roubles = (kopecks: number): number => Math.round(kopecks) / 100

const rounded = (value: number): number => Math.round(value * 100) / 100
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : rounded((part / whole) * 100)
export const perUnit = (kopecks: number, count: number): number =>
  count === 0 ? 0 : rounded(kopecks / 100 / count)

/** Fields every statistics record shares; views, ctr and cpm only where views are paid (field note M20). */
export const clusterFields = (totals: Traffic.Totals, payment: Market.Payment) => ({
  ...(payment === "cpc"
    ? {}
    : {
        views: totals.views,
        ctr: percent(totals.clicks, totals.views),
        cpm: perUnit(totals.spend * 1000, totals.views)
      }),
  clicks: totals.clicks,
  cpc: perUnit(totals.spend, totals.clicks),
  atbs: totals.carts,
  orders: totals.orders,
  shks: totals.orders,
  spend: roubles(totals.spend),
  currency: "RUB"
})

export const place = (totals: Traffic.Totals): number => rounded(totals.places / totals.views)

// Statistics before they are final: an hour or two late, orders still coming in for days, views and clicks counted too many at
// first. What is charged, and what the shop sells, is not affected.

/** Minutes that statistics of a day are behind. */
const lateMinutes = [60, 120] as const
/** By age in days: share of carts and orders that are not shown yet, and of views, clicks and spend taken off later. */
const missingOrders = [0.15, 0.08, 0.03] as const
const surplus = [0.03, 0.015] as const
/** How much a stream's own day may differ from that. */
const spread = [0.5, 1.5] as const

/** Up to when the statistics of a Moscow day are counted at an instant; alike for all streams of an item. */
const countedTo = ({ itemSeed, model }: Setting, day: number, nowMs: number): number =>
  model.statistics === "prompt"
    ? nowMs
    : nowMs - Math.round(Dice.between(Dice.roll(itemSeed, 961, day), ...lateMinutes) * 60_000)

/** Whether the numbers of a day may still differ from what they will be. */
const isOpen = ({ model }: Setting, day: number, nowMs: number): boolean =>
  model.statistics === "late" && ageDays(day, nowMs) < missingOrders.length

/** A day of a stream as it is shown at an instant; `totals` are those counted up to then. Never more orders than clicks. */
const asCounted = (
  setting: Setting,
  streamSeed: number,
  day: number,
  nowMs: number,
  totals: Traffic.Totals
): Traffic.Totals => {
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
