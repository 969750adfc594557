import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import * as Units from "../../../src/services/areas/supplies/Units.js"
import { effectOf } from "../../../src/services/MarketplaceError.js"
import { json, withPermit } from "../FakeMarketplace.js"
import { hurried, on, supplyId, unit, writes } from "./OneSupply.js"

describe("shipping units", () => {
  const open = json({ id: supplyId, done: false, isPickupPointShipmentAllowed: true })
  const tenOrders = json({ orderIds: Array.from({ length: 10 }, (_, i) => i + 1) })

  test("are at most half of the orders", () => {
    assert.deepStrictEqual([0, 1, 2, 10, 20, 21, 100].map(Units.mostUnits), [0, 0, 1, 5, 10, 10, 50])
    fc.assert(
      fc.property(fc.nat(10_000), (orders) => {
        assert.isAtMost(2 * Units.mostUnits(orders), orders)
        assert.isAbove(2 * (Units.mostUnits(orders) + 1), orders)
      })
    )
  })

  it.effect("are added up to that bound, counting those there are (O22)", () =>
    on(
      {
        "GET /PLATFORM-GI-1001": open,
        "GET /order-ids": tenOrders,
        "GET /trbx": (_, nth) =>
          json({ trbxes: [{ id: unit(1) }, ...(nth < 4 ? [] : [{ id: unit(2) }, { id: unit(3) }])] }),
        "POST /trbx": json({ trbxIds: [unit(2)] }, 201)
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { add } = Units.make(client)
          const { added, surplus } = yield* withPermit(add(supplyId, 1))
          assert.deepStrictEqual(added, [unit(2), unit(3)])
          assert.strictEqual(surplus, 1)
          const before = writes(sent).length
          const refused = yield* Effect.flip(withPermit(add(supplyId, 3)))
          assert.include(refused.message, "allow 5 units, half of their number, and it has 3; add at most 2")
          assert.lengthOf(writes(sent), before)
        })
    )
  )

  it.effect.each([
    [{ done: true }, "it is closed"],
    [{ isPickupPointShipmentAllowed: false }, "does not go to a pickup point"]
  ] as const)("are refused here for a supply of %j", ([state, words]) =>
    on(
      {
        "GET /PLATFORM-GI-1001": json({ id: supplyId, ...state }),
        "GET /order-ids": tenOrders,
        "GET /trbx": json({ trbxes: null })
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(withPermit(Units.make(client).add(supplyId, 1)))
          assert.include(refused.message, words)
          assert.lengthOf(writes(sent), 0)
        })
    )
  )

  it.effect("whose adding got no answer are told by the list, and not added again", () =>
    hurried(
      on(
        {
          "GET /PLATFORM-GI-1001": open,
          "GET /order-ids": tenOrders,
          "GET /trbx": (_, nth) => json({ trbxes: nth < 4 ? [] : [{ id: unit(1) }, { id: unit(2) }] }),
          "POST /trbx": { fault: "ECONNRESET" }
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const { added, surplus } = yield* withPermit(Units.make(client).add(supplyId, 2))
            assert.deepStrictEqual(added, [unit(1), unit(2)])
            assert.strictEqual(surplus, 0)
            assert.lengthOf(writes(sent), 1)
          })
      )
    )
  )

  it.effect.each([
    ["no answer", { fault: "ECONNRESET" }, "unknown"],
    ["a refusal", json({ title: "no", detail: "no" }, 400), "none"]
  ] as const)("whose adding got %s stay so where the list cannot be read afterwards", ([, answer, effect]) =>
    hurried(
      on(
        {
          "GET /PLATFORM-GI-1001": open,
          "GET /order-ids": tenOrders,
          "GET /trbx": (_, nth) => (nth < 4 ? json({ trbxes: [] }) : json({ title: "no" }, 403)),
          "POST /trbx": answer
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(withPermit(Units.make(client).add(supplyId, 2)))
            assert.include(error.message, "addShippingUnits")
            assert.strictEqual(effectOf(error), effect)
            assert.lengthOf(writes(sent), 1)
          })
      )
    )
  )

  it.effect("whose adding was accepted without numbers are added, though the list cannot be read", () =>
    on(
      {
        "GET /PLATFORM-GI-1001": open,
        "GET /order-ids": tenOrders,
        "GET /trbx": (_, nth) => (nth < 4 ? json({ trbxes: [] }) : json({ title: "no" }, 403)),
        "POST /trbx": json({ trbxIds: [] }, 201)
      },
      ({ client }) =>
        Effect.gen(function* () {
          const { surplus } = yield* withPermit(Units.make(client).add(supplyId, 2))
          assert.strictEqual(surplus, 0)
        })
    )
  )
})
