/**
 * Spends a campaign's budget as time goes by. When nothing is left the campaign stays active but is not shown, until
 * money comes. Must be brought up to now before anything of the campaign is read or changed.
 */
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"
import { status } from "./Blueprint.js"
import * as Buyers from "./Buyers.js"
import * as Traffic from "./Traffic.js"
import * as World from "./World.js"

/** Settles the purse up to an instant. Doing it twice, or in smaller steps, gives the same. */
export const settle = (world: World.World, campaign: World.Campaign, nowMs: number): void => {
  const purse = campaign.purse
  if (nowMs <= purse.settledTo) return
  for (const until of instants(world, campaign, purse.settledTo, nowMs)) {
    for (const deposit of purse.deposits) if (deposit.at === purse.settledTo) receive(purse, deposit.kopecks)
    spend(world, campaign, purse.settledTo, until)
    purse.settledTo = until
  }
}

/** Whole roubles left at the settled instant. */
export const leftRoubles = (purse: World.Purse): number => Math.max(0, Math.floor(purse.leftKopecks / 100))

/** Roubles left, deposits on their way included. */
export const promisedRoubles = (purse: World.Purse): number =>
  leftRoubles(purse) +
  purse.deposits.reduce((sum, d) => sum + (d.at >= purse.settledTo ? Math.floor(d.kopecks / 100) : 0), 0)

const receive = (purse: World.Purse, kopecks: number): void => {
  purse.leftKopecks = Math.max(0, purse.leftKopecks) + kopecks
  const gap = purse.dry.at(-1)
  if (gap !== undefined && gap.to === Number.POSITIVE_INFINITY) gap.to = purse.settledTo
}

/** Ends of the spans in which nothing changes: writes taking effect, deposits, offers to buyers, midnights. */
const instants = (
  world: World.World,
  campaign: World.Campaign,
  from: number,
  to: number
): ReadonlyArray<number> => {
  const cuts = new Set<number>([to])
  const timelines: Array<Timeline.Timeline<unknown>> = [campaign.status, campaign.placements, campaign.items]
  for (const bids of campaign.itemBids.values()) timelines.push(bids.search, bids.recommendations)
  for (const own of campaign.clusterBids.values()) timelines.push(...own.values())
  timelines.push(...campaign.minus.values())
  for (const timeline of timelines) Timeline.cuts(timeline, from, to, cuts)
  if (world.buyers)
    for (const itemId of new Set(campaign.items.steps.flatMap(({ value }) => value)))
      Buyers.cuts(world, itemId, from, to, cuts)
  for (const deposit of campaign.purse.deposits)
    if (deposit.at > from && deposit.at < to) cuts.add(deposit.at)
  for (let day = Moscow.dayOf(from) + 1; Moscow.startOf(day) < to; day++) cuts.add(Moscow.startOf(day))
  return [...cuts].sort((a, b) => a - b)
}

const spend = (world: World.World, campaign: World.Campaign, from: number, to: number): void => {
  const purse = campaign.purse
  if (purse.dry.at(-1)?.to === Number.POSITIVE_INFINITY) return
  if (Timeline.at(campaign.status, from) !== status.active) return
  const day = Moscow.dayOf(from)
  let cost = 0
  for (const itemId of Timeline.at(campaign.items, from)) {
    for (const traffic of Traffic.streams(World.item(world, itemId)))
      cost += Traffic.expectedCost(
        campaign,
        traffic,
        day,
        Traffic.pieces(world, campaign, itemId, traffic, from, to)
      )
  }
  if (cost < purse.leftKopecks) {
    purse.leftKopecks -= cost
    return
  }
  const begun = Moscow.passed(from, day)
  const share = cost === 0 ? 0 : purse.leftKopecks / cost
  const dryFrom = Moscow.instantOf(begun + share * (Moscow.passed(to, day) - begun), day)
  purse.leftKopecks = 0
  purse.dry.push({ from: Math.min(to, Math.max(from, dryFrom)), to: Number.POSITIVE_INFINITY })
}
