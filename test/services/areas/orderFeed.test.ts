import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId, SizeId } from "../../../src/domain/Ids.js"
import { Kopecks } from "../../../src/domain/Money.js"
import * as OrderFeed from "../../../src/services/areas/analytics/OrderFeed.js"
import { type Fake, json, type Reply, type Sent, withMarketplace } from "../FakeMarketplace.js"

const item = (n: number) => ItemId.make(n)
const noon = Date.parse("2026-11-21T12:00:00+03:00")
const days = { from: Day("2026-11-14"), to: Day("2026-11-20") }

interface Body {
  readonly selectedPeriod: { readonly start: string; readonly end: string }
  readonly nmIds?: ReadonlyArray<number>
  readonly pagination: { readonly offset: number; readonly limit: number; readonly snapshotTime?: string }
}
const bodyOf = (sent: Sent | undefined) => sent?.body as Body

const on = <A, E>(reply: (body: Body, nth: number) => Reply, use: (fake: Fake) => Effect.Effect<A, E>) =>
  withMarketplace(
    (sent, nth) => reply(bodyOf(sent), nth),
    (fake) => Effect.zipRight(TestClock.setTime(noon), use(fake))
  )

const wire = {
  nmId: 1001,
  chrtId: 91,
  srid: "a.1",
  /** Without an offset it is Moscow time (T13). */
  createdAt: "2026-11-14T12:00:00",
  updatedAt: "2026-11-15T12:00:00+03:00",
  status: "created",
  warehouseName: "Platform",
  warehouseRegion: "",
  isMp: false,
  destinationCity: "Kazan",
  destinationDistrict: "Volga",
  sellerPrice: 1499.9,
  isB2b: false
}
const feed = (orders: unknown, more: object = { snapshotTime: "2026-11-21T11:59:58+03:00" }) =>
  json({ data: { currency: "RUB", orders, ...more } })
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...wire, srid: `s${from + i}` }))

