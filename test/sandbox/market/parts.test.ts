import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type * as Call from "../../../src/sandbox/Call.js"
import * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import type * as Market from "../../../src/sandbox/market/Market.js"
import * as Auction from "../../../src/sandbox/market/model/Auction.js"
import * as Conditions from "../../../src/sandbox/market/model/Conditions.js"
import * as Levels from "../../../src/sandbox/market/model/Levels.js"
import * as Model from "../../../src/sandbox/market/model/Model.js"
import * as Returns from "../../../src/sandbox/market/model/Returns.js"
import * as Purse from "../../../src/sandbox/market/Purse.js"
import * as Statistics from "../../../src/sandbox/market/Statistics.js"
import * as Traffic from "../../../src/sandbox/market/Traffic.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Sales from "../../../src/sandbox/shop/Sales.js"
import * as Stock from "../../../src/sandbox/shop/Stock.js"

const originMs = Date.parse("2026-09-01T06:00:00Z")
const today = Moscow.dayOf(originMs)
const scale = { campaigns: 12, items: 4, clusters: 12 }
const world = (parts: Partial<Model.Model>, seed = 1) =>
  World.make({
    seller: "seller",
    seed,
    scale,
    originMs,
    firstId: 1_000_001,
    market: { ...Model.plain, ...parts }
  })

const itemIds = Array.from({ length: 48 }, (_, i) => 200_000_001 + i)
const streams = (w: World.World): ReadonlyArray<Market.Traffic> =>
  itemIds.flatMap((id) => Traffic.streams(World.item(w, id)))
const days = Array.from({ length: 60 }, (_, i) => today + i)
const mean = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0) / values.length
const spread = (values: ReadonlyArray<number>) => [Math.min(...values), Math.max(...values)] as const
const auctionsOf = (parts: Partial<Model.Model>) =>
  streams(world(parts)).map((traffic) => Conditions.of(traffic, "cpm", today).auction)

/** Rivals' bid over their usual one, by stream and day. */
const rivalsOver = (parts: Partial<Model.Model>) =>
  streams(world(parts)).map((traffic) =>
    days.map((day) => Conditions.of(traffic, "cpm", day).auction.rivalKopecks / traffic.rivalKopecks.cpm)
  )

describe("the curve", () => {
  it("is between 1.5 and 4 steep, by stream, and wins half at the rival's bid whatever it is", () => {
    const auctions = auctionsOf({ curve: "varied" })
    const [least, most] = spread(auctions.map(({ exponent }) => exponent))
    expect(least).toBeGreaterThanOrEqual(1.5)
    expect(least).toBeLessThan(1.55)
    expect(most).toBeLessThanOrEqual(4)
    expect(most).toBeGreaterThan(3.95)
    for (const auction of auctions)
      expect(Auction.shareOf(auction, auction.rivalKopecks)).toBeCloseTo(0.5, 12)
  })

  it("rises with the bid in every market", () => {
    const auctions = [...auctionsOf(Model.named.hard), ...auctionsOf({ price: "second" })]
    fc.assert(
      fc.property(fc.constantFrom(...auctions), fc.integer({ min: 1, max: 200_000 }), (auction, bid) => {
        expect(Auction.shareOf(auction, bid + 100)).toBeGreaterThan(Auction.shareOf(auction, bid))
        expect(Auction.shareOf(auction, bid)).toBeLessThan(1)
      })
    )
    expect(Auction.shareOf(auctions[0]!, 0)).toBe(0)
  })
})

