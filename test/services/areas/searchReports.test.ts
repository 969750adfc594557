import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId } from "../../../src/domain/Ids.js"
import { Kopecks } from "../../../src/domain/Money.js"
import * as PaidPlan from "../../../src/services/areas/analytics/PaidPlan.js"
import * as SearchReports from "../../../src/services/areas/analytics/SearchReports.js"
import { type Fake, json, type Reply, type Sent, withMarketplace } from "../FakeMarketplace.js"

const item = (n: number) => ItemId.make(n)
const noon = Date.parse("2026-11-21T12:00:00+03:00")
const week = { from: Day("2026-11-14"), to: Day("2026-11-20") }

interface Body {
  readonly period: { readonly start: string; readonly end: string }
  readonly currentPeriod: { readonly start: string; readonly end: string }
  readonly pastPeriod?: { readonly start: string; readonly end: string }
  readonly nmIds?: ReadonlyArray<number>
  readonly searchTexts: ReadonlyArray<string>
  readonly limit: number
  readonly offset: number
}
const bodyOf = (sent: Sent | undefined) => sent?.body as Body

const on = <A, E>(reply: (body: Body) => Reply, use: (fake: Fake) => Effect.Effect<A, E>) =>
  withMarketplace(
    (sent) => reply(bodyOf(sent)),
    (fake) => Effect.zipRight(TestClock.setTime(noon), use(fake))
  )

const collect = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.map(Stream.runCollect(stream), (rows) => [...rows])

const metrics = {
  avgPosition: { current: 12, dynamics: -8 },
  openCard: { current: 300 },
  addToCart: { current: 40 },
  openToCart: { current: 13 },
  orders: { current: 9, dynamics: 50 },
  cartToOrder: { current: 22 },
  visibility: { current: 61, dynamics: 2 }
}
const found = (nmId: number, more: object = {}) => ({
  nmId,
  name: "Boots",
  vendorCode: "B-1",
  subjectName: "Shoes",
  brandName: "Bidhelm",
  isAdvertised: true,
  isSubstitutedSKU: false,
  isCardRated: true,
  rating: 9.2,
  feedbackRating: 4.6,
  price: { minPrice: 1490, maxPrice: 1999 },
  ...metrics,
  ...more
})
const absent = { current: undefined, changePercent: undefined }

describe("the search report", () => {
  it.effect("tells positions, visibility and groups in the seller's words (A01)", () =>
    on(
      () =>
        json({
          data: {
            commonInfo: {
              supplierRating: { current: 4.7 },
              advertisedProducts: { current: 3 },
              totalProducts: 20
            },
            positionInfo: {
              average: { current: 14, dynamics: 5 },
              median: { current: 0, dynamics: 100 },
              chartItems: [
                { dt: "2026-11-14", average: 12, median: 10 },
                { dt: "2026-11-15", average: 0, median: 0 }
              ],
              clusters: { firstHundred: { current: 15 } }
            },
            visibilityInfo: {
              visibility: { current: 40 },
              openCard: { current: 700 },
              byDay: [{ dt: "2026-11-14", visibility: 41, open: 90 }]
            },
            groups: [{ subjectId: 7, subjectName: "Shoes", metrics, items: [found(1001), found(1002)] }],
            currency: "RUB"
          }
        }),
      ({ client }) =>
        Effect.map(SearchReports.make(client).report({ days: week, items: [item(1001)] }), (report) => {
          assert.deepStrictEqual(report.position, { current: 14, changePercent: 5 })
          // 0 is no first place but no shows (A13).
          assert.deepStrictEqual(report.medianPosition, absent)
          assert.deepStrictEqual(report.positions[1], {
            day: Day("2026-11-15"),
            average: undefined,
            median: undefined
          })
          assert.deepStrictEqual(report.byDay, [{ day: Day("2026-11-14"), visibilityPercent: 41, opens: 90 }])
          assert.deepStrictEqual(report.byMonth, [])
          assert.deepStrictEqual(report.clusters.below, absent)
          assert.deepInclude(report.groups[0], { subjectId: 7, brand: undefined })
          // Only the item that was asked for (A16).
          assert.deepStrictEqual(
            report.groups[0]?.items.map(({ itemId }) => itemId),
            [item(1001)]
          )
        })
    )
  )

  it.effect.each([[{ data: {} }], [{ data: null }], [{}], [null]] as const)(
    "holds nothing, not zeros, where the answer is %j (A12)",
    ([body]) =>
      on(
        () => json(body),
        ({ client }) =>
          Effect.gen(function* () {
            const reports = SearchReports.make(client)
            const report = yield* reports.report({ days: week })
            assert.deepInclude(report, { position: absent, totalItems: undefined, groups: [], byDay: [] })
            assert.deepStrictEqual(yield* collect(reports.groups({ days: week, brands: ["Bidhelm"] })), [])
            assert.deepStrictEqual(yield* collect(reports.details({ days: week })), [])
            const texts = yield* reports.texts({ days: week, items: [item(1001)], top: "orders" })
            assert.deepStrictEqual(texts, { values: [], failures: [], foreign: 0 })
            const orders = yield* reports.orders({ days: week, item: item(1001), texts: ["кеды"] })
            assert.deepStrictEqual(orders, { days: week, texts: [], total: [], failures: [] })
          })
      )
  )

  it.effect("is not asked for an empty list of items, which would mean all of them (A16)", () =>
    on(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const reports = SearchReports.make(client)
          for (const ask of [
            reports.report({ days: week, items: [] }),
            collect(reports.groups({ days: week, items: [], brands: ["Bidhelm"] }))
          ]) {
            const error = yield* Effect.flip<unknown, SearchReports.Failure, never>(ask)
            assert.include(error.message, "no item is named")
          }
          assert.deepStrictEqual(yield* collect(reports.details({ days: week, items: [] })), [])
          assert.lengthOf(sent, 0)
        })
    )
  )

  it.effect("refuses unsent what the marketplace would refuse", () =>
    on(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { groups, report } = SearchReports.make(client)
          const neither = yield* Effect.flip(report({ days: week, substituted: false, searchTexts: false }))
          assert.include(neither.message, "must not both be false")
          const longer = yield* Effect.flip(
            report({ days: week, compare: { from: Day("2026-10-01"), to: Day("2026-10-31") } })
          )
          assert.include(longer.message, "pastPeriod has 31 days")
          const unfiltered = yield* Effect.flip(collect(groups({ days: week })))
          assert.include(unfiltered.message, "without one there are no groups")
          assert.lengthOf(sent, 0)
          yield* report({ days: week, substituted: false })
          assert.lengthOf(sent, 1)
        })
    )
  )
})

