import { expect, test } from "vitest"
import { type Json, withMarketplace } from "./Real.js"
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
const stickersPath = "/api/v3/orders/stickers?type=svg&width=58&height=40"

test("the story: order → supply → labels → units → stickers → deliver → acceptance → reshipment", () =>
  withShop(async (m) => {
    const required = ["sgtin"] as const
    const [marked] = put(m, 1, { required }) as [number]
    const orders = [marked, ...put(m, 3)]
    const id = await supplyOf(m, orders)
    expect(outcome(await deliver(m, id))).toEqual([409, "MetaValidationFail"])
    const sgtin = (serial: string) => `010460043993125621${serial}\u001d91AB12`
    await ask(m, "PUT", labelPath(marked, "sgtin"), { sgtins: [sgtin("SOLD")] })
    m.advance(2 * minuteMs)
    expect((await deliver(m, id)).json.data.orders[0].metaDetails[0].decision).toBe("sgtinWithdrawn")
    await ask(m, "PUT", labelPath(marked, "sgtin"), { sgtins: [sgtin("7777")] })
    expect((await deliver(m, id)).json.data.orders[0].metaDetails[0].decision).toBe("pending")
    m.advance(2 * minuteMs)

    const { trbxIds } = (await ask(m, "POST", `${supplies}/${id}/trbx`, { amount: 2 })).json
    const unitStickers = await ask(m, "POST", `${supplies}/${id}/trbx/stickers?type=zplh`, { trbxIds })
    expect(unitStickers.json.stickers).toHaveLength(2)
    expect(
      (await ask(m, "POST", stickersPath, { orders })).json.stickers.map((s: Json) => s.orderId)
    ).toEqual(orders)
    expect((await deliver(m, id)).status).toBe(204)
    expect(await statusesOf(m, orders)).toEqual(["complete", "complete", "complete", "complete"])

    // Acceptance found all but the marked one.
    const supply = worldOf(m).shop.supplies.get(id)!
    m.advance(60 * minuteMs)
    supply.scannedAt = m.sandbox.originMs + 60 * minuteMs
    for (const order of orders) worldOf(m).shop.orders.get(order)!.scannedAt = supply.scannedAt
    worldOf(m).shop.orders.get(marked)!.scannedAt = undefined
    m.advance(25 * 60 * minuteMs)
    const left = (await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json.orders
    expect(left.filter((row: Json) => row.supplyID === id)).toEqual([{ supplyID: id, orderID: marked }])

    const next = await supplyOf(m, [marked])
    expect(await statusesOf(m, [marked])).toEqual(["confirm"])
    expect((await ask(m, "GET", `/api/marketplace/v3/supplies/${id}/order-ids`)).json.orderIds).toEqual(
      orders.slice(1)
    )
    expect((await deliver(m, next)).status).toBe(204)
    const course = m.sandbox.ledger.entries
      .filter((entry) => entry.slot === "order" && entry.target.orderId === marked)
      .map(({ after, before, target }) => [before, after, target.supplyId])
    expect(course).toEqual([
      ["new", "confirm", id],
      ["confirm", "complete", id],
      ["complete", "confirm", next],
      ["confirm", "complete", next]
    ])
  }))

test("orders that buyers made go out together by their kind; the platform scans them and lists what is left", () =>
  withMarketplace({ scale: { campaigns: 1, items: 4, clusters: 2 } }, async (m) => {
    const past = (await ask(m, "GET", `${supplies}?limit=1000&next=0`)).json
    expect(past.supplies.length).toBeGreaterThan(10)
    for (const supply of past.supplies)
      expect(supply).toMatchObject({ done: true, crossBorderType: expect.any(Number) })
    const fresh: ReadonlyArray<Json> = (await ask(m, "GET", "/api/v3/orders/new")).json.orders
    const kind = (o: Json) =>
      `${o.warehouseId} ${o.cargoType} ${o.crossBorderType} ${o.requiredMeta?.length ?? 0}`
    const [first] = fresh.filter((order) => !order.requiredMeta?.length)
    const together = fresh.filter((order) => kind(order) === kind(first)).map((order) => order.id)
    const stranger = fresh.find((order) => order.warehouseId !== first.warehouseId)
    const id = await supplyOf(m, together)
    expect(outcome(await ask(m, "PATCH", ordersPath(id), { orders: [stranger.id] }))).toEqual([
      409,
      "FailedToAddSupplyOrder"
    ])
    expect((await deliver(m, id)).status).toBe(204)
    const waiting = (await ask(m, "GET", "/api/v3/orders/new")).json.orders.map((order: Json) => order.id)
    expect(waiting.filter((order: number) => together.includes(order))).toEqual([])
    m.advance(9 * 3_600_000)
    expect((await ask(m, "GET", `${supplies}/${id}`)).json).toMatchObject({
      done: true,
      scanDt: expect.stringMatching(/Z$/)
    })
    m.advance(24 * 3_600_000)
    const left = (await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json.orders
    for (const row of left) expect(Object.keys(row).sort()).toEqual(["orderID", "supplyID"])
    expect(await statusesOf(m, together)).toEqual(together.map(() => "complete"))
  }))
