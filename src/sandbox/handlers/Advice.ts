/** Seed 001: recommended bids, which follow from the rivals of the market, and the steps of bids. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import { status } from "../market/Blueprint.js"
import * as Market from "../market/Market.js"
import * as Conditions from "../market/model/Conditions.js"
import * as Levels from "../market/model/Levels.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

/** Shares of the views the three levels stand for (contract "Codes": 50–60 %, 61–75 %, 76–100 %). */
const levels = { reachMin: 0.55, reachMedium: 0.68, reachMax: 0.85 } as const

export const handlers: Call.Handlers<"getBidRecommendations" | "getPromotionConfig"> = {
  getBidRecommendations: (call) =>
    Either.gen(function* () {
      const { advertId, nmId } = call.query
      const campaign = yield* Call.campaign(call, advertId)
      if (!Timeline.at(campaign.items, call.nowMs).includes(nmId))
        return yield* Either.left(refuse(400, `item ${nmId} is not in the campaign ${advertId}`))
      if (Timeline.at(campaign.status, call.nowMs) !== status.active)
        return yield* Either.left(refuse(400, "the campaign is not running"))
      const item = World.item(call.world, nmId)
      const day = Moscow.dayOf(call.nowMs)
      const paymentType = campaign.blueprint.payment
      const advice = paymentType === "cpm" ? perView(item, day) : perClick(item, day)
      return Answer.json({ advertId, nmId, paymentType, ...advice })
    }),

  getPromotionConfig: () =>
    Either.right(
      Answer.json({
        currency: "RUB",
        currencyCode: 643,
        cpmStep: Market.steps.cpm,
        cpcStep: Market.steps.cpc,
        minTopUp: 100_000
      })
    )
}

const advised = (bidKopecks: number) => ({ bidKopecks })

/** A bid as it is recommended on a day: the market's, or off by as much as the market has it (model/Levels.ts). */
const recommended = (
  { seed, setting }: Market.Traffic,
  { auction }: Conditions.Conditions,
  level: number,
  share: number,
  payment: Market.Payment,
  day: number
): number => {
  const off = Levels.factor(setting, seed, day, level)
  const { exponent, floorKopecks, rivalKopecks } = auction
  return Market.bidFor(share, rivalKopecks * off, floorKopecks, payment, exponent)
}

interface Rival {
  readonly traffic: Market.Traffic
  readonly conditions: Conditions.Conditions
}

const rivalsOf = (item: Market.Item, payment: Market.Payment, day: number): ReadonlyArray<Rival> =>
  item.clusters.map((traffic) => ({ traffic, conditions: Conditions.of(traffic, payment, day) }))

/** The cluster with the middle one of the rivals. */
const typicalOf = (rivals: ReadonlyArray<Rival>): Rival | undefined =>
  [...rivals].sort((a, b) => a.conditions.auction.rivalKopecks - b.conditions.auction.rivalKopecks)[
    Math.floor(rivals.length / 2)
  ]

const perView = (item: Market.Item, day: number) => {
  const rivals = rivalsOf(item, "cpm", day)
  const typical = typicalOf(rivals)
  const hasTop = Dice.unit(Dice.roll(item.id, 601)) < 0.85
  /** 0 where there is none (contract "Codes"). */
  const base = (share: number, level: number) =>
    advised(
      typical !== undefined && Levels.isThere(item.recommendations.setting, item.recommendations.seed, day)
        ? recommended(typical.traffic, typical.conditions, level, share, "cpm", day)
        : 0
    )
  return {
    base: {
      competitiveBid: base(0.5, 3),
      leadersBid: base(0.8, 4),
      top2: hasTop ? base(0.92, 5) : advised(0)
    },
    normQueries: rivals
      .filter(({ traffic }) => !traffic.archived && Levels.isThere(traffic.setting, traffic.seed, day))
      .map(({ conditions, traffic }) => {
        const bid = (share: number, level: number) =>
          recommended(traffic, conditions, level, share, "cpm", day)
        return {
          normQuery: traffic.text,
          reachMax: { bidKopecks: bid(levels.reachMax, 2), bidKopecksMin: bid(0.76, 2) },
          reachMedium: advised(bid(levels.reachMedium, 1)),
          reachMin: advised(bid(levels.reachMin, 0))
        }
      })
  }
}

const perClick = (item: Market.Item, day: number) => {
  const { seed, setting } = item.recommendations
  const typical = typicalOf(rivalsOf(item, "cpc", day))
  if (typical === undefined || !Levels.isThere(setting, seed, day)) return { levels: [] }
  const level = (share: number, index: number) =>
    advised(recommended(typical.traffic, typical.conditions, index, share, "cpc", day))
  return {
    levels: [{ range1To2: level(0.9, 2), range3To10: level(0.7, 1), range11To34: level(0.4, 0) }]
  }
}
