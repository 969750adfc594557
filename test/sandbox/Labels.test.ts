import { expect, test } from "vitest"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import * as LabelChecks from "../../src/sandbox/shop/LabelChecks.js"
import type { LabelKey } from "../../src/sandbox/shop/State.js"
import { type Marketplace, originMs } from "./Real.js"
import { ask, deliver, labelPath, outcome, plain, put, supplyOf, withShop } from "./ShopOrders.js"

const minuteMs = 60_000
const gs = "\u001d"
const code = (serial: string) => `010460043993125621${serial}${gs}91AB12${gs}92c2lnbmF0dXJl`
const details = async (m: Marketplace, order: number) =>
  (await ask(m, "POST", "/api/marketplace/v3/orders/meta", { orders: [order] })).json.orders[0].metaDetails
const decision = async (m: Marketplace, order: number, key: string) =>
  (await details(m, order)).find((row: { key: string }) => row.key === key)?.decision

/** An order in assembly whose record exposes these keys. */
const confirmed = async (
  m: Marketplace,
  required: ReadonlyArray<LabelKey>,
  optional: ReadonlyArray<LabelKey> = []
): Promise<readonly [order: number, supplyId: string]> => {
  const [order] = put(m, 1, { required, optional }) as [number]
  return [order, await supplyOf(m, [order])]
}

const bodies = {
  imei: { imei: "490154203237777" },
  uin: { uin: "1234567812347777" },
  gtin: { gtin: "4600439931256" },
  sgtin: { sgtins: [code("7777")] },
  expiration: { expiration: "31.12.2027" },
  "customs-declaration": { customsDeclaration: "10702070/010126/0001234" }
}
const keyOf = (path: string) => (path === "customs-declaration" ? "customsDeclaration" : path) as LabelKey
const set = (m: Marketplace, order: number, path: keyof typeof bodies, body: object = bodies[path]) =>
  ask(m, "PUT", labelPath(order, path), body)
const paths = Object.keys(bodies) as ReadonlyArray<keyof typeof bodies>

test("a key that is not exposed is absent; unset ones are required or optional", () =>
  withShop(async (m) => {
    const [order] = await confirmed(m, ["sgtin", "expiration"], ["gtin"])
    expect(await details(m, order)).toEqual([
      { key: "gtin", value: null, decision: "optional" },
      { key: "sgtin", value: null, decision: "required" },
      { key: "expiration", value: null, decision: "required" }
    ])
  }))

test("known orders are answered without the unknown; only unknown ones are 404", () =>
  withShop(async (m) => {
    const [order] = put(m, 1) as [number]
    const answer = await ask(m, "POST", "/api/marketplace/v3/orders/meta", { orders: [order, 99, order] })
    expect(answer.json).toEqual({ orders: [{ id: order, metaDetails: [] }] })
    const none = await ask(m, "POST", "/api/marketplace/v3/orders/meta", { orders: [99] })
    expect(outcome(none)).toEqual([404, "NotFound"])
  }))

test.each(paths)("%s is taken in assembly, filled within its time, and written into the ledger", (path) =>
  withShop(async (m) => {
    const key = keyOf(path)
    const [order] = await confirmed(m, [key])
    const answer = await set(m, order, path)
    expect([answer.status, answer.text]).toEqual([204, ""])
    const value = Object.values(bodies[path]).flat()
    const isChecked = key === "imei" || key === "uin" || key === "sgtin"
    expect(await details(m, order)).toEqual([
      { key, value: value[0], decision: isChecked ? "pending" : "filled" }
    ])
    m.advance(key === "uin" ? 32 * minuteMs : 2 * minuteMs)
    expect(await decision(m, order, key)).toBe("filled")
    expect(m.sandbox.ledger.entries.at(-1)).toMatchObject({
      slot: "label",
      target: { orderId: order, labelKey: key },
      before: [],
      after: value
    })
  })
)

