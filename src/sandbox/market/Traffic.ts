/**
 * What a campaign's bids win: pieces of time with one bid each, and the views, clicks, orders and money that follow.
 * A day's numbers are a pure function of the seed, the day and the bids of that day, so they can be asked for in any
 * order; today's grow with the time of day.
 */

import * as Days from "../../domain/Days.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"
import * as Bids from "./Bids.js"
import { status } from "./Blueprint.js"
import * as Buyers from "./Buyers.js"
import * as Market from "./Market.js"
import * as Auction from "./model/Auction.js"
import * as Conditions from "./model/Conditions.js"
import * as Returns from "./model/Returns.js"
import type * as World from "./World.js"

/** A span of time in which one bid competed for one offer; spans without a bid are left out. */
export interface Piece {
  readonly from: number
  readonly to: number
  readonly bidKopecks: number
  /** What buyers met of the item in a promotion. */
  readonly offer?: Buyers.Offer
}

export interface Totals {
  views: number
  clicks: number
  carts: number
  orders: number
  cancelled: number
  /** Kopecks. */
  spend: number
  revenue: number
  /** Sum of places over views; divide by views. */
  places: number
}

export const none = (): Totals => ({
  views: 0,
  clicks: 0,
  carts: 0,
  orders: 0,
  cancelled: 0,
  spend: 0,
  revenue: 0,
  places: 0
})

export const addTo = (sum: Totals, more: Readonly<Totals>): void => {
  sum.views += more.views
  sum.clicks += more.clicks
  sum.carts += more.carts
  sum.orders += more.orders
  sum.cancelled += more.cancelled
  sum.spend += more.spend
  sum.revenue += more.revenue
  sum.places += more.places
}

/** The pieces of a stream between two instants. The campaign's purse must be settled up to the end. */
export const pieces = (
  world: World.World,
  campaign: World.Campaign,
  itemId: number,
  traffic: Market.Traffic,
  from: number,
  to: number
): ReadonlyArray<Piece> => {
  const start = Math.max(from, campaign.createdAt)
  if (start >= to) return []
  const bids = Bids.itemBids(world, campaign, itemId)
  const own =
    traffic.text === undefined ? undefined : Bids.clusterBids(world, campaign, itemId).get(traffic.text)
  const minus = Bids.minus(world, campaign, itemId)
  const itemBid = traffic.text === undefined ? bids.recommendations : bids.search
  const instants = new Set<number>([start])
  for (const timeline of [campaign.status, campaign.placements, campaign.items, itemBid, minus, own])
    if (timeline !== undefined) Timeline.cuts(timeline, start, to, instants)
  for (const gap of campaign.purse.dry)
    for (const edge of [gap.from, gap.to]) if (edge > start && edge < to) instants.add(edge)
  Buyers.cuts(world, itemId, start, to, instants)
  const edges = instants.size === 1 ? [start] : [...instants].sort((a, b) => a - b)
  return edges.flatMap((edge, i) => {
    const bidKopecks = isShown(campaign, itemId, traffic, minus, edge)
      ? ((own === undefined ? null : Timeline.at(own, edge)) ?? Timeline.at(itemBid, edge))
      : 0
    if (bidKopecks === 0) return []
    const offer = Buyers.at(world, itemId, edge)
    return [{ from: edge, to: edges[i + 1] ?? to, bidKopecks, ...(offer === undefined ? {} : { offer }) }]
  })
}

const isShown = (
  campaign: World.Campaign,
  itemId: number,
  traffic: Market.Traffic,
  minus: Timeline.Timeline<ReadonlySet<string>>,
  at: number
): boolean => {
  if (Timeline.at(campaign.status, at) !== status.active) return false
  if (campaign.purse.dry.some((gap) => gap.from <= at && at < gap.to)) return false
  if (!Timeline.at(campaign.items, at).includes(itemId)) return false
  const placements = Timeline.at(campaign.placements, at)
  return traffic.text === undefined
    ? placements.recommendations
    : placements.search && !Timeline.at(minus, at).has(traffic.text)
}

/** What a stream brought on one Moscow day; each offer's part is drawn for itself, so that none takes from another's. */
export const ofDay = (
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic,
  day: number,
  spans: ReadonlyArray<Piece>
): Totals => {
  if (spans.every(({ offer }) => offer === undefined))
    return ofOffer(campaign, item, traffic, day, spans, undefined)
  const offers = new Map(spans.map(({ offer }) => [offer?.since, offer]))
  const totals = none()
  for (const [since, offer] of offers) {
    const own = spans.filter((span) => span.offer?.since === since)
    addTo(totals, ofOffer(campaign, item, traffic, day, own, offer))
  }
  return totals
}

