/** What is read for the board of orders. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { assert } from "vitest"
import { BoardSource } from "../../src/engine/planning/BoardSource.js"
import * as BoardReader from "../../src/marketplace/fulfilment/BoardReader.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { PackingTables } from "../../src/services/ports/PackingTables.js"
import { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import { json, type Reply, type Sent, withMarketplace } from "../services/FakeMarketplace.js"

const dayMs = 86_400_000
const nowMs = Date.parse("2026-11-20T10:00:00Z")

/** A marketplace where these orders, by days of age, are to be shipped again. */
const leftOver =
  (ages: Readonly<Record<number, number>>) =>
  ({ url }: Sent): Reply => {
    const ids = Object.keys(ages).map(Number)
    switch (url.pathname) {
      case "/api/v3/orders/new":
        return json({ orders: [] })
      case "/api/v3/supplies":
        return json({ next: 0, supplies: [] })
      case "/api/v3/supplies/orders/reshipment":
        return json({ orders: ids.map((orderID) => ({ orderID, supplyID: "PLATFORM-GI-1" })) })
      case "/api/v3/orders/status":
        return json({
          orders: ids.map((id) => ({ id, supplierStatus: "complete", platformStatus: "waiting" }))
        })
      default: {
        const [from = 0, to = 0] = ["dateFrom", "dateTo"].map((name) => Number(url.searchParams.get(name)))
        const orders = ids.flatMap((id) => {
          const createdMs = nowMs - ages[id]! * dayMs
          return createdMs >= from * 1000 && createdMs < to * 1000
            ? [{ id, createdAt: new Date(createdMs).toISOString(), supplyId: "PLATFORM-GI-1" }]
            : []
        })
        return json({ next: 0, orders })
      }
    }
  }

const waiting = (ages: Readonly<Record<number, number>>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowMs)
    return yield* withMarketplace(leftOver(ages), ({ client, sent }) =>
      Effect.gen(function* () {
        const source = yield* BoardSource
        const looked = yield* source.look({ reshipments: true, passes: false, statusesOf: [] })
        const lists = sent.filter(({ url }) => url.pathname === "/api/v3/orders").length
        return looked._tag === "Board"
          ? {
              ids: looked.board.waiting.map(({ orderId }) => Number(orderId)),
              failures: looked.failures,
              lists
            }
          : { ids: [], failures: [looked.failure], lists }
      }).pipe(
        Effect.provide(BoardReader.layer),
        Effect.provideService(MarketplaceClient, client),
        Effect.provideService(SupplyOrders, {
          list: () => Effect.succeed([]),
          append: (_account, _supplyId, sorted) => Effect.succeed(sorted)
        }),
        Effect.provideService(PackingTables, { packerOf: () => Effect.succeed(undefined) }),
        Effect.provideService(OrderEvents, { record: () => Effect.void, of: () => Effect.succeed([]) })
      )
    )
  })

it.effect("finds orders to ship again as far back as orders are listed, and no further than it has to", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* waiting({ 501: 3 }), { ids: [501], failures: [], lists: 1 })
    assert.deepStrictEqual(yield* waiting({ 501: 3, 502: 35, 503: 80 }), {
      ids: [501, 502, 503],
      failures: [],
      lists: 4
    })
    assert.deepStrictEqual((yield* waiting({ 501: 3, 504: 200 })).ids, [501])
  })
)
