import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { assert, describe, test } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import * as Supplies from "../../../src/services/areas/supplies/Supplies.js"
import * as SupplyRecords from "../../../src/services/areas/supplies/SupplyRecords.js"
import { effectOf } from "../../../src/services/MarketplaceError.js"
import { json, withPermit } from "../FakeMarketplace.js"
import { hurried, on, other, refusal, supplyId, writes } from "./OneSupply.js"

describe("a supply", () => {
  it.effect("is read in the seller's words", () =>
    on(
      {
        "GET /PLATFORM-GI-1001": json({
          id: supplyId,
          name: "Boots",
          done: true,
          createdAt: "2026-11-20T10:00:00Z",
          closedAt: "2026-11-20T13:30:00+03:00",
          scanDt: null,
          cargoType: 2,
          crossBorderType: 1,
          isB2b: false,
          isPickupPointShipmentAllowed: true,
          destinationOfficeId: 15,
          recommendedWhId: 507,
          shippingDt: "2026-11-22",
          shippingPointId: 44,
          shippingType: "transportCompany",
          waybillUuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
          spotAvailable: true,
          surprise: 1
        })
      },
      ({ client }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* Supplies.make(client).details(supplyId), {
            supplyId,
            name: "Boots",
            closed: true,
            createdAtMs: Date.parse("2026-11-20T10:00:00Z"),
            closedAtMs: Date.parse("2026-11-20T10:30:00Z"),
            scannedAtMs: undefined,
            cargo: { _tag: "oversize" },
            crossBorder: true,
            b2b: false,
            pickupPointAllowed: true,
            destinationOfficeId: 15,
            recommendedWarehouseId: 507,
            shipping: {
              method: { _tag: "transportCompany" },
              day: Day("2026-11-22"),
              pointId: 44,
              waybillUuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
              spotAvailable: true
            }
          })
        })
    )
  )

  it.effect(
    "whose answer names no list of orders is not empty: nobody knows what is in it; null is none (O08)",
    () =>
      Effect.forEach(
        [
          [{}, "unreadable"],
          [{ status: 400, title: "bad request" }, "unreadable"],
          [{ orderIds: null }, 0],
          [{ orderIds: [5, 5, 6] }, 2]
        ] as const,
        ([answered, expected]) =>
          on({ "GET /order-ids": json(answered) }, ({ client }) =>
            Effect.map(Effect.either(Supplies.make(client).orderIds(supplyId)), (read) =>
              assert.strictEqual(Either.isRight(read) ? read.right.length : "unreadable", expected)
            )
          )
      )
  )

  test("that is empty has no kinds: 0 and null are not a cargo and not domestic (O29)", () => {
    const empty = SupplyRecords.fromWire({ id: supplyId, done: false, cargoType: 0, recommendedWhId: 0 })
    assert.isUndefined(empty.cargo)
    assert.isUndefined(empty.crossBorder)
    assert.isUndefined(empty.b2b)
    assert.isUndefined(empty.recommendedWarehouseId)
    assert.isUndefined(empty.shipping.method)
  })

  test("of a kind that is not known keeps it as text (T19)", () => {
    const { cargo, shipping } = SupplyRecords.fromWire({
      id: other,
      cargoType: 9,
      shippingType: "drone",
      shippingDt: "soon"
    })
    assert.deepStrictEqual(cargo, { _tag: "unknown", text: "9" })
    assert.deepStrictEqual(shipping.method, { _tag: "unknown", text: "drone" })
    assert.isUndefined(shipping.day)
  })

  it.effect("is listed once, on whatever page and however often it comes (O01)", () =>
    on(
      {
        "GET /supplies": ({ url }) =>
          url.searchParams.get("next") === "0"
            ? json({ next: 5, supplies: [{ id: "PLATFORM-GI-1" }, { id: "PLATFORM-GI-2" }] })
            : json({ next: 5, supplies: [{ id: "PLATFORM-GI-1" }, { id: "PLATFORM-GI-3" }] })
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          assert.lengthOf([...(yield* Stream.runCollect(Supplies.make(client).list))], 3)
          assert.lengthOf(sent, 2)
          assert.strictEqual(sent[0]?.url.searchParams.get("limit"), "1000")
        })
    )
  )

  it.effect.each([[{ next: null, supplies: null }], [{ next: 0, supplies: [] }]])(
    "list that says %j holds none",
    ([body]) =>
      on({ "GET /supplies": json(body) }, ({ client }) =>
        Effect.gen(function* () {
          assert.lengthOf([...(yield* Stream.runCollect(Supplies.make(client).list))], 0)
        })
      )
  )

  it.effect.each([[null], [{}], [{ next: 0 }]])(
    "list that is not named in %j is not taken for an empty one",
    ([body]) =>
      on({ "GET /supplies": json(body) }, ({ client }) =>
        Effect.gen(function* () {
          const read = yield* Effect.either(Stream.runCollect(Supplies.make(client).list))
          assert.strictEqual(read._tag === "Left" && read.left._tag, "Undecodable")
        })
      )
  )

  it.effect("is made with a name of 1 to 128 characters; another name never leaves", () =>
    on({ "POST /supplies": json({ id: supplyId }, 201) }, ({ client, sent }) =>
      Effect.gen(function* () {
        const { create } = Supplies.make(client)
        assert.strictEqual(yield* withPermit(create("x".repeat(128))), supplyId)
        for (const name of ["", "x".repeat(129)]) {
          const refused = yield* Effect.flip(withPermit(create(name)))
          assert.include(refused.message, "not sent")
        }
        assert.lengthOf(sent, 1)
      })
    )
  )

  it.effect("with orders is not deleted, and the marketplace is not even asked (T09)", () =>
    on(
      {
        "GET /PLATFORM-GI-1001": json({ id: supplyId, done: false }),
        "GET /order-ids": json({ orderIds: [1, 2, 2] })
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(withPermit(Supplies.make(client).delete(supplyId)))
          assert.include(refused.message, "holds 2 orders")
          assert.lengthOf(writes(sent), 0)
        })
    )
  )

  it.effect(
    "whose deletion got no answer and does not show yet is not deleted again: its outcome stays unknown",
    () =>
      hurried(
        on(
          {
            "GET /order-ids": json({ orderIds: null }),
            "DELETE /PLATFORM-GI-1001": { status: 503 },
            "GET /PLATFORM-GI-1001": json({ id: supplyId })
          },
          ({ client, sent }) =>
            Effect.gen(function* () {
              const error = yield* Effect.flip(withPermit(Supplies.make(client).delete(supplyId)))
              assert.strictEqual(effectOf(error), "unknown")
              assert.lengthOf(writes(sent), 1)
            })
        )
      )
  )

  it.effect("whose deletion got no answer counts as deleted once it is not found", () =>
    hurried(
      on(
        {
          "GET /order-ids": json({ orderIds: null }),
          "DELETE /PLATFORM-GI-1001": { status: 503 },
          "GET /PLATFORM-GI-1001": (_, nth) => (nth === 0 ? json({ id: supplyId }) : refusal(404, "NotFound"))
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            yield* withPermit(Supplies.make(client).delete(supplyId))
            assert.lengthOf(writes(sent), 1)
          })
      )
    )
  )
})
