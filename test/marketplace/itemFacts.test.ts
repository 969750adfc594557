import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Day, type DayRange } from "../../src/domain/Days.js"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import { Kopecks } from "../../src/domain/Money.js"
import * as Target from "../../src/domain/Target.js"
import type { FactAnswer, FactRequest, FactSource } from "../../src/engine/gather/FactSource.js"
import * as ItemReaders from "../../src/marketplace/ItemReaders.js"
import type { StockItem, StockMetrics } from "../../src/services/areas/analytics/Inventory.js"
import * as Scenario from "../scenario/Scenario.js"
import { cellsOf } from "./CellsOf.js"

const scale = { campaigns: 3, items: 2, clusters: 4 }
const week: DayRange = { from: Day("2026-08-25"), to: Day("2026-08-31") }
const missing = ItemId.make(999_999_999)

type Facts = typeof FactSource.Service

/** Distinct items that the campaigns advertise, in order. */
const itemsOf = (facts: Facts) =>
  Effect.gen(function* () {
    const { ids } = yield* facts.campaigns
    const answer = yield* facts.fetch({
      source: "campaigns",
      keys: ids.map((campaignId) => ({ campaignId }))
    })
    const items = answer.rows.flatMap(({ target }) => (target === "account" ? [] : (target.itemId ?? [])))
    return [...new Set(items)].sort((a, b) => a - b)
  })

const ask = (source: string, items: ReadonlyArray<ItemId>, days?: DayRange): FactRequest => ({
  source,
  keys: items.map((itemId) => ({ itemId })),
  ...(days === undefined ? {} : { days })
})

const cellOf = ({ rows }: FactAnswer, itemId: ItemId, fact: string) =>
  rows
    .filter(({ target }) => target !== "account" && Target.key(target) === `item/${itemId}`)
    .map((row) => cellsOf(row).get(fact))[0]

const number = (answer: FactAnswer, itemId: ItemId, fact: string): number => {
  const cell = cellOf(answer, itemId, fact)
  if (cell?._tag !== "Known" || typeof cell.value !== "number")
    throw new Error(`${fact} of ${itemId} is ${JSON.stringify(cell)}`)
  return cell.value
}

const story = (
  tell: (world: Scenario.World, facts: Facts, items: ReadonlyArray<ItemId>) => Effect.Effect<void, unknown>
) =>
  Scenario.run({ rules: [], scale }, (world) =>
    Effect.gen(function* () {
      const facts = yield* world.facts
      yield* tell(world, facts, yield* itemsOf(facts))
    })
  )

