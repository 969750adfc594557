/**
 * How an item did under each search text, day by day. The texts are the item's clusters of the advertising market:
 * what campaigns won there is counted, and of the rest of the item's visits the greater part came by search too. The
 * texts of a day never add up to more than the day's visits.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as Market from "../market/Market.js"
import type { Days } from "../market/Statistics.js"
import * as Traffic from "../market/Traffic.js"
import * as World from "../market/World.js"
import * as Advertising from "../shop/Advertising.js"
import * as Memo from "../shop/Memo.js"
import * as FunnelMetrics from "./FunnelMetrics.js"

/** A text on one day. `position` 0: not shown (field note A13). `frequency` is how often buyers typed the text. */
export interface TextDay {
  readonly text: string
  readonly frequency: number
  readonly position: number
  readonly opens: number
  readonly carts: number
  readonly orders: number
}

/** Part of the visits without advertising that came by search; the others by category, links and favourites. */
const searching = 0.6
/** Searches per view the market has to give; most searches end on other items. */
const searchesPerView = 8

/** Every text of an item on each Moscow day up to now, in the order of its clusters. */
export const ofDays = (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number
): ReadonlyMap<number, ReadonlyArray<TextDay>> => {
  const kept = memoOf(world, itemId)
  Memo.shorten(kept)
  const found = new Map<number, ReadonlyArray<TextDay>>()
  const last = Math.min(days.to, Moscow.dayOf(nowMs))
  for (let day = days.from; day <= last; day++) {
    const texts = kept.get(day) ?? made(world, itemId, day, nowMs)
    if (Moscow.startOf(day + 1) <= nowMs) kept.set(day, texts)
    found.set(day, texts)
  }
  return found
}

/** Days gone by never change. */
const memoOf = Memo.perItem(() => new Map<number, ReadonlyArray<TextDay>>())

const made = (world: World.World, itemId: number, day: number, nowMs: number): ReadonlyArray<TextDay> => {
  const item = World.item(world, itemId)
  const campaigns = Advertising.campaignsOf(world, itemId, nowMs)
  const paidFor = (traffic: Market.Traffic) => advertised(world, campaigns, item, traffic, day, nowMs)
  const paid = item.clusters.map(paidFor)
  const shelf = paidFor(item.recommendations)
  const visits = FunnelMetrics.ofDay(world, itemId, day, nowMs)
  const passed = Moscow.passed(Math.min(nowMs, Moscow.startOf(day + 1)), day)
  const free = (all: number, read: (totals: Traffic.Totals) => number) =>
    Math.floor(Math.max(0, all - read(shelf) - paid.reduce((sum, t) => sum + read(t), 0)) * searching)
  const weights = item.clusters.map((cluster) => cluster.demandPerDay * cluster.ctr)
  const opens = shared(
    free(visits.opens, (t) => t.clicks),
    weights
  )
  const carts = shared(
    free(visits.carts, (t) => t.carts),
    weights
  )
  const orders = shared(
    free(visits.orders, (t) => t.orders),
    weights
  )
  return item.clusters.map((cluster, i) => {
    const own = paid[i] as Traffic.Totals
    const freeOpens = opens[i] as number
    const freeCarts = Math.min(freeOpens, carts[i] as number)
    const freeOrders = Math.min(freeCarts, orders[i] as number)
    const demand = cluster.demandPerDay * passed
    const brought = { opens: own.clicks + freeOpens, carts: own.carts + freeCarts }
    return {
      text: cluster.text ?? "",
      frequency: Math.round(demand * searchesPerView * Dice.between(dice(cluster, day, 1), 0.8, 1.2)),
      position: placeOf(cluster, day, demand, own, brought.opens),
      ...brought,
      orders: own.orders + freeOrders
    }
  })
}

const advertised = (
  world: World.World,
  campaigns: ReadonlyArray<World.Campaign>,
  item: Market.Item,
  traffic: Market.Traffic,
  day: number,
  nowMs: number
): Traffic.Totals => {
  const sum = Traffic.none()
  const to = Math.min(Moscow.startOf(day + 1), nowMs)
  for (const campaign of campaigns) {
    const spans = Traffic.pieces(world, campaign, item.id, traffic, Moscow.startOf(day), to)
    if (spans.length > 0) Traffic.addTo(sum, Traffic.ofDay(campaign, item, traffic, day, spans))
  }
  return sum
}

/** Splits a whole number by weights; the parts are whole and add up to it. */
const shared = (whole: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let seen = 0
  let given = 0
  return weights.map((weight) => {
    seen += weight
    const upTo = total === 0 ? 0 : Math.round((whole * seen) / total)
    const part = upTo - given
    given = upTo
    return part
  })
}

const dice = (cluster: Market.Traffic, day: number, key: number): number =>
  Dice.mix(Dice.mix(cluster.seed, day), 960 + key)

/** Mean place over the views bought and the views had for free; 0 without any view. */
const placeOf = (
  cluster: Market.Traffic,
  day: number,
  demand: number,
  paid: Traffic.Totals,
  opens: number
): number => {
  const usual = Dice.between(Dice.mix(cluster.seed, 960), 4, 240)
  const place = Math.max(1, usual * Dice.between(dice(cluster, day, 2), 0.85, 1.15))
  const freeViews = demand / (1 + place / 20)
  const views = paid.views + freeViews
  if (views < 0.5 && opens === 0) return 0
  return views === 0 ? Math.round(place) : Math.max(1, Math.round((paid.places + freeViews * place) / views))
}
