import { expect, test } from "vitest"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Sales from "../../src/sandbox/shop/Sales.js"
import { type Answered, type Json, type Marketplace, originMs, withMarketplace } from "./Real.js"
import { outcome, put, worldOf } from "./ShopOrders.js"

const token = sandboxToken({ test: true })
const emulated = "/api/v3/test/fbs"

/** Asks as a tester, slowly enough for one request per second. */
const ask = (m: Marketplace, method: string, path: string, body?: unknown): Promise<Answered> => {
  m.advance(20_000)
  return m.ask(method, path, { token, ...(body === undefined ? {} : { body }) })
}

const play = (m: Marketplace, id: number, what: string, body: unknown = { code: "1234" }) =>
  ask(m, "PATCH", `${emulated}/orders/${id}/${what}`, body)

const statusOf = async (m: Marketplace, id: number): Promise<string> => {
  const { orders } = (await ask(m, "POST", "/api/v3/orders/status", { orders: [id] })).json
  return `${orders[0].supplierStatus} ${orders[0].platformStatus}`
}

/** Makes orders, so many of an item; answers those that need no labels and may go together. */
const makeOrders = async (m: Marketplace, amount: number): Promise<ReadonlyArray<number>> => {
  const size = unlabelled(m)
  const made = await ask(m, "POST", `${emulated}/orders/make`, { orders: [{ sku: size.sku, amount }] })
  expect(made.status).toBe(204)
  const { orders } = (await ask(m, "GET", "/api/v3/orders/new")).json
  return orders.filter((o: Json) => o.crossBorderType === 0).map((o: Json) => o.id)
}

/** A size of an item that needs no labels. */
const unlabelled = (m: Marketplace): Sales.Size => {
  const other = World.make({
    seller: "other",
    seed: m.sandbox.seed,
    scale: Scale.demo,
    originMs,
    firstId: 1_000_001
  })
  const order = Orders.all(other, originMs).find(({ required }) => required.length === 0)
  return Sales.sizes(other, order!.sale.itemId)[0]!
}

const inTestEnvironment = (run: (m: Marketplace) => Promise<void>) =>
  withMarketplace({ testEnvironment: true }, run)

test("nothing happens by itself: there are only the orders a tester made", () =>
  inTestEnvironment(async (m) => {
    expect((await ask(m, "GET", "/api/v3/orders/new")).json).toEqual({ orders: [] })
    const ids = await makeOrders(m, 3)
    expect(ids.length).toBeGreaterThan(0)
    m.advance(30 * 86_400_000)
    const { orders } = (await ask(m, "GET", "/api/v3/orders/new")).json
    expect(orders.map((o: Json) => o.id)).toEqual(expect.arrayContaining([...ids]))
    expect(new Set(orders.map((o: Json) => o.rid)).size).toBe(3)
  }))

