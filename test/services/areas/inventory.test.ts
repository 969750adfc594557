import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe } from "vitest"
import { Day, shift } from "../../../src/domain/Days.js"
import { ItemId } from "../../../src/domain/Ids.js"
import * as Inventory from "../../../src/services/areas/analytics/Inventory.js"
import * as Reach from "../../../src/services/areas/analytics/Reach.js"
import * as Sentinels from "../../../src/services/areas/analytics/Sentinels.js"

import { type Fake, json, type Reply, type Sent, token, withMarketplace } from "../FakeMarketplace.js"

const item = (n: number) => ItemId.make(n)
const field = (sent: Sent | undefined, name: string): unknown => Reflect.get(Object(sent?.body), name)

type Area = ReturnType<typeof Inventory.make>

const on = <A, E>(
  reply: (sent: Sent, nth: number) => Reply,
  use: (area: Area, fake: Fake) => Effect.Effect<A, E>
) =>
  Effect.zipRight(
    TestClock.setTime(Date.parse("2026-11-21T09:00:00Z")),
    withMarketplace(reply, (fake) => use(Inventory.make(fake.client), fake))
  )

const row = (nmId: number, chrtId: number, quantity: number, warehouseId = 7) => ({
  nmId,
  chrtId,
  warehouseId,
  warehouseName: "North",
  regionName: "Centre",
  quantity,
  inWayToClient: 1,
  inWayFromClient: 2
})

const scope: Inventory.Scope = {
  days: { from: Day("2026-11-01"), to: Day("2026-11-20") },
  owner: "all",
  withDeleted: false
}
const order: Inventory.Order = { availability: ["deficient"], sort: { field: "avgOrders", mode: "desc" } }

