import * as fc from "fast-check"
import { expect, test } from "vitest"
import * as FunnelMetrics from "../../src/sandbox/analytics/FunnelMetrics.js"
import * as StockFigures from "../../src/sandbox/analytics/StockFigures.js"
import * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Bids from "../../src/sandbox/market/Bids.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Model from "../../src/sandbox/market/model/Model.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Statistics from "../../src/sandbox/market/Statistics.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Course from "../../src/sandbox/shop/Course.js"
import * as Sales from "../../src/sandbox/shop/Sales.js"
import * as Stock from "../../src/sandbox/shop/Stock.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as OwnPast from "./OwnPast.js"
import { originMs } from "./Real.js"

const { firstItemId } = Blueprint

const origin = { seller: "seller", seed: 1, scale: Scale.demo, originMs, firstId: 1_000_001 }

const world = (seed = 1) => OwnPast.world({ ...origin, seed })
const today = Moscow.dayOf(originMs)
const hour = 3_600_000
const lastTwoDays = { from: today - 1, to: today + 1 }
const anyItem = fc.integer({ min: 0, max: 29 }).map((i) => firstItemId + i)
const anySeed = fc.integer({ min: 1, max: 500 })
const anyDelay = fc.integer({ min: 0, max: 30 * hour })

/** Clicks and orders that the advertising statistics show for an item's day. */
const shown = (w: World.World, itemId: number, day: number, nowMs: number) => {
  const sum = Traffic.none()
  for (let index = 0; index < w.scale.campaigns; index++) {
    const campaign = World.campaign(w, World.nativeId(w, index))!
    if (!campaign.items.steps.some((step) => step.value.includes(itemId))) continue
    Purse.settle(w, campaign, nowMs)
    const context = { operation: "test", world: w, ledger: Ledger.make(), nowMs }
    const item = World.item(w, itemId)
    for (const traffic of Traffic.streams(item))
      for (const { totals } of Statistics.byDay(context, campaign, item, traffic, { from: day, to: day }))
        Traffic.addTo(sum, totals)
  }
  return sum
}

test("at any moment a day's advertised sales are exactly the orders the advertising statistics show", () => {
  fc.assert(
    fc.property(anySeed, anyItem, fc.integer({ min: -40, max: 1 }), anyDelay, (seed, itemId, ago, delay) => {
      const w = world(seed)
      const nowMs = originMs + delay
      const day = today + ago
      const sales = Sales.ofItem(w, itemId, { from: day, to: day }, nowMs)
      const advertised = sales.filter((sale) => sale.advertised)
      expect(advertised.length).toBe(shown(w, itemId, day, nowMs).orders)
      expect(advertised.length * World.item(w, itemId).priceKopecks).toBe(
        shown(w, itemId, day, nowMs).revenue
      )
    }),
    { numRuns: 60 }
  )
})

test("a sale once seen stays as it is, whatever is bid later and however often one asks", () => {
  fc.assert(
    fc.property(anySeed, anyItem, anyDelay, anyDelay, (seed, itemId, delay, more) => {
      const [often, once] = [world(seed), world(seed)]
      const [early, late] = [originMs + delay, originMs + delay + more]
      const before = Sales.ofItem(often, itemId, lastTwoDays, early)
      const campaign = World.campaign(often, 1_000_001 + Math.floor((itemId - firstItemId) / 4))
      if (campaign !== undefined) {
        const bids = Bids.itemBids(often, campaign, itemId)
        Timeline.write(bids.search, early, 30_000, 1_000_000)
      }
      const after = Sales.ofItem(often, itemId, lastTwoDays, late)
      expect(after.filter((sale) => sale.orderedAt <= early)).toEqual(before)
      expect(before.every((sale) => sale.orderedAt <= early)).toBe(true)
      expect(Sales.ofItem(once, itemId, lastTwoDays, early)).toEqual(before)
    }),
    { numRuns: 40 }
  )
})

test("sales do not depend on the steps in which they are asked for", () => {
  fc.assert(
    fc.property(anySeed, anyItem, fc.array(anyDelay, { maxLength: 6 }), (seed, itemId, delays) => {
      const [often, once] = [world(seed), world(seed)]
      for (const delay of delays) Sales.ofItem(often, itemId, lastTwoDays, originMs + delay)
      const end = originMs + 40 * hour
      expect(Sales.ofItem(often, itemId, lastTwoDays, end)).toEqual(
        Sales.ofItem(once, itemId, lastTwoDays, end)
      )
    }),
    { numRuns: 30 }
  )
})

test("every sale has a number of its own, a size of its item, and its place in time", () => {
  const w = world()
  const srids = new Set<string>()
  let count = 0
  for (const itemId of Sales.items(w)) {
    const sales = Sales.ofItem(w, itemId, { from: today - 30, to: today }, originMs)
    const sizes = new Set(Sales.sizes(w, itemId).map(({ id }) => id))
    count += sales.length
    for (const [i, sale] of sales.entries()) {
      srids.add(sale.srid)
      expect(sizes.has(sale.sizeId)).toBe(true)
      expect(Moscow.dayOf(sale.orderedAt)).toBe(sale.day)
      expect(sale.orderedAt).toBeGreaterThanOrEqual(sales[i - 1]?.orderedAt ?? 0)
      expect(sale.fulfilledBy).toBeOneOf(
        { seller: ["seller"], platform: ["platform"], both: ["seller", "platform"] }[
          Sales.fulfilment(w, itemId)
        ]
      )
    }
  }
  expect(count).toBeGreaterThan(1_000)
  expect(srids.size).toBe(count)
})

