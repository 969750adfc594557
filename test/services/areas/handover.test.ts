import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { decision } from "../../../src/services/areas/labels/LabelRecords.js"
import * as Supplies from "../../../src/services/areas/supplies/Supplies.js"
import { advice, why } from "../../../src/services/areas/supplies/SupplyRefusals.js"
import { json, withPermit } from "../FakeMarketplace.js"
import { hurried, on, order, refusal, supplyId, writes } from "./OneSupply.js"

describe("handing over", () => {
  const label = (key: string, text: string) => ({ key, value: undefined, decision: decision(text) })

  it.effect("leaves a supply alone that closed by itself (O23)", () =>
    on({ "GET /PLATFORM-GI-1001": json({ id: supplyId, done: true }) }, ({ client, sent }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* withPermit(Supplies.make(client).deliver(supplyId)), "closed before")
        assert.lengthOf(sent, 1)
      })
    )
  )

  it.effect("without an answer is settled by reading the supply", () =>
    hurried(
      on(
        {
          "GET /PLATFORM-GI-1001": (_, nth) => json({ id: supplyId, done: nth > 0 }),
          "PATCH /deliver": { status: 500 }
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* withPermit(Supplies.make(client).deliver(supplyId)), "delivered")
            assert.lengthOf(writes(sent), 1)
            assert.isUndefined(writes(sent)[0]?.body)
          })
      )
    )
  )

  it.effect("says which orders fail and by what (O18)", () =>
    on(
      {
        "GET /PLATFORM-GI-1001": json({ id: supplyId, done: false }),
        "PATCH /deliver": refusal(409, "MetaValidationFail", {
          orders: [
            {
              id: 5001,
              metaDetails: [{ key: "customsDeclaration", value: "null", decision: "required" }]
            },
            "noise"
          ]
        })
      },
      ({ client }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(withPermit(Supplies.make(client).deliver(supplyId)))
          const reason = why(error)
          assert.deepStrictEqual(reason, {
            _tag: "labelsFail",
            orders: [{ orderId: order(5001), labels: [label("customsDeclaration", "required")] }]
          })
          assert.include(error.message, "order 5001 (customsDeclaration required)")
        })
    )
  )

  it("says for which checks to wait and until when, and what to mend meanwhile", () => {
    const nowMs = Date.parse("2026-09-01T09:00:20Z")
    const orders = [
      { orderId: order(5001), labels: [label("sgtin", "pending"), label("gtin", "filled")] },
      { orderId: order(5002), labels: [label("imei", "imeiAlreadySold"), label("sgtin", "pending")] }
    ]
    assert.strictEqual(
      advice({ _tag: "labelsFail", orders: orders.slice(0, 1) }, nowMs),
      "Wait for the check of order 5001 (sgtin pending), which ends by itself: getOrderLabels tells when. Try again after 2026-09-01 09:03 UTC"
    )
    assert.strictEqual(
      advice({ _tag: "labelsFail", orders }, nowMs),
      "Set or mend the label identifiers of order 5002 (imei imeiAlreadySold, sgtin pending), or move them to another supply. Wait for the check of order 5001 (sgtin pending), which ends by itself: getOrderLabels tells when. Try again after 2026-09-01 09:03 UTC"
    )
    const slow = [{ orderId: order(5003), labels: [label("uin", "pending")] }]
    assert.include(
      advice({ _tag: "labelsFail", orders: slow }, nowMs),
      "Try again after 2026-09-01 09:31 UTC"
    )
  })

  it.effect.each([
    ["SupplyHasZeroOrders", "hasNoOrders"],
    ["SupplyHasOrders", "hasOrders"],
    ["FailedToAddSupplyOrder", "ordersDoNotFit"],
    ["SupplyNotClosed", "notClosed"],
    ["SupplyShippingRequired", "shippingMissing"],
    ["WaybillUUIDConflict", "waybillConflict"],
    ["MetaValidationFail", "labelsFail"],
    ["NotFound", "notFound"],
    ["SomethingNew", undefined]
  ] as const)("reads %s as %s", ([name, tag]) =>
    on({ "GET /PLATFORM-GI-1001": refusal(name === "NotFound" ? 404 : 409, name) }, ({ client }) =>
      Effect.gen(function* () {
        const reason = why(yield* Effect.flip(Supplies.make(client).details(supplyId)))
        assert.strictEqual(reason?._tag, tag)
        if (reason !== undefined) assert.isAbove(advice(reason, 0).length, 20)
      })
    )
  )
})