describe("stock in warehouses", () => {
  it.effect("is walked to its last page, and a row that moved to a later page counts once (A15)", () =>
    Effect.gen(function* () {
      const pages = [[1, 2, 3], [3, 4, 5], [6]]
      const asked: Array<readonly [number, number]> = []
      const rows = Inventory.rows(
        ({ limit, offset }) =>
          Effect.sync(() => {
            asked.push([limit, offset])
            return (pages[offset / 3] ?? []).map((n) => ({ ...row(n, 1, 1), nmId: item(n) }))
          }),
        {},
        3
      )
      const found = yield* Stream.runCollect(rows)
      assert.deepStrictEqual(
        [...found].map(({ itemId }) => Number(itemId)),
        [1, 2, 3, 4, 5, 6]
      )
      assert.deepStrictEqual(asked, [
        [3, 0],
        [3, 3],
        [3, 6]
      ])
    })
  )

  it.effect("is zero for an item without rows only after its pages were read to the end (A15)", () =>
    on(
      (sent) =>
        Object(field(sent, "nmIds")).includes(2000)
          ? { status: 400, body: "{}" }
          : json({ data: { items: [row(1, 1, 5), row(1, 2, 4)] } }),
      (area) =>
        Effect.gen(function* () {
          const items = Array.from({ length: 2000 }, (_, i) => item(i + 1))
          const walk = yield* area.platformWalk(items)
          assert.isFalse(walk.complete)
          assert.strictEqual(walk.quantityOf(item(1)), 9)
          assert.strictEqual(walk.quantityOf(item(2)), 0)
          assert.isUndefined(walk.quantityOf(item(2000)), "its chunk was refused")
          assert.isUndefined(walk.quantityOf(item(9999)), "it was not asked for")
          assert.deepStrictEqual(
            [walk.failures[0]?.keys[0], walk.failures[0]?.keys.length],
            [item(1001), 1000]
          )
        })
    )
  )

  it.effect("without a quantity is not known, and never zero", () =>
    on(
      () => json({ data: { items: [row(1, 1, 5), { nmId: 1, chrtId: 2, quantity: null }] } }),
      (area) =>
        Effect.map(area.platformWalk([item(1)]), (walk) => assert.isUndefined(walk.quantityOf(item(1))))
    )
  )

  it.effect(
    "of nothing has several faces: 204, null, an empty list (T22); silence about the rows is none of them",
    () =>
      Effect.gen(function* () {
        const faces: ReadonlyArray<Reply> = [
          { status: 204 },
          { status: 200, body: "" },
          json(null),
          json({ data: null }),
          json({ data: { items: null } }),
          json({ data: { items: [] } })
        ]
        for (const face of faces) {
          const walk = yield* on(
            () => face,
            (area) => area.sellerWalk([item(1)])
          )
          assert.deepStrictEqual([walk.complete, walk.quantityOf(item(1))], [true, 0])
        }
        for (const silence of [{}, { data: {} }, { items: [] }]) {
          const walk = yield* on(
            () => json(silence),
            (area) => area.sellerWalk([item(1)])
          )
          assert.deepStrictEqual([walk.complete, walk.quantityOf(item(1))], [false, undefined])
        }
      })
  )

  it.effect("under a negative id is an aggregate, never a warehouse (A14)", () =>
    on(
      () => json({ data: { items: [row(1, 1, 5, -999_999), row(1, 2, 4, 7), row(1, 3, 4, 0)] } }),
      (area) =>
        Effect.gen(function* () {
          const rows = yield* Stream.runCollect(area.platformStocks({ items: [item(1)] }))
          assert.deepStrictEqual(
            [...rows].map(({ place }) => place),
            [{ _tag: "aggregate" }, { _tag: "warehouse", id: 7, name: "North" }, { _tag: "aggregate" }]
          )
        })
    )
  )

  it.effect("leaves out items that were not asked for, and asks nothing for no items (A16)", () =>
    on(
      () => json({ data: { items: [row(1, 1, 5), row(2, 1, 5)] } }),
      (area, { sent }) =>
        Effect.gen(function* () {
          const rows = yield* Stream.runCollect(area.platformStocks({ items: [item(2)] }))
          assert.deepStrictEqual(
            [...rows].map(({ itemId }) => itemId),
            [item(2)]
          )
          assert.strictEqual(yield* Stream.runCount(area.platformStocks({ items: [] })), 0)
          assert.lengthOf(sent, 1)
          assert.deepStrictEqual(Object.keys(Object(sent[0]?.body)), ["nmIds", "limit", "offset"])
        })
    )
  )

  it.effect("is not asked for with a token that may not", () =>
    withMarketplace(
      () => json({ data: { items: [] } }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const area = Inventory.make(client)
          const platform = yield* Effect.flip(Stream.runDrain(area.platformStocks()))
          assert.strictEqual(platform._tag, "Forbidden")
          assert.lengthOf(sent, 0)
        }),
      { token: { ...token, kind: "base" } }
    )
  )
})

