import * as fc from "fast-check"
import { expect, test } from "vitest"
import * as Archive from "../../src/sandbox/handlers/Orders.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import { defaultSeller, sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Course from "../../src/sandbox/shop/Course.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Progress from "../../src/sandbox/shop/Progress.js"
import * as OwnPast from "./OwnPast.js"
import { type Json, type Marketplace, originMs, withMarketplace } from "./Real.js"
import { ask, deliver, ordersPath, outcome, put, supplyOf, withShop, worldOf } from "./ShopOrders.js"

const hour = 3_600_000
const day = 24 * hour
const world = (seed = 1) =>
  OwnPast.world({ seller: "seller", seed, scale: Scale.demo, originMs, firstId: 1_000_001 })
const seconds = (ms: number) => Math.floor(ms / 1000)

const statusOf = async (m: Marketplace, id: number): Promise<Json> =>
  (await ask(m, "POST", "/api/v3/orders/status", { orders: [id] })).json.orders[0]
const newOrders = async (m: Marketplace): Promise<ReadonlyArray<Json>> =>
  (await ask(m, "GET", "/api/v3/orders/new")).json.orders
const play = (m: Marketplace, body: Json) => ask(m, "POST", "/_sandbox/shop", body)
const cancel = (m: Marketplace, id: number) => ask(m, "PATCH", `/api/v3/orders/${id}/cancel`)

/** Domestic orders of one warehouse that need no labels. */
const plainOf = (orders: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const plain = orders.filter((o) => o.crossBorderType === 0 && o.cargoType === 1 && o.requiredMeta === null)
  return plain.filter((o) => o.warehouseId === plain[0].warehouseId)
}

test("a seller has new orders of the last hours, and they are the sales he sends himself", () =>
  withMarketplace({}, async (m) => {
    const orders = await newOrders(m)
    expect(orders.length).toBeGreaterThan(10)
    for (const order of orders) {
      expect(Date.parse(order.createdAt)).toBeGreaterThan(originMs - 12 * hour)
      expect(order).toMatchObject({ deliveryType: "fbs", scanPrice: null, convertedCurrencyCode: 643 })
      expect(order.skus).toHaveLength(1)
      expect(Object.keys(order)).not.toContain("supplyId")
      expect([order.requiredMeta, order.optionalMeta, order.offices]).not.toContainEqual([])
      expect(await statusOf(m, order.id)).toEqual({
        id: order.id,
        supplierStatus: "new",
        platformStatus: "waiting",
        isCancellable: true
      })
    }
    m.advance(6 * hour)
    const later = await newOrders(m)
    expect(later.at(-1).id).toBeGreaterThan(orders.at(-1).id)
    expect(new Set(later.map((o) => o.rid)).size).toBe(later.length)
  }))

test("an order goes from new over confirm and complete to sold as time goes by", () =>
  withMarketplace({}, async (m) => {
    const ids = plainOf(await newOrders(m)).map((o) => o.id)
    expect(ids.length).toBeGreaterThan(2)
    const supply = await supplyOf(m, ids)
    expect((await newOrders(m)).filter((o) => ids.includes(o.id))).toEqual([])
    expect(await statusOf(m, ids[0])).toMatchObject({ supplierStatus: "confirm", platformStatus: "waiting" })
    expect((await deliver(m, supply)).status).toBe(204)
    expect(await statusOf(m, ids[0])).toMatchObject({
      supplierStatus: "complete",
      platformStatus: "waiting",
      isCancellable: false
    })
    m.advance(9 * hour)
    const { scanDt } = (await ask(m, "GET", `/api/v3/supplies/${supply}`)).json
    expect(Date.parse(scanDt) - originMs).toBeGreaterThan(2 * hour)
    const seen = new Map<number, Array<string>>(ids.map((id) => [id, []]))
    for (let step = 0; step < 240; step++) {
      const { orders } = (await ask(m, "POST", "/api/v3/orders/status", { orders: ids })).json
      for (const { id, platformStatus } of orders)
        if (seen.get(id)!.at(-1) !== platformStatus) seen.get(id)!.push(platformStatus)
      m.advance(hour)
    }
    for (const way of seen.values())
      expect(way.join(" ")).toMatch(
        /^(waiting|(waiting )?sorted( defect|( postponed_delivery)? ready_for_pickup (sold|canceled_by_client)))$/
      )
    expect([...seen.values()].filter((way) => way.at(-1) === "sold").length).toBeGreaterThan(ids.length / 2)
  }))

