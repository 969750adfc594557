import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import * as Days from "../../../src/domain/Days.js"
import { OrderId } from "../../../src/domain/Ids.js"

import * as LabelRecords from "../../../src/services/areas/labels/LabelRecords.js"
import * as Labels from "../../../src/services/areas/labels/Labels.js"
import * as OrderDates from "../../../src/services/areas/orders/OrderDates.js"
import { failingOrders } from "../../../src/services/areas/supplies/SupplyRefusals.js"
import { Refused } from "../../../src/services/MarketplaceError.js"
import { type Fake, json, type Reply, type Sent, withMarketplace, withPermit } from "../FakeMarketplace.js"

const order = (n: number) => OrderId.make(n)

/** Runs against a marketplace that answers with one value, or by the request. */
const on = <A, E>(
  reply: ((sent: Sent, nth: number) => Reply) | Readonly<Record<string, unknown>>,
  use: (fake: Fake) => Effect.Effect<A, E>
) => withMarketplace(typeof reply === "function" ? reply : () => json(reply), use)

const done: () => Reply = () => ({ status: 204 })
const code = "010460043993125621JgXJ5.T\u001d91AB12\u001d92c2lnbmF0dXJl"

const left = <A>(checked: Either.Either<A, string>): string =>
  Either.match(checked, { onLeft: (problem) => problem, onRight: (value) => assert.fail(`${value} passed`) })
const right = <A>(checked: Either.Either<A, string>): A =>
  Either.getOrThrowWith(checked, (text) => new Error(text))

describe("reading labels", () => {
  it.effect("null and the text null are no value; a key that is not exposed has no label", () =>
    on(
      {
        orders: [
          {
            id: 1,
            metaDetails: [
              { key: "uin", value: null, decision: "required" },
              { key: "imei", value: "null", decision: "pending" },
              { key: "gtin", value: "4600439931256", decision: "filled" },
              { key: "novelty", value: "v", decision: "noveltyChecked", more: 1 }
            ]
          },
          { id: 2, metaDetails: null }
        ]
      },
      ({ client }) =>
        Effect.map(Labels.make(client).read([order(1), order(2), order(3)]), ({ missing, values }) => {
          assert.deepStrictEqual(values, [
            {
              orderId: order(1),
              labels: [
                { key: "uin", value: undefined, decision: { _tag: "required" } },
                { key: "imei", value: undefined, decision: { _tag: "pending" } },
                { key: "gtin", value: "4600439931256", decision: { _tag: "filled" } },
                { key: "novelty", value: "v", decision: { _tag: "unknown", text: "noveltyChecked" } }
              ]
            },
            { orderId: order(2), labels: [] }
          ])
          assert.deepStrictEqual(missing, [order(3)])
          assert.deepStrictEqual(
            LabelRecords.blocking(values[0]!.labels).map(({ key }) => key),
            ["uin", "imei", "novelty"]
          )
        })
    )
  )

  it.effect("is done by 100 orders, and a refused chunk does not drop the others", () =>
    on(
      ({ body }) => {
        const { orders } = body as { orders: ReadonlyArray<number> }
        return orders[0] === 101 ? { status: 404 } : json({ orders: orders.map((id) => ({ id })) })
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 250 }, (_, i) => order(i + 1))
          const { failures, missing, values } = yield* Labels.make(client).read(ids)
          assert.lengthOf(sent, 3)
          assert.lengthOf(values, 150)
          assert.deepStrictEqual(missing, [])
          assert.deepStrictEqual(
            failures.map(({ keys }) => keys),
            [ids.slice(100, 200)]
          )
        })
    )
  )
})

