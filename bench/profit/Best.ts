/** The most that could be earned in the measured days, campaign by campaign and day by day. */

import type { Model } from "../../src/sandbox/market/model/Model.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Account from "./Account.js"
import type * as Frontier from "./Frontier.js"
import * as Oracle from "./Oracle.js"
import * as Streams from "./Streams.js"

export interface Best {
  /** Kopecks, and expected orders. */
  readonly profit: number
  readonly spend: number
  readonly orders: number
  readonly profitByKind: Readonly<Record<string, number>>
  /** Mean over campaigns and days of what one more rouble would earn beside itself. */
  readonly lambda: number
  /** What a cluster adds to the profit on a day when money has its price there, kopecks; 0 where it is better left out. */
  readonly ofStream: (campaignId: number, day: number, itemId: number, cluster: string) => number
}

/** For several daily budgets at once, in their order. */
export const find = (
  seed: number,
  market: Model,
  scale: Scale,
  days: number,
  margin: number,
  budgets: ReadonlyArray<number>
): ReadonlyArray<Best> => {
  const world = World.make({
    seller: "oracle",
    seed,
    scale,
    originMs: Account.startMs,
    firstId: 1_000_001,
    market
  })
  const sums = budgets.map(() => ({
    profit: 0,
    spend: 0,
    orders: 0,
    lambda: 0,
    profitByKind: {} as Record<string, number>,
    streams: new Map<string, number>()
  }))
  const campaigns = Streams.campaigns(world, Account.startMs)
  for (const campaign of campaigns)
    for (const day of Account.daysOf(days)) {
      const task = Oracle.task(world, campaign, day, margin)
      for (const [i, budget] of budgets.entries()) {
        const sum = sums[i] as (typeof sums)[number]
        const solved = Oracle.solve(task, budget)
        sum.profit += solved.profit
        sum.spend += solved.spend
        sum.lambda += solved.lambda / campaigns.length / days
        const kind = kindOf(campaign)
        sum.profitByKind[kind] = (sum.profitByKind[kind] ?? 0) + solved.profit
        for (const mix of solved.mixes) sum.orders += keep(sum.streams, campaign.id, day, mix, solved.lambda)
      }
    }
  return sums.map(({ streams, ...sum }) => ({
    ...sum,
    ofStream: (campaignId, day, itemId, cluster) =>
      streams.get(`${campaignId} ${day} ${itemId} ${cluster}`) ?? 0
  }))
}

/** Keeps what each cluster of a group adds; answers the group's orders. */
const keep = (
  into: Map<string, number>,
  campaignId: number,
  day: number,
  { high, low, share }: Frontier.Mix<Oracle.Choice>,
  lambda: number
): number => {
  let orders = 0
  for (const [choice, part] of [
    [high, share],
    [low, 1 - share]
  ] as const)
    for (const shown of choice.shown) {
      const one = Streams.expected(shown, choice.bidKopecks, part)
      orders += one.orders
      const { item, traffic } = shown.stream
      if (traffic.text === undefined) continue
      const key = `${campaignId} ${day} ${item.id} ${traffic.text}`
      into.set(key, (into.get(key) ?? 0) + Math.max(0, one.gain - (1 + lambda) * one.spend))
    }
  return orders
}

export const kindOf = ({ blueprint }: World.Campaign): string =>
  blueprint.bidType === "unified" ? "unified" : blueprint.payment === "cpc" ? "cpc" : "clusters"
