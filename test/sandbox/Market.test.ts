import * as fc from "fast-check"
import { expect, test } from "vitest"
import type * as Call from "../../src/sandbox/Call.js"
import * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Bids from "../../src/sandbox/market/Bids.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Market from "../../src/sandbox/market/Market.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Statistics from "../../src/sandbox/market/Statistics.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as OwnPast from "./OwnPast.js"
import { originMs } from "./Real.js"

const world = (seed = 1) =>
  OwnPast.world({ seller: "seller", seed, scale: Scale.demo, originMs, firstId: 1_000_001 })
const today = Moscow.dayOf(originMs)
const context = (w: World.World, nowMs: number): Call.Context => ({
  operation: "test",
  world: w,
  ledger: Ledger.make(),
  nowMs
})
const anyCluster = fc.record({
  seed: fc.integer({ min: 1, max: 1000 }),
  item: fc.integer({ min: 0, max: 23 }).map((i) => Blueprint.firstItemId + i),
  cluster: fc.integer({ min: 0, max: 11 }),
  day: fc.integer({ min: today - 40, max: today })
})

test("a higher bid never wins fewer views, clicks or orders on a day, and never more than the demand", () => {
  fc.assert(
    fc.property(
      anyCluster,
      fc.integer({ min: 100, max: 100_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (at, low, more) => {
        const w = world(at.seed)
        const campaign = World.campaign(w, 1_000_001)!
        const item = World.item(w, at.item)
        const traffic = item.clusters[at.cluster]!
        const span = { from: Moscow.startOf(at.day), to: Moscow.startOf(at.day + 1) }
        const won = (bidKopecks: number) =>
          Traffic.ofDay(campaign, item, traffic, at.day, [{ ...span, bidKopecks }])
        const [less, much] = [won(low), won(low + more)]
        expect(much.views).toBeGreaterThanOrEqual(less.views)
        expect(much.clicks).toBeGreaterThanOrEqual(less.clicks)
        expect(much.orders).toBeGreaterThanOrEqual(less.orders)
        expect(much.views).toBeLessThanOrEqual(traffic.demandPerDay * 1.1 * 1.25 + 1)
        expect(much.orders <= much.carts && much.carts <= much.clicks && much.clicks <= much.views).toBe(true)
      }
    )
  )
})

test("the numbers of a running day only grow, and those of a day gone by stay", () => {
  const w = world()
  const campaign = World.campaign(w, 1_000_001)!
  const item = World.item(w, Blueprint.firstItemId)
  const days = { from: today - 3, to: today + 1 }
  let before: ReadonlyArray<Statistics.StreamDay> = []
  for (let hour = 0; hour <= 12; hour++) {
    const nowMs = originMs + hour * 3_600_000
    Purse.settle(w, campaign, nowMs)
    const now = Statistics.byDay(context(w, nowMs), campaign, item, item.clusters[0]!, days)
    for (const { day, totals } of before) {
      const later = now.find((d) => d.day === day)!.totals
      if (day < Moscow.dayOf(nowMs)) expect(later.views).toBeGreaterThanOrEqual(totals.views)
      if (day < today) expect(later).toEqual(totals)
      expect(later.spend).toBeGreaterThanOrEqual(totals.spend)
    }
    before = now
  }
})

test("recommended bids rise with the share they reach, lie on the step and not below the floor, and do reach it", () => {
  fc.assert(
    fc.property(anyCluster, fc.constantFrom("cpm" as const, "cpc" as const), (at, payment) => {
      const item = World.item(world(at.seed), at.item)
      const rival = item.clusters[at.cluster]!.rivalKopecks[payment]
      const floor = item.floors[payment].search
      const bids = [0.55, 0.68, 0.85].map((share) => Market.bidFor(share, rival, floor, payment))
      expect([...bids].sort((a, b) => a - b)).toEqual(bids)
      for (const [i, share] of [0.55, 0.68, 0.85].entries()) {
        expect(bids[i]! % Market.steps[payment]).toBe(0)
        expect(bids[i]).toBeGreaterThanOrEqual(floor)
        expect(Market.reach(bids[i]!, rival)).toBeGreaterThanOrEqual(share - 1e-9)
      }
    })
  )
})

test("the texts of an item's clusters are all different, however many there are", () => {
  for (const seed of [1, 2, 3]) {
    const item = Market.item(seed, Blueprint.firstItemId + seed, 1000)
    expect(item.clusterIndex.size).toBe(1000)
  }
})

test("own bids of the demo's clusters are at or above the floor; some clusters follow the item", () => {
  const w = world()
  const campaign = World.campaign(w, 1_000_001)!
  const item = World.item(w, Blueprint.firstItemId)
  const own = Bids.clusterBids(w, campaign, item.id)
  expect(own.size).toBeGreaterThan(0)
  expect(own.size).toBeLessThan(item.clusters.length)
  for (const bid of own.values()) expect(Timeline.latest(bid)).toBeGreaterThanOrEqual(item.floors.cpm.search)
})

test("the demo holds work for the three canonical rules, at whatever hour it begins", () => {
  for (const hour of [0.2, 4, 9, 15, 23.9]) {
    const found = workAt(Moscow.startOf(today) + hour * 3_600_000)
    expect(found.raise).toBeGreaterThan(10)
    expect(found.minus).toBeGreaterThan(5)
    expect(found.overspent).toEqual([1_000_003])
  }
})

/** Clusters to raise, clusters to minus, and campaigns that spent 3000 roubles today. */
const workAt = (startMs: number) => {
  const w = World.make({
    seller: "seller",
    seed: 1,
    scale: Scale.demo,
    originMs: startMs,
    firstId: 1_000_001
  })
  const at = context(w, startMs)
  const found = { raise: 0, minus: 0, overspent: [] as Array<number> }
  for (const id of [1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005, 1_000_006]) {
    const campaign = World.campaign(w, id)!
    Purse.settle(w, campaign, startMs)
    let spentToday = 0
    for (const itemId of campaign.blueprint.itemIds) {
      const item = World.item(w, itemId)
      const own = Bids.clusterBids(w, campaign, itemId)
      for (const traffic of Traffic.streams(item)) {
        const days = Statistics.byDay(at, campaign, item, traffic, { from: today - 30, to: today })
        spentToday += days.find((d) => d.day === today)?.totals.spend ?? 0
        if (traffic.text === undefined || !Bids.hasClusterBids(campaign)) continue
        const week = Statistics.sum(days.filter((d) => d.day >= today - 7 && d.day < today))
        const month = Statistics.sum(days.filter((d) => d.day < today))
        const timeline = own.get(traffic.text)
        const bid =
          (timeline === undefined ? null : Timeline.latest(timeline)) ??
          Timeline.latest(Bids.itemBids(w, campaign, itemId).search)
        const reachMax = Market.bidFor(0.85, traffic.rivalKopecks.cpm, item.floors.cpm.search, "cpm")
        if (week !== undefined && week.orders >= 3 && bid < reachMax) found.raise++
        if (
          month !== undefined &&
          month.views >= 1000 &&
          month.orders === 0 &&
          month.clicks * 100 < month.views
        )
          found.minus++
      }
    }
    if (spentToday >= 300_000) found.overspent.push(id)
  }
  return found
}

test("a budget runs dry, the campaign stops showing, and a deposit brings it back", () => {
  const w = world()
  const campaign = World.campaign(w, 1_000_003)!
  const spentSince = (nowMs: number) => {
    Purse.settle(w, campaign, nowMs)
    return Statistics.sum(
      campaign.blueprint.itemIds.flatMap((id) => {
        const item = World.item(w, id)
        return Traffic.streams(item).flatMap((t) =>
          Statistics.byDay(context(w, nowMs), campaign, item, t, { from: today, to: today + 3 })
        )
      })
    )!.spend
  }
  const atOrigin = spentSince(originMs)
  const hour = 3_600_000
  const dry = spentSince(originMs + 6 * hour)
  expect(Purse.leftRoubles(campaign.purse)).toBe(0)
  expect((dry - atOrigin) / 100).toBeGreaterThan(1_500 * 0.95)
  expect((dry - atOrigin) / 100).toBeLessThan(1_500 * 1.05)
  expect(spentSince(originMs + 48 * hour)).toBe(dry)
  campaign.purse.deposits.push({ at: originMs + 50 * hour, kopecks: 100_000 })
  expect(spentSince(originMs + 49 * hour)).toBe(dry)
  expect(spentSince(originMs + 60 * hour)).toBeGreaterThan(dry)
})

test("settling in any steps leaves the same budget as settling at once", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 8 * 3_600_000 }), { maxLength: 12 }), (gaps) => {
      const [one, many] = [world(), world()].map((w) => ({ w, campaign: World.campaign(w, 1_000_001)! }))
      let nowMs = originMs
      for (const gap of gaps) {
        nowMs += gap
        Purse.settle(many!.w, many!.campaign, nowMs)
      }
      Purse.settle(one!.w, one!.campaign, nowMs)
      expect(many!.campaign.purse.leftKopecks).toBeCloseTo(one!.campaign.purse.leftKopecks, 3)
    }),
    { numRuns: 30 }
  )
})

test("of several writes the latest is seen, and none before its time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 50_000 }), fc.integer()), { minLength: 1, maxLength: 20 }),
      (writes) => {
        const timeline = Timeline.of(-1)
        let nowMs = 0
        for (const [gap, value] of writes) {
          nowMs += gap
          const seen = Timeline.at(timeline, nowMs)
          const effectiveAt = Timeline.write(timeline, nowMs, 30_000, value)
          expect(Timeline.at(timeline, nowMs)).toBe(seen)
          expect(effectiveAt - nowMs).toBeGreaterThan(0)
          expect(effectiveAt - nowMs).toBeLessThanOrEqual(30_000)
        }
        expect(Timeline.at(timeline, nowMs + 30_000)).toBe(writes.at(-1)![1])
      }
    )
  )
})

test("the share of a day that has passed and the instant it has passed are inverse", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (share) => {
      expect(Moscow.passed(Moscow.instantOf(share, today), today)).toBeCloseTo(share, 6)
    })
  )
})
