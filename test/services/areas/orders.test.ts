import { it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId, OrderId, SupplyId } from "../../../src/domain/Ids.js"
import * as OrderDates from "../../../src/services/areas/orders/OrderDates.js"
import * as OrderRecords from "../../../src/services/areas/orders/OrderRecords.js"
import * as Orders from "../../../src/services/areas/orders/Orders.js"
import { Refused } from "../../../src/services/MarketplaceError.js"
import * as Pages from "../../../src/services/Pages.js"
import { type Fake, json, type Reply, type Sent, withMarketplace, withPermit } from "../FakeMarketplace.js"

const order = (n: number) => OrderId.make(n)
const day = 86_400_000

/** Runs against a marketplace that answers with one value, or by the request. */
const on = <A, E>(
  reply: ((sent: Sent, nth: number) => Reply) | Readonly<Record<string, unknown>> | null,
  use: (fake: Fake) => Effect.Effect<A, E>
) => withMarketplace(typeof reply === "function" ? reply : () => json(reply), use)

const idsOf = (body: unknown): ReadonlyArray<number> => (body as { orders: ReadonlyArray<number> }).orders

const wireOrder = {
  id: 5001,
  rid: "a1b2.c3",
  orderUid: "basket-1",
  article: "BOOT-42",
  nmId: 1001,
  chrtId: 91,
  skus: ["2000000000017"],
  warehouseId: 33,
  officeId: 507,
  offices: ["North"],
  createdAt: "2026-11-20T08:15:30Z",
  price: 149900,
  convertedPrice: 14990,
  currencyCode: 643,
  convertedCurrencyCode: 933,
  scanPrice: null,
  cargoType: 2,
  crossBorderType: 1,
  deliveryType: "fbs",
  isZeroOrder: true,
  options: { isB2B: false },
  comment: "call first",
  colorCode: "RAL 3017",
  address: { fullAddress: "Main street 1", longitude: 37.6, latitude: "" }
}

describe("new orders", () => {
  it.effect("carry labels, prices with their currency, and days each by its own format", () =>
    on(
      {
        orders: [
          {
            ...wireOrder,
            finalPrice: 139900,
            convertedFinalPrice: 13990,
            salePrice: null,
            isPickupPointShipmentAllowed: true,
            requiredMeta: ["uin"],
            optionalMeta: null,
            ddate: "17.12.2026",
            sellerDate: null
          }
        ]
      },
      ({ client }) =>
        Effect.map(Orders.make(client).new, ([first]) => {
          assert.deepInclude(first, {
            orderId: order(5001),
            srid: "a1b2.c3",
            basketId: "basket-1",
            itemId: ItemId.make(1001),
            createdAtMs: Date.UTC(2026, 10, 20, 8, 15, 30),
            price: { minorUnits: 149900, currencyCode: 643 },
            convertedPrice: { minorUnits: 14990, currencyCode: 933 },
            finalPrice: { minorUnits: 139900, currencyCode: 643 },
            salePrice: undefined,
            scanPriceMinorUnits: undefined,
            cargo: { _tag: "oversize" },
            crossBorder: true,
            zeroStock: true,
            requiredLabels: ["uin"],
            optionalLabels: [],
            deliveryDay: Day("2026-12-17"),
            sellerDay: undefined,
            address: { text: "Main street 1", longitude: 37.6, latitude: undefined }
          })
        })
    )
  )

  it.effect("may hold nothing but an id", () =>
    on(
      { orders: [{ id: 5001, offices: null, address: null, requiredMeta: null, surprise: [1] }] },
      ({ client }) =>
        Effect.map(Orders.make(client).new, ([first]) => {
          assert.deepInclude(first, {
            orderId: order(5001),
            offices: [],
            address: undefined,
            price: undefined,
            requiredLabels: [],
            barcodes: [],
            cargo: { _tag: "unknown", text: undefined },
            crossBorder: undefined,
            createdAtMs: undefined
          })
        })
    )
  )

  it.effect.each<Reply>([
    { status: 204 },
    { status: 200, body: "null" },
    { status: 200, body: "" },
    json({}),
    json({ orders: null }),
    json({ orders: [] })
  ])("are none when the answer is %j", (reply) =>
    on(
      () => reply,
      ({ client }) => Effect.map(Orders.make(client).new, (orders) => assert.deepStrictEqual(orders, []))
    )
  )

  it.effect("keep a cargo type that is not known as its text", () =>
    on({ orders: [{ id: 5001, cargoType: 9, crossBorderType: 4 }] }, ({ client }) =>
      Effect.map(Orders.make(client).new, ([first]) =>
        assert.deepInclude(first, { cargo: { _tag: "unknown", text: "9" }, crossBorder: undefined })
      )
    )
  )
})

