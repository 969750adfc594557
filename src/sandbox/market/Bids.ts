/**
 * What a campaign bids on its items and clusters, and where it does not want to be shown. Made from the seed when
 * first asked for, and kept from then on.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"
import * as Market from "./Market.js"
import * as World from "./World.js"

/** Bids of an item in a campaign; made from the seed when first asked for. */
export const itemBids = (world: World.World, campaign: World.Campaign, itemId: number): World.ItemBids => {
  const kept = campaign.itemBids.get(itemId)
  if (kept !== undefined) return kept
  const { payment, bidType } = campaign.blueprint
  const hash = Dice.roll(world.seed, 301, campaign.id, itemId)
  const floors = World.item(world, itemId).floors[payment]
  const search = Market.upToStep(
    (bidType === "unified" ? floors.combined : floors.search) * Dice.between(Dice.mix(hash, 1), 1.2, 1.8),
    payment
  )
  const made: World.ItemBids = {
    search: Timeline.of(search),
    recommendations: Timeline.of(
      bidType === "unified"
        ? search
        : Market.upToStep(floors.recommendations * Dice.between(Dice.mix(hash, 2), 1.1, 1.7), payment)
    )
  }
  campaign.itemBids.set(itemId, made)
  return made
}

/** Custom-bid cpm campaigns alone have bids per cluster (seed 001). */
export const hasClusterBids = (campaign: World.Campaign): boolean =>
  campaign.blueprint.bidType === "manual" && campaign.blueprint.payment === "cpm"

/** Bids of the clusters of an item that were ever set; the rest follow the item. */
export const clusterBids = (
  world: World.World,
  campaign: World.Campaign,
  itemId: number
): Map<string, Timeline.Timeline<number | null>> => {
  const kept = campaign.clusterBids.get(itemId)
  if (kept !== undefined) return kept
  const made = new Map<string, Timeline.Timeline<number | null>>()
  const { clusters, floors } = World.item(world, itemId)
  const born =
    campaign.blueprint.itemIds.includes(itemId) && campaign.id - world.firstId < world.scale.campaigns
  if (born && hasClusterBids(campaign))
    for (const cluster of clusters) {
      const hash = Dice.roll(cluster.seed, 302, campaign.id)
      if (cluster.text === undefined || Dice.unit(hash) >= 0.4) continue
      const bid = Market.upToStep(cluster.rivalKopecks.cpm * Dice.between(Dice.mix(hash, 1), 0.7, 1.5), "cpm")
      made.set(cluster.text, Timeline.of<number | null>(Math.max(floors.cpm.search, bid)))
    }
  campaign.clusterBids.set(itemId, made)
  return made
}

/** Minus phrases of an item in a campaign; a few were set three weeks before the origin. */
export const minus = (
  world: World.World,
  campaign: World.Campaign,
  itemId: number
): Timeline.Timeline<ReadonlySet<string>> => {
  const kept = campaign.minus.get(itemId)
  if (kept !== undefined) return kept
  const made = Timeline.of<ReadonlySet<string>>(new Set())
  if (campaign.createdAt < world.originMs && campaign.blueprint.itemIds.includes(itemId)) {
    const early = World.item(world, itemId).clusters.flatMap((c, i) =>
      i >= 4 && c.text !== undefined && Dice.unit(Dice.roll(c.seed, 303, campaign.id)) < 0.06 ? [c.text] : []
    )
    Timeline.set(made, Moscow.startOf(Moscow.dayOf(world.originMs) - 21), new Set(early))
  }
  campaign.minus.set(itemId, made)
  return made
}

/** Sets an item's bids to the floors from an instant on, as for an item newly added. */
export const bidAtFloor = (
  world: World.World,
  campaign: World.Campaign,
  itemId: number,
  atMs: number
): void => {
  const floors = World.item(world, itemId).floors[campaign.blueprint.payment]
  const unified = campaign.blueprint.bidType === "unified"
  const search = unified ? floors.combined : floors.search
  const recommendations = unified ? floors.combined : floors.recommendations
  // One that it began with had bids before, whether somebody has asked for them or not.
  const isOld = campaign.createdAt < world.originMs && campaign.blueprint.itemIds.includes(itemId)
  const kept = isOld ? itemBids(world, campaign, itemId) : campaign.itemBids.get(itemId)
  if (kept === undefined) {
    campaign.itemBids.set(itemId, {
      search: Timeline.of(search),
      recommendations: Timeline.of(recommendations)
    })
    return
  }
  Timeline.set(kept.search, atMs, search)
  Timeline.set(kept.recommendations, atMs, recommendations)
}
