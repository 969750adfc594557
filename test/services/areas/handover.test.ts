import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert, describe, test } from "vitest"
import { decision } from "../../../src/services/areas/labels/LabelRecords.js"
import * as Supplies from "../../../src/services/areas/supplies/Supplies.js"
import { readyForDelivery } from "../../../src/services/areas/supplies/Supplies.js"
import * as SupplyRecords from "../../../src/services/areas/supplies/SupplyRecords.js"
import { advice, why } from "../../../src/services/areas/supplies/SupplyRefusals.js"
import { json, withPermit } from "../FakeMarketplace.js"
import { code, hurried, on, order, refusal, supplyId, writes } from "./OneSupply.js"

describe("handing over", () => {
  const supply = SupplyRecords.fromWire({ id: supplyId, done: false, cargoType: 1 })
  const shipped = SupplyRecords.fromWire({
    id: supplyId,
    done: false,
    shippingDt: "2026-11-22",
    shippingPointId: 1,
    shippingType: "selfShipping"
  })
  const label = (key: string, text: string) => ({ key, value: undefined, decision: decision(text) })

  test("needs an order, and every order's labels read and accepted; missing shipping data is a warning", () => {
    assert.include(readyForDelivery(supply, [], []).problems[0], "has no orders")
    const verdict = readyForDelivery(
      supply,
      [order(1), order(2), order(3)],
      [
        { orderId: order(1), labels: [label("imei", "filled"), label("sgtin", "sgtinIntroduced")] },
        { orderId: order(2), labels: [label("uin", "required"), label("sgtin", "whoKnows")] }
      ]
    )
    assert.isFalse(verdict.ready)
    assert.deepStrictEqual(verdict.problems, [
      "order 3: its label identifiers were not read; read them first",
      "order 2: uin is missing, sgtin is not accepted (whoKnows)"
    ])
    assert.deepStrictEqual(
      verdict.blocked.map(({ orderId }) => orderId),
      [order(2)]
    )
    assert.include(verdict.warnings[0], "no shipping method, no shipping date, no shipping point")
  })

  test("is free of objections when all of that is there", () => {
    assert.deepStrictEqual(readyForDelivery(shipped, [order(1)], [{ orderId: order(1), labels: [] }]), {
      ready: true,
      problems: [],
      warnings: [],
      blocked: []
    })
    const byCompany = SupplyRecords.fromWire({ id: supplyId, shippingType: "transportCompany" })
    assert.include(readyForDelivery(byCompany, [], []).warnings[0], "no waybill")
  })

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
          if (reason !== undefined) assert.include(advice(reason, 0), "order 5001")
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

  it.effect("is followed by the code, late but whole (O19)", () =>
    hurried(
      on(
        {
          "GET /barcode": (_, nth) =>
            nth < 2
              ? refusal(409, "SupplyNotClosed")
              : json({ barcode: "PLATFORM-GI-1001", file: code("<svg/>") })
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const printed = yield* Supplies.make(client).barcode(supplyId, "svg")
            assert.strictEqual(new TextDecoder().decode(printed.file), "<svg/>")
            assert.strictEqual(printed.barcode, "PLATFORM-GI-1001")
            assert.lengthOf(sent, 3)
          })
      )
    )
  )

  it.effect("that never happened has no code, and asking ends after four tries", () =>
    hurried(
      on({ "GET /barcode": refusal(409, "SupplyNotClosed") }, ({ client, sent }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Supplies.make(client).barcode(supplyId, "png"))
          assert.strictEqual(why(error)?._tag, "notClosed")
          assert.lengthOf(sent, 4)
        })
      )
    )
  )

  it.effect.each([[{ barcode: "x", file: "" }], [{ barcode: "x" }], [{ barcode: "x", file: "%%%" }]])(
    "never prints %j",
    ([body]) =>
      on({ "GET /barcode": json(body) }, ({ client }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Supplies.make(client).barcode(supplyId, "png"))
          assert.strictEqual(error._tag, "Undecodable")
        })
      )
  )

  it.effect("is waited for, but not for ever", () =>
    hurried(
      on(
        { "GET /PLATFORM-GI-1001": (_, nth) => json({ id: supplyId, done: nth >= 3 }) },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const { waitClosed } = Supplies.make(client)
            assert.isFalse((yield* waitClosed(supplyId, 2000)).closed)
            assert.isTrue((yield* waitClosed(supplyId)).closed)
            assert.isBelow(sent.length, 6)
          })
      )
    )
  )
})