describe("orders of a period", () => {
  const from = Date.UTC(2026, 8, 1)

  it.effect("are asked for in unix seconds, in windows of 29 days that overlap, and come once", () =>
    on(
      ({ url }) => json({ next: 0, orders: [{ id: 1 }, { id: Number(url.searchParams.get("dateFrom")) }] }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const orders = yield* Stream.runCollect(Orders.make(client).between(from, from + 60 * day))
          const windows = sent.map(({ url }) => ({
            dateFrom: Number(url.searchParams.get("dateFrom")),
            dateTo: Number(url.searchParams.get("dateTo"))
          }))
          assert.deepStrictEqual(windows, [...Orders.windows(from, from + 60 * day)])
          assert.lengthOf(windows, 3)
          assert.strictEqual(windows[0]?.dateFrom, from / 1000)
          assert.strictEqual(windows[2]?.dateTo, (from + 60 * day) / 1000)
          assert.lengthOf(Chunk.toReadonlyArray(orders), 4)
        })
    )
  )

  test("windows cover the whole period, none longer than 29 days, each an hour into the one before", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000_000_000_000 }),
        fc.integer({ min: 0, max: 400 * day }),
        (fromMs, lengthMs) => {
          const windows = Orders.windows(fromMs, fromMs + lengthMs)
          assert.isAtMost(windows[0]!.dateFrom * 1000, fromMs)
          assert.isAtLeast(windows.at(-1)!.dateTo * 1000, fromMs + lengthMs)
          for (const [i, { dateFrom, dateTo }] of windows.entries()) {
            assert.isAtMost(dateTo - dateFrom, 29 * 86_400)
            assert.isAtLeast(dateTo, dateFrom)
            if (i > 0) assert.strictEqual(windows[i - 1]!.dateTo - dateFrom, 3600)
          }
        }
      )
    )
    assert.deepStrictEqual(Orders.windows(2000, 0), [])
  })

  it.effect("have the supply they are in, also one whose id has a form of its own", () =>
    on(
      {
        next: null,
        orders: [
          { id: 1, supplyId: "PLATFORM-GI-12" },
          { id: 2, supplyId: "" },
          { id: 3, supplyId: "X7" }
        ]
      },
      ({ client }) =>
        Effect.map(Stream.runCollect(Orders.make(client).between(from, from + day)), (orders) =>
          assert.deepStrictEqual(
            [...orders].map(({ supplyId }) => supplyId as string | undefined),
            ["PLATFORM-GI-12", undefined, "X7"]
          )
        )
    )
  )

  const refused = (urlParams: object) =>
    on({ orders: [] }, ({ client, sent }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          client.read("listOrders", { urlParams: { limit: 10, next: 0, ...urlParams } })
        )
        assert.strictEqual(error._tag, "Refused")
        assert.lengthOf(sent, 0)
        return error.message
      })
    )

  it.effect("are not asked for with more than 30 days, with milliseconds, or backwards", () =>
    Effect.gen(function* () {
      const seconds = from / 1000
      assert.match(
        yield* refused({ dateFrom: seconds, dateTo: seconds + 30 * 86_400 + 1 }),
        /more than 30 days/
      )
      assert.match(yield* refused({ dateFrom: seconds, dateTo: seconds - 1 }), /is after/)
      yield* refused({ dateFrom: from, dateTo: from + day })
      yield* refused({ limit: 1001 })
      yield* refused({ next: -1 })
    })
  )
})

