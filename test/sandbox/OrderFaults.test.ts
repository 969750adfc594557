/** What goes wrong with orders and supplies on request: every fault and every played step, seen over HTTP. */
import { expect, test } from "vitest"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as LabelChecks from "../../src/sandbox/shop/LabelChecks.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import type { Json, Marketplace } from "./Real.js"
import {
  ask,
  deliver,
  labelPath,
  ordersPath,
  outcome,
  put,
  statusesOf,
  supplies,
  supplyOf,
  withShop,
  worldOf
} from "./ShopOrders.js"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const arm = async (m: Marketplace, ...faults: ReadonlyArray<Faults.Fault>): Promise<void> => {
  const answer = await m.ask("POST", "/_sandbox/faults", { body: { faults } })
  if (answer.status !== 200) throw new Error(answer.text)
}
const play = (m: Marketplace, played: object) => m.ask("POST", "/_sandbox/shop", { body: played })
const add = (m: Marketplace, id: string, orders: ReadonlyArray<number>) =>
  ask(m, "PATCH", ordersPath(id), { orders })
const stickers = async (m: Marketplace, orders: ReadonlyArray<number>) =>
  (await ask(m, "POST", "/api/v3/orders/stickers?type=svg&width=58&height=40", { orders })).json.stickers.map(
    (one: Json) => one.orderId
  )
const decisionOf = async (m: Marketplace, order: number): Promise<string> =>
  (await ask(m, "POST", "/api/marketplace/v3/orders/meta", { orders: [order] })).json.orders[0].metaDetails[0]
    .decision
const kept = (m: Marketplace, order: number) => worldOf(m).shop.orders.get(order)!

test("one order that is named sinks its batch for good, and the refusal names none", () =>
  withShop(async (m) => {
    const [bad, ...good] = put(m, 5) as [number, ...Array<number>]
    await arm(m, { kind: "unfitOrders", orders: [bad] })
    const id = await supplyOf(m)
    const refused = await add(m, id, [bad, ...good])
    expect(outcome(refused)).toEqual([409, "FailedToAddSupplyOrder"])
    expect(refused.text).not.toContain(String(bad))
    expect((await add(m, id, good)).status).toBe(204)
    expect(outcome(await add(m, id, [bad]))).toEqual([409, "FailedToAddSupplyOrder"])
    await arm(m)
    expect((await add(m, id, [bad])).status).toBe(204)
  }))

test("so many batches as are asked for are refused because of a share of the orders, the same ones at every try", () =>
  withShop(async (m) => {
    const orders = put(m, 40)
    await arm(m, { kind: "unfitOrders", share: 0.2 })
    const id = await supplyOf(m)
    const unfit: Array<number> = []
    for (const order of orders) if ((await add(m, id, [order])).status !== 204) unfit.push(order)
    expect(unfit.length).toBeGreaterThan(1)
    expect(unfit.length).toBeLessThan(20)
    for (const order of unfit) expect((await add(m, id, [order])).status).toBe(409)
    await arm(m, { kind: "unfitOrders", count: 1 })
    expect((await add(m, id, unfit)).status).toBe(409)
    expect((await add(m, id, unfit)).status).toBe(204)
  }))

test("stickers are silently missing, or come later than they should", () =>
  withShop(async (m) => {
    const orders = put(m, 3) as [number, number, number]
    await supplyOf(m, orders)
    await arm(m, { kind: "lateSticker", orders: [orders[1]], ms: 10 * minuteMs })
    expect(await stickers(m, orders)).toEqual([orders[0], orders[2]])
    m.advance(10 * minuteMs)
    expect(await stickers(m, orders)).toEqual(orders)
    await arm(m, { kind: "omit", operation: "getOrderStickers", share: 1, count: 1 })
    expect(await stickers(m, orders)).toEqual([])
    expect(await stickers(m, orders)).toEqual(orders)
  }))

test("a cross-border sticker that is late has no file until it comes", () =>
  withShop(async (m) => {
    const orders = put(m, 1, { crossBorder: true })
    await supplyOf(m, orders)
    await arm(m, { kind: "lateSticker", ms: 30 * minuteMs })
    const status = async () =>
      (await ask(m, "POST", "/api/v3/orders/stickers/cross-border", { orders })).json.stickers[0].status
    m.advance(15 * minuteMs)
    expect(await status()).toBe("awaitingTrackNumber")
    m.advance(15 * minuteMs)
    expect(await status()).toBe("ready")
  }))

test("a mark stays pending for as long as is asked, and then comes to whatever verdict is asked", () =>
  withShop(async (m) => {
    const verdicts = [
      "filled",
      ...Object.values(LabelChecks.steeredSgtin),
      "sgtinInvalidFormat",
      "never heard of"
    ]
    for (const decision of verdicts) {
      const [order] = put(m, 1, { required: ["sgtin"] }) as [number]
      const id = await supplyOf(m, [order])
      await arm(m, { kind: "labelCheck", ms: 45 * minuteMs, decision, count: 1 })
      const sgtins = ["010460043993125621S\u001d91AB12"]
      expect((await ask(m, "PUT", labelPath(order, "sgtin"), { sgtins })).status).toBe(204)
      m.advance(40 * minuteMs)
      expect(await decisionOf(m, order)).toBe("pending")
      expect((await deliver(m, id)).json.code).toBe("MetaValidationFail")
      m.advance(5 * minuteMs)
      expect(await decisionOf(m, order)).toBe(decision)
      expect((await deliver(m, id)).status).toBe(LabelChecks.blocks(decision) ? 409 : 204)
    }
  }))