test("what acceptance does not find is to be shipped again, and goes out with another supply", () =>
  withShop(async (m) => {
    const [lost, found] = put(m, 2) as [number, number]
    const supply = await supplyOf(m, [lost, found])
    expect((await play(m, { supplyId: supply, play: "scan", unscanned: [lost] })).status).toBe(204)
    expect((await ask(m, "GET", `/api/v3/supplies/${supply}`)).json.done).toBe(true)
    const path = "/api/v3/supplies/orders/reshipment"
    expect((await ask(m, "GET", path)).json).toEqual({ orders: [{ supplyID: supply, orderID: lost }] })
    expect(await statusOf(m, lost)).toMatchObject({ supplierStatus: "complete", platformStatus: "waiting" })
    expect(await statusOf(m, found)).toMatchObject({ supplierStatus: "complete", platformStatus: "sorted" })
    const second = await supplyOf(m, [lost])
    expect((await ask(m, "GET", path)).json).toEqual({ orders: [] })
    expect(await statusOf(m, lost)).toMatchObject({ supplierStatus: "confirm", platformStatus: "waiting" })
    await deliver(m, second)
    m.advance(9 * hour)
    expect((await statusOf(m, lost)).supplierStatus).toBe("complete")
  }))

test("of many delivered orders a few are not scanned, and turn up for reshipment a day later", () =>
  withShop(async (m) => {
    const groups = Array.from({ length: 10 }, () => put(m, 30))
    const { shop } = worldOf(m)
    for (const [i, id] of groups.flat().entries()) {
      const order = shop.orders.get(id)!
      shop.orders.set(id, { ...order, sale: { ...order.sale, seed: i } })
    }
    const wanted = (id: number) => Orders.mayAssemble(worldOf(m), shop.orders.get(id)!, originMs)
    for (const ids of groups) await deliver(m, await supplyOf(m, ids.filter(wanted)))
    m.advance(10 * hour)
    expect((await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json.orders).toEqual([])
    m.advance(day)
    const { orders } = (await ask(m, "GET", "/api/v3/supplies/orders/reshipment")).json
    expect(orders.length).toBeGreaterThan(0)
    expect(orders.length).toBeLessThan(25)
  }))

test("a cancelled order leaves its supply, is cancelled in the feed, and cannot be cancelled again", () =>
  withMarketplace({}, async (m) => {
    const ids = plainOf(await newOrders(m)).map((o) => o.id)
    const [one, other] = ids as [number, number]
    const supply = await supplyOf(m, ids)
    expect((await cancel(m, one)).status).toBe(204)
    expect(await statusOf(m, one)).toMatchObject({
      supplierStatus: "cancel",
      platformStatus: "canceled",
      isCancellable: false
    })
    const { orderIds } = (await ask(m, "GET", `/api/marketplace/v3/supplies/${supply}/order-ids`)).json
    expect(orderIds).toEqual(ids.slice(1))
    const w = worldOf(m)
    const nowMs = originMs + 10 * hour
    expect(Course.outcome(w, w.shop.orders.get(one)!.sale, nowMs)).toMatchObject({
      status: "cancel",
      cancelType: "other"
    })
    expect(outcome(await cancel(m, one))).toEqual([409, "StatusMismatch"])
    await deliver(m, supply)
    expect(outcome(await cancel(m, other))).toEqual([409, "StatusChangeNotAllowed"])
    expect(outcome(await cancel(m, 1))).toEqual([404, "NotFound"])
    expect(outcome(await cancel(m, "x" as never))).toEqual([400, "IncorrectParameter"])
    expect(m.sandbox.ledger.entries.filter((entry) => entry.operation === "cancelOrder")).toEqual([
      expect.objectContaining({
        slot: "order",
        target: { orderId: one, supplyId: supply },
        before: "confirm",
        after: "cancel"
      })
    ])
  }))

test("a token for reading may ask for orders and not cancel one", () =>
  withMarketplace({}, async (m) => {
    const token = sandboxToken({ readOnly: true })
    const { orders } = (await m.ask("GET", "/api/v3/orders/new", { token })).json
    expect((await m.ask("PATCH", `/api/v3/orders/${orders[0].id}/cancel`, { token })).status).toBe(403)
  }))

test("an order the buyer declined within the hour is no longer new and fits into no supply", () =>
  withShop(async (m) => {
    const [id] = put(m, 1) as [number]
    expect((await play(m, { orderId: id, play: "decline" })).status).toBe(204)
    expect(await statusOf(m, id)).toEqual({
      id,
      supplierStatus: "new",
      platformStatus: "declined_by_client",
      isCancellable: false
    })
    expect((await newOrders(m)).filter((o) => o.id === id)).toEqual([])
    const supply = await supplyOf(m)
    expect(outcome(await ask(m, "PATCH", ordersPath(supply), { orders: [id] }))).toEqual([
      409,
      "FailedToAddSupplyOrder"
    ])
  }))

test("a played step must fit the order's place", () =>
  withShop(async (m) => {
    const [id] = put(m, 1) as [number]
    for (const what of ["deliver", "receive", "reject", "defect"])
      expect((await play(m, { orderId: id, play: what })).status).toBe(400)
    const supply = await supplyOf(m, [id])
    expect((await play(m, { orderId: id, play: "decline" })).status).toBe(400)
    expect((await play(m, { supplyId: supply, play: "scan", unscanned: [1] })).status).toBe(400)
    expect((await play(m, { supplyId: supply, play: "scan" })).status).toBe(204)
    expect((await play(m, { supplyId: supply, play: "scan" })).json.error).toContain("already")
    expect((await play(m, { orderId: id, play: "receive" })).status).toBe(400)
    expect((await play(m, { orderId: id, play: "deliver" })).status).toBe(204)
    expect((await statusOf(m, id)).platformStatus).toBe("ready_for_pickup")
    expect((await play(m, { orderId: id, play: "reject" })).status).toBe(204)
    expect((await statusOf(m, id)).platformStatus).toBe("canceled_by_client")
    expect((await play(m, { orderId: id, play: "defect" })).status).toBe(400)
    expect((await play(m, { orderId: 5, play: "decline" })).json.error).toContain("does not exist")
    expect((await play(m, { supplyId: "x", play: "scan" })).status).toBe(400)
  }))

test("the list holds 30 days by default and any window within three months, page by page", () =>
  withMarketplace({}, async (m) => {
    const page = async (query: string) => (await ask(m, "GET", `/api/v3/orders?${query}`)).json
    const first = await page("limit=1000&next=0")
    const created = first.orders.map((o: Json) => Date.parse(o.createdAt))
    expect(Math.min(...created)).toBeGreaterThan(originMs - 30 * day)
    expect(Math.min(...created)).toBeLessThan(originMs - 29 * day)
    const walked: Array<number> = []
    let next = 0
    for (let pages = 0; pages < 100; pages++) {
      const answer = await page(`limit=300&next=${next}`)
      walked.push(...answer.orders.map((o: Json) => o.id))
      if (answer.orders.length === 0 || answer.next === 0 || answer.next === next) break
      next = answer.next
    }
    expect(new Set(walked).size).toBe(walked.length)
    expect(walked.slice(0, 1000)).toEqual(first.orders.map((o: Json) => o.id))
    const from = seconds(originMs - 60 * day)
    const window = await page(`limit=1000&next=0&dateFrom=${from}&dateTo=${from + 86_400}`)
    expect(window.orders.length).toBeGreaterThan(5)
    for (const order of window.orders) {
      expect(seconds(Date.parse(order.createdAt)) - from).toBeLessThanOrEqual(86_400)
      expect(seconds(Date.parse(order.createdAt))).toBeGreaterThanOrEqual(from)
      expect(Object.keys(order)).not.toContain("requiredMeta")
    }
    // The default start counts from now, whatever the end (seed 000).
    const untilYesterday = await page(`limit=1000&next=0&dateTo=${seconds(originMs - day)}`)
    expect(untilYesterday.orders[0].id).toBe(first.orders[0].id)
    const shipped = window.orders.find((o: Json) => o.supplyId !== undefined)
    expect(shipped.supplyId).toMatch(/^PLATFORM-GI-\d+$/)
    expect(shipped.scanPrice).toBeGreaterThan(0)
    const old = seconds(originMs - 105 * day)
    expect((await page(`limit=1000&next=0&dateFrom=${old}&dateTo=${old + 86_400}`)).orders).toEqual([])
    const bad = await ask(
      m,
      "GET",
      `/api/v3/orders?limit=10&next=0&dateFrom=${from}&dateTo=${from + 31 * 86_400}`
    )
    expect(outcome(bad)).toEqual([400, "IncorrectParameter"])
    expect(outcome(await ask(m, "GET", "/api/v3/orders?limit=1001&next=0"))).toEqual([
      400,
      "IncorrectParameter"
    ])
  }))

test("the archive holds orders of more than three months ago whose supply is over, by month of creation", () =>
  withMarketplace({}, async (m) => {
    const archive = (query: string) => ask(m, "GET", `/api/marketplace/v3/fbs/orders/archive?${query}`)
    const { next, orders } = (await archive("year=2026&month=8&next=0&limit=1000")).json
    expect(next).toBeNull()
    expect(orders.length).toBeGreaterThan(100)
    const finals = [
      "sold",
      "canceled",
      "canceled_by_client",
      "declined_by_client",
      "defect",
      "canceled_by_carrier"
    ]
    for (const order of orders) {
      expect(order.createdAt).toMatch(/^2026-08-\d\d$/)
      expect(Date.parse(order.createdAt)).toBeLessThan(originMs - 91 * day)
      expect(["mgt", "sgt", "kgtPlus"]).toContain(order.cargoType)
      expect(order.crossBorder === null).toBe(order.crossBorderType === "local")
      expect(finals).toContain(order.status.platformStatus)
    }
    const first = (await archive("year=2026&month=8&next=0&limit=100")).json
    expect(first.orders.map((o: Json) => o.id)).toEqual(orders.slice(0, 100).map((o: Json) => o.id))
    const second = (await archive(`year=2026&month=8&next=${first.next}&limit=100`)).json
    expect(second.orders[0].id).toBe(orders[100].id)
    expect((await archive("year=2026&month=11&next=0&limit=100")).json).toEqual({ next: null, orders: [] })
    const bad = await archive("year=2026&month=8&next=0&limit=99")
    expect(bad.status).toBe(400)
    expect(bad.json).toMatchObject({ title: expect.any(String), detail: expect.any(String), status: 400 })
  }))

test("an old order is in neither list until every order of its supply is over", () =>
  withShop(async (m) => {
    const [sold, open, idle] = put(m, 3) as [number, number, number]
    const { shop } = worldOf(m)
    const orderedAt = originMs - 100 * day
    const shipped = [
      { status: "confirm", at: orderedAt + hour },
      { status: "complete", at: orderedAt + 2 * hour }
    ] as const
    for (const id of [sold, open, idle]) {
      const order = shop.orders.get(id)!
      shop.orders.set(id, {
        ...order,
        sale: { ...order.sale, orderedAt, day: Moscow.dayOf(orderedAt) },
        statuses: [{ status: "new", at: orderedAt }, ...(id === idle ? [] : shipped)],
        supplyId: id === idle ? undefined : "PLATFORM-GI-1",
        scannedAt: id === sold ? orderedAt + day : undefined
      })
    }
    const archive = async () =>
      (
        await ask(m, "GET", "/api/marketplace/v3/fbs/orders/archive?year=2026&month=8&next=0&limit=100")
      ).json.orders.map((o: Json) => o.id)
    expect(await statusOf(m, sold)).toMatchObject({ supplierStatus: "complete", platformStatus: "sold" })
    const from = seconds(orderedAt - day)
    const list = await ask(m, "GET", `/api/v3/orders?limit=100&next=0&dateFrom=${from}`)
    expect(list.json.orders).toEqual([])
    expect(await archive()).toEqual([])
    shop.orders.get(open)!.scannedAt = orderedAt + 2 * day
    expect(await archive()).toEqual([sold, open])
  }))

test("three months back from the last of a month is the last of the shorter one", () => {
  const at = (text: string) => new Date(Archive.listedFrom(Date.parse(text))).toISOString()
  expect(at("2026-05-31T10:00:00Z")).toBe("2026-02-28T10:00:00.000Z")
  expect(at("2026-11-20T12:00:00Z")).toBe("2026-08-20T12:00:00.000Z")
  expect(at("2027-01-15T00:00:00Z")).toBe("2026-10-15T00:00:00.000Z")
})

test("history and clients are told of cross-border orders only", () =>
  withMarketplace({}, async (m) => {
    const from = seconds(originMs - 50 * day)
    const { orders } = (
      await ask(m, "GET", `/api/v3/orders?limit=1000&next=0&dateFrom=${from}&dateTo=${from + 20 * 86_400}`)
    ).json
    const abroad = orders.filter((o: Json) => o.crossBorderType === 1).map((o: Json) => o.id)
    const home = orders.filter((o: Json) => o.crossBorderType === 0).map((o: Json) => o.id)
    expect(abroad.length).toBeGreaterThan(20)
    const asked = { orders: [...abroad.slice(0, 60), ...home.slice(0, 20)] }
    const history = (await ask(m, "POST", "/api/v3/orders/status/history", asked)).json.orders
    expect(history.map((o: Json) => o.orderID)).toEqual(abroad.slice(0, 60))
    const codes = history.map((o: Json) => o.statuses.map((s: Json) => s.code))
    expect(codes.flat()).toContain("created")
    expect(codes.flat()).toContain("CREATED")
    for (const { statuses } of history) {
      const dates = statuses.flatMap((s: Json) => s.date ?? [])
      expect(dates).toEqual([...dates].sort())
      expect(statuses[0].code.toLowerCase()).toBe("created")
    }
    const clients = (await ask(m, "POST", "/api/v3/orders/client", asked)).json.orders
    expect(clients.length).toBeGreaterThan(0)
    expect(clients.length).toBeLessThan(abroad.slice(0, 60).length)
    expect((await ask(m, "POST", "/api/v3/orders/client", { orders: home.slice(0, 5) })).json).toEqual({
      orders: null
    })
    expect(outcome(await ask(m, "POST", "/api/v3/orders/client", { orders: [1] }))).toEqual([404, "NotFound"])
    expect((await ask(m, "POST", "/api/v3/orders/status/history", { orders: [1] })).status).toBe(404)
    expect((await ask(m, "POST", "/api/v3/orders/status", { orders: [1] })).json).toEqual({ orders: [] })
    const empty = await ask(m, "POST", "/api/v3/orders/status", { orders: [] })
    expect(empty.status).toBe(400)
  }))

test("orders are the same however often one looks", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 40 * hour }), { maxLength: 5 }),
      (seed, delays) => {
        const [often, once] = [world(seed), world(seed)]
        for (const delay of delays) Orders.settle(often, originMs + delay)
        const end = originMs + 40 * hour
        expect(Orders.all(often, end)).toEqual(Orders.all(once, end))
        expect([...often.shop.supplies.values()]).toEqual([...once.shop.supplies.values()])
      }
    ),
    { numRuns: 4 }
  )
})