test.each(paths)(
  "%s is refused before and after assembly, where it is not exposed, and for no order",
  (path) =>
    withShop(async (m) => {
      const key = keyOf(path)
      const [fresh] = put(m, 1, { required: [key] }) as [number]
      const [order] = await confirmed(m, [])
      const [shipped, supplyId] = await confirmed(m, [], [key])
      await deliver(m, supplyId)
      const before = m.sandbox.ledger.entries.length
      for (const wrong of [fresh, shipped])
        expect(outcome(await set(m, wrong, path))).toEqual([409, "FailedToUpdateMeta"])
      expect(outcome(await set(m, order, path))).toEqual([409, "MetaKeyNotRequired"])
      const knowsOrders = ["sgtin", "expiration", "customs-declaration"].includes(path)
      expect(outcome(await set(m, 99, path))).toEqual(
        knowsOrders ? [404, "NotFound"] : [409, "FailedToUpdateMeta"]
      )
      expect(m.sandbox.ledger.entries).toHaveLength(before)
      expect(await decision(m, fresh, key)).toBe("required")
    })
)

test("values of the wrong length are refused as 400 and not stored", () =>
  withShop(async (m) => {
    const [order] = await confirmed(m, LabelChecks.keys)
    const wrong = [
      ["imei", { imei: "4901542032377777" }],
      ["uin", { uin: "123456781234777" }],
      ["gtin", { gtin: "46004399312560" }],
      ["sgtin", { sgtins: [] }],
      ["expiration", { expiration: "2027-12-31" }],
      ["customs-declaration", { customsDeclaration: "1070207001012600" }]
    ] as const
    for (const [path, body] of wrong) expect((await set(m, order, path, body)).status).toBe(400)
    for (const row of await details(m, order))
      expect(row).toMatchObject({ value: null, decision: "required" })
  }))

test("a check is pending for at least 20 seconds and at most two minutes, for a UIN about half an hour", () =>
  withShop(async (m) => {
    const [order] = await confirmed(m, ["imei", "uin"])
    await set(m, order, "imei")
    await set(m, order, "uin")
    m.advance(14_000)
    expect(await decision(m, order, "imei")).toBe("pending")
    m.advance(2 * minuteMs)
    expect(await decision(m, order, "imei")).toBe("filled")
    m.advance(25 * minuteMs)
    expect(await decision(m, order, "uin")).toBe("pending")
    m.advance(5 * minuteMs)
    expect(await decision(m, order, "uin")).toBe("filled")
  }))

const malformed: ReadonlyArray<readonly [string, string]> = [
  ["sgtinNoGS", "010460043993125621JgXJ5.T91AB12"],
  ["sgtinHasNonLatinSymbols", code("Жук7777")],
  ["sgtinHasInvalidSymbols", code("a b7777")],
  ["sgtinInvalidPattern", `serial-number-first${gs}91AB12`]
]
const steered = Object.entries(LabelChecks.steeredSgtin).map(
  ([word, it]) => [it, code(`7777${word}`)] as const
)
test.each([...malformed, ...steered])("a marking code may turn out %s", (expected, sgtin) =>
  withShop(async (m) => {
    const [order] = await confirmed(m, ["sgtin"])
    await set(m, order, "sgtin", { sgtins: [code("7777"), sgtin] })
    m.advance(2 * minuteMs)
    expect(await details(m, order)).toEqual([
      { key: "sgtin", value: `${code("7777")},${sgtin}`, decision: expected }
    ])
  })
)

const digits = [
  ...Object.entries(LabelChecks.steeredImei).map(([head, it]) => ["imei", `${head}54203237777`, it] as const),
  ...Object.entries(LabelChecks.steeredUin).map(([head, it]) => ["uin", `${head}567812347777`, it] as const),
  ["imei", "4901542O3237777", "imeiInvalidFormat"] as const,
  ["uin", "12345678I2347777", "uinInvalidFormat"] as const
]
test.each(digits)("%s %s turns out %s, and hand-over is allowed or refused by that", (key, value, expected) =>
  withShop(async (m) => {
    const [order, supplyId] = await confirmed(m, [key])
    await set(m, order, key, { [key]: value })
    m.advance(32 * minuteMs)
    expect(await decision(m, order, key)).toBe(expected)
    const handed = await deliver(m, supplyId)
    if (!LabelChecks.blocks(expected)) return expect(handed.status).toBe(204)
    expect(handed.json).toMatchObject({
      code: "MetaValidationFail",
      data: { orders: [{ id: order, metaDetails: [{ key, value, decision: expected }] }] }
    })
  })
)

test("a label under check keeps the supply from being handed over, even an optional one", () =>
  withShop(async (m) => {
    const [order, supplyId] = await confirmed(m, [], ["imei"])
    await set(m, order, "imei")
    expect((await deliver(m, supplyId)).json).toMatchObject({
      code: "MetaValidationFail",
      data: { orders: [{ id: order, metaDetails: [{ key: "imei", decision: "pending" }] }] }
    })
    m.advance(2 * minuteMs)
    expect((await deliver(m, supplyId)).status).toBe(204)
  }))