describe("setting and removing", () => {
  it.effect("a marking code leaves with its separators as the control character", () =>
    on(done, ({ client, sent }) =>
      Effect.gen(function* () {
        yield* withPermit(Labels.make(client).setSgtins(order(7), [`  ${code}\n`]))
        assert.deepInclude(sent[0], { method: "PUT", body: { sgtins: [code] } })
        assert.strictEqual(sent[0]?.url.pathname, "/api/v3/orders/7/meta/sgtin")
      })
    )
  )

  it.effect("each key has its own path and body, and 204 is success", () =>
    on(done, ({ buckets, client, sent }) =>
      Effect.gen(function* () {
        const labels = Labels.make(client)
        yield* TestClock.setTime(Date.UTC(2026, 10, 21))
        yield* withPermit(labels.setUin(order(7), "1234567890123456"))
        yield* withPermit(labels.setImei(order(7), "490154203237518"))
        yield* withPermit(labels.setGtin(order(7), "4600439931256"))
        yield* withPermit(labels.setExpiration(order(7), "22.12.2026"))
        yield* withPermit(labels.setCustomsDeclaration(order(7), "10702070/010126/0001234"))
        yield* withPermit(labels.remove(order(7), "customsDeclaration"))
        assert.deepStrictEqual(
          sent.map(({ body, method, url }) => [method, url.pathname + url.search, body]),
          [
            ["PUT", "/api/v3/orders/7/meta/uin", { uin: "1234567890123456" }],
            ["PUT", "/api/v3/orders/7/meta/imei", { imei: "490154203237518" }],
            ["PUT", "/api/v3/orders/7/meta/gtin", { gtin: "4600439931256" }],
            ["PUT", "/api/v3/orders/7/meta/expiration", { expiration: "22.12.2026" }],
            [
              "PUT",
              "/api/marketplace/v3/orders/7/meta/customs-declaration",
              { customsDeclaration: "10702070/010126/0001234" }
            ],
            ["DELETE", "/api/v3/orders/7/meta?key=customsDeclaration", undefined]
          ]
        )
        assert.deepStrictEqual(
          buckets.map(({ limitGroup }) => limitGroup),
          [...Array.from({ length: 5 }, () => "marketplace.labelsWrite"), "marketplace.labelsReadDelete"]
        )
      })
    )
  )

  it.effect("nothing leaves for a value that would be refused", () =>
    on(done, ({ client, sent }) =>
      Effect.gen(function* () {
        const labels = Labels.make(client)
        yield* TestClock.setTime(Date.UTC(2026, 10, 21))
        const attempts = [
          labels.setSgtins(order(7), []),
          labels.setSgtins(order(7), [code, "short"]),
          labels.setUin(order(7), "1"),
          labels.setImei(order(7), "1"),
          labels.setGtin(order(7), "1"),
          labels.setExpiration(order(7), "21.12.2026"),
          labels.setCustomsDeclaration(order(7), "1")
        ]
        for (const attempt of attempts) {
          const error = yield* Effect.flip(withPermit(attempt))
          assert.deepInclude(error, { _tag: "Refused", arrived: "no", status: undefined })
        }
        assert.lengthOf(sent, 0)
      })
    )
  )

  it.effect("an expiration cannot be removed", () =>
    on(done, ({ client, sent }) =>
      Effect.gen(function* () {
        const request = { path: { orderId: 7 }, urlParams: { key: "expiration" } }
        const error = yield* Effect.flip(withPermit(client.call("deleteOrderLabel", request)))
        assert.strictEqual(error._tag, "Refused")
        assert.lengthOf(sent, 0)
      })
    )
  )

  it.effect("a refusal keeps the marketplace's code", () =>
    on(
      () => json({ code: "MetaKeyNotRequired", message: "not exposed" }, 409),
      ({ client }) =>
        Effect.map(
          Effect.flip(withPermit(Labels.make(client).setUin(order(7), "1234567890123456"))),
          (error) =>
            assert.deepInclude(error, { _tag: "Refused", code: "MetaKeyNotRequired", text: "not exposed" })
        )
    )
  )
})

