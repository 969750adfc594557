import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import * as Supplies from "../../../src/services/areas/supplies/Supplies.js"

import * as SupplyRecords from "../../../src/services/areas/supplies/SupplyRecords.js"
import { effectOf } from "../../../src/services/MarketplaceError.js"
import { json, type Reply, type Sent, withPermit } from "../FakeMarketplace.js"
import { hurried, on, order, refusal, supplyId, writes } from "./OneSupply.js"

describe("orders of a supply", () => {
  const groupable = fc.record({
    orderId: fc.integer({ min: 1, max: 60 }).map(order),
    warehouseId: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
    cargo: fc.constantFrom({ _tag: "small" as const }, { _tag: "bulky" as const }, undefined),
    crossBorder: fc.option(fc.boolean(), { nil: undefined }),
    b2b: fc.option(fc.boolean(), { nil: undefined })
  })

  test("are parted so that all of a group fit together, each in one group, in a fixed sequence (O10)", () => {
    fc.assert(
      fc.property(fc.array(groupable, { maxLength: 40 }), (drawn) => {
        const orders = [...new Map(drawn.map((one) => [one.orderId, one])).values()]
        const groups = Supplies.grouped(orders)
        const kinds = groups.map((of) => JSON.stringify([of.warehouseId, of.cargo, of.crossBorder, of.b2b]))
        assert.strictEqual(new Set(kinds).size, kinds.length)
        for (const group of groups) {
          assert.isAbove(group.orders.length, 0)
          for (const one of group.orders) {
            const { b2b, cargo, crossBorder, warehouseId } = one
            assert.deepEqual(
              { b2b, cargo, crossBorder, warehouseId },
              {
                b2b: group.b2b,
                cargo: group.cargo,
                crossBorder: group.crossBorder,
                warehouseId: group.warehouseId
              }
            )
          }
        }
        const ids = groups.flatMap((group) => group.orders.map(({ orderId }) => orderId))
        assert.deepStrictEqual(
          [...ids].sort((a, b) => a - b),
          orders.map(({ orderId }) => orderId).sort((a, b) => a - b)
        )
        assert.deepStrictEqual(Supplies.grouped([...orders].reverse()), groups)
      })
    )
  })

  test("that differ from a supply's kinds are told apart before they are sent", () => {
    const bulky = { cargo: { _tag: "bulky" as const }, crossBorder: true, b2b: true }
    const empty = SupplyRecords.fromWire({ id: supplyId, done: false, cargoType: 0 })
    assert.deepStrictEqual(Supplies.misfits(empty, bulky), [])
    const small = SupplyRecords.fromWire({ id: supplyId, cargoType: 1, crossBorderType: 0, isB2b: false })
    assert.lengthOf(Supplies.misfits(small, bulky), 3)
    assert.deepStrictEqual(
      Supplies.misfits(small, { cargo: { _tag: "small" }, crossBorder: false, b2b: undefined }),
      []
    )
  })

  /** A supply that takes a batch only when none of it is unfit, as the marketplace does. */
  const shop = (unfit: ReadonlySet<number>, inside: Set<number>) => ({
    "GET /PLATFORM-GI-1001": json({ id: supplyId, done: false }),
    "GET /order-ids": () => json({ orderIds: [...inside] }),
    "PATCH /orders": ({ body }: Sent): Reply => {
      const { orders } = body as { readonly orders: ReadonlyArray<number> }
      if (orders.some((id) => unfit.has(id))) return refusal(409, "FailedToAddSupplyOrder")
      for (const id of orders) inside.add(id)
      return { status: 204 }
    }
  })

  test("are added but for the unfit ones, which are found with few refusals", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 230 }),
        fc.array(fc.nat(229), { maxLength: 3 }),
        async (ids, positions) => {
          const unfit = new Set(positions.flatMap((at) => ids[at] ?? []))
          const inside = new Set<number>()
          await Effect.runPromise(
            on(shop(unfit, inside), ({ client, sent }) =>
              Effect.gen(function* () {
                const result = yield* withPermit(Supplies.make(client).addOrders(supplyId, ids.map(order)))
                const refused = result.refused.map(({ orderId }) => orderId)
                assert.deepStrictEqual(
                  [...result.added, ...refused].sort((a, b) => a - b),
                  ids.map(order).sort((a, b) => a - b)
                )
                assert.deepStrictEqual(new Set<number>(result.added), inside)
                for (const id of unfit) assert.include(refused, id)
                for (const one of result.refused) {
                  if (one.alone) assert.isTrue(unfit.has(one.orderId))
                }
                const batches = writes(sent).map(({ body }) => (body as { orders: Array<number> }).orders)
                const refusals = batches.filter((batch) => batch.some((id) => unfit.has(id)))
                assert.isAtMost(refusals.length, Supplies.mostRefusals)
                assert.isAtMost(Math.max(...batches.map(({ length }) => length)), 100)
                if (unfit.size === 1) {
                  assert.deepStrictEqual(
                    result.refused.map(({ alone }) => alone),
                    [true]
                  )
                  assert.isAtMost(refusals.length, 8)
                }
              })
            )
          )
        }
      ),
      { numRuns: 40 }
    ))

  it.effect("that are all unfit do not start a storm of refusals (T09)", () =>
    on(shop(new Set(Array.from({ length: 300 }, (_, i) => i + 1)), new Set()), ({ client, sent }) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 300 }, (_, i) => order(i + 1))
        const { added, refused } = yield* withPermit(Supplies.make(client).addOrders(supplyId, ids))
        assert.lengthOf(added, 0)
        assert.lengthOf(refused, 300)
        assert.lengthOf(writes(sent), Supplies.mostRefusals)
        assert.isTrue(refused.some(({ alone }) => !alone))
      })
    )
  )

  it.effect("are not sent to a closed supply", () =>
    on({ "GET /PLATFORM-GI-1001": json({ id: supplyId, done: true }) }, ({ client, sent }) =>
      Effect.gen(function* () {
        const { refused } = yield* withPermit(Supplies.make(client).addOrders(supplyId, [order(1), order(1)]))
        assert.lengthOf(refused, 1)
        assert.include(refused[0]?.error.message, "is closed")
        assert.lengthOf(sent, 1)
      })
    )
  )

  it.effect("whose batch got no answer are looked for, and nothing more is sent", () =>
    hurried(
      on(
        {
          "GET /PLATFORM-GI-1001": json({ id: supplyId }),
          "GET /order-ids": json({ orderIds: [1, 2] }),
          "PATCH /orders": { fault: "ECONNRESET" }
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const ids = Array.from({ length: 150 }, (_, i) => order(i + 1))
            const { added, refused } = yield* withPermit(Supplies.make(client).addOrders(supplyId, ids))
            assert.deepStrictEqual(added, [order(1), order(2)])
            assert.lengthOf(refused, 148)
            assert.strictEqual(effectOf(refused[0]!.error), "unknown")
            assert.isTrue(refused.every(({ alone }) => !alone))
            assert.lengthOf(writes(sent), 1)
          })
      )
    )
  )
})