test("statuses, feed and labels of the past fit together", () => {
  const w = world()
  const orders = Orders.all(w, originMs)
  expect(orders.map((order) => order.id)).toEqual(orders.map((_, i) => orders[0]!.id + i))
  const first = orders[0]!.sale.orderedAt
  expect((originMs - first) / day).toBeGreaterThan(108)
  for (const order of orders) {
    const { status } = Progress.platform(w, order, originMs)
    const feed = Course.outcome(w, order.sale, originMs)
    if (status === "sold") expect(["buyout", "return", "returnDefective"]).toContain(feed.status)
    else if (status === "defect") expect(feed.status).toBe("returnDefective")
    else expect(feed.status).toBe(Progress.isFinal(status) ? "cancel" : "created")
    const supply = order.supplyId === undefined ? undefined : w.shop.supplies.get(order.supplyId)
    if (Orders.status(w, order, originMs) === "complete") {
      expect(supply?.closedAt).toBeGreaterThan(order.sale.orderedAt)
      expect([...order.labels.keys()]).toEqual(order.required)
    }
    if (Orders.status(w, order, originMs) === "new") expect(supply).toBeUndefined()
  }
  const share = (test: (order: (typeof orders)[number]) => boolean) =>
    orders.filter(test).length / orders.length
  expect(share((order) => order.crossBorder)).toBeCloseTo(0.08, 1)
  expect(share((order) => order.sale.business)).toBeCloseTo(0.05, 1)
  expect(share((order) => order.required.length > 0)).toBeGreaterThan(0.1)
  expect(share((order) => Orders.isOversold(w, order))).toBeGreaterThan(0)
  expect(share((order) => Orders.isOversold(w, order))).toBeLessThan(0.2)
  for (const supply of w.shop.supplies.values()) {
    const kinds = orders
      .filter((order) => order.supplyId === supply.id)
      .map((order) => `${order.warehouseId} ${order.cargoType} ${order.crossBorder} ${order.sale.business}`)
    expect(new Set(kinds).size).toBe(1)
  }
})