test("about half of the items are sent by the seller, and of a huge shop only the first hundred", () => {
  const share = (w: World.World) =>
    Sales.items(w).filter((itemId) => Sales.fulfilment(w, itemId) !== "platform").length
  expect(share(world())).toBeGreaterThan(15)
  expect(share(world())).toBeLessThan(40)
  const huge = World.make({
    seller: "seller",
    seed: 1,
    scale: { campaigns: 10_000, items: 10, clusters: 50 },
    originMs,
    firstId: 1_000_001
  })
  expect(Sales.items(huge).length).toBe(1_000)
  expect(share(huge)).toBeLessThan(70)
})

test("a size is found by its number and by its barcode; an unsized item has the one size 0", () => {
  const w = world()
  const sizes = Sales.items(w).flatMap((itemId) => Sales.sizes(w, itemId))
  for (const size of sizes) {
    expect(Sales.size(w, size.id)).toEqual(size)
    expect(Sales.sizeOfSku(w, size.sku)).toEqual(size)
  }
  expect(new Set(sizes.map(({ id }) => id)).size).toBe(sizes.length)
  expect(sizes.filter(({ techSize }) => techSize === "0").length).toBeGreaterThan(0)
  expect(Sales.size(w, 299_999_999)).toBeUndefined()
  expect(Sales.sizeOfSku(w, "2000300000999")).toBeUndefined()
})

test("of those who open an item some put it into the cart and some of these order; the day only grows", () => {
  const worlds = [world(1), world(2)]
  fc.assert(
    fc.property(
      fc.constantFrom(...worlds),
      anyItem,
      fc.integer({ min: -20, max: 1 }),
      anyDelay,
      (w, itemId, ago, delay) => {
        const day = today + ago
        const [now, later] = [0, 5 * hour].map((more) =>
          FunnelMetrics.ofDay(w, itemId, day, originMs + delay + more)
        )
        const { clicks } = shown(w, itemId, day, originMs + delay + 5 * hour)
        expect(later!.opens).toBeGreaterThanOrEqual(Math.max(clicks, later!.carts))
        expect(later!.carts).toBeGreaterThanOrEqual(later!.orders)
        expect(later!.orders).toBeGreaterThanOrEqual(later!.buyouts + later!.cancels)
        expect(later!.orders).toBe(
          Sales.ofItem(w, itemId, { from: day, to: day }, originMs + delay + 5 * hour).length
        )
        for (const key of ["opens", "carts", "orders", "orderKopecks", "wishlist"] as const)
          expect(later![key]).toBeGreaterThanOrEqual(now![key])
      }
    ),
    { numRuns: 60 }
  )
})

test("worlds that began alike have the same past, also of objects, and what comes later is each one's own", () => {
  const [one, other] = [World.make(origin), World.make(origin)]
  const [itemId, nowMs] = [firstItemId, originMs + 2 * 24 * hour]
  const of = (w: World.World, from: number, to: number) => Sales.ofItem(w, itemId, { from, to }, nowMs)
  const campaign = World.campaign(one, 1_000_001)!
  Bids.bidAtFloor(one, campaign, itemId, originMs)
  Timeline.set(campaign.status, originMs, Blueprint.status.paused)
  const past = of(one, today - 110, today - 1)
  expect(past.length).toBeGreaterThan(100)
  expect(past).toEqual(of(world(), today - 110, today - 1))
  for (const [i, sale] of of(other, today - 110, today - 1).entries()) expect(sale).toBe(past[i])
  const advertised = (w: World.World) => of(w, today, today + 1).filter((sale) => sale.advertised).length
  expect(advertised(one)).toBeLessThan(advertised(other))
})

test("worlds that began otherwise, or whose buyers answer to the calendar, share no past", () => {
  const { past } = World.make(origin)
  expect(World.make({ ...origin }).past).toBe(past)
  for (const more of [
    { seed: 2 },
    { scale: { ...Scale.demo, clusters: 3 } },
    { originMs: originMs + hour },
    { firstId: 1 },
    { market: Model.named.hard }
  ])
    expect(World.make({ ...origin, ...more }).past).not.toBe(past)
  OwnPast.forget()
  expect(World.make(origin).past).not.toBe(past)
  const lured = { ...origin, buyers: true }
  expect(World.make(lured).past).not.toBe(World.make(lured).past)
})