describe("rivals", () => {
  it("that drift stand by their usual bid on average, and move by some percent a day", () => {
    const rows = rivalsOver({ rivals: "drift" })
    const moves = rows.flatMap((row) => row.slice(1).map((value, i) => Math.abs(Math.log(value / row[i]!))))
    expect(mean(rows.flat())).toBeGreaterThan(1)
    expect(mean(rows.flat())).toBeLessThan(1.15)
    expect(mean(moves)).toBeGreaterThan(0.02)
    expect(mean(moves)).toBeLessThan(0.09)
  })

  it("are joined by newcomers on some days, who make bids jump and leave again", () => {
    const jumps = rivalsOver({ rivals: "drift" }).flatMap((row) =>
      row.slice(1).filter((value, i) => value / row[i]! > 1.25)
    )
    expect(jumps.length).toBeGreaterThan(20)
    expect(
      rivalsOver({ rivals: "still" })
        .flat()
        .every((value) => value === 1)
    ).toBe(true)
  })

  it("are the same on a day whichever days were asked for before", () => {
    const parts = { rivals: "drift", season: "some", stock: "short" } as const
    const [one, other] = [streams(world(parts)), streams(world(parts))]
    const there = one.map((traffic) => days.map((day) => Conditions.of(traffic, "cpm", day)))
    const back = other.map((traffic) => days.toReversed().map((day) => Conditions.of(traffic, "cpm", day)))
    expect(back.map((row) => row.toReversed())).toEqual(there)
  })

  it("that answer take from what a bid above theirs wins, and nothing below", () => {
    const answering = auctionsOf({ answers: "some" })
    const still = auctionsOf({})
    let answered = 0
    for (const [i, auction] of answering.entries()) {
      const { rivalKopecks } = auction
      const [low, high] = [rivalKopecks * 0.9, rivalKopecks * 2]
      expect(Auction.shareOf(auction, low)).toBe(Auction.shareOf(still[i]!, low))
      if (Auction.shareOf(auction, high) < Auction.shareOf(still[i]!, high)) answered++
    }
    expect(answered / answering.length).toBeGreaterThan(0.33)
    expect(answered / answering.length).toBeLessThan(0.47)
  })
})

describe("clicks", () => {
  it("are fewer in a worse place, and a lower bid has a worse place", () => {
    const [auction] = auctionsOf({ ctr: "by_place" })
    const at = [0.3, 0.7, 1, 1.5, 3].map((times) => Auction.won(auction!, auction!.rivalKopecks * times))
    for (const [i, won] of at.slice(1).entries()) {
      expect(won.place).toBeLessThan(at[i]!.place)
      expect(won.clicks).toBeGreaterThan(at[i]!.clicks)
    }
    expect(at[2]!.clicks).toBeCloseTo(1, 12)
  })

  it("of a day follow: the same views at a higher bid have a higher CTR", () => {
    const w = world({ ctr: "by_place" })
    const campaign = World.campaign(w, 1_000_001)!
    const item = World.item(w, 200_000_001)
    const traffic = item.clusters[0]!
    const ctr = (bidKopecks: number) => {
      const sum = Traffic.none()
      for (const day of days) {
        const span = { from: Moscow.startOf(day), to: Moscow.startOf(day + 1), bidKopecks }
        Traffic.addTo(sum, Traffic.ofDay(campaign, item, traffic, day, [span]))
      }
      return sum.clicks / sum.views
    }
    const rival = traffic.rivalKopecks.cpm
    expect(ctr(rival * 3) / ctr(rival)).toBeGreaterThan(1.3)
    expect(ctr(rival / 3) / ctr(rival)).toBeLessThan(0.95)
  })
})

describe("the second price", () => {
  it("is what the best other bid would be, checked by drawing it", () => {
    const auction = auctionsOf({ price: "second" })[5]!
    const bid = auction.rivalKopecks * 1.7
    // A bid of the others at a share u of their distribution; those below the floor cost the floor.
    const others = Array.from({ length: 200_000 }, (_, i) => {
      const u = (i + 0.5) / 200_000
      return auction.rivalKopecks * (u / (1 - u)) ** (1 / auction.exponent)
    }).filter((other) => other < bid)
    const drawn = mean(others.map((other) => Math.max(other, auction.floorKopecks)))
    expect(Auction.won(auction, bid).paidKopecks / drawn).toBeCloseTo(1, 3)
  })

  it("never exceeds the own bid, and is the floor's at the floor", () => {
    for (const auction of auctionsOf({ ...Model.named.hard, price: "second" }))
      for (const times of [1, 1.2, 2, 8]) {
        const bid = auction.floorKopecks * times
        const { paidKopecks } = Auction.won(auction, bid)
        expect(paidKopecks).toBeLessThanOrEqual(bid)
        expect(paidKopecks).toBeGreaterThanOrEqual(auction.floorKopecks * 0.999)
      }
  })
})

