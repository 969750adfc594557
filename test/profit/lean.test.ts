import { expect, it } from "vitest"
import * as Oracle from "../../bench/profit/Oracle.js"
import * as Streams from "../../bench/profit/Streams.js"
import * as Truth from "../../bench/profit/Truth.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Model from "../../src/sandbox/market/model/Model.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"

const originMs = Date.parse("2026-09-01T06:00:00Z")
const first = Moscow.dayOf(originMs) + 1
const margin = 0.25

/** Two days of some accounts: ACOS of the settings as they stand, and the oracle's profit by what clusters are worth. */
const figures = (model: Model.Model) => {
  let none = Streams.nothing
  let [profit, near] = [0, 0]
  for (const seed of [1, 2, 3, 4]) {
    const world = World.make({
      seller: "s",
      seed,
      scale: Scale.demo,
      originMs,
      firstId: 1_000_001,
      market: model
    })
    for (const campaign of Streams.campaigns(world, originMs)) {
      campaign.purse.leftKopecks = 1e12
      for (const day of [first, first + 9]) {
        for (const { expected } of Truth.ofDay(world, campaign, day, margin))
          none = Streams.add(none, expected)
        const { mixes } = Oracle.solve(Oracle.task(world, campaign, day, margin), 300_000)
        for (const { high, low, share } of mixes)
          for (const [choice, part] of [
            [high, share],
            [low, 1 - share]
          ] as const)
            for (const stream of choice.shown) {
              const { gain, spend } = Streams.expected(stream, choice.bidKopecks, part)
              const times = Streams.worthOf(stream) / stream.auction.rivalKopecks
              profit += gain - spend
              if (times >= 1 && times <= 4) near += gain - spend
            }
      }
    }
  }
  return { acos: none.spend / (none.gain / margin), nearShare: near / profit }
}

it("in the lean market advertising without rules costs 10 to 20% of what it sells", () => {
  const { acos } = figures(Model.named.lean)
  expect(acos).toBeGreaterThan(0.1)
  expect(acos).toBeLessThan(0.2)
})

it("at least 30% of what can be earned there comes from clusters worth one to four times the rival's bid, in the plain one next to nothing", () => {
  expect(figures(Model.named.lean).nearShare).toBeGreaterThan(0.3)
  expect(figures(Model.plain).nearShare).toBeLessThan(0.1)
})