describe("the stock report of items", () => {
  const metrics = {
    ordersCount: 4,
    ordersSum: 5160.5,
    stockCount: 0,
    saleRate: { days: 0, hours: -1 },
    avgStockTurnover: { days: 2, hours: 5 },
    officeMissingTime: { days: 0, hours: -4 },
    lostOrdersCount: -2,
    lostOrdersSum: -7,
    lostBuyoutsCount: 1.5,
    availability: "someday",
    currentPrice: { minPrice: 990, maxPrice: 1990.5 }
  }

  it.effect("speaks of codes as codes, of money in kopecks, of new words in full (A17, T19)", () =>
    on(
      () => json({ data: { items: [{ nmID: 1, hasSizes: true, metrics }], currency: "RUB" } }),
      (area) =>
        Effect.gen(function* () {
          const [found] = [...(yield* Stream.runCollect(area.items(scope, {}, order)))]
          assert.strictEqual(found?.availability, "someday")
          assert.strictEqual(Number(found?.maxPriceKopecks), 199_050)
          const numbers = found?.metrics
          assert.strictEqual(Number(numbers?.ordersSumKopecks), 516_050)
          assert.deepStrictEqual(
            [
              numbers?.lasts,
              numbers?.turnover,
              numbers?.missing,
              numbers?.lostOrders,
              numbers?.lostOrdersSum
            ],
            [
              { _tag: "Endless" },
              { _tag: "Known", value: 53 },
              { _tag: "WholePeriod" },
              { _tag: "Known", value: 0 },
              { _tag: "NotComputed" }
            ]
          )
          assert.deepStrictEqual(
            [numbers?.lostBuyouts, numbers?.lostBuyoutsSum],
            [{ _tag: "Known", value: 1.5 }, undefined]
          )
        })
    )
  )

  it.effect("spells the filters its own way and takes only what was asked for (A16)", () =>
    on(
      () => json({ data: { items: [{ nmID: 1 }, { nmID: 2 }, { nmID: 2 }] } }),
      (area, { sent }) =>
        Effect.gen(function* () {
          const found = yield* Stream.runCollect(
            area.items({ ...scope, owner: "seller" }, { items: [item(2)], subjectId: 7 }, order)
          )
          assert.deepStrictEqual(
            [...found].map(({ itemId }) => itemId),
            [item(2)]
          )
          assert.deepStrictEqual(sent[0]?.body, {
            nmIDs: [2],
            subjectID: 7,
            currentPeriod: { start: "2026-11-01", end: "2026-11-20" },
            stockType: "mp",
            skipDeletedNm: true,
            availabilityFilters: ["deficient"],
            orderBy: { field: "avgOrders", mode: "desc" },
            limit: 1000,
            offset: 0
          })
        })
    )
  )

  it.effect("comes page by page; null is an empty report (A18)", () =>
    Effect.gen(function* () {
      const pages = on(
        (_, nth) =>
          json({
            data: {
              items: Array.from({ length: nth === 0 ? 1000 : 2 }, (_, i) => ({ nmID: nth * 1000 + i + 1 }))
            }
          }),
        (area) => Stream.runCount(area.items(scope, {}, order))
      )
      assert.strictEqual(yield* pages, 1002)
      for (const nothing of [null, { data: null }, {}]) {
        const count = on(
          () => json(nothing),
          (area) => Stream.runCount(Stream.merge(area.items(scope, {}, order), area.groups(scope, {}, order)))
        )
        assert.strictEqual(yield* count, 0)
      }
    })
  )

  it.effect("of groups keeps only the asked items in them", () =>
    on(
      () =>
        json({
          data: {
            groups: [{ subjectID: 7, subjectName: "Shoes", metrics, items: [{ nmID: 1 }, { nmID: 2 }] }]
          }
        }),
      (area, { sent }) =>
        Effect.gen(function* () {
          const groups = yield* Stream.runCollect(
            area.groups(scope, { items: [item(1)], subjectIds: [7] }, order)
          )
          const [group] = [...groups]
          assert.deepStrictEqual(
            group?.items.map(({ itemId }) => itemId),
            [item(1)]
          )
          assert.deepStrictEqual(field(sent[0], "subjectIDs"), [7])
        })
    )
  )

  it.effect("asks for no day that is not kept, and for nothing when none is left (A18)", () =>
    on(
      () => json(null),
      (area, { sent }) =>
        Effect.gen(function* () {
          const days = (from: string, to: string) => ({ ...scope, days: { from: Day(from), to: Day(to) } })
          yield* Stream.runDrain(area.items(days("2026-01-01", "2026-12-31"), {}, order))
          assert.deepStrictEqual(field(sent[0], "currentPeriod"), { start: "2026-08-21", end: "2026-11-21" })
          const error = yield* Effect.flip(area.regions(days("2026-01-01", "2026-02-01"), {}))
          assert.match(
            error.message,
            /nothing is kept for 2026-01-01 to 2026-02-01; ask for days from 2026-08-21/
          )
          assert.lengthOf(sent, 1)
        })
    )
  )
})