describe("facts of an item as such, read from the marketplace", () => {
  it("tell price, stock and rating of every item in one call per report, and leave an unknown item out", () =>
    story((world, facts, items) =>
      Effect.gen(function* () {
        const stocks = yield* facts.fetch(ask("itemStocks", [...items, missing]))
        const cards = yield* facts.fetch(ask("itemCards", [...items, missing]))
        expect([stocks.failures, cards.failures]).toEqual([[], []])
        expect([world.requests("getStockProducts"), world.requests("getFunnelProducts")]).toEqual([1, 1])
        expect(cellOf(stocks, missing, "item.stock")).toBeUndefined()
        for (const item of items) {
          expect(number(stocks, item, "item.price")).toBeGreaterThan(1_00)
          expect(number(stocks, item, "item.stock")).toBe(
            number(cards, item, "item.stock.platform") + number(cards, item, "item.stock.seller")
          )
          const rating = cellOf(cards, item, "item.rating")
          if (rating?._tag === "Known") expect(rating.value).toBeGreaterThanOrEqual(1)
        }
      })
    ))

  it("count all orders and their value, at least those that advertising brought", () =>
    story((_, facts, items) =>
      Effect.gen(function* () {
        const { ids } = yield* facts.campaigns
        const keys = ids.map((campaignId) => ({ campaignId }))
        const ads = yield* facts.fetch({ source: "campaignStats", keys, days: week })
        const all = yield* facts.fetch(ask("itemFunnel", items, week))
        expect([ads.failures, all.failures]).toEqual([[], []])
        let advertised = 0
        for (const item of items) {
          const orders = ads.rows
            .filter(({ target }) => target !== "account" && target.itemId === item)
            .reduce((sum, row) => {
              const cell = cellsOf(row).get("campaign_item.orders")
              return sum + (cell?._tag === "Known" ? Number(cell.value) : 0)
            }, 0)
          advertised += orders
          expect(number(all, item, "item.all_orders")).toBeGreaterThanOrEqual(orders)
          expect(number(all, item, "item.card_opens")).toBeGreaterThan(0)
          // Whole roubles on the wire (field note A08).
          expect(number(all, item, "item.all_revenue") % 100).toBe(0)
          expect(number(all, item, "item.buyouts")).toBeLessThanOrEqual(number(all, item, "item.all_orders"))
        }
        expect(advertised).toBeGreaterThan(0)
      })
    ))

  it("know the week before a week, and refuse a window the report does not cover whole", () =>
    story((world, facts, items) =>
      Effect.gen(function* () {
        const before = { from: Day("2026-08-18"), to: Day("2026-08-24") }
        const both = { from: before.from, to: week.to }
        const [a, b, sum] = yield* Effect.forEach([before, week, both], (days) =>
          facts.fetch(ask("itemFunnel", items, days))
        )
        for (const item of items)
          expect(number(a!, item, "item.all_orders") + number(b!, item, "item.all_orders")).toBe(
            number(sum!, item, "item.all_orders")
          )
        const asked = world.requests("getFunnelProducts")
        const early = { from: Day("2025-08-31"), to: Day("2025-09-02") }
        const late = yield* facts.fetch(ask("itemFunnel", items, early))
        expect(late.rows).toEqual([])
        expect(late.failures).toMatchObject([{ keys: items.length, reason: "failed", stopsAccount: false }])
        expect(late.failures[0]?.message).toContain("2025-09-01 to 2026-09-01")
        const today = { from: Day("2026-09-01"), to: Day("2026-09-01") }
        expect((yield* facts.fetch(ask("itemReviews", items, today))).failures).toHaveLength(1)
        expect([world.requests("getFunnelProducts"), world.requests("getItemRating")]).toEqual([asked, 0])
      })
    ))

  it("count new reviews of the window", () =>
    story((_, facts, items) =>
      Effect.gen(function* () {
        const year = { from: Day("2025-09-02"), to: Day("2026-08-31") }
        const [short, long] = yield* Effect.forEach([week, year], (days) =>
          facts.fetch(ask("itemReviews", items, days))
        )
        for (const item of items)
          expect(number(short!, item, "item.reviews")).toBeLessThanOrEqual(
            number(long!, item, "item.reviews")
          )
        expect(items.reduce((sum, item) => sum + number(long!, item, "item.reviews"), 0)).toBeGreaterThan(0)
      })
    ))

  it("see a shelf that was emptied, and one that was filled", () =>
    story((world, facts, items) =>
      Effect.gen(function* () {
        const [empty, full] = items
        world.play({ itemId: empty!, play: "count_stock", units: 0 })
        world.play({ itemId: full!, play: "count_stock", units: 50_000 })
        const stocks = yield* facts.fetch(ask("itemStocks", items))
        expect(number(stocks, empty!, "item.stock")).toBe(0)
        expect(number(stocks, empty!, "item.stock_days")).toBe(0)
        expect(number(stocks, full!, "item.stock")).toBe(50_000)
        expect(number(stocks, full!, "item.stock_days")).toBeGreaterThan(100)
      })
    ))

  it("are unknown, never missing, when the seller's plan does not hold the report; the message says so", () =>
    story((world, facts, items) =>
      Effect.gen(function* () {
        world.faults([{ operation: "getFunnelProducts", kind: "errorBefore", status: 403 }])
        const answer = yield* facts.fetch(ask("itemFunnel", items, week))
        expect(answer.rows).toEqual([])
        expect(answer.failures).toMatchObject([
          { operation: "getFunnelProducts", keys: items.length, reason: "failed", stopsAccount: false }
        ])
        expect(answer.failures[0]?.message).toContain("plan does not hold this report (403)")
      })
    ))

  it("ask nothing for no item: an empty list would mean all of them", () =>
    story((world, facts) =>
      Effect.gen(function* () {
        for (const source of ["itemStocks", "itemCards", "itemFunnel", "itemReviews"]) {
          const keys = [{ campaignId: CampaignId.make(7) }]
          expect(yield* facts.fetch({ source, keys, days: week })).toMatchObject({ rows: [], failures: [] })
        }
        expect(["getStockProducts", "getFunnelProducts", "getItemRating"].map(world.requests)).toEqual([
          0, 0, 0
        ])
      })
    ))
})