describe("decisions", () => {
  const allows = (key: string, text: string) =>
    LabelRecords.allowsHandover({ key, decision: LabelRecords.decision(text) })

  test.each([
    ["imei", ["filled", "optional", "deadlineExceeded", "imeiMaySell", "imeiSoldB2B"]],
    ["uin", ["filled", "optional", "deadlineExceeded", "uinMaySell"]],
    ["sgtin", ["filled", "optional", "deadlineExceeded", "sgtinIntroduced", "sgtinSoldB2B"]],
    ["gtin", ["filled", "optional"]],
    ["expiration", ["filled", "optional"]],
    ["customsDeclaration", ["filled", "optional"]]
  ])("%s goes with %j only", (key, allowed) => {
    const all = [
      ...["filled", "optional", "required", "pending", "deadlineExceeded"],
      ...["imeiMaySell", "imeiSoldB2B", "imeiInvalidFormat", "imeiAlreadySold"],
      ...[
        "uinMaySell",
        "uinBadStatus",
        "uinBadProcess",
        "uinBadStatusAndBadProcess",
        "uinInvalidFormat",
        "uinNotFound"
      ],
      ...["sgtinIntroduced", "sgtinSoldB2B", "sgtinInvalidFormat", "sgtinNoGS", "sgtinHasInvalidSymbols"],
      ...["sgtinHasNonLatinSymbols", "sgtinInvalidPattern", "sgtinNotFound", "sgtinEmitted", "sgtinApplied"],
      ...["sgtinAppliedNotPaid", "sgtinWrittenOff", "sgtinWithdrawn", "sgtinRetired", "sgtinDisaggregated"],
      "sgtinDisaggregation"
    ]
    for (const text of all) {
      assert.strictEqual(LabelRecords.decision(text)._tag, text)
      assert.strictEqual(allows(key, text), allowed.includes(text), text)
    }
  })

  test("one that is not known, or none at all, blocks and keeps its text", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom("imei", "uin", "sgtin", "gtin", "novelty", ""),
        (text, key) => {
          assert.isFalse(allows(key, `x${text}`))
          assert.deepStrictEqual(LabelRecords.decision(`x${text}`), { _tag: "unknown", text: `x${text}` })
        }
      )
    )
    assert.isFalse(LabelRecords.allowsHandover({ key: "uin", decision: LabelRecords.decision(undefined) }))
  })
})

describe("orders that fail a hand-over", () => {
  const refusal = (data: unknown) =>
    new Refused({
      operation: "deliverSupply",
      status: 409,
      text: "labels",
      retryAfterMs: undefined,
      code: "MetaValidationFail",
      data,
      arrived: "yes"
    })

  test("are read from the refusal with their labels", () => {
    const data = {
      orders: [
        { id: 5, metaDetails: [{ key: "uin", value: "null", decision: "uinNotFound" }] },
        { id: "not an id" },
        { id: 6, metaDetails: null, extra: true }
      ]
    }
    assert.deepStrictEqual(failingOrders(refusal(data)), [
      { orderId: order(5), labels: [{ key: "uin", value: undefined, decision: { _tag: "uinNotFound" } }] },
      { orderId: order(6), labels: [] }
    ])
  })

  test("are none where the refusal says nothing that can be read", () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        assert.deepStrictEqual(failingOrders(refusal(data)), [])
        assert.deepStrictEqual(
          failingOrders(refusal({ orders: data })).filter(({ orderId }) => orderId < 1),
          []
        )
      })
    )
  })
})

