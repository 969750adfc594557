import { describe, expect, it } from "vitest"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Measures from "./Measures.js"
import * as Rules from "./Rules.js"
import type { Observed, Write } from "./Simulation.js"

const fromMs = Scenario.startMs
const hourMs = 3_600_000

const write = (
  hour: number,
  before: number,
  after: number,
  more: Partial<Pick<Write, "edge" | "slot">> = {}
) => ({
  seq: hour,
  at: fromMs + hour * hourMs,
  operation: "setBids",
  seller: "seller",
  slot: "bid.search" as const,
  target: { campaignId: 1_000_001, itemId: 200_000_001 },
  before,
  after,
  effectiveAt: fromMs + hour * hourMs,
  policy: "p",
  edge: false,
  ...more
})

const observed = (writes: ReadonlyArray<Write>): Observed => ({
  options: {
    seed: 1,
    days: 14,
    rules: [],
    scale: Scale.demo,
    market: "ordinary",
    stopKopecks: Rules.stopKopecks
  },
  rules: Scenario.check(Rules.shipped()),
  world: World.make({ seller: "seller", seed: 1, scale: Scale.demo, originMs: fromMs, firstId: 1_000_001 }),
  writes,
  fromMs,
  toMs: fromMs + 14 * 24 * hourMs,
  cycles: 0,
  waitedMs: 0,
  held: new Map(),
  failed: new Map(),
  throttled: 0,
  counters: new Map()
})

describe("the measures of the simulation", () => {
  it("count every turn of a bid within a day, and those of different days apart", () => {
    const found = Measures.steadiness(
      observed([
        write(1, 10_000, 11_000),
        write(2, 11_000, 10_000),
        write(3, 10_000, 11_000),
        write(4, 11_000, 10_000),
        write(24, 10_000, 11_000)
      ])
    )
    expect(found.reversalsMax).toBe(3)
    expect(found.reversalsMean).toBe(1.5)
    expect(found.turnsMax).toBe(4)
    expect(found.movesByWeek).toEqual([5, 0])
  })

  it("leave the beginning and the end of an overlay out of the turns", () => {
    const edge = { edge: true }
    const found = Measures.steadiness(
      observed([write(1, 10_000, 12_000, edge), write(6, 12_000, 10_000, edge), write(7, 10_000, 11_000)])
    )
    expect(found).toMatchObject({ reversalsMax: 0, edges: 2, targetsMoved: 1 })
  })

  it("see a bid above the account's highest, and one that moved too far in a day", () => {
    expect(Measures.limits(observed([write(1, 80_000, 90_000)]))).toMatchObject({
      aboveMaxBid: 0,
      beyondMovePerDay: 0
    })
    const found = Measures.limits(observed([write(1, 60_000, 89_900), write(2, 89_900, 90_200)]))
    expect(found).toMatchObject({ aboveMaxBid: 1, beyondMovePerDay: 1 })
  })

  it("add up the deposits of a day", () => {
    const budget = { slot: "budget" as const }
    const found = Measures.limits(
      observed([write(1, 100, 2100, budget), write(2, 500, 4500, budget), write(30, 0, 1000, budget)])
    )
    expect(found.depositedMostRoubles).toBe(6000)
  })
})