const metrics = (over: Partial<StockMetrics>): StockMetrics => ({
  orders: undefined,
  ordersSumKopecks: undefined,
  ordersPerDay: undefined,
  ordersPerDayByMonth: [],
  buyouts: undefined,
  buyoutsSumKopecks: undefined,
  buyoutPercent: undefined,
  stock: undefined,
  stockSumKopecks: undefined,
  lasts: undefined,
  turnover: undefined,
  toClient: undefined,
  fromClient: undefined,
  missing: undefined,
  lostOrders: undefined,
  lostOrdersSum: undefined,
  lostBuyouts: undefined,
  lostBuyoutsSum: undefined,
  ...over
})
const known = (value: number) => ({ _tag: "Known" as const, value })
const absent = { _tag: "Unknown", reason: "absent" }

describe("how long stock lasts", () => {
  it("is nothing when nothing is left, whatever the rate of sales", () => {
    fc.assert(
      fc.property(
        fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
        fc.constantFrom(
          undefined,
          known(0),
          known(48),
          { _tag: "Endless" as const },
          { _tag: "NotComputed" as const }
        ),
        (ordersPerDay, lasts) => {
          expect(ItemReaders.stockDays(metrics({ stock: 0, ordersPerDay, lasts }))).toBe(0)
        }
      )
    )
  })

  it("is the report's own figure in days, and endless where nothing is sold", () => {
    expect(ItemReaders.stockDays(metrics({ stock: 9, lasts: known(60), ordersPerDay: 900 }))).toBe(2.5)
    expect(ItemReaders.stockDays(metrics({ stock: 9, lasts: { _tag: "Endless" } }))).toBe(
      Number.POSITIVE_INFINITY
    )
  })

  it("is made from stock and orders per day where the report did not compute it, or says zero beside stock", () => {
    for (const lasts of [undefined, known(0), { _tag: "NotComputed" } as const]) {
      expect(ItemReaders.stockDays(metrics({ stock: 9, lasts, ordersPerDay: 3 }))).toBe(3)
      expect(ItemReaders.stockDays(metrics({ stock: 9, lasts, ordersPerDay: 0 }))).toBe(
        Number.POSITIVE_INFINITY
      )
      expect(ItemReaders.stockDays(metrics({ stock: 9, lasts }))).toEqual(absent)
      expect(ItemReaders.stockDays(metrics({ lasts, ordersPerDay: 3 }))).toEqual(absent)
    }
    expect(ItemReaders.stockDays(undefined)).toEqual(absent)
    expect(ItemReaders.stockDays(metrics({ stock: -3, ordersPerDay: 0 }))).toEqual(absent)
  })
})

describe("amounts of a report", () => {
  const item = (currency: string | undefined, minPriceKopecks: number): StockItem => ({
    itemId: ItemId.make(11),
    name: undefined,
    vendorCode: undefined,
    brand: undefined,
    subject: undefined,
    deleted: false,
    hasSizes: true,
    availability: undefined,
    minPriceKopecks: Kopecks(minPriceKopecks),
    maxPriceKopecks: Kopecks(minPriceKopecks + 5_000),
    metrics: metrics({ stock: 4 }),
    currency
  })
  const read = (currency: string | undefined, price = 99_900) => {
    const { failures, rows } = ItemReaders.priced(
      "getStockProducts",
      [item(currency, price)],
      "RUB",
      ItemReaders.stockRow
    )
    return { failures, cells: Object.fromEntries(cellsOf(rows[0]!)) }
  }

  it("are the lowest of a range, and a price of zero is no price", () => {
    expect(read("RUB").cells).toMatchObject({ "item.price": known(99_900), "item.stock": known(4) })
    expect(read("RUB", 0).cells).toMatchObject({ "item.price": absent })
  })

  it("in another currency than the campaigns' stay unknown and are told; counts stand", () => {
    const { cells, failures } = read("BYN")
    expect(cells).toMatchObject({
      "item.price": { _tag: "Unknown", reason: "failed" },
      "item.stock": known(4)
    })
    expect(failures).toMatchObject([{ keys: 1, reason: "failed", stopsAccount: false }])
    expect(failures[0]?.message).toContain("amounts are in BYN, those of the campaigns in RUB")
    expect(read(undefined).failures).toEqual([])
  })
})