test("a carrier may give up a cross-border order", () => {
  const w = world()
  const given = Orders.all(w, originMs).filter(
    (order) => Orders.platformStatus(w, order, originMs) === "canceled_by_carrier"
  )
  expect(given.length).toBeGreaterThan(0)
  for (const order of given) {
    expect(order.crossBorder).toBe(true)
    expect(Orders.status(w, order, originMs)).toBe("cancel_carrier")
    expect(Orders.isCancellable(w, order, originMs)).toBe(false)
  }
})

test("the control route tells what the shop holds", () =>
  withMarketplace({}, async (m) => {
    const { json } = await ask(m, "GET", "/_sandbox/shop")
    expect(json.seller).toBe(defaultSeller)
    const fresh = json.orders.filter((row: Json) => row.supplierStatus === "new")
    expect(json.orderStatuses["new waiting"]).toBe(fresh.length)
    expect(json.orders.filter((row: Json) => row.reshipment)).toHaveLength(json.orders.length - fresh.length)
    const total = Object.values<number>(json.orderStatuses).reduce((a, b) => a + b, 0)
    expect(total).toBe(json.orderCount)
    const { id } = json.orders[0]
    expect((await ask(m, "GET", `/_sandbox/shop?order=${id}`)).json.orders).toEqual([json.orders[0]])
  }))

