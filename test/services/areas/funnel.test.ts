import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId } from "../../../src/domain/Ids.js"
import { Kopecks } from "../../../src/domain/Money.js"
import * as Funnel from "../../../src/services/areas/analytics/Funnel.js"
import { type Fake, json, type Reply, type Sent, withMarketplace } from "../FakeMarketplace.js"

const item = (n: number) => ItemId.make(n)
const noon = Date.parse("2026-11-21T12:00:00+03:00")
const week = { from: Day("2026-11-14"), to: Day("2026-11-20") }

const on = <A, E>(reply: (body: Body, nth: number) => Reply, use: (fake: Fake) => Effect.Effect<A, E>) =>
  withMarketplace(
    (sent, nth) => reply(bodyOf(sent), nth),
    (fake) => Effect.zipRight(TestClock.setTime(noon), use(fake))
  )

interface Body {
  readonly selectedPeriod: { readonly start: string; readonly end: string }
  readonly pastPeriod?: { readonly start: string; readonly end: string }
  readonly nmIds?: ReadonlyArray<number>
  readonly offset?: number
}
const bodyOf = (sent: Sent | undefined) => sent?.body as Body

const record = (nmId: number) => ({
  product: {
    nmId,
    title: "Boots",
    vendorCode: "B-1",
    brandName: "Bidhelm",
    subjectId: 7,
    subjectName: "Shoes",
    tags: [{ id: 3, name: "sale" }],
    productRating: 9.5,
    feedbackRating: 4.8,
    stocks: { platform: 12, mp: 5, balanceSum: 34000 }
  },
  statistic: {
    selected: {
      period: { start: "2026-11-14", end: "2026-11-20" },
      openCount: 400,
      cartCount: 30,
      orderCount: 12,
      orderSum: 24500,
      buyoutCount: 6,
      buyoutSum: 12000,
      cancelCount: 1,
      cancelSum: 2000,
      avgPrice: 2041,
      avgOrdersCountPerDay: 1.71,
      shareOrderPercent: 20,
      addToWishlist: 9,
      timeToReady: { days: 1, hours: 2, mins: 3 },
      localizationPercent: 100,
      platformClub: { orderCount: 4, orderSum: 8000, buyoutPercent: 50, avgOrderCountPerDay: 0.5 },
      conversions: { addToCartPercent: 8, cartToOrderPercent: 40, buyoutPercent: 86 }
    }
  }
})

const products = (ids: ReadonlyArray<number>) =>
  json({ data: { products: ids.map(record), currency: "RUB" } })

const collect = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.map(Stream.runCollect(stream), (rows) => [...rows])