test("an order goes the documented path: new, confirm, complete, sorted, ready for pickup, sold", () =>
  inTestEnvironment(async (m) => {
    const ids = (await makeOrders(m, 5)).slice(0, 2)
    const [id, lost] = ids as [number, number]
    expect(await statusOf(m, id)).toBe("new waiting")
    const supply = (await ask(m, "POST", "/api/v3/supplies", { name: "test" })).json.id
    expect(supply).toMatch(/^PLATFORM-GI-SAND-\d+$/)
    const orders = { orders: ids }
    expect((await ask(m, "PATCH", `/api/marketplace/v3/supplies/${supply}/orders`, orders)).status).toBe(204)
    expect(await statusOf(m, id)).toBe("confirm waiting")
    expect((await ask(m, "PATCH", `/api/v3/supplies/${supply}/deliver`)).status).toBe(204)
    expect(await statusOf(m, id)).toBe("complete waiting")
    m.advance(30 * 86_400_000)
    expect(await statusOf(m, id)).toBe("complete waiting")
    const closed = await ask(m, "PATCH", `${emulated}/supplies/${supply}/close`, { orders: [lost] })
    expect(closed.status).toBe(204)
    expect(await statusOf(m, id)).toBe("complete sorted")
    expect((await play(m, id, "deliver")).status).toBe(204)
    expect(await statusOf(m, id)).toBe("complete ready_for_pickup")
    expect((await play(m, id, "receive")).status).toBe(204)
    expect(await statusOf(m, id)).toBe("complete sold")
    expect((await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json).toEqual({
      orders: [{ supplyID: supply, orderID: lost }]
    })
  }))

test("the history of a cross-border order stands still as well, until somebody plays it", () =>
  inTestEnvironment(async (m) => {
    const scannedAt = originMs - 60_000
    const statuses = [{ status: "complete" as const, at: scannedAt }]
    const [id] = put(m, 1, { crossBorder: true, scannedAt, statuses }) as [number]
    const codes = async (): Promise<ReadonlyArray<string>> => {
      const { json } = await ask(m, "POST", "/api/v3/orders/status/history", { orders: [id] })
      return json.orders[0].statuses.map((s: Json) => s.code.toLowerCase())
    }
    m.advance(30 * 86_400_000)
    expect(await codes()).toEqual(["dispatched_by_seller", "accepted_at_platform_sc", "delivered"])
    expect((await play(m, id, "deliver")).status).toBe(204)
    expect((await play(m, id, "receive")).status).toBe(204)
    expect((await codes()).slice(2)).toEqual(["ready_for_pick_up", "received_by_client"])
  }))

test("a step that does not fit is refused, and so are wrong goods, codes and ids", () =>
  inTestEnvironment(async (m) => {
    const [id] = (await makeOrders(m, 5)) as [number]
    expect(outcome(await play(m, id, "receive"))).toEqual([409, "StatusMismatch"])
    expect(outcome(await play(m, id, "receive", {}))).toEqual([400, "IncorrectRequestBody"])
    expect(outcome(await play(m, 1, "decline"))).toEqual([404, "NotFound"])
    const make = (body: unknown) => ask(m, "POST", `${emulated}/orders/make`, body)
    expect(outcome(await make({ orders: [{ sku: "1", amount: 1 }] }))).toEqual([400, "IncorrectParameter"])
    expect(outcome(await make({ orders: [] }))).toEqual([400, "IncorrectRequestBody"])
    const [size] = Sales.sizes(worldOf(m), 200_000_001)
    const eleven = Array.from({ length: 11 }, () => ({ sku: size!.sku, amount: 1 }))
    expect(outcome(await make({ orders: eleven }))).toEqual([400, "IncorrectRequestBody"])
    expect(outcome(await ask(m, "PATCH", `${emulated}/supplies/none/close`))).toEqual([404, "NotFound"])
    expect((await play(m, id, "decline")).status).toBe(204)
    expect(await statusOf(m, id)).toBe("new declined_by_client")
    expect((await ask(m, "PATCH", `${emulated}/orders/${id}/vanish`)).status).toBe(404)
  }))

test("emulation needs a test token, keeps to one request per second, and is unknown elsewhere", async () => {
  await inTestEnvironment(async (m) => {
    const path = `${emulated}/orders/make`
    expect((await m.ask("POST", path, { body: {} })).status).toBe(401)
    expect(
      (await m.ask("POST", path, { body: {}, token: sandboxToken({ test: true, readOnly: true }) })).status
    ).toBe(403)
    expect((await ask(m, "GET", "/api/v3/orders/new")).status).toBe(200)
    const [size] = Sales.sizes(worldOf(m), 200_000_001)
    const made = { body: { orders: [{ sku: size!.sku, amount: 1 }] }, token }
    expect((await m.ask("POST", path, made)).status).toBe(429)
    m.advance(1_000)
    expect((await m.ask("POST", path, made)).status).toBe(204)
  })
  await withMarketplace({}, async (m) => {
    expect((await m.ask("POST", `${emulated}/orders/make`, { body: {} })).status).toBe(404)
  })
})