const ofOffer = (
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic,
  day: number,
  spans: ReadonlyArray<Piece>,
  offer: Buyers.Offer | undefined
): Totals => {
  const totals = none()
  if (traffic.demandPerDay === 0 || spans.length === 0) return totals
  const payment = campaign.blueprint.payment
  const { auction, orders } = Conditions.of(traffic, payment, day)
  const ofToday = Dice.mix(traffic.seed, day)
  const dice = offer === undefined ? ofToday : Dice.mix(ofToday, Math.floor(offer.since / 1000))
  const demand = demandOf(campaign, traffic, day) * (offer?.views ?? 1)
  const { cartRate, orderRate } = ratesOf(traffic, (offer?.orders ?? 1) * orders)
  let [views, missed, clicked, paidByView, paidByClick] = [0, 0, 0, 0, 0]
  for (const span of spans) {
    const share = shareOf(span, day)
    if (share === 0) continue
    const won = Auction.won(auction, span.bidKopecks)
    const seen = demand * share * won.share
    views += seen
    missed += seen * (1 - won.share)
    clicked += seen * won.clicks
    paidByView += seen * won.paidKopecks
    paidByClick += seen * won.clicks * won.paidKopecks
  }
  if (views === 0) return totals
  const ctr = traffic.ctr * (0.9 + 0.2 * Dice.unit(Dice.mix(ofToday, 2))) * (clicked / views)
  const whole = (expected: number, die: number, most: number) =>
    Math.min(most, Math.floor(expected + Dice.unit(Dice.mix(dice, die))))
  totals.views = whole(views, 3, Number.MAX_SAFE_INTEGER)
  if (traffic.chance === "smooth") {
    totals.clicks = whole(views * ctr, 4, totals.views)
    totals.carts = whole(views * ctr * cartRate, 5, totals.clicks)
    totals.orders = whole(views * ctr * orderRate, 6, totals.carts)
  } else {
    totals.clicks = drawn(totals.views, ctr, dice, 4)
    totals.carts = drawn(totals.clicks, cartRate, dice, 5)
    totals.orders = drawn(totals.carts, orderRate / cartRate, dice, 6)
  }
  totals.cancelled = whole(totals.orders * Returns.of(traffic.setting).cancelled, 7, totals.orders)
  totals.spend = Math.round(
    payment === "cpm" ? (paidByView / views / 1000) * totals.views : (paidByClick / clicked) * totals.clicks
  )
  totals.revenue = totals.orders * (offer?.priceKopecks ?? item.priceKopecks)
  totals.places = totals.views * (1 + 40 * (missed / views))
  return totals
}

/** A lower price brings more orders from as many clicks, and what is ordered was put into a cart first. */
const ratesOf = (traffic: Market.Traffic, times: number) => {
  const plain = times === 1 ? traffic : ofPrice(traffic, times)
  return { orderRate: plain.orderRate, cartRate: cartRateOf(traffic, plain) }
}

/** Times the carts that the order rate would have, from few idle ones to many. */
const idleCarts = [0.6, 1.8] as const

/** Carts per click, given the plain market's: no fewer than the orders, no more than the clicks. */
const cartRateOf = (
  { seed, setting }: Market.Traffic,
  plain: { readonly cartRate: number; readonly orderRate: number }
): number => {
  if (setting.model.carts === "steady") return plain.cartRate
  const [least, most] = idleCarts
  const times = least * (most / least) ** Dice.unit(Dice.roll(seed, 903))
  return Math.min(1, Math.max(plain.orderRate, plain.cartRate * times))
}

const ofPrice = (traffic: Market.Traffic, times: number) => {
  const { cartRate, orderRate } = Market.rates(traffic.orderRate * times)
  return { cartRate: Math.min(1, cartRate), orderRate: Math.min(1, orderRate) }
}

/** How many of these do it, each by its own chance. With the same die more of them never give fewer. */
const drawn = (of: number, rate: number, dice: number, die: number): number =>
  Dice.binomial(Dice.mix(dice, die), of, rate)

/** Kopecks a stream is expected to cost between two instants of one day. */
export const expectedCost = (
  campaign: World.Campaign,
  traffic: Market.Traffic,
  day: number,
  spans: ReadonlyArray<Piece>
): number => {
  if (traffic.demandPerDay === 0) return 0
  const payment = campaign.blueprint.payment
  const perView = payment === "cpm" ? 1 / 1000 : traffic.ctr
  const demand = demandOf(campaign, traffic, day)
  const { auction } = Conditions.of(traffic, payment, day)
  let cost = 0
  for (const span of spans) {
    const won = Auction.won(auction, span.bidKopecks)
    const perWon = payment === "cpm" ? perView : perView * won.clicks
    cost += demand * (span.offer?.views ?? 1) * shareOf(span, day) * won.share * won.paidKopecks * perWon
  }
  return cost
}

const weekdays = [1, 0.96, 0.95, 0.97, 1, 1.08, 1.1]

/** Views there are to win on a day, whoever wins them. */
export const demandOf = (campaign: World.Campaign, traffic: Market.Traffic, day: number): number =>
  traffic.demandPerDay *
  campaign.blueprint.demandScale *
  (campaign.surge?.day === day ? campaign.surge.factor : 1) *
  (campaign.shifts.findLast((shift) => shift.day <= day)?.factor ?? 1) *
  (weekdays[day % 7] as number) *
  (0.75 + 0.5 * Dice.unit(Dice.mix(Dice.mix(traffic.seed, day), 1))) *
  Conditions.of(traffic, campaign.blueprint.payment, day).demand

const shareOf = (span: Piece, day: number): number => {
  const start = Moscow.startOf(day)
  if (span.to <= start || span.from >= start + Days.dayMs) return 0
  return Moscow.passed(span.to, day) - Moscow.passed(span.from, day)
}

/** Every stream an item can win. */
export const streams = (item: Market.Item): ReadonlyArray<Market.Traffic> => [
  ...item.clusters,
  item.recommendations
]
