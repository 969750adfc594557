/** What the marketplace knows and rules can only estimate: true rates, and money spent up to any instant. */
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Bids from "../../src/sandbox/market/Bids.js"
import type * as Market from "../../src/sandbox/market/Market.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"

/** Every campaign, ascending by id. */
export const campaigns = (world: World.World): ReadonlyArray<World.Campaign> =>
  Array.from({ length: World.count(world) }, (_, i) =>
    World.campaign(world, World.nativeId(world, i))
  ).flatMap((campaign) => (campaign === undefined ? [] : [campaign]))

/** Kopecks a campaign spent on the Moscow day of an instant, up to it. Its purse must be settled up to then. */
export const spentToday = (world: World.World, campaign: World.Campaign, atMs: number): number => {
  const day = Moscow.dayOf(atMs)
  let kopecks = 0
  for (const { item, traffic } of streams(world, campaign)) {
    const spans = Traffic.pieces(world, campaign, item.id, traffic, Moscow.startOf(day), atMs)
    if (spans.length > 0) kopecks += Traffic.ofDay(campaign, item, traffic, day, spans).spend
  }
  return kopecks
}

/** Views of a stream between two instants that are starts of Moscow days. */
export const viewsBetween = (
  world: World.World,
  campaign: World.Campaign,
  item: Market.Item,
  traffic: Market.Traffic,
  fromMs: number,
  toMs: number
): number => {
  const spans = Traffic.pieces(world, campaign, item.id, traffic, fromMs, toMs)
  let views = 0
  for (let day = Moscow.dayOf(fromMs); Moscow.startOf(day) < toMs; day++)
    views += Traffic.ofDay(campaign, item, traffic, day, spans).views
  return views
}

export interface Stream {
  readonly item: Market.Item
  readonly traffic: Market.Traffic
}

/** Search clusters and shelves of a campaign's items. */
export const streams = (world: World.World, campaign: World.Campaign): ReadonlyArray<Stream> =>
  campaign.blueprint.itemIds.flatMap((id) => {
    const item = World.item(world, id)
    return Traffic.streams(item).map((traffic) => ({ item, traffic }))
  })

/** A bid of the ledger, kopecks; a cluster without one of its own follows the item's search bid of that time. */
export const bidOf = (
  world: World.World,
  value: unknown,
  target: Ledger.Entry["target"],
  atMs: number
): number => {
  if (typeof value === "number") return value
  const campaign = World.campaign(world, target.campaignId ?? 0)
  return campaign === undefined || target.itemId === undefined
    ? Number.NaN
    : Timeline.at(Bids.itemBids(world, campaign, target.itemId).search, atMs)
}