describe("without the paid plan", () => {
  const refused = json({ detail: "Requires a subscription", status: 403 }, 403)

  it.effect("every report tells so, once, with the marketplace's words (A11)", () =>
    on(
      () => refused,
      ({ client, sent }) =>
        Effect.gen(function* () {
          const reports = SearchReports.make(client)
          const ids = Array.from({ length: 120 }, (_, i) => item(i + 1))
          const texts = Array.from({ length: 70 }, (_, i) => `text ${i}`)
          const asks = [
            reports.report({ days: week }),
            collect(reports.groups({ days: week, brands: ["Bidhelm"] })),
            collect(reports.details({ days: week, items: ids })),
            reports.texts({ days: week, items: ids, top: "orders" }),
            reports.orders({ days: week, item: item(1), texts })
          ]
          for (const ask of asks) {
            const error = yield* Effect.flip<unknown, SearchReports.Failure, never>(ask)
            assert.strictEqual(error._tag, "PlanMissing")
            assert.include(error.message, "Requires a subscription")
          }
          assert.lengthOf(sent, asks.length)
        })
    )
  )

  it.effect("the absence is a value for who goes on without the report", () =>
    on(
      () => refused,
      ({ client }) =>
        Effect.map(PaidPlan.orAbsent(SearchReports.make(client).report({ days: week })), (outcome) => {
          assert.strictEqual(outcome._tag, "PlanMissing")
          assert.isTrue(outcome._tag === "PlanMissing" && outcome.reason === "absent")
        })
    )
  )

  it.effect("other refusals stay what they are", () =>
    on(
      () => json({ detail: "bad period" }, 400),
      ({ client }) =>
        Effect.map(
          Effect.flip(PaidPlan.orAbsent(SearchReports.make(client).report({ days: week }))),
          (error) => assert.strictEqual(error._tag, "Refused")
        )
    )
  )
})

describe("items in search", () => {
  it.effect("are a stream of pages, every field optional (A12, A13)", () =>
    on(
      ({ offset }) =>
        json({
          data: {
            products:
              offset === 0
                ? Array.from({ length: 1000 }, (_, i) => ({ nmId: i + 1 }))
                : [{ nmId: 1000 }, found(1001), found(1002, { avgPosition: { current: 0, dynamics: 0 } })]
          }
        }),
      ({ client, sent }) =>
        Effect.map(
          collect(SearchReports.make(client).details({ days: week, compare: "preceding" })),
          (rows) => {
            assert.lengthOf(rows, 1002)
            assert.lengthOf(sent, 2)
            assert.deepStrictEqual(bodyOf(sent[1]).pastPeriod, { start: "2026-11-07", end: "2026-11-13" })
            assert.deepInclude(rows[0], { name: undefined, position: absent, minPriceKopecks: undefined })
            assert.deepInclude(rows[1000], {
              itemId: item(1001),
              position: { current: 12, changePercent: -8 },
              opens: { current: 300, changePercent: undefined },
              minPriceKopecks: Kopecks(149_000),
              advertised: true
            })
            assert.deepStrictEqual(rows[1001]?.position, absent)
          }
        )
    )
  )
})

