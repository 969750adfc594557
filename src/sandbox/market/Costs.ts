/** Documents of money: what campaigns cost by day, and top-ups of the account. */
import type { Context } from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"
import * as Purse from "./Purse.js"
import * as Statistics from "./Statistics.js"
import * as Traffic from "./Traffic.js"
import * as World from "./World.js"

/** Rows of the cost history by day and campaign; today's have no document yet (field note M31). */
export const rows = (context: Context, days: Statistics.Days) => {
  const today = Moscow.dayOf(context.nowMs)
  const found = Array.from({ length: World.count(context.world) }, (_, i) => i).flatMap((index) => {
    const campaign = World.campaign(context.world, World.nativeId(context.world, index))
    return campaign === undefined ? [] : ofCampaign(context, campaign, days)
  })
  return found
    .sort((a, b) => a.day - b.day || a.campaign.id - b.campaign.id)
    .map(({ campaign, day, kopecks }) => ({
      updNum: day === today ? 0 : 10_000 + (Dice.uint(Dice.roll(campaign.id, 701, day)) % 1_000_000),
      updTime: day === today ? null : Moscow.timeText(Moscow.startOf(day + 1) - 60_000),
      updSum: Math.round(kopecks / 100),
      advertId: campaign.id,
      campName: Timeline.at(campaign.name, context.nowMs),
      advertType: 9,
      paymentType: "Баланс",
      advertStatus: Timeline.at(campaign.status, context.nowMs),
      currency: "RUB"
    }))
    .filter((row) => row.updSum > 0)
}

const ofCampaign = (context: Context, campaign: World.Campaign, days: Statistics.Days) => {
  Purse.settle(context.world, campaign, context.nowMs)
  const spent = new Map<number, number>()
  for (const itemId of new Set(campaign.items.steps.flatMap((step) => step.value))) {
    const item = World.item(context.world, itemId)
    for (const traffic of Traffic.streams(item))
      for (const { day, totals } of Statistics.byDay(context, campaign, item, traffic, days))
        spent.set(day, (spent.get(day) ?? 0) + totals.spend)
  }
  return [...spent].map(([day, kopecks]) => ({ campaign, day, kopecks }))
}

const topUpCount = 8

/** Top-ups, newest first: deposits to campaigns, and before the origin by card to the account, one every nine days. */
export const topUps = (world: World.World, nowMs: number) => [
  ...deposits(world, nowMs).reverse(),
  ...byCard(world)
]

/** Once the database has them. No campaign is named beside them (seed 001, "top-up history row"). */
const deposits = (world: World.World, nowMs: number) =>
  world.paid
    .map(({ at, roubles, type }, i) => ({
      at,
      day: Moscow.dayOf(at),
      row: {
        id: 60_000_001 + i,
        date: Moscow.timeText(at).slice(0, 19),
        sum: roubles,
        type,
        statusId: 1,
        cardStatus: "",
        currency: "RUB"
      }
    }))
    .filter(({ at }) => at <= nowMs)

const byCard = (world: World.World) =>
  Array.from({ length: topUpCount }, (_, i) => {
    const day = Moscow.dayOf(world.originMs) - 3 - 9 * i
    const hash = Dice.roll(world.seed, 702, i)
    return {
      day,
      row: {
        id: 50_000_001 + topUpCount - i,
        date: Moscow.timeText(Moscow.startOf(day) + 10 * 3_600_000 + (Dice.uint(hash) % 3_600_000)).slice(
          0,
          19
        ),
        sum: 1000 * Math.round(Dice.between(Dice.mix(hash, 1), 20, 60)),
        type: 3,
        statusId: 1,
        cardStatus: "success",
        currency: "RUB"
      }
    }
  })