test("a date is looked up nowhere, so its check never takes too long", () =>
  withShop(async (m) => {
    const [order] = put(m, 1, { required: ["expiration"] }) as [number]
    await supplyOf(m, [order])
    await arm(m, { kind: "labelCheck", decision: "deadlineExceeded", count: 1 })
    const { status } = await ask(m, "PUT", labelPath(order, "expiration"), { expiration: "02.01.2028" })
    expect(status).toBe(204)
    expect(await decisionOf(m, order)).toBe("filled")
  }))

test("a supply that takes orders is scanned by itself later, which closes it", () =>
  withShop(async (m) => {
    const orders = put(m, 3)
    await arm(m, { kind: "selfScan", ms: 20 * minuteMs, count: 1 })
    const id = await supplyOf(m, orders)
    const other = await supplyOf(m, put(m, 1))
    m.advance(19 * minuteMs)
    expect(await statusesOf(m, orders)).toEqual(["confirm", "confirm", "confirm"])
    m.advance(2 * minuteMs)
    expect(await statusesOf(m, orders)).toEqual(["complete", "complete", "complete"])
    expect((await ask(m, "GET", `${supplies}/${id}`)).json).toMatchObject({
      done: true,
      scanDt: "2026-11-20T12:20:04Z"
    })
    expect(outcome(await add(m, id, put(m, 1)))).toEqual([409, "FailedToAddSupplyOrder"])
    expect((await ask(m, "GET", `${supplies}/${other}`)).json.done).toBe(false)
  }))