describe("search texts", () => {
  const row = (nmId: number, text: string) => ({
    text,
    nmId,
    frequency: { current: 900, dynamics: 10 },
    weekFrequency: 210,
    medianPosition: { current: 8 },
    avgPosition: { current: 0 },
    openCard: { current: 5, dynamics: 1, percentile: 70 },
    cartToOrder: { current: 20, percentile: null },
    visibility: { current: 33 }
  })

  it.effect("come 50 items and 30 texts at a time, 100 where the plan is said to allow it (A11)", () =>
    on(
      ({ nmIds = [] }) => json({ data: { items: [...nmIds, 9999].map((id) => row(id, "кеды")) } }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 60 }, (_, i) => item(i + 1))
          const { foreign, values } = yield* SearchReports.make(client).texts({
            days: week,
            items: ids,
            top: "orders"
          })
          assert.lengthOf(values, 60)
          assert.strictEqual(foreign, 2)
          assert.deepInclude(values[0], {
            text: "кеды",
            searchesPerWeek: 210,
            searches: { current: 900, changePercent: 10 },
            position: absent,
            opens: { current: 5, changePercent: 1, percentile: 70 }
          })
          assert.isUndefined(values[0]?.cartToOrderPercent.percentile)
          yield* SearchReports.make(client, { textsPerCall: 100 }).texts({
            days: week,
            items: ids.slice(0, 1),
            top: "openCard"
          })
          assert.deepStrictEqual(
            sent.map((one) => [bodyOf(one).nmIds?.length, bodyOf(one).limit]),
            [
              [50, 30],
              [10, 30],
              [1, 100]
            ]
          )
        })
    )
  )
})

describe("orders by search text", () => {
  const answer = ({ period, searchTexts }: Body) =>
    json({
      data: {
        total: [{ dt: period.start, avgPosition: 4, orders: 7 }],
        items: searchTexts.map((text) => ({
          text,
          frequency: 50,
          dateItems: [
            { dt: period.start, avgPosition: 3, orders: 2 },
            { dt: period.end, avgPosition: 0, orders: 0 }
          ]
        }))
      }
    })

  it.effect("take windows of seven days, joined by text", () =>
    on(answer, ({ client, sent }) =>
      Effect.map(
        SearchReports.make(client).orders({
          days: { from: Day("2026-11-01"), to: Day("2026-11-20") },
          item: item(1001),
          texts: ["кеды", "boots", "кеды"]
        }),
        ({ failures, texts, total }) => {
          assert.deepStrictEqual(
            sent.map((one) => Object.values(bodyOf(one).period)),
            [
              ["2026-11-01", "2026-11-07"],
              ["2026-11-08", "2026-11-14"],
              ["2026-11-15", "2026-11-20"]
            ]
          )
          assert.deepStrictEqual(bodyOf(sent[0]).searchTexts, ["кеды", "boots"])
          assert.deepStrictEqual(failures, [])
          assert.lengthOf(texts, 2)
          assert.deepStrictEqual(
            texts[0]?.rows.map(({ day }) => day),
            ["2026-11-01", "2026-11-07", "2026-11-08", "2026-11-14", "2026-11-15", "2026-11-20"].map((d) =>
              Day(d)
            )
          )
          // Position 0 is no shows (A13); the orders stay.
          assert.deepStrictEqual(texts[0]?.rows[1], {
            day: Day("2026-11-07"),
            position: undefined,
            orders: 0
          })
          assert.lengthOf(total ?? [], 3)
        }
      )
    )
  )

  it.effect("take 30 texts a call; sums of several calls are not joined, and a failed window is named", () =>
    on(
      (body) => (body.searchTexts.includes("text 65") ? json({ detail: "no" }, 400) : answer(body)),
      ({ client, sent }) =>
        Effect.map(
          SearchReports.make(client).orders({
            days: week,
            item: item(1001),
            texts: Array.from({ length: 70 }, (_, i) => `text ${i}`)
          }),
          ({ failures, texts, total }) => {
            assert.deepStrictEqual(
              sent.map((one) => bodyOf(one).searchTexts.length),
              [30, 30, 10]
            )
            assert.lengthOf(texts, 60)
            assert.isUndefined(total)
            assert.deepStrictEqual(failures[0]?.keys[0], { text: "text 60", days: week })
          }
        )
    )
  )
})