describe("items of the funnel", () => {
  it.effect("come in the seller's words, money in minor units, rates as whole percent (A01, A08)", () =>
    on(
      () => products([1001]),
      ({ client }) =>
        Effect.map(collect(Funnel.make(client).products({ days: week })), ([row]) => {
          assert.deepInclude(row, { itemId: item(1001), brand: "Bidhelm", subjectId: 7, currency: "RUB" })
          assert.deepStrictEqual(row?.stock, { platform: 12, seller: 5, valueKopecks: Kopecks(3_400_000) })
          assert.deepInclude(row?.current, {
            opens: 400,
            carts: 30,
            orders: 12,
            orderSumKopecks: Kopecks(2_450_000),
            openToCartPercent: 8,
            readyMinutes: 26 * 60 + 3,
            days: week
          })
          assert.strictEqual(row?.current?.club?.orders, 4)
        })
    )
  )

  it.effect("have no time until they are ready where none is told, which is not zero", () =>
    on(
      () => json({ data: { products: [{ ...record(1001), statistic: { selected: { timeToReady: {} } } }] } }),
      ({ client }) =>
        Effect.map(collect(Funnel.make(client).products({ days: week })), ([row]) =>
          assert.deepInclude(row?.current, { readyMinutes: undefined, opens: undefined })
        )
    )
  )

  it.effect("have no comparison without a past period, which is not zero (A12)", () =>
    on(
      () => products([1001]),
      ({ client, sent }) =>
        Effect.map(collect(Funnel.make(client).products({ days: week })), ([row]) => {
          assert.isUndefined(bodyOf(sent[0]).pastPeriod)
          assert.isUndefined(row?.past)
          assert.isUndefined(row?.changes)
        })
    )
  )

  it.effect("send the past period when a comparison is asked, and tell the answered one (A02)", () =>
    on(
      () =>
        json({
          data: {
            products: [
              {
                ...record(1001),
                statistic: {
                  ...record(1001).statistic,
                  past: { period: { start: "2026-11-08", end: "2026-11-13" }, orderCount: 10 },
                  comparison: { orderCountDynamic: 20, conversions: { buyoutPercent: -3 } }
                }
              }
            ]
          }
        }),
      ({ client, sent }) =>
        Effect.map(collect(Funnel.make(client).products({ days: week, compare: "preceding" })), ([row]) => {
          assert.deepStrictEqual(bodyOf(sent[0]).pastPeriod, { start: "2026-11-07", end: "2026-11-13" })
          assert.deepStrictEqual(row?.past?.days, { from: Day("2026-11-08"), to: Day("2026-11-13") })
          assert.strictEqual(row?.changes?.ordersPercent, 20)
          assert.strictEqual(row?.changes?.rates.buyoutPercent, -3)
        })
    )
  )

  it.effect(
    "clip a period to 365 days back, move the past one with it, and refuse what lies beyond (A02)",
    () =>
      on(
        () => products([]),
        ({ client, sent }) =>
          Effect.gen(function* () {
            const { products: read } = Funnel.make(client)
            yield* collect(
              read({ days: { from: Day("2025-01-01"), to: Day("2025-11-30") }, compare: "preceding" })
            )
            assert.deepStrictEqual(bodyOf(sent[0]).selectedPeriod, { start: "2025-11-21", end: "2025-11-30" })
            assert.deepStrictEqual(bodyOf(sent[0]).pastPeriod, { start: "2025-11-21", end: "2025-11-30" })
            const error = yield* Effect.flip(
              collect(read({ days: { from: Day("2025-01-01"), to: Day("2025-01-31") } }))
            )
            assert.lengthOf(sent, 1)
            assert.include(error.message, "2025-11-21 to 2026-11-21")
          })
      )
  )

  it.effect("are walked by offset, an item that comes twice once", () =>
    on(
      ({ offset }) =>
        products(offset === 0 ? Array.from({ length: 1000 }, (_, i) => i + 1) : [1000, 1001, 1002]),
      ({ client, sent }) =>
        Effect.map(collect(Funnel.make(client).products({ days: week })), (rows) => {
          assert.deepStrictEqual(
            sent.map((one) => bodyOf(one).offset),
            [0, 1000]
          )
          assert.lengthOf(rows, 1002)
        })
    )
  )

  it.effect("are those that were asked for, even if everything is answered (A16)", () =>
    on(
      () => products([1001, 1002, 1003]),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { products: read } = Funnel.make(client)
          const rows = yield* collect(read({ days: week, items: [item(1002)] }))
          assert.deepStrictEqual(
            rows.map(({ itemId }) => itemId),
            [item(1002)]
          )
          assert.deepStrictEqual(yield* collect(read({ days: week, items: [] })), [])
          assert.lengthOf(sent, 1)
        })
    )
  )

  it.effect.each([[{ data: {} }], [{ data: null }], [{}], [null], [{ data: { products: null } }]] as const)(
    "are none where the answer is %j (A12)",
    ([body]) =>
      on(
        () => json(body),
        ({ client }) =>
          Effect.map(collect(Funnel.make(client).products({ days: week })), (rows) =>
            assert.deepStrictEqual(rows, [])
          )
      )
  )
})

