/** Seed 001: recommended bids, which follow from the rivals of the market, and the steps of bids. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import { status } from "../market/Blueprint.js"
import * as Market from "../market/Market.js"
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
      const paymentType = campaign.blueprint.payment
      const advice = paymentType === "cpm" ? perView(item) : perClick(item)
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

const perView = (item: Market.Item) => {
  const floor = item.floors.cpm.search
  const rivals = item.clusters.map((c) => c.rivalKopecks.cpm).sort((a, b) => a - b)
  const typical = rivals[Math.floor(rivals.length / 2)] ?? floor
  const hasTop = Dice.unit(Dice.roll(item.id, 601)) < 0.85
  return {
    base: {
      competitiveBid: advised(Market.bidFor(0.5, typical, floor, "cpm")),
      leadersBid: advised(Market.bidFor(0.8, typical, floor, "cpm")),
      /** 0 where the subject has no top bid (contract "Codes"). */
      top2: advised(hasTop ? Market.bidFor(0.92, typical, floor, "cpm") : 0)
    },
    normQueries: item.clusters
      .filter((c) => !c.archived)
      .map((c) => {
        const bid = (share: number) => Market.bidFor(share, c.rivalKopecks.cpm, floor, "cpm")
        return {
          normQuery: c.text,
          reachMax: { bidKopecks: bid(levels.reachMax), bidKopecksMin: bid(0.76) },
          reachMedium: advised(bid(levels.reachMedium)),
          reachMin: advised(bid(levels.reachMin))
        }
      })
  }
}

const perClick = (item: Market.Item) => {
  const floor = item.floors.cpc.search
  const rivals = item.clusters.map((c) => c.rivalKopecks.cpc).sort((a, b) => a - b)
  const typical = rivals[Math.floor(rivals.length / 2)] ?? floor
  const level = (share: number) => advised(Market.bidFor(share, typical, floor, "cpc"))
  return {
    levels: [{ range1To2: level(0.9), range3To10: level(0.7), range11To34: level(0.4) }]
  }
}