describe("a marking code", () => {
  const plain = fc.stringMatching(/^[0-9A-Za-z!%&'()*+,./:;=?_-]{8,60}$/)

  test("passes with its separators, whatever spaces are around it", () => {
    fc.assert(
      fc.property(plain, plain, fc.constantFrom("", " ", "\n", "\t \r\n"), (a, b, space) => {
        const whole = `${a}\u001d${b}`
        assert.strictEqual(right(Labels.sgtin(space + whole + space)), whole)
      })
    )
    assert.strictEqual(right(Labels.sgtin(code)), code)
  })

  test("without a separator is refused", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Za-z]{16,135}$/), (text) =>
        assert.match(left(Labels.sgtin(text)), /no group separator \(U\+001D\).*scan the code again/)
      )
    )
    assert.match(left(Labels.sgtin("\u001d0104600439931256")), /no group separator/)
  })

  test.each(["\\u001d", "\\U001D", "\\x1d", "<GS>", "␝"])(
    "with %s written out is told what to put there",
    (text) =>
      assert.include(
        left(Labels.sgtin(code.replaceAll("\u001d", text))),
        `the text "${text}" instead of a group separator; put the control character U+001D there`
      )
  )

  test("half mended is refused too", () => {
    assert.include(left(Labels.sgtin(code.replace("\u001d", "\\u001d"))), "instead of a group separator")
  })

  test("with a letter that is not Latin is told which and where", () => {
    assert.include(left(Labels.sgtin(code.replace("J", "Ж"))), 'character 19 of the code is "Ж" (U+0416)')
    assert.include(left(Labels.sgtin(code.replace("J", "\u0007"))), "character 19 of the code is U+0007;")
    assert.include(left(Labels.sgtin(code.replace("J", " "))), "character 19 of the code is U+0020;")
  })

  test("has 16 to 135 characters, separators counted", () => {
    const ofLength = (n: number) => `0\u001d${"1".repeat(n - 2)}`
    assert.isTrue(Either.isRight(Labels.sgtin(ofLength(16))))
    assert.isTrue(Either.isRight(Labels.sgtin(ofLength(135))))
    assert.include(left(Labels.sgtin(ofLength(15))), "has 15 characters; 16 to 135")
    assert.include(left(Labels.sgtin(ofLength(136))), "has 136 characters; 16 to 135")
  })

  test("is one of at most 100, and a wrong one is named by its place", () => {
    assert.include(left(Labels.sgtins([])), "0 codes")
    assert.include(left(Labels.sgtins(Array.from({ length: 101 }, () => code))), "101 codes")
    assert.include(left(Labels.sgtins([code, "x"])), "code 2: ")
    assert.deepStrictEqual(right(Labels.sgtins([code, ` ${code}`])), [code, code])
  })
})

describe("other identifiers", () => {
  const rules = [
    ["UIN", Labels.uin, 16],
    ["IMEI", Labels.imei, 15],
    ["GTIN", Labels.gtin, 13]
  ] as const

  test.each(rules)("%s has exactly its length", (name, check, length) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 29 }), (n) => {
        const result = check(` ${"4".repeat(n)} `)
        assert.strictEqual(Either.isRight(result), n === length)
        if (n !== length) assert.include(left(result), `the ${name} has ${n} characters; exactly ${length}`)
      })
    )
  })

  test("of two IMEIs the first is wanted", () => {
    assert.include(left(Labels.imei("490154203237518/490154203237526")), "give the first only")
  })

  test("a customs declaration has 17 to 29 characters", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), (n) =>
        assert.strictEqual(Either.isRight(Labels.customsDeclaration("1".repeat(n))), n >= 17 && n <= 29)
      )
    )
  })
})

describe("an expiration", () => {
  test("is at least 31 days after the Moscow date of the moment", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }),
        fc.integer({ min: -400, max: 400 }),
        (nowMs, days) => {
          const text = OrderDates.dotted(Days.shift(Days.at(nowMs, "Europe/Moscow"), days))
          assert.strictEqual(Either.isRight(Labels.expiration(text, nowMs)), days >= 31)
        }
      )
    )
  })

  test("counts from Moscow's midnight and tells the earliest day", () => {
    const lateEvening = Date.UTC(2026, 10, 20, 20, 59)
    const midnight = Date.UTC(2026, 10, 20, 21, 0)
    assert.strictEqual(right(Labels.expiration("21.12.2026", lateEvening)), "21.12.2026")
    assert.include(left(Labels.expiration("21.12.2026", midnight)), "the earliest day is 22.12.2026")
  })

  test.each(["31.02.2027", "2027-12-31", "1.1.2027", "", "soon"])("is not %j", (text) =>
    assert.include(left(Labels.expiration(text, 0)), "write it as dd.mm.yyyy")
  )
})