const entry = (nmId: number, ...dates: ReadonlyArray<string>) => ({
  product: {
    nmId,
    title: "Boots",
    vendorCode: "B-1",
    brandName: "Bidhelm",
    subjectId: 7,
    subjectName: "Shoes"
  },
  history: dates.map((date) => ({ date, openCount: 10, cartCount: 3, orderCount: 4, orderSum: 900 })),
  currency: "RUB"
})

describe("histories", () => {
  const ids = Array.from({ length: 45 }, (_, i) => item(i + 1))

  it.effect(
    "are a bare array, read 20 items at a time, with plain days that end yesterday (A03, A04, A05)",
    () =>
      on(
        ({ nmIds = [] }) => json(nmIds.map((id) => entry(id, "2026-11-15", "2026-11-14"))),
        ({ client, sent }) =>
          Effect.map(
            Funnel.make(client).history({
              days: { from: Day("2026-11-01"), to: Day("2026-11-21") },
              items: ids
            }),
            ({ days, failures, foreign, values }) => {
              assert.deepStrictEqual(days, week)
              assert.deepStrictEqual(
                sent.map((one) => bodyOf(one).nmIds?.length),
                [20, 20, 5]
              )
              assert.lengthOf(values, 45)
              assert.deepStrictEqual(
                values[0]?.rows.map(({ day }) => day),
                [Day("2026-11-14"), Day("2026-11-15")]
              )
              // Carts may be fewer than orders (A07): both stay as they came.
              assert.deepInclude(values[0]?.rows[0], {
                carts: 3,
                orders: 4,
                orderSumKopecks: Kopecks(90_000)
              })
              assert.deepStrictEqual([failures, foreign], [[], 0])
            }
          )
      )
  )

  it.effect("lose only the item that the marketplace does not know (A03)", () =>
    on(
      ({ nmIds = [] }) =>
        nmIds.includes(13)
          ? json({ detail: "unknown nmId" }, 400)
          : json(nmIds.map((id) => entry(id, "2026-11-15"))),
      ({ client, sent }) =>
        Effect.map(Funnel.make(client).history({ days: week, items: ids }), ({ failures, values }) => {
          assert.deepStrictEqual(
            failures.map(({ keys, error }) => [keys, error._tag]),
            [[[item(13)], "Refused"]]
          )
          assert.lengthOf(values, 44)
          assert.isAtMost(sent.length, 3 + Funnel.mostBisections)
        })
    )
  )

  it.effect("spend a bounded number of calls where everything is refused, and name every item", () =>
    on(
      () => json({ detail: "excess limit on days" }, 400),
      ({ client, sent }) =>
        Effect.map(Funnel.make(client).history({ days: week, items: ids }), ({ failures, values }) => {
          assert.deepStrictEqual(values, [])
          assert.isAtMost(sent.length, 3 + Funnel.mostBisections)
          const named = failures.flatMap(({ keys }) => keys)
          assert.deepStrictEqual(
            [...named].sort((a, b) => a - b),
            ids
          )
        })
    )
  )

  it.effect("are not cut in halves when the marketplace fails or the token is refused", () =>
    on(
      () => ({ status: 403, body: "{}" }),
      ({ client, sent }) =>
        Effect.map(Funnel.make(client).history({ days: week, items: ids.slice(0, 20) }), ({ failures }) => {
          assert.lengthOf(sent, 1)
          assert.strictEqual(failures[0]?.error._tag, "Forbidden")
        })
    )
  )

  it.effect("leave out and count items that were not asked for (A16)", () =>
    on(
      () => json([entry(1, "2026-11-15"), entry(99, "2026-11-15"), { history: null }]),
      ({ client }) =>
        Effect.map(Funnel.make(client).history({ days: week, items: [item(1)] }), ({ foreign, values }) => {
          assert.deepStrictEqual(
            values.map(({ itemId }) => itemId),
            [item(1)]
          )
          assert.strictEqual(foreign, 2)
        })
    )
  )

  it.effect("of a day the calendar does not have are refused unsent", () =>
    on(
      () => json([]),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const day = Day("2026-11-31")
          const payload = { selectedPeriod: { start: day, end: day }, nmIds: [item(1)] }
          const error = yield* Effect.flip(client.api.funnel.getFunnelProductHistory({ payload }))
          assert.strictEqual(error._tag, "Refused")
          assert.include(error.message, '"2026-11-31" is not a day')
          assert.lengthOf(sent, 0)
        })
    )
  )

  it.effect("of days beyond the last week are refused unsent, with the days that can be had (A03)", () =>
    on(
      () => json([]),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(
            Funnel.make(client).history({
              days: { from: Day("2026-11-21"), to: Day("2026-11-21") },
              items: [item(1)]
            })
          )
          assert.include(error.message, "2026-11-14 to 2026-11-20")
          assert.lengthOf(sent, 0)
        })
    )
  )

  it.effect("of groups are wrapped in data, and their product fields may be 0 or empty (A04)", () =>
    on(
      () =>
        json({
          data: [
            {
              product: {
                nmId: 0,
                title: "",
                vendorCode: "",
                brandName: "Bidhelm",
                subjectId: 0,
                subjectName: ""
              },
              history: [{ date: "2026-11-15", openCount: 10, buyoutPercent: 80, addToWishlistCount: 2 }],
              currency: "RUB"
            }
          ]
        }),
      ({ client }) =>
        Effect.map(Funnel.make(client).groups({ days: week, brands: ["Bidhelm"] }), ({ groups }) => {
          assert.deepInclude(groups[0], { brand: "Bidhelm", subjectId: undefined, title: undefined })
          assert.deepInclude(groups[0]?.rows[0], {
            day: Day("2026-11-15"),
            opens: 10,
            buyoutPercent: 80,
            wishlistAdds: 2
          })
        })
    )
  )

  it.effect("of more than 16 groups are refused unsent", () =>
    on(
      () => json({ data: [] }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { groups } = Funnel.make(client)
          const error = yield* Effect.flip(
            groups({ days: week, brands: ["a", "b", "c", "d", "e"], subjectIds: [1, 2, 3, 4] })
          )
          assert.include(error.message, "20 groups")
          assert.lengthOf(sent, 0)
          yield* groups({ days: week, brands: ["a", "b", "c", "d"], subjectIds: [1, 2, 3, 4] })
          assert.lengthOf(sent, 1)
        })
    )
  )
})

describe("rates", () => {
  test("come from counts, and nothing comes of nothing", () => {
    assert.deepStrictEqual(Funnel.rates({ opens: 200, carts: 30, orders: 12, buyouts: 3 }), {
      openToCartPercent: 15,
      cartToOrderPercent: 40,
      buyoutPercent: 25
    })
    assert.deepStrictEqual(Funnel.rates({ opens: 0, carts: 0 }), {
      openToCartPercent: undefined,
      cartToOrderPercent: undefined,
      buyoutPercent: undefined
    })
  })

  test("are percent for any counts that are in order", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), (a, b) => {
        const { openToCartPercent } = Funnel.rates({ opens: Math.max(a, b), carts: Math.min(a, b) })
        assert.isTrue(openToCartPercent === undefined || (openToCartPercent >= 0 && openToCartPercent <= 100))
      })
    )
  })
})

test("a day is settled 30 days later, because buyouts are booked on the order day (A06)", () => {
  const today = Day("2026-11-21")
  assert.isFalse(Funnel.settled(Day("2026-11-20"), today))
  assert.isFalse(Funnel.settled(Day("2026-10-23"), today))
  assert.isTrue(Funnel.settled(Day("2026-10-22"), today))
})
