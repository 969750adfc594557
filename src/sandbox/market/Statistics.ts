/** Adds up traffic over days, the way the marketplace's statistics show it. */
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import type * as Market from "./Market.js"
import * as Lateness from "./model/Lateness.js"
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
    const to = Lateness.countedTo(setting, day, nowMs)
    const counted = spans.flatMap((span) => (span.from < to ? [{ ...span, to: Math.min(span.to, to) }] : []))
    const totals = Lateness.shown(
      setting,
      seed,
      day,
      nowMs,
      Traffic.ofDay(campaign, item, traffic, day, counted)
    )
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
