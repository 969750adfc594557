/** Buyers who answer to promotions: by the price they pay, by what they see, and never by what was decided later. */
import { describe, expect, it } from "vitest"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Buyers from "../../src/sandbox/market/Buyers.js"
import * as Promotions from "../../src/sandbox/market/Promotions.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Sales from "../../src/sandbox/shop/Sales.js"
import { answer } from "./Analytics.js"
import { day, hour, PromoCalendar, promotionId } from "./PromoCalendar.js"
import { originMs, withMarketplace } from "./Real.js"

const scale = { campaigns: 3, items: 4, clusters: 24 }
const make = (buyers: boolean, seed = 1): World.World =>
  World.make({ seller: "seller", seed, scale, originMs, firstId: 1_000_001, market: "ordinary", buyers })

/** Money enough that no campaign runs dry. */
const rich = (world: World.World): World.World => {
  for (let i = 0; i < scale.campaigns; i++) {
    const campaign = World.campaign(world, World.nativeId(world, i))!
    campaign.purse.deposits.push({ at: originMs, kopecks: 1e9 })
    Purse.settle(world, campaign, originMs)
  }
  return world
}

const { endsAt, startsAt } = Promotions.byId(make(true), promotionId, originMs)!
const days = { from: Moscow.dayOf(startsAt), to: Moscow.dayOf(endsAt) - 1 }
const later = endsAt + 5 * day

/** An item that is in no promotion while this one runs, nor before it and after. */
const outsider = (world: World.World): number =>
  Promotions.itemIds(world).find((itemId) =>
    Array.from({ length: 17 }, (_, i) => days.from - 4 + i).every(
      (on) => Buyers.ofDay(world, itemId, on, later).length === 0
    )
  )!

const units = (world: World.World, itemId: number, span = days): number =>
  Sales.ofItem(world, itemId, span, later).length

/** Views, clicks, orders and revenue of an item's advertising on some days. */
const advertised = (world: World.World, itemId: number, span = days) => {
  const sum = Traffic.none()
  const item = World.item(world, itemId)
  for (let i = 0; i < scale.campaigns; i++) {
    const campaign = World.campaign(world, World.nativeId(world, i))!
    Purse.settle(world, campaign, later)
    for (const traffic of Traffic.streams(item)) {
      const [from, to] = [Moscow.startOf(span.from), Moscow.startOf(span.to + 1)]
      const pieces = Traffic.pieces(world, campaign, itemId, traffic, from, to)
      for (let on = span.from; on <= span.to; on++)
        Traffic.addTo(sum, Traffic.ofDay(campaign, item, traffic, on, pieces))
    }
  }
  return sum
}