describe("the stock report of sizes and regions", () => {
  const sort = order.sort

  it.effect("an item without sizes is asked with its warehouses, one with sizes as wanted (A19)", () =>
    on(
      () => ({ status: 200, body: "" }),
      (area, { sent }) =>
        Effect.gen(function* () {
          for (const [hasSizes, withOffices] of [
            [false, false],
            [true, false],
            [true, true]
          ] as const) {
            const found = yield* area.sizes({ itemId: item(1), hasSizes, withOffices }, scope, sort)
            assert.deepStrictEqual(found, { offices: [], sizes: [] })
          }
          assert.deepStrictEqual(
            sent.map((one) => field(one, "includeOffice")),
            [true, false, true]
          )
        })
    )
  )

  it.effect("the seller's own warehouses go by either name, aggregates are no warehouses (A14)", () =>
    on(
      () =>
        json({
          data: {
            offices: [
              { regionName: "Свой склад", officeID: 0, officeName: "" },
              { regionName: "Маркетплейс", officeID: 5, officeName: "" },
              { regionName: "All of it", officeID: -999_999, officeName: "" },
              { regionName: "Centre", officeID: 12, officeName: "North" }
            ],
            sizes: [{ name: "42", chrtID: 5, metrics: { stockCount: 1 } }]
          }
        }),
      (area) =>
        Effect.gen(function* () {
          const found = yield* area.sizes({ itemId: item(1), hasSizes: true, withOffices: true }, scope, sort)
          assert.deepStrictEqual(
            found.offices.map(({ place }) => place),
            [
              { _tag: "seller" },
              { _tag: "seller" },
              { _tag: "aggregate" },
              { _tag: "warehouse", id: 12, name: "North" }
            ]
          )
          assert.deepStrictEqual(
            found.sizes.map(({ metrics, name }) => [name, metrics?.stock]),
            [["42", 1]]
          )
        })
    )
  )

  it.effect("a region without offices is an aggregate, which no regional decision may rest on (A14)", () =>
    on(
      () =>
        json({
          data: {
            regions: [
              { regionName: "Centre", offices: [{ officeID: 12, officeName: "North" }] },
              { regionName: "Свой склад", offices: [] },
              { regionName: "All of it", offices: null, metrics: { stockCount: 9 } }
            ]
          }
        }),
      (area) =>
        Effect.gen(function* () {
          const regions = yield* area.regions(scope, {})
          assert.deepStrictEqual(
            regions.map(({ kind }) => kind),
            ["region", "seller", "aggregate"]
          )
        })
    )
  )
})

describe("codes in place of numbers", () => {
  it("are never taken for numbers, in hours, days or losses (A17)", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }), (value) => {
        for (const read of [Sentinels.hours(value), Sentinels.lost(value), Sentinels.lostSum(value)]) {
          if (read?._tag === "Known") assert.isAtLeast(read.value, 0)
        }
        if (value >= 0) assert.deepStrictEqual(Sentinels.hours(value), { _tag: "Known", value })
        assert.deepStrictEqual(Sentinels.duration({ days: 0, hours: value }), Sentinels.hours(value))
      })
    )
    assert.deepStrictEqual(Sentinels.hours(-5), { _tag: "NotComputed" })
    assert.deepStrictEqual(Sentinels.duration({ days: -1, hours: 0 }), { _tag: "NotComputed" })
    assert.isUndefined(Sentinels.duration({}))
  })
})

describe("the days that are kept", () => {
  it("are clipped to a part of what was asked, never widened, whatever is asked", () => {
    const day = fc.integer({ min: -500, max: 500 }).map((n) => shift(Day("2026-03-31"), n))
    fc.assert(
      fc.property(day, day, day, (from, to, today) => {
        const clipped = Reach.clipMonths({ from, to }, today)
        if (Either.isLeft(clipped)) return
        assert.isTrue(clipped.right.from >= from && clipped.right.to <= to)
        assert.isTrue(clipped.right.from <= clipped.right.to && clipped.right.to <= today)
        assert.isTrue(clipped.right.from >= Reach.monthsBefore(today, 3))
      })
    )
  })

  it("go back three months by the calendar", () => {
    assert.strictEqual(Reach.monthsBefore(Day("2026-05-31"), 3), Day("2026-02-28"))
    assert.strictEqual(Reach.monthsBefore(Day("2026-01-15"), 3), Day("2025-10-15"))
    assert.strictEqual(Reach.monthsBefore(Day("2028-02-29"), 12), Day("2027-02-28"))
  })
})