describe("the order feed", () => {
  it.effect("tells each unit in the seller's words; an unknown code keeps its text (A10)", () =>
    on(
      () =>
        feed([
          wire,
          { ...wire, srid: "a.2", status: "cancel", cancelType: "receipt", isMp: true },
          { ...wire, srid: "a.3", status: "teleported", cancelType: "bored" },
          { ...wire, srid: "a.4", chrtId: null, sellerPrice: null, updatedAt: "soon", status: null },
          { ...wire, srid: null }
        ]),
      ({ client }) =>
        Effect.map(OrderFeed.make(client).read({ days }), ([plain, cancelled, strange, sparse, ...rest]) => {
          assert.deepStrictEqual(rest, [])
          assert.deepInclude(plain, {
            srid: "a.1",
            itemId: item(1001),
            sizeId: SizeId.make(91),
            orderedAt: Date.parse("2026-11-14T09:00:00Z"),
            updatedAt: Date.parse("2026-11-15T09:00:00Z"),
            cancelType: undefined,
            sellerFulfilled: false,
            warehouseRegion: undefined,
            priceKopecks: Kopecks(149_990)
          })
          assert.strictEqual(plain?.status._tag, "created")
          assert.deepInclude(cancelled, { cancelType: { _tag: "receipt" }, sellerFulfilled: true })
          assert.deepStrictEqual(strange?.status, { _tag: "unknown", text: "teleported" })
          assert.deepStrictEqual(strange?.cancelType, { _tag: "unknown", text: "bored" })
          assert.isFalse(strange !== undefined && OrderFeed.isFinal(strange))
          assert.isTrue(cancelled !== undefined && OrderFeed.isFinal(cancelled))
          assert.deepInclude(sparse, { sizeId: undefined, priceKopecks: undefined, updatedAt: undefined })
        })
    )
  )

  it.effect("is read page by page of the snapshot that the first answer named (A09)", () =>
    on(
      ({ pagination }, nth) =>
        pagination.offset === 0
          ? feed(many(0, OrderFeed.pageSize))
          : feed(many(OrderFeed.pageSize, 3), { snapshotTime: `another-${nth}` }),
      ({ client, sent }) =>
        Effect.map(OrderFeed.make(client).read({ days }), (rows) => {
          assert.deepStrictEqual(
            sent.map((one) => bodyOf(one).pagination),
            [
              { offset: 0, limit: 10_000 },
              { offset: 10_000, limit: 10_000, snapshotTime: "2026-11-21T11:59:58+03:00" }
            ]
          )
          assert.deepStrictEqual(bodyOf(sent[0]).selectedPeriod, bodyOf(sent[1]).selectedPeriod)
          assert.lengthOf(rows, 10_003)
        })
    )
  )

  it.effect("stops rather than read shifting pages when no snapshot is named", () =>
    on(
      () => feed(many(0, OrderFeed.pageSize), {}),
      ({ client, sent }) =>
        Effect.map(Effect.flip(OrderFeed.make(client).read({ days })), (error) => {
          assert.strictEqual(error._tag, "Undecodable")
          assert.lengthOf(sent, 1)
        })
    )
  )

  it.effect("covers Moscow days, the last of them up to now", () =>
    on(
      () => feed([]),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { read } = OrderFeed.make(client)
          yield* read({ days })
          yield* read({ days: { from: Day("2026-11-21"), to: Day("2026-11-30") } })
          assert.deepStrictEqual(
            sent.map((one) => bodyOf(one).selectedPeriod),
            [
              { start: "2026-11-14T00:00:00+03:00", end: "2026-11-21T00:00:00+03:00" },
              { start: "2026-11-21T00:00:00+03:00", end: "2026-11-21T12:00:00+03:00" }
            ]
          )
        })
    )
  )

  it.effect(
    "is clipped to the last 31 days, cut into windows from the oldest on, each with its own snapshot",
    () =>
      on(
        ({ selectedPeriod }) =>
          feed([{ ...wire, updatedAt: selectedPeriod.start, status: "cancel" }], {
            snapshotTime: selectedPeriod.end
          }),
        ({ client, sent }) =>
          Effect.map(
            OrderFeed.make(client).read({
              days: { from: Day("2026-01-01"), to: Day("2026-11-21") },
              windowDays: 20
            }),
            (rows) => {
              assert.deepStrictEqual(
                sent.map((one) => [bodyOf(one).selectedPeriod.start, bodyOf(one).pagination.snapshotTime]),
                [
                  ["2026-10-22T00:00:00+03:00", undefined],
                  ["2026-11-11T00:00:00+03:00", undefined]
                ]
              )
              // The unit came in both windows: its newer row stays.
              assert.deepStrictEqual(
                rows.map(({ srid, updatedAt }) => [srid, updatedAt]),
                [["a.1", Date.parse("2026-11-11T00:00:00+03:00")]]
              )
            }
          )
      )
  )

  it.effect("is refused unsent for days that it cannot hold", () =>
    on(
      () => feed([]),
      ({ client, sent }) =>
        Effect.map(
          Effect.flip(
            OrderFeed.make(client).read({ days: { from: Day("2026-09-01"), to: Day("2026-09-30") } })
          ),
          (error) => {
            assert.strictEqual(error._tag, "Refused")
            assert.include(error.message, "2026-10-22 to 2026-11-21")
            assert.lengthOf(sent, 0)
          }
        )
    )
  )

  it.effect("leaves out rows of items that were not asked for (A16)", () =>
    on(
      () => feed([wire, { ...wire, srid: "a.9", nmId: 1009 }]),
      ({ client }) =>
        Effect.map(Stream.runCollect(OrderFeed.make(client).rows({ days, items: [item(1001)] })), (rows) => {
          assert.deepStrictEqual(
            [...rows].map(({ srid }) => srid),
            ["a.1"]
          )
        })
    )
  )

  it.effect.each([[{ data: {} }], [{ data: null }], [{}], [null], [{ data: { orders: null } }]] as const)(
    "is empty where the answer is %j",
    ([body]) =>
      on(
        () => json(body),
        ({ client }) =>
          Effect.map(OrderFeed.make(client).read({ days }), (rows) => assert.deepStrictEqual(rows, []))
      )
  )
})

describe("the latest rows", () => {
  const row = (srid: string, updatedAt: number | undefined): OrderFeed.OrderRow => ({
    srid,
    itemId: item(1001),
    sizeId: undefined,
    orderedAt: undefined,
    updatedAt,
    status: { _tag: "created" },
    cancelType: undefined,
    sellerFulfilled: undefined,
    warehouse: undefined,
    warehouseRegion: undefined,
    city: undefined,
    district: undefined,
    priceKopecks: undefined,
    business: undefined,
    currency: undefined
  })
  const rows = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(100)), { maxLength: 40 })

  test("are one per unit, the newest, in whatever order they came (A10)", () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (pairs, shuffle) => {
        const given = pairs.map(([srid, at]) => row(srid, at))
        const shuffled = given
          .map((one) => ({ one, at: shuffle.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one)
        const latest = OrderFeed.latest(given)
        assert.deepStrictEqual(OrderFeed.latest(shuffled), latest)
        assert.deepStrictEqual(OrderFeed.latest([...latest, ...given]), latest)
        for (const { srid, updatedAt } of latest) {
          const all = given.filter((one) => one.srid === srid).map((one) => one.updatedAt ?? 0)
          assert.strictEqual(updatedAt, Math.max(...all))
        }
        assert.lengthOf(latest, new Set(given.map(({ srid }) => srid)).size)
      })
    )
  })

  test("are never those without a time where another has one", () => {
    assert.deepStrictEqual(OrderFeed.latest([row("a", 5), row("a", undefined)]), [row("a", 5)])
  })
})