test("a UIN not found stays so when it is sent again, until it is deleted and then set", () =>
  withShop(async (m) => {
    const [order] = await confirmed(m, ["uin"])
    const uin = { uin: "9001567812347777" }
    await set(m, order, "uin", uin)
    m.advance(32 * minuteMs)
    expect(await decision(m, order, "uin")).toBe("uinNotFound")
    for (const again of [uin, bodies.uin]) {
      await set(m, order, "uin", again)
      expect(await decision(m, order, "uin")).toBe("uinNotFound")
      m.advance(64 * minuteMs)
      expect(await decision(m, order, "uin")).toBe("uinNotFound")
    }
    expect((await ask(m, "DELETE", `/api/v3/orders/${order}/meta?key=uin`)).status).toBe(204)
    expect(await details(m, order)).toEqual([{ key: "uin", value: null, decision: "required" }])
    await set(m, order, "uin", uin)
    expect(await decision(m, order, "uin")).toBe("pending")
    m.advance(32 * minuteMs)
    expect(await decision(m, order, "uin")).toBe("filled")
  }))

test("a deletion takes all values of the key; expiration cannot be deleted, nor anything outside assembly", () =>
  withShop(async (m) => {
    const remove = (order: number, key: string) => ask(m, "DELETE", `/api/v3/orders/${order}/meta?key=${key}`)
    const [order, supplyId] = await confirmed(m, ["expiration"], ["sgtin"])
    await set(m, order, "sgtin", { sgtins: [code("7777a"), code("7777b")] })
    await set(m, order, "expiration")
    expect((await remove(order, "sgtin")).status).toBe(204)
    expect(m.sandbox.ledger.entries.at(-1)).toMatchObject({
      operation: "deleteOrderLabel",
      before: [code("7777a"), code("7777b")],
      after: []
    })
    expect((await remove(order, "sgtin")).status).toBe(204)
    expect(outcome(await remove(order, "gtin"))).toEqual([409, "FailedToUpdateMeta"])
    expect((await remove(order, "expiration")).status).toBe(400)
    expect(await details(m, order)).toEqual([
      { key: "sgtin", value: null, decision: "optional" },
      { key: "expiration", value: "31.12.2027", decision: "filled" }
    ])
    await deliver(m, supplyId)
    expect(outcome(await remove(order, "sgtin"))).toEqual([409, "FailedToUpdateMeta"])
    expect(outcome(await remove(99, "sgtin"))).toEqual([409, "FailedToUpdateMeta"])
  }))

test("an expiration date must be 30 days ahead by the date in Moscow, and a later one replaces it", () =>
  withShop(async (m) => {
    const [order] = await confirmed(m, ["expiration"])
    const on = (expiration: string) => set(m, order, "expiration", { expiration })
    expect(outcome(await on("19.12.2026"))).toEqual([400, "LowExpirationDate"])
    expect((await on("20.12.2026")).status).toBe(204)
    m.advance(9 * 60 * minuteMs)
    // 21:00 in UTC is midnight in Moscow: the marketplace's date is one further.
    expect(outcome(await on("20.12.2026"))).toEqual([400, "LowExpirationDate"])
    expect((await on("21.12.2026")).status).toBe(204)
    expect(outcome(await on("31.02.2027"))).toEqual([400, "IncorrectParameter"])
    expect(await details(m, order)).toEqual([{ key: "expiration", value: "21.12.2026", decision: "filled" }])
  }))

test("the same value comes to the same decision wherever it is asked, and nearly all are filled", () => {
  const world = World.make({ seller: "seller", seed: 7, scale: Scale.demo, originMs, firstId: 1 })
  const results = Array.from({ length: 500 }, (_, i) => {
    const order = { ...plain(i), required: ["imei"] as const }
    LabelChecks.set(world, order, "imei", [String(400_000_000_000_000 + i * 1_000_003)], 0)
    const late = 10 * minuteMs
    const first = LabelChecks.detail(world, order, "imei", late).decision
    expect(LabelChecks.detail(world, order, "imei", late + 1).decision).toBe(first)
    return first
  })
  const filled = results.filter((decision) => decision === "filled").length
  expect(filled).toBeGreaterThan(470)
  expect(filled).toBeLessThan(500)
})