describe("a running promotion", () => {
  it("sells an item at its plan price, and more of it, by the item's elasticity and the tier's boost", () => {
    const [plain, joined] = [rich(make(true)), rich(make(true))]
    const itemId = outsider(plain)
    Promotions.enter(joined, promotionId, [itemId], startsAt - day)
    const { planPriceKopecks, priceKopecks } = Promotions.terms(joined, promotionId, itemId, startsAt)
    const offer = Buyers.at(joined, itemId, startsAt)!
    const power = Buyers.elasticity(joined, itemId)
    expect(power).toBeGreaterThanOrEqual(1.2)
    expect(power).toBeLessThan(3)
    expect(offer.orders).toBeCloseTo((priceKopecks / planPriceKopecks) ** power, 9)
    expect(offer.views).toBe(1 + Promotions.boostPercent(joined, promotionId, startsAt) / 100)
    const expected = offer.orders * offer.views
    expect(expected).toBeGreaterThan(1.15)
    const ratio = units(joined, itemId) / units(plain, itemId)
    expect(ratio / expected).toBeGreaterThan(0.8)
    expect(ratio / expected).toBeLessThan(1.25)
    const prices = Sales.ofItem(joined, itemId, days, later).map((sale) => [
      sale.priceKopecks,
      sale.promotionId
    ])
    expect(new Set(prices.map(String))).toEqual(new Set([`${planPriceKopecks},${promotionId}`]))
  })

  it("has not begun for an item whose price is to wait for it; one that was priced at once is sold cheaper, and seen no more", () => {
    const sold = (isPricedNow: boolean) => {
      const world = rich(make(true))
      const itemId = outsider(world)
      const appliesAt = startsAt - 2 * day
      const task = { uploadId: 1, promotionId, filedAt: appliesAt, asked: [itemId], entered: [itemId] }
      Promotions.file(world, "task", { ...task, appliesAt, isPricedNow })
      const { planPriceKopecks } = Promotions.terms(world, promotionId, itemId, startsAt)
      const [before, early, during] = [appliesAt - 1, startsAt - 1, startsAt].map((at) =>
        Buyers.at(world, itemId, at)
      )
      expect(before).toBeUndefined()
      expect(during?.priceKopecks).toBe(planPriceKopecks)
      return [early?.priceKopecks === planPriceKopecks, early?.views]
    }
    expect([sold(false), sold(true)]).toEqual([
      [false, undefined],
      [true, 1]
    ])
  })

  it("shows all that are in more often once a higher tier is reached, those of before among them", () => {
    const [few, all] = [rich(make(true)), rich(make(true))]
    const itemId = outsider(few)
    Promotions.enter(few, promotionId, [itemId], startsAt - day)
    Promotions.enter(all, promotionId, Promotions.itemIds(all), startsAt - day)
    const boost = (world: World.World) => 1 + Promotions.boostPercent(world, promotionId, startsAt) / 100
    expect(boost(all)).toBeGreaterThan(boost(few))
    const [one, other] = [advertised(few, itemId), advertised(all, itemId)]
    expect(other.views / one.views).toBeCloseTo(boost(all) / boost(few), 2)
    expect(other.spend / one.spend).toBeCloseTo(boost(all) / boost(few), 2)
    expect(other.clicks).toBeGreaterThan(one.clicks)
  })

  it("changes nothing before it starts and nothing after its end", () => {
    const [plain, joined] = [rich(make(true)), rich(make(true))]
    const itemId = outsider(plain)
    Promotions.enter(joined, promotionId, [itemId], startsAt - day)
    expect(Buyers.priceKopecks(joined, itemId, startsAt - 1)).toBe(World.item(joined, itemId).priceKopecks)
    expect(Buyers.priceKopecks(joined, itemId, endsAt)).toBe(Buyers.priceKopecks(plain, itemId, endsAt))
    for (const span of [
      { from: days.from - 3, to: days.from - 1 },
      { from: days.to + 1, to: days.to + 3 }
    ])
      expect(Sales.ofItem(joined, itemId, span, later)).toEqual(Sales.ofItem(plain, itemId, span, later))
  })

  it("asks the lowest price of those that an item is in, and its offers follow what is done to the calendar", () => {
    const world = make(true)
    const itemId = outsider(world)
    Promotions.enter(world, promotionId, [itemId], startsAt - day)
    const first = Buyers.priceKopecks(world, itemId, startsAt)
    Promotions.cheapen(world, promotionId, 30, startsAt + hour)
    expect(Buyers.priceKopecks(world, itemId, startsAt)).toBe(first)
    expect(Buyers.priceKopecks(world, itemId, startsAt + hour)).toBe(Math.round(first * 0.7))
    Promotions.remove(world, promotionId, startsAt + 2 * hour)
    expect(Buyers.at(world, itemId, startsAt + 2 * hour)).toBeUndefined()
    expect(Buyers.priceKopecks(world, itemId, startsAt)).toBe(first)
  })

  it("leaves what was seen as it was, whatever happens to the calendar later, and in whatever order it is asked", () => {
    const told = (asIGo: boolean) => {
      const world = rich(make(true))
      const itemId = outsider(world)
      Promotions.enter(world, promotionId, [itemId], startsAt - day)
      const now = startsAt + 30 * hour
      const seen = asIGo
        ? [3, 11, 17, 30].map(
            (h) => Sales.ofItem(world, itemId, { from: days.from, to: days.to }, startsAt + h * hour).length
          )
        : []
      const before = Sales.ofItem(world, itemId, days, now)
      Promotions.move(world, promotionId, { startsAt, endsAt: now + hour }, now)
      Promotions.enter(world, promotionId, Promotions.itemIds(world), now)
      const after = Sales.ofItem(world, itemId, days, later)
      expect(after.filter(({ orderedAt }) => orderedAt <= now).map(({ orderedAt }) => orderedAt)).toEqual(
        before.map(({ orderedAt }) => orderedAt)
      )
      expect(seen).toEqual([...seen].sort((a, b) => a - b))
      return after
    }
    expect(told(true)).toEqual(told(false))
  })

  it("counts the orders of advertising and their revenue as the statistics do", () => {
    const world = rich(make(true))
    Promotions.enter(world, promotionId, Promotions.itemIds(world), startsAt + 7 * hour)
    for (const itemId of Promotions.itemIds(world).slice(0, 4)) {
      const { orders, revenue } = advertised(world, itemId)
      const sales = Sales.ofItem(world, itemId, days, later).filter((sale) => sale.advertised)
      expect(sales.length).toBe(orders)
      expect(sales.reduce((sum, sale) => sum + sale.priceKopecks, 0)).toBe(revenue)
    }
  })
})