test("most of what was ordered weeks ago was bought, some was cancelled, some came back", () => {
  const w = world()
  const counts: Record<string, number> = {}
  for (const itemId of Sales.items(w))
    for (const sale of Sales.ofItem(w, itemId, { from: today - 60, to: today - 31 }, originMs)) {
      const { at, cancelType, status } = Course.outcome(w, sale, originMs)
      counts[status] = (counts[status] ?? 0) + 1
      expect(at).toBeGreaterThanOrEqual(sale.orderedAt)
      expect(at).toBeLessThanOrEqual(originMs)
      expect(cancelType !== undefined).toBe(status === "cancel")
    }
  const all = Object.values(counts).reduce((a, b) => a + b, 0)
  expect(counts.buyout! / all).toBeGreaterThan(0.78)
  expect(counts.buyout! / all).toBeLessThan(0.92)
  for (const status of ["cancel", "return", "returnDefective"]) expect(counts[status]).toBeGreaterThan(0)
  expect(counts.created ?? 0).toBe(0)
})

test("what became of a sale is final once it was cancelled or came back", () => {
  const w = world()
  const finals = new Set(["cancel", "return", "returnDefective"])
  for (const itemId of Sales.items(w).slice(0, 12))
    for (const sale of Sales.ofItem(w, itemId, { from: today - 20, to: today }, originMs)) {
      let before = Course.outcome(w, sale, sale.orderedAt)
      expect(before).toEqual({ status: "created", at: sale.orderedAt })
      for (let days = 1; days <= 30; days++) {
        const nowMs = sale.orderedAt + days * 24 * hour
        if (nowMs > originMs) break
        const now = Course.outcome(w, sale, nowMs)
        if (finals.has(before.status)) expect(now).toEqual(before)
        if (before.status === "buyout") expect(now.status).not.toBe("created")
        before = now
      }
    }
})

test("stock is never negative and falls by one with each sale sent from the shelf", () => {
  const w = world()
  let fell = 0
  let soldOut = 0
  for (const itemId of Sales.items(w))
    for (const sale of Sales.ofItem(w, itemId, { from: today - 10, to: today }, originMs)) {
      const warehouse = Warehouses.ofSale(w, sale)
      const [before, after] = [sale.orderedAt - 1, sale.orderedAt].map((at) =>
        Stock.left(w, sale.sizeId, warehouse, at)
      ) as [number, number]
      const together = Sales.ofItem(w, itemId, { from: sale.day, to: sale.day }, originMs).filter(
        (other) =>
          other.orderedAt === sale.orderedAt &&
          other.sizeId === sale.sizeId &&
          Warehouses.ofSale(w, other).id === warehouse.id
      ).length
      expect(after).toBe(Math.max(0, before - together))
      expect(Stock.levels(w, sale.sizeId, sale.orderedAt).map((level) => level.warehouse.id)).toContain(
        warehouse.id
      )
      if (after < before) fell++
      else soldOut++
    }
  expect(fell).toBeGreaterThan(500)
  expect(soldOut).toBeGreaterThan(0)
})

test("the shelf is filled again: stock after a quiet month is not below what a week sells", () => {
  const w = world()
  const total = (atMs: number) =>
    Sales.items(w).reduce((sum, itemId) => {
      const { platform, seller } = Stock.ofItem(w, itemId, atMs)
      return sum + platform + seller
    }, 0)
  const days = Array.from({ length: 28 }, (_, i) => total(Moscow.startOf(today - i)))
  expect(Math.min(...days)).toBeGreaterThan(0)
  expect(days.some((units, i) => units < (days[i + 1] ?? 0))).toBe(true)
  expect(days.some((units, i) => units > (days[i + 1] ?? units))).toBe(true)
})

test("units on their way belong to sales that are neither bought nor back", () => {
  const w = world()
  let toClient = 0
  let fromClient = 0
  for (const itemId of Sales.items(w)) {
    const sales = Sales.ofItem(w, itemId, { from: today - 40, to: today }, originMs)
    const open = sales.filter((sale) => Course.outcome(w, sale, originMs).status === "created").length
    const closed = sales.filter((sale) =>
      ["cancel", "return", "returnDefective"].includes(Course.outcome(w, sale, originMs).status)
    ).length
    let [there, back] = [0, 0]
    for (const size of Sales.sizes(w, itemId))
      for (const warehouse of Stock.placesOf(w, size.id)) {
        const way = StockFigures.ofSize(w, size.id, warehouse, originMs)
        there += way.toClient
        back += way.fromClient
      }
    expect(there).toBeLessThanOrEqual(open)
    expect(back).toBeLessThanOrEqual(closed)
    toClient += there
    fromClient += back
  }
  expect(toClient).toBeGreaterThan(50)
  expect(fromClient).toBeGreaterThan(0)
})

test("levels of many instants at once are those of each alone", () => {
  const w = world()
  const instants = Array.from({ length: 60 }, (_, i) => originMs - (60 - i) * 86_400_000 + i * 60_000)
  for (const itemId of Sales.items(w).slice(0, 12))
    for (const size of Sales.sizes(w, itemId))
      for (const place of Stock.placesOf(w, size.id))
        expect(Stock.leftAt(w, size.id, place, instants)).toEqual(
          instants.map((at) => Stock.left(w, size.id, place, at))
        )
})