describe("a walk by cursor", () => {
  const pages = (answers: ReadonlyArray<Pages.Page<number>>) => {
    const asked: Array<number> = []
    const rows = Pages.walk(
      (next) =>
        Effect.sync(() => {
          asked.push(next)
          return answers[asked.length - 1] ?? { next: undefined, rows: [] }
        }),
      (row) => row
    )
    return Effect.map(Stream.runCollect(rows), (found) => ({ asked, rows: [...found] }))
  }

  it.effect.each([
    ["null", [{ next: undefined, rows: [3] }]],
    ["0", [{ next: 0, rows: [3] }]],
    ["the same", [{ next: 7, rows: [3] }]],
    [
      "one that was asked before",
      [
        { next: 8, rows: [3] },
        { next: 7, rows: [] }
      ]
    ],
    ["new, but the page is empty", [{ next: 9, rows: [] }]]
  ] as const)("ends when the cursor is %s", ([, rest]) =>
    Effect.map(pages([{ next: 7, rows: [1, 2] }, ...rest, { next: 99, rows: [99] }]), ({ asked, rows }) => {
      assert.notInclude(rows, 99)
      assert.deepStrictEqual(asked.slice(0, 2), [0, 7])
      assert.lengthOf(asked, 1 + rest.length)
    })
  )

  it.effect("goes round a circle of cursors once", () =>
    Effect.map(
      pages([
        { next: 7, rows: [1] },
        { next: 8, rows: [2] },
        { next: 7, rows: [3] },
        { next: 8, rows: [4] }
      ]),
      ({ asked, rows }) => {
        assert.deepStrictEqual(asked, [0, 7, 8])
        assert.deepStrictEqual(rows, [1, 2, 3])
      }
    )
  )

  it.effect("hands on each key once, and starts afresh when it is run again", () =>
    Effect.gen(function* () {
      const rows = Pages.walk(
        (next) => Effect.succeed({ next: next === 0 ? 5 : undefined, rows: [1, 2, 2] }),
        (row) => row
      )
      for (const _ of [1, 2]) assert.deepStrictEqual([...(yield* Stream.runCollect(rows))], [1, 2])
    })
  )

  it.effect("stops at its cap when no end ever comes", () =>
    Effect.map(
      Stream.runCount(
        Pages.walk(
          (next) => Effect.succeed({ next: next + 1, rows: [next] }),
          (row) => row
        )
      ),
      (count) => assert.strictEqual(count, Pages.mostPages)
    )
  )
})