describe("recommended bids", () => {
  it("are off by up to 30% both ways, or missing for about a seventh, and stay for a week", () => {
    const there = streams(world({ levels: "wrong" })).filter((t) => Levels.isThere(t.setting, t.seed, today))
    const share = there.length / streams(world({})).length
    expect(share).toBeGreaterThan(0.8)
    expect(share).toBeLessThan(0.9)
    const factors = there.flatMap((t) =>
      [0, 1, 2].map((level) => Levels.factor(t.setting, t.seed, today, level))
    )
    const [least, most] = spread(factors)
    expect(least).toBeGreaterThanOrEqual(0.7)
    expect(least).toBeLessThan(0.73)
    expect(most).toBeLessThanOrEqual(1.3)
    expect(most).toBeGreaterThan(1.27)
    const weekOf = (day: number) => there.map((t) => Levels.factor(t.setting, t.seed, day, 0))
    const monday = Math.floor(today / 7) * 7
    expect(weekOf(monday)).toEqual(weekOf(monday + 6))
    expect(weekOf(monday)).not.toEqual(weekOf(monday + 7))
  })

  it("are none at all in a market without them", () => {
    expect(streams(world({ levels: "none" })).some((t) => Levels.isThere(t.setting, t.seed, today))).toBe(
      false
    )
  })
})

/** A stream's day as shown at instants after its end, in hours, and as it is. */
const looks = (w: World.World, hours: ReadonlyArray<number>) => {
  const campaign = World.campaign(w, 1_000_001)!
  const day = today + 1
  const streams = campaign.blueprint.itemIds.flatMap((id) => {
    const item = World.item(w, id)
    return item.clusters.map((traffic) => ({ item, traffic }))
  })
  return streams.map(({ item, traffic }) => {
    const at = (nowMs: number, of: typeof Statistics.byDay) => {
      const context: Call.Context = { operation: "test", world: w, ledger: Ledger.make(), nowMs }
      Purse.settle(w, campaign, nowMs)
      return of(context, campaign, item, traffic, { from: day, to: day })[0]?.totals ?? Traffic.none()
    }
    return {
      shown: hours.map((hour) => at(Moscow.startOf(day) + hour * 3_600_000, Statistics.shown)),
      real: at(Moscow.startOf(day + 9), Statistics.byDay)
    }
  })
}

describe("statistics", () => {
  it("are an hour or two late within the day", () => {
    const seen = looks(world({ statistics: "late" }), [0.9, 12])
    expect(seen.every(({ shown }) => shown[0]!.views === 0)).toBe(true)
    const prompt = looks(world({}), [10, 11, 12])
    for (const [i, { shown }] of seen.entries()) {
      const [ten, eleven] = prompt[i]!.shown
      expect(shown[1]!.views).toBeGreaterThanOrEqual(ten!.views)
      expect(shown[1]!.views).toBeLessThanOrEqual(eleven!.views * 1.05 + 1)
    }
  })

  it("show more and more of a day's orders, fewer and fewer of its views, and are right after three days", () => {
    const seen = looks(world({ statistics: "late" }), [26, 47, 49, 71, 73, 95, 97])
    const total = (pick: (totals: Traffic.Totals) => number) =>
      [0, 1, 2, 3, 4, 5, 6].map((i) => seen.reduce((sum, { shown }) => sum + pick(shown[i]!), 0))
    const orders = total((t) => t.orders)
    const views = total((t) => t.views)
    const real = seen.reduce((sum, { real }) => sum + real.orders, 0)
    expect(orders[0]!).toBeLessThan(real * 0.99)
    for (const i of [1, 2, 3, 4, 5, 6]) {
      expect(orders[i]!).toBeGreaterThanOrEqual(orders[i - 1]!)
      expect(views[i]!).toBeLessThanOrEqual(views[i - 1]!)
    }
    expect(views[0]!).toBeGreaterThan(views[6]!)
    for (const { shown, real } of seen) expect(shown[6]).toEqual(real)
    for (const { shown } of seen)
      for (const { carts, clicks, orders, views } of shown)
        expect(orders <= carts && carts <= clicks && clicks <= views).toBe(true)
  })

  it("are what is, at once, where they are prompt", () => {
    for (const { shown, real } of looks(world({}), [24])) expect(shown[0]).toEqual(real)
  })
})