it("without such buyers a promotion changes nothing in the shop", () => {
  const [plain, joined] = [rich(make(false)), rich(make(false))]
  Promotions.enter(joined, promotionId, Promotions.itemIds(joined), startsAt - day)
  for (const itemId of Promotions.itemIds(plain)) {
    expect(Sales.ofItem(joined, itemId, days, later)).toEqual(Sales.ofItem(plain, itemId, days, later))
    expect(advertised(joined, itemId)).toEqual(advertised(plain, itemId))
  }
})

it("is the same in every report: the price of the stock, the sums of the funnel, the feed, the calendar and the control route", () =>
  withMarketplace({ scale, buyers: true }, async (m) => {
    const c = new PromoCalendar(m)
    const world = m.sandbox.world(defaultSeller)
    const itemId = outsider(world)
    await c.upload([itemId])
    m.advance(startsAt + 2 * day - originMs)
    const { planPrice } = (await c.rows(true)).find(({ id }) => id === itemId)!
    const yesterday = Moscow.dayText(days.from + 1)
    const period = { start: yesterday, end: yesterday }
    const sold = (await m.ask("GET", `/_sandbox/sales?from=${yesterday}&to=${yesterday}&item=${itemId}`)).json
    expect(sold.items).toEqual([{ itemId, elasticity: expect.any(Number) }])
    const [row, ...others] = sold.sales
    expect([row.promotionId, row.priceKopecks, others]).toEqual([promotionId, planPrice * 100, []])
    const { data } = await answer(m, "funnel", { nmIds: [itemId], selectedPeriod: period })
    const { orderCount, orderSum } = data.products[0].statistic.selected
    expect([orderCount, orderSum]).toEqual([row.units, Math.round((row.units * row.priceKopecks) / 100)])
    const currentPrice = async () => {
      const stock = await answer(m, "stockProducts", {
        nmIDs: [itemId],
        currentPeriod: period,
        stockType: "",
        skipDeletedNm: false,
        orderBy: { field: "avgOrders", mode: "desc" },
        availabilityFilters: ["deficient", "actual", "balanced", "nonActual", "nonLiquid", "invalidData"],
        offset: 0
      })
      const { metrics } = stock.data.items[0]
      return [metrics.currentPrice.minPrice, metrics.ordersCount]
    }
    expect(await currentPrice()).toEqual([Math.round(planPrice), row.units])
    expect((await c.rows(true)).find(({ id }) => id === itemId)!.price).toBe(planPrice)
    m.advance(endsAt - startsAt)
    expect((await currentPrice())[0]).toBe(Math.round(World.item(world, itemId).priceKopecks / 100))
  }))