describe("statuses", () => {
  it.effect("are asked in batches of 1000, and an order that is left out is missing, not cancelled", () =>
    on(
      ({ body }) =>
        json({
          orders: idsOf(body)
            .filter((id) => id !== 7)
            .map((id) => ({ id, supplierStatus: "confirm", platformStatus: "waiting", isCancellable: true }))
        }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 1500 }, (_, i) => order(i + 1))
          const { failures, missing, values } = yield* Orders.make(client).statuses([...ids, order(1)])
          assert.deepStrictEqual(
            sent.map(({ body }) => idsOf(body).length),
            [1000, 500]
          )
          assert.lengthOf(values, 1499)
          assert.deepStrictEqual(missing, [order(7)])
          assert.deepStrictEqual(failures, [])
          assert.deepStrictEqual(values[0], {
            orderId: order(1),
            supplier: { _tag: "confirm" },
            platform: { _tag: "waiting" },
            cancellable: true
          })
        })
    )
  )

  it.effect("of a refused batch are failures, not missing", () =>
    on(
      () => ({ status: 400 }),
      ({ client }) =>
        Effect.map(Orders.make(client).statuses([order(1)]), ({ failures, missing }) => {
          assert.deepStrictEqual(missing, [])
          assert.deepStrictEqual(failures[0]?.keys, [order(1)])
        })
    )
  )

  const state = (supplier: string, platform: string) => ({
    supplier: OrderRecords.supplierStatus(supplier),
    platform: OrderRecords.platformStatus(platform)
  })

  test.each([
    ["complete", "sold"],
    ["complete", "canceled_by_client"],
    ["new", "declined_by_client"],
    ["cancel", "canceled"],
    ["cancel", "waiting"],
    ["cancel_carrier", "canceled_by_carrier"],
    ["complete", "defect"]
  ])("%s and %s are final", (supplier, platform) => {
    assert.isTrue(OrderRecords.isFinal(state(supplier, platform)))
  })

  test.each([
    ["new", "waiting"],
    ["confirm", "waiting"],
    ["complete", "sorted"],
    ["complete", "ready_for_pickup"],
    ["complete", "postponed_delivery"],
    ["complete", "accepted_by_carrier"],
    ["complete", "sent_to_carrier"]
  ])("%s and %s are open", (supplier, platform) => {
    assert.isFalse(OrderRecords.isFinal(state(supplier, platform)))
  })

  test("a sticker can be had in assembly and in delivery only", () => {
    const possible = ["new", "confirm", "complete", "cancel", "cancel_carrier", "later"].filter((supplier) =>
      OrderRecords.hasSticker(state(supplier, "waiting"))
    )
    assert.deepStrictEqual(possible, ["confirm", "complete"])
  })

  test("any code that is not known is kept as text and leaves the order open", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const surprise = `x${text}`
        assert.deepStrictEqual(OrderRecords.platformStatus(surprise), { _tag: "unknown", text: surprise })
        assert.isFalse(OrderRecords.isFinal(state("complete", surprise)))
        assert.isFalse(OrderRecords.isFinal(state(surprise, "sold")))
      })
    )
  })
})

describe("reshipment", () => {
  it.effect("names orders and their old supplies by our names", () =>
    on({ orders: [{ supplyID: "PLATFORM-GI-9", orderID: 5 }] }, ({ client }) =>
      Effect.map(Orders.make(client).reshipment, (rows) =>
        assert.deepStrictEqual(rows, [{ orderId: order(5), supplyId: SupplyId.make("PLATFORM-GI-9") }])
      )
    )
  )
})