describe("carts", () => {
  it("are 0.6 to 1.8 times as many by stream, for as many clicks and orders as where they go by orders alone", () => {
    const of = (parts: Partial<Model.Model>) => {
      const w = world(parts)
      const campaign = World.campaign(w, 1_000_001)!
      const items = itemIds.slice(0, 4).map((id) => World.item(w, id))
      const all = items.flatMap((item) => Traffic.streams(item).map((traffic) => ({ item, traffic })))
      return all.map(({ item, traffic }) => {
        const sum = Traffic.none()
        const bidKopecks = traffic.rivalKopecks.cpm * 3
        for (const day of days) {
          const span = { from: Moscow.startOf(day), to: Moscow.startOf(day + 1), bidKopecks }
          Traffic.addTo(sum, Traffic.ofDay(campaign, item, traffic, day, [span]))
        }
        return sum
      })
    }
    const [steady, varied] = [of({}), of({ carts: "varied" })]
    expect(varied.map(({ clicks }) => clicks)).toEqual(steady.map(({ clicks }) => clicks))
    const all = (sums: typeof steady) => sums.reduce((total, { orders }) => total + orders, 0)
    expect(all(varied) / all(steady)).toBeCloseTo(1, 2)
    const times = varied.flatMap(({ carts }, i) => (steady[i]!.carts < 100 ? [] : [carts / steady[i]!.carts]))
    const [least, most] = spread(times)
    expect(least).toBeGreaterThan(0.5)
    expect(least).toBeLessThan(0.9)
    expect(most).toBeGreaterThan(1.2)
    expect(most).toBeLessThan(2)
  })
})

describe("returns", () => {
  it("take from what an order earns, by item; without them it earns its margin", () => {
    const worth = (parts: Partial<Model.Model>) =>
      itemIds.map((id) =>
        Returns.worthKopecks(World.item(world(parts), id).recommendations.setting, 200_000, 0.25)
      )
    expect(new Set(worth({}))).toEqual(new Set([50_000]))
    const [least, most] = spread(worth({ returns: "some" }))
    expect(least).toBeGreaterThan(20_000)
    expect(least).toBeLessThan(32_000)
    expect(most).toBeGreaterThan(40_000)
    expect(most).toBeLessThan(50_000)
  })
})

describe("the season", () => {
  it("moves demand by a third at most over the year, and sales bring more buyers and dearer rivals", () => {
    const [traffic] = streams(world({ season: "some" }))
    const year = Array.from({ length: 365 }, (_, i) => Conditions.of(traffic!, "cpm", today + i))
    const usual = year.filter(({ orders }) => orders === 1)
    const sale = year.filter(({ orders }) => orders > 1)
    expect(sale.length).toBeGreaterThan(9)
    expect(sale.length).toBeLessThan(60)
    const [least, most] = spread(usual.map(({ demand }) => demand))
    expect(least).toBeGreaterThan(0.64)
    expect(most).toBeLessThan(1.36)
    expect(most - least).toBeGreaterThan(0.19)
    for (const { auction } of sale)
      expect(auction.rivalKopecks).toBeGreaterThan(traffic!.rivalKopecks.cpm * 1.09)
  })
})

describe("stock that runs out", () => {
  it("leaves an item without views, costs and units for two to seven days, and then comes back", () => {
    const w = world({ stock: "short" })
    const out = itemIds.map((id) =>
      days.filter((day) => Conditions.isSoldOut(World.item(w, id).recommendations.setting, day))
    )
    expect(mean(out.map((found) => found.length))).toBeGreaterThan(1)
    expect(mean(out.map((found) => found.length))).toBeLessThan(5)
    const index = out.slice(0, 4).findIndex((found) => found.length > 0 && found.length <= 7)
    const id = itemIds[index]!
    const day = out[index]![0]!
    const campaign = World.campaign(w, 1_000_001)!
    const item = World.item(w, id)
    const on = (day: number) =>
      Traffic.streams(item).reduce((sum, traffic) => {
        const span = { from: Moscow.startOf(day), to: Moscow.startOf(day + 1), bidKopecks: 90_000 }
        return sum + Traffic.ofDay(campaign, item, traffic, day, [span]).views
      }, 0)
    expect(on(day)).toBe(0)
    expect(on(out[index]!.at(-1)! + 1)).toBeGreaterThan(100)
    const [size] = Sales.sizes(w, id)
    const units = Stock.levels(w, size!.id, Moscow.startOf(day) + 3_600_000)
    expect(units.every((level) => level.units === 0)).toBe(true)
  })
})