test("what was played later leaves an earlier instant as it was", () =>
  withShop(async (m) => {
    const supplyId = await supplyOf(m, put(m, 2))
    const [id] = [...worldOf(m).shop.orders.keys()] as [number]
    await play(m, { supplyId, play: "scan" })
    const order = worldOf(m).shop.orders.get(id)!
    const at = async (what: string) => {
      expect((await play(m, { orderId: id, play: what })).status).toBe(204)
      return order.plays.at(-1)!.at
    }
    const delivered = await at("deliver")
    const received = await at("receive")
    const status = (instant: number) => Progress.platform(worldOf(m), order, instant)
    expect(status(received)).toEqual({ status: "sold", at: received })
    expect(status(received - 1)).toEqual({ status: "ready_for_pickup", at: delivered })
  }))

test("goods of a cancelled order that nobody scanned are not on their way back", () =>
  withShop(async (m) => {
    const [id] = put(m, 1) as [number]
    m.advance(3 * day)
    expect((await cancel(m, id)).status).toBe(204)
    const order = worldOf(m).shop.orders.get(id)!
    const nowMs = originMs + 3 * day + hour
    expect(Course.outcome(worldOf(m), order.sale, nowMs).status).toBe("cancel")
    expect(Course.transit(worldOf(m), order.sale, nowMs)).toBe("none")
  }))