describe("cancelling", () => {
  it.effect("is one PATCH without a body, and 204 is success", () =>
    on(
      () => ({ status: 204 }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          yield* withPermit(Orders.make(client).cancel(order(5001)))
          assert.deepInclude(sent[0], { method: "PATCH", body: undefined })
          assert.strictEqual(sent[0]?.url.pathname, "/api/v3/orders/5001/cancel")
        })
    )
  )

  it.effect.each([
    ["cancel", true],
    ["complete", false],
    ["cancel_carrier", false]
  ] as const)("that meets a 409 while the order is in %s: success is %s", ([supplierStatus, success]) =>
    on(
      ({ method }) =>
        method === "PATCH"
          ? json({ code: "StatusMismatch", message: "moved" }, 409)
          : json({ orders: [{ id: 5001, supplierStatus }] }),
      ({ buckets, client, sent }) =>
        Effect.gen(function* () {
          const orders = Orders.make(client)
          const refusal = yield* Effect.flip(withPermit(orders.cancel(order(5001))))
          assert.deepInclude(refusal, { _tag: "Refused", status: 409, code: "StatusMismatch" })
          assert.strictEqual(yield* orders.isCancelled(order(5001), refusal), success)
          assert.lengthOf(sent, 2)
          assert.deepInclude(buckets[0], { limitGroup: "marketplace.cancel", cost4xx: 10 })
        })
    )
  )

  it.effect("whose outcome is unknown is looked for, not guessed (T16)", () =>
    on(
      ({ method }) =>
        method === "PATCH"
          ? { status: 503, body: "" }
          : json({ orders: [{ id: 5001, supplierStatus: "cancel" }] }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const orders = Orders.make(client)
          const failure = yield* Effect.flip(withPermit(orders.cancel(order(5001))))
          assert.strictEqual(failure._tag, "Unavailable")
          assert.isTrue(yield* orders.isCancelled(order(5001), failure))
          assert.lengthOf(sent, 2)
        })
    )
  )

  it.effect("another refusal is not success, and nothing is asked for it", () =>
    on(null, ({ client, sent }) =>
      Effect.gen(function* () {
        const refusal = new Refused({
          operation: "cancelOrder",
          status: 404,
          text: "",
          retryAfterMs: undefined,
          arrived: "yes"
        })
        assert.isFalse(yield* Orders.make(client).isCancelled(order(1), refusal))
        assert.lengthOf(sent, 0)
      })
    )
  )
})

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("stickers", () => {
  it.effect("come as bytes; orders without one, or without a file, are missing", () =>
    on(
      {
        stickers: [
          { orderId: 1, partA: "123", partB: "4567", barcode: "*C1", file: base64("<svg/>") },
          { orderId: 2, file: "" },
          { orderId: 3, file: "§ no base64" },
          { orderId: 99, file: base64("not asked for") }
        ]
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = [order(1), order(2), order(3), order(4)]
          const { missing, values } = yield* Orders.makeStickers(client).stickers(ids, "svg", "40x30")
          assert.strictEqual(sent[0]?.url.search, "?type=svg&width=40&height=30")
          assert.deepStrictEqual(missing, [order(2), order(3), order(4)])
          assert.lengthOf(values, 1)
          assert.deepInclude(values[0], { orderId: order(1), partA: "123", partB: "4567", barcode: "*C1" })
          assert.strictEqual(Buffer.from(values[0]!.file).toString(), "<svg/>")
        })
    )
  )

  it.effect("are asked by 100", () =>
    on({ stickers: null }, ({ client, sent }) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 101 }, (_, i) => order(i + 1))
        const { missing } = yield* Orders.makeStickers(client).stickers(ids, "png", "58x40")
        assert.deepStrictEqual(
          sent.map(({ body }) => idsOf(body).length),
          [100, 1]
        )
        assert.deepStrictEqual(missing, ids)
      })
    )
  )

  it.effect("of a size that does not exist are not asked for", () =>
    on(null, ({ client, sent }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          client.read("getOrderStickers", {
            urlParams: { type: "png", width: 58, height: 30 },
            payload: { orders: [1] }
          })
        )
        assert.match(error.message, /58x30 does not exist; allowed are 58x40 and 40x30/)
        assert.lengthOf(sent, 0)
      })
    )
  )

  it.effect("a missing customs declaration fails the call with its code", () =>
    on(
      () => json({ code: "CustomsDeclarationIsRequired", message: "no" }, 409),
      ({ client }) =>
        Effect.map(Orders.makeStickers(client).stickers([order(1)], "png", "58x40"), ({ failures }) =>
          assert.deepInclude(failures[0]?.error, { _tag: "Refused", code: "CustomsDeclarationIsRequired" })
        )
    )
  )
})