test("acceptance is short by as many as are asked, now or at an instant to come, and these must be shipped again", () =>
  withShop(async (m) => {
    for (const afterMs of [0, 2 * hourMs]) {
      const orders = put(m, 10)
      const id = await supplyOf(m, orders)
      await deliver(m, id)
      expect((await play(m, { supplyId: id, play: "scan", short: 11 })).status).toBe(400)
      expect((await play(m, { supplyId: id, play: "scan", short: 4, afterMs })).status).toBe(204)
      m.advance(afterMs)
      const { orders: again } = (await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json
      const own = again.filter((row: Json) => row.supplyID === id).map((row: Json) => row.orderID)
      expect(own.length).toBe(4)
      for (const order of orders) expect(kept(m, order).scannedAt === undefined).toBe(own.includes(order))
    }
  }))

test("an order is cancelled at any step, by its buyer and by the seller", () =>
  withShop(async (m) => {
    const steps = ["new", "in a supply", "handed over", "scanned"] as const
    const bring = async (order: number, step: (typeof steps)[number]) => {
      if (step === "new") return
      const id = await supplyOf(m, [order])
      if (step !== "in a supply") await deliver(m, id)
      if (step === "scanned") await play(m, { supplyId: id, play: "scan" })
    }
    for (const step of steps)
      for (const by of ["buyer", "seller"]) {
        const [order] = put(m, 1) as [number]
        await bring(order, step)
        const supplyId = kept(m, order).supplyId
        const { status } = await play(m, { orderId: order, play: "cancel", by })
        const isLate = by === "seller" && (step === "handed over" || step === "scanned")
        expect([step, by, status]).toEqual([step, by, isLate ? 400 : 204])
        if (isLate) continue
        expect(kept(m, order).supplyId).toBe(by === "seller" ? undefined : supplyId)
        const row = (await ask(m, "POST", "/api/v3/orders/status", { orders: [order] })).json.orders[0]
        const buyers = step === "new" ? "declined_by_client" : "canceled_by_client"
        expect(row.platformStatus).toBe(by === "seller" ? "canceled" : buyers)
        expect(row.isCancellable).toBe(false)
        expect(outcome(await add(m, await supplyOf(m), [order]))).toEqual([409, "FailedToAddSupplyOrder"])
        expect((await play(m, { orderId: order, play: "cancel", by })).status).toBe(400)
      }
  }))

test("a pass is refused with the status and code that are asked for", () =>
  withShop(async (m) => {
    await arm(m, {
      kind: "refuse",
      operation: "createPass",
      status: 400,
      code: "DriverNameInvalid",
      count: 1
    })
    const details = {
      firstName: "Анна",
      lastName: "Петрова",
      carModel: "Газель",
      carNumber: "А123ВС77",
      officeId: 15
    }
    expect(outcome(await m.ask("POST", "/api/v3/passes", { body: details }))).toEqual([
      400,
      "DriverNameInvalid"
    ])
    expect(worldOf(m).shop.passes.size).toBe(0)
  }))

test("the code of a supply comes a while after its hand-over", () =>
  withShop(async (m) => {
    const id = await supplyOf(m, put(m, 1))
    await deliver(m, id)
    await arm(m, { kind: "lateCode", ms: 5 * minuteMs })
    const code = () => ask(m, "GET", `${supplies}/${id}/barcode?type=svg`)
    expect(outcome(await code())).toEqual([409, "SupplyNotClosed"])
    m.advance(5 * minuteMs)
    expect((await code()).status).toBe(200)
  }))

test("an answer of statuses leaves a share of the orders out, the same ones at every try", () =>
  withShop(async (m) => {
    const orders = put(m, 40)
    await arm(m, { kind: "omit", operation: "getOrderStatuses", share: 0.3 })
    const told = async () =>
      (await ask(m, "POST", "/api/v3/orders/status", { orders })).json.orders.map((one: Json) => one.id)
    const first = await told()
    expect(first.length).toBeGreaterThan(10)
    expect(first.length).toBeLessThan(40)
    expect(await told()).toEqual(first)
  }))

test("lists and statuses lag behind what was written, and catch up", () =>
  withShop(async (m) => {
    const [order, other] = put(m, 2) as [number, number]
    const fresh = async () =>
      (await ask(m, "GET", "/api/v3/orders/new")).json.orders.map((one: Json) => one.id)
    const inside = async (id: string) =>
      (await ask(m, "GET", `/api/marketplace/v3/supplies/${id}/order-ids`)).json.orderIds
    const named = async (id: string) =>
      (await ask(m, "GET", `${supplies}?limit=1000&next=0`)).json.supplies.find((one: Json) => one.id === id)
    await arm(m, { kind: "lag", ms: minuteMs })
    m.advance(minuteMs)
    const first = await supplyOf(m, [order])
    expect(await fresh()).toEqual([order, other])
    expect(await statusesOf(m, [order])).toEqual(["new"])
    expect([await inside(first), await named(first)]).toEqual([null, undefined])
    m.advance(minuteMs)
    expect(await fresh()).toEqual([other])
    expect(await statusesOf(m, [order])).toEqual(["confirm"])
    expect([await inside(first), (await named(first)).done]).toEqual([[order], false])

    const second = await supplyOf(m, [order])
    await deliver(m, second)
    expect(await inside(first)).toEqual([order])
    expect(await statusesOf(m, [order])).toEqual(["confirm"])
    m.advance(minuteMs)
    expect([await inside(first), await inside(second)]).toEqual([null, [order]])
    expect((await named(second)).done).toBe(true)
    await arm(m)
    await play(m, { orderId: other, play: "cancel", by: "seller" })
    expect(await fresh()).toEqual([])
  }))

test("a supply whose answer is lost is made", () =>
  withShop(async (m) => {
    await arm(m, { kind: "dropAnswer", operation: "createSupply", count: 1 })
    await expect(ask(m, "POST", supplies, { name: "Boots" })).rejects.toThrow()
    expect([...worldOf(m).shop.supplies.values()].map(({ name }) => name)).toEqual(["Boots"])
  }))

test("a morning's orders are made at once, of the warehouses, cargo and marks that are asked for, alike by seed", async () => {
  const asked = {
    play: "make_orders",
    count: 300,
    cargo: [1, 2],
    crossBorderShare: 0.2,
    businessShare: 0.1,
    markedShare: 0.33,
    marks: ["sgtin", "imei"],
    minutesAgo: 4
  }
  const made = async () => {
    let rows: ReadonlyArray<Json> = []
    await withShop(async (m) => {
      expect((await play(m, { ...asked, warehouses: [5] })).json.error).toContain("warehouse 5")
      expect((await play(m, asked)).status).toBe(204)
      rows = (await ask(m, "GET", "/api/v3/orders/new")).json.orders
      expect(await statusesOf(m, [rows[0].id])).toEqual(["new"])
    })
    return rows
  }
  const rows = await made()
  expect(rows.length).toBe(300)
  const share = (test: (row: Json) => boolean) => rows.filter(test).length / rows.length
  for (const { id } of Warehouses.ofOrders)
    expect(share((row) => row.warehouseId === id)).toBeGreaterThan(0.2)
  expect(share((row) => row.cargoType === 2)).toBeCloseTo(0.5, 0)
  expect(share((row) => row.crossBorderType === 1)).toBeCloseTo(0.2, 1)
  expect(share((row) => row.options.isB2B)).toBeCloseTo(0.1, 1)
  expect(share((row) => row.requiredMeta !== null)).toBeCloseTo(0.33, 1)
  expect(share((row) => row.requiredMeta?.[0] === "imei")).toBeGreaterThan(0.1)
  for (const row of rows) {
    expect(row.createdAt).toBe("2026-11-20T11:56:00Z")
    const office = Warehouses.ofSeller(row.warehouseId)?.officeName
    expect(row.offices).toEqual(row.crossBorderType === 1 ? null : [office])
  }
  expect(await made()).toEqual(rows)
}, 20_000)
