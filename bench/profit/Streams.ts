/** What is true of a campaign's streams of traffic on a day, and what a bid is expected to cost and to earn there. */

import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import type * as Market from "../../src/sandbox/market/Market.js"
import * as Auction from "../../src/sandbox/market/model/Auction.js"
import * as Conditions from "../../src/sandbox/market/model/Conditions.js"
import * as Returns from "../../src/sandbox/market/model/Returns.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"

export interface Stream {
  readonly campaign: World.Campaign
  readonly item: Market.Item
  readonly traffic: Market.Traffic
}

/** A stream on a day. */
export interface Day {
  readonly stream: Stream
  readonly auction: Auction.Auction
  /** Views there are to win. */
  readonly demand: number
  readonly payment: Market.Payment
  /** Clicks per view in the middle place. */
  readonly ctr: number
  /** Orders per click. */
  readonly orderRate: number
  /** What an order earns before advertising, kopecks. */
  readonly worthKopecks: number
}

export interface Expected {
  readonly views: number
  readonly clicks: number
  readonly orders: number
  /** Kopecks: what is charged, and what the orders earn before advertising. */
  readonly spend: number
  readonly gain: number
}

export const nothing: Expected = { views: 0, clicks: 0, orders: 0, spend: 0, gain: 0 }

/** Campaigns that run at an instant, ascending by id. */
export const campaigns = (world: World.World, atMs: number): ReadonlyArray<World.Campaign> =>
  Array.from({ length: World.count(world) }, (_, i) =>
    World.campaign(world, World.nativeId(world, i))
  ).flatMap((campaign) =>
    campaign !== undefined && Timeline.at(campaign.status, atMs) === Blueprint.status.active ? [campaign] : []
  )

/** Streams of a campaign that its placements let it win. */
export const ofCampaign = (world: World.World, campaign: World.Campaign): ReadonlyArray<Stream> => {
  const { placements } = campaign.blueprint
  return campaign.blueprint.itemIds.flatMap((id) => {
    const item = World.item(world, id)
    return Traffic.streams(item)
      .filter(({ text }) => (text === undefined ? placements.recommendations : placements.search))
      .map((traffic) => ({ campaign, item, traffic }))
  })
}

/** `margin` is the share of the price that an order leaves, 0 to 1. */
export const onDay = (stream: Stream, day: number, margin: number): Day => {
  const { campaign, item, traffic } = stream
  const { payment } = campaign.blueprint
  const { auction, orders } = Conditions.of(traffic, payment, day)
  return {
    stream,
    auction,
    demand: Traffic.demandOf(campaign, traffic, day),
    payment,
    ctr: traffic.ctr,
    orderRate: traffic.orderRate * orders,
    worthKopecks: Returns.worthKopecks(traffic.setting, item.priceKopecks, margin)
  }
}

/** What a bid is expected to bring in a share of the day's traffic. */
export const expected = (day: Day, bidKopecks: number, share = 1): Expected => {
  if (bidKopecks === 0 || day.demand === 0 || share === 0) return nothing
  const won = Auction.won(day.auction, bidKopecks)
  const views = day.demand * share * won.share
  const clicks = views * day.ctr * won.clicks
  const orders = clicks * day.orderRate
  return {
    views,
    clicks,
    orders,
    spend: (day.payment === "cpm" ? views / 1000 : clicks) * won.paidKopecks,
    gain: orders * day.worthKopecks
  }
}

export const add = (one: Expected, other: Expected): Expected => ({
  views: one.views + other.views,
  clicks: one.clicks + other.clicks,
  orders: one.orders + other.orders,
  spend: one.spend + other.spend,
  gain: one.gain + other.gain
})

/** What a bid there is worth at most: above it every view or click loses, in any place. Kopecks, by payment. */
export const worthOf = ({ auction, ctr, orderRate, payment, worthKopecks }: Day): number => {
  const perClick = orderRate * Math.max(0, worthKopecks)
  return payment === "cpc"
    ? perClick
    : 1000 * ctr * perClick * (auction.byPlace === 0 ? 1 : 21 ** auction.byPlace)
}