describe("cross-border stickers", () => {
  const ready = (orderId: number) => ({ orderId, status: "ready", parcelId: "P1", file: base64("%PDF-1.4") })
  const awaiting = (orderId: number) => ({ orderId, status: "awaitingTrackNumber", parcelId: "", file: "" })

  it.effect("are awaiting until there is a file, whatever the status says", () =>
    on(
      { stickers: [ready(1), awaiting(2), { ...ready(3), file: "" }, { ...ready(4), status: "later" }] },
      ({ client }) =>
        Effect.gen(function* () {
          const ids = [1, 2, 3, 4, 5].map(order)
          const once = { firstMs: 1, longestMs: 1, patienceMs: 0 }
          const { missing, values } = yield* Orders.makeStickers(client).crossBorderUntilReady(ids, once)
          assert.deepStrictEqual(
            values.map(({ _tag }) => _tag),
            ["ready", "awaiting", "awaiting", "awaiting"]
          )
          assert.deepStrictEqual(missing, [order(5)])
          for (const value of values) if (value._tag === "ready") assert.isAbove(value.file.byteLength, 0)
        })
    )
  )

  const pauses = { firstMs: 1000, longestMs: 4000, patienceMs: 60_000 }

  it.effect("are asked again with growing pauses, only those that are awaiting", () =>
    on(
      ({ body }, nth) =>
        json({ stickers: idsOf(body).map((id) => (id === 2 && nth < 4 ? awaiting(id) : ready(id))) }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(
            Orders.makeStickers(client).crossBorderUntilReady([order(1), order(2)], pauses)
          )
          const asked: Array<number> = []
          for (const _ of Array.from({ length: 12 })) {
            yield* TestClock.adjust(1000)
            asked.push(sent.length)
          }
          assert.deepStrictEqual(asked, [2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5])
          const { values } = yield* Fiber.join(fiber)
          assert.deepStrictEqual(
            sent.map(({ body }) => idsOf(body)),
            [[1, 2], [2], [2], [2], [2]]
          )
          assert.deepStrictEqual(
            values.map(({ _tag, orderId }) => [orderId, _tag]),
            [
              [order(1), "ready"],
              [order(2), "ready"]
            ]
          )
        })
    )
  )

  it.effect("are handed back as awaiting when patience ends", () =>
    on({ stickers: [awaiting(1)] }, ({ client }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(
          Orders.makeStickers(client).crossBorderUntilReady([order(1)], pauses)
        )
        yield* TestClock.adjust(pauses.patienceMs)
        const { values } = yield* Fiber.join(fiber)
        assert.deepStrictEqual(values, [{ _tag: "awaiting", orderId: order(1) }])
      })
    )
  )
})

describe("history", () => {
  it.effect("has codes in lower case, also unknown ones, and steps without a date", () =>
    on(
      {
        orders: [
          {
            orderID: 5,
            deliveryDate: "2026-11-25T10:00:00+03:00",
            statuses: [
              { code: "CREATED", date: "2026-11-20T08:00:00Z" },
              { code: "lost_in_Space", date: null }
            ]
          },
          { orderID: 6, statuses: null }
        ]
      },
      ({ client }) =>
        Effect.map(Orders.make(client).history([order(5), order(6), order(7)]), ({ missing, values }) => {
          assert.deepStrictEqual(values, [
            {
              orderId: order(5),
              deliveryAtMs: Date.UTC(2026, 10, 25, 7),
              steps: [
                { code: "created", atMs: Date.UTC(2026, 10, 20, 8) },
                { code: "lost_in_space", atMs: undefined }
              ]
            },
            { orderId: order(6), deliveryAtMs: undefined, steps: [] }
          ])
          assert.deepStrictEqual(missing, [order(7)])
        })
    )
  )
})

describe("dates", () => {
  test("a date-time without an offset is Moscow time", () => {
    assert.strictEqual(OrderDates.instant("2026-11-20T12:00:00"), Date.UTC(2026, 10, 20, 9))
    assert.strictEqual(
      OrderDates.instant("2026-11-20T12:00:00.123456789Z"),
      Date.UTC(2026, 10, 20, 12, 0, 0, 123)
    )
    assert.strictEqual(OrderDates.instant("2026-11-20T12:00:00+03:00"), Date.UTC(2026, 10, 20, 9))
  })

  test.each(["", "2026-11-20", "2026-02-30T00:00:00Z", "20.11.2026", "soon", undefined])(
    "%s is no instant",
    (text) => assert.isUndefined(OrderDates.instant(text))
  )

  test("an archive date that is a date-time counts by its Moscow day", () => {
    assert.strictEqual(OrderDates.archiveDay("2026-06-03T22:00:00Z"), Day("2026-06-04"))
    assert.isUndefined(OrderDates.archiveDay("2026-06-31"))
  })

  test("days with dots are read and written alike, and only real ones", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), (n) => {
        const text = new Date(n * day).toISOString().slice(0, 10)
        assert.strictEqual(OrderDates.dottedDay(OrderDates.dotted(Day(text))), Day(text))
      })
    )
    for (const wrong of ["31.02.2026", "1.2.2026", "2026-02-01", "00.01.2026", "01.13.2026"]) {
      assert.isUndefined(OrderDates.dottedDay(wrong))
    }
  })
})
