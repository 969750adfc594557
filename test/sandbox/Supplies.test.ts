import { expect, test } from "vitest"
import type { Order } from "../../src/sandbox/shop/State.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import type { Marketplace } from "./Real.js"
import {
  ask,
  deliver,
  ordersPath,
  outcome,
  put,
  statusesOf,
  supplies,
  supplyOf,
  unitsPath,
  withShop,
  worldOf
} from "./ShopOrders.js"

const writes = (m: Marketplace) => m.sandbox.ledger.entries
const get = async (m: Marketplace, id: string) => (await ask(m, "GET", `${supplies}/${id}`)).json
const idsIn = async (m: Marketplace, id: string) =>
  (await ask(m, "GET", `/api/marketplace/v3/supplies/${id}/order-ids`)).json.orderIds
const add = (m: Marketplace, id: string, orders: ReadonlyArray<number>) =>
  ask(m, "PATCH", ordersPath(id), { orders })
/** The supply as the platform's control routes reach it. */
const kept = (m: Marketplace, id: string) => worldOf(m).shop.supplies.get(id)!
const refused = [409, "FailedToAddSupplyOrder"]

test("none → active: an empty supply has cargo type 0 and null types, and the same name may come twice", () =>
  withShop(async (m) => {
    const created = await ask(m, "POST", supplies, { name: "Boots" })
    const again = await ask(m, "POST", supplies, { name: "Boots" })
    const unnamed = await ask(m, "POST", supplies, {})
    expect([created.status, again.status, unnamed.status]).toEqual([201, 201, 201])
    expect(created.json.id).toMatch(/^PLATFORM-GI-\d+$/)
    expect(new Set([created.json.id, again.json.id, unnamed.json.id]).size).toBe(3)
    expect(await get(m, created.json.id)).toEqual({
      id: created.json.id,
      name: "Boots",
      done: false,
      createdAt: "2026-11-20T12:00:02Z",
      closedAt: null,
      scanDt: null,
      cargoType: 0,
      crossBorderType: null,
      isB2b: null,
      isPickupPointShipmentAllowed: false,
      destinationOfficeId: null,
      recommendedWhId: 0,
      spotAvailable: false
    })
    expect(await idsIn(m, created.json.id)).toBeNull()
    expect(writes(m)[0]).toMatchObject({
      operation: "createSupply",
      slot: "supply",
      target: { supplyId: created.json.id },
      before: null,
      after: "active"
    })
  }))

test("new → confirm: the first order gives the supply its types; the ledger and every reader agree", () =>
  withShop(async (m) => {
    const orders = put(m, 2, { cargoType: 2, crossBorder: true, pickupPointAllowed: false })
    const id = await supplyOf(m)
    expect(outcome(await add(m, id, orders))).toEqual([204, undefined])
    expect(await get(m, id)).toMatchObject({
      cargoType: 2,
      crossBorderType: 1,
      isB2b: false,
      isPickupPointShipmentAllowed: false,
      destinationOfficeId: 158,
      recommendedWhId: 0
    })
    expect(await idsIn(m, id)).toEqual(orders)
    expect(await statusesOf(m, orders)).toEqual(["confirm", "confirm"])
    expect(writes(m).filter((entry) => entry.slot === "order")).toMatchObject(
      orders.map((orderId) => ({
        operation: "addOrdersToSupply",
        target: { orderId, supplyId: id },
        before: "new",
        after: "confirm"
      }))
    )
  }))

const unlike: ReadonlyArray<readonly [string, Partial<Order>]> = [
  ["another cargo type", { cargoType: 3 }],
  ["cross-border beside domestic", { crossBorder: true }],
  ["another warehouse", { warehouseId: 71_002 }]
]
test.each(unlike)("an order of %s sinks its whole batch, into a filled and into an empty supply", (_, said) =>
  withShop(async (m) => {
    const [first, second] = put(m, 2) as [number, number]
    const [odd] = put(m, 1, said) as [number]
    const filled = await supplyOf(m, [first])
    const empty = await supplyOf(m)
    const before = writes(m).length
    for (const id of [filled, empty]) {
      const answer = await add(m, id, [second, odd])
      expect(outcome(answer)).toEqual(refused)
      expect(answer.text).not.toContain(String(odd))
    }
    expect(writes(m)).toHaveLength(before)
    expect(await idsIn(m, filled)).toEqual([first])
    expect(await statusesOf(m, [second, odd])).toEqual(["new", "new"])
    expect(outcome(await add(m, empty, [odd]))).toEqual([204, undefined])
  })
)

test("confirm → confirm: an order moves between active supplies; adding it where it is changes nothing", () =>
  withShop(async (m) => {
    const [order, other] = put(m, 2) as [number, number]
    const from = await supplyOf(m, [order, other])
    const to = await supplyOf(m)
    expect((await add(m, to, [order])).status).toBe(204)
    expect([await idsIn(m, from), await idsIn(m, to)]).toEqual([[other], [order]])
    expect(writes(m).at(-1)).toMatchObject({ target: { orderId: order, supplyId: to }, before: "confirm" })
    const before = writes(m).length
    expect((await add(m, to, [order, order])).status).toBe(204)
    expect(writes(m)).toHaveLength(before)
    expect(await statusesOf(m, [order])).toEqual(["confirm"])
  }))

test("unknown supplies are 404; unknown, cancelled and delivered orders are refused, as is a closed supply", () =>
  withShop(async (m) => {
    const [delivered, fresh] = put(m, 2) as [number, number]
    const [cancelled] = put(m, 1, { statuses: [{ status: "cancel", at: 0 }] }) as [number]
    const closed = await supplyOf(m, [delivered])
    await deliver(m, closed)
    const open = await supplyOf(m)
    expect(outcome(await add(m, "PLATFORM-GI-1", [fresh]))).toEqual([404, "NotFound"])
    for (const order of [999, cancelled, delivered])
      expect(outcome(await add(m, open, [order]))).toEqual(refused)
    expect(outcome(await add(m, closed, [fresh]))).toEqual(refused)
    expect(await idsIn(m, open)).toBeNull()
  }))

test("confirm → complete: deliver closes the supply, and only then there is a code to print", () =>
  withShop(async (m) => {
    const orders = put(m, 3)
    const id = await supplyOf(m, orders)
    const code = () => ask(m, "GET", `${supplies}/${id}/barcode?type=svg`)
    expect(outcome(await code())).toEqual([409, "SupplyNotClosed"])
    expect(outcome(await deliver(m, id))).toEqual([204, undefined])
    expect(await get(m, id)).toMatchObject({
      done: true,
      closedAt: expect.stringMatching(/^2026-11-20T12:\d\d:\d\dZ$/),
      scanDt: null,
      recommendedWhId: 158
    })
    expect(await statusesOf(m, orders)).toEqual(["complete", "complete", "complete"])
    expect((await code()).json.barcode).toBe(id)
    const delivered = writes(m).filter((entry) => entry.operation === "deliverSupply")
    expect(delivered.map(({ after, slot }) => [slot, after])).toEqual([
      ["order", "complete"],
      ["order", "complete"],
      ["order", "complete"],
      ["supply", "closed"]
    ])
  }))

test("deliver is refused for an empty, a closed and an unknown supply", () =>
  withShop(async (m) => {
    const empty = await supplyOf(m)
    expect(outcome(await deliver(m, empty))).toEqual([409, "SupplyHasZeroOrders"])
    expect((await get(m, empty)).done).toBe(false)
    expect(outcome(await deliver(m, "PLATFORM-GI-1"))).toEqual([404, "NotFound"])
    const closed = await supplyOf(m, put(m, 1))
    await deliver(m, closed)
    const { closedAt } = await get(m, closed)
    expect(outcome(await deliver(m, closed))).toEqual([400, "IncorrectParameter"])
    expect((await get(m, closed)).closedAt).toBe(closedAt)
  }))

test("deliver names the orders and keys whose labels are missing, and goes through once they are given", () =>
  withShop(async (m) => {
    const [labelled, free] = [...put(m, 1, { required: ["gtin"], optional: ["imei"] }), ...put(m, 1)] as [
      number,
      number
    ]
    const id = await supplyOf(m, [labelled, free])
    const failed = await deliver(m, id)
    expect(outcome(failed)).toEqual([409, "MetaValidationFail"])
    expect(failed.json.data).toEqual({
      orders: [{ id: labelled, metaDetails: [{ key: "gtin", value: "null", decision: "required" }] }]
    })
    expect(await statusesOf(m, [labelled, free])).toEqual(["confirm", "confirm"])
    await ask(m, "PUT", `/api/v3/orders/${labelled}/meta/gtin`, { gtin: "4600439931256" })
    expect((await deliver(m, id)).status).toBe(204)
  }))

test("where shipping data is asked for, deliver waits for it, and the record shows it", () =>
  withShop(async (m) => {
    const id = await supplyOf(m, put(m, 1))
    const play = (body: object) => m.ask("POST", "/_sandbox/shop", { body: { supplyId: id, ...body } })
    expect((await play({ play: "ask_shipping" })).status).toBe(204)
    expect(outcome(await deliver(m, id))).toEqual([409, "SupplyShippingRequired"])
    const given = { date: "2026-11-21", pointId: 77, type: "transportCompany" }
    expect((await play({ play: "give_shipping", ...given })).status).toBe(204)
    expect((await deliver(m, id)).status).toBe(204)
    expect(await get(m, id)).toMatchObject({
      shippingDt: "2026-11-21",
      shippingPointId: 77,
      shippingType: "transportCompany"
    })
  }))

test("active → closed by itself: a scan closes the supply once, and deliver comes too late", () =>
  withShop(async (m) => {
    const orders = put(m, 2)
    const id = await supplyOf(m, orders)
    const at = m.sandbox.originMs + 60_000
    m.advance(120_000)
    expect(Supplies.close(worldOf(m), kept(m, id), at).map((order) => order.id)).toEqual(orders)
    expect(Supplies.close(worldOf(m), kept(m, id), at + 1)).toEqual([])
    expect(await get(m, id)).toMatchObject({ done: true, closedAt: "2026-11-20T12:01:00Z" })
    expect(await statusesOf(m, orders)).toEqual(["complete", "complete"])
    expect(outcome(await deliver(m, id))).toEqual([400, "IncorrectParameter"])
    expect(outcome(await add(m, id, put(m, 1)))).toEqual(refused)
  }))

test("complete → confirm: an order left unscanned in a closed supply goes into an active one, no other does", () =>
  withShop(async (m) => {
    const [left, scanned] = put(m, 2) as [number, number]
    const closed = await supplyOf(m, [left, scanned])
    await deliver(m, closed)
    worldOf(m).shop.orders.get(left)!.reshipment = true
    const open = await supplyOf(m)
    expect(outcome(await add(m, open, [left, scanned]))).toEqual(refused)
    expect((await add(m, open, [left])).status).toBe(204)
    expect(await statusesOf(m, [left, scanned])).toEqual(["confirm", "complete"])
    expect([await idsIn(m, closed), await idsIn(m, open)]).toEqual([[scanned], [left]])
    expect(writes(m).at(-1)).toMatchObject({ before: "complete", after: "confirm" })
    expect(worldOf(m).shop.orders.get(left)!.reshipment).toBe(false)
    worldOf(m).shop.orders.get(scanned)!.reshipment = true
    expect((await add(m, open, [scanned])).status).toBe(204)
    expect(await idsIn(m, closed)).toBeNull()
    expect((await ask(m, "DELETE", `${supplies}/${closed}`)).status).toBe(409)
    expect(await get(m, closed)).toMatchObject({ done: true, cargoType: 0 })
  }))

test("confirm → cancel: a cancelled order leaves its supply, and the half of the orders is counted anew", () =>
  withShop(async (m) => {
    const [first, second, third, fourth] = put(m, 4) as [number, number, number, number]
    const id = await supplyOf(m, [first, second, third, fourth])
    expect((await ask(m, "PATCH", `/api/v3/orders/${second}/cancel`)).status).toBe(204)
    expect(await idsIn(m, id)).toEqual([first, third, fourth])
    expect(outcome(await ask(m, "POST", unitsPath(id), { amount: 2 }))).toEqual([400, "IncorrectParameter"])
    expect(outcome(await add(m, id, [second]))).toEqual(refused)
    await deliver(m, id)
    expect(await statusesOf(m, [first, second])).toEqual(["complete", "cancel"])
  }))

test("a new order its buyer declined can no longer be put into a supply", () =>
  withShop(async (m) => {
    const [declined] = put(m, 1, { plays: [{ what: "decline", at: 0 }] }) as [number]
    expect(outcome(await add(m, await supplyOf(m), [declined]))).toEqual(refused)
  }))

test("active → removed: only an active supply without orders can be deleted", () =>
  withShop(async (m) => {
    const remove = (id: string) => ask(m, "DELETE", `${supplies}/${id}`)
    const [order] = put(m, 1) as [number]
    const filled = await supplyOf(m, [order])
    const other = await supplyOf(m)
    expect(outcome(await remove(filled))).toEqual([409, "SupplyHasOrders"])
    await add(m, other, [order])
    expect((await remove(filled)).status).toBe(204)
    expect(writes(m).at(-1)).toMatchObject({ operation: "deleteSupply", before: "active", after: "removed" })
    for (const path of [`${supplies}/${filled}`, `${supplies}/${filled}/trbx`])
      expect(outcome(await ask(m, "GET", path))).toEqual([404, "NotFound"])
    expect(outcome(await remove(filled))).toEqual([404, "NotFound"])
    await deliver(m, other)
    expect(outcome(await remove(other))).toEqual([409, "SupplyHasOrders"])
    expect((await get(m, other)).done).toBe(true)
  }))

test("the list is walked by its cursor, each supply once, and the cursor ends at 0", () =>
  withShop(async (m) => {
    const made: Array<string> = []
    for (let i = 0; i < 5; i++) made.push(await supplyOf(m))
    const seen: Array<string> = []
    let next = 0
    let pages = 0
    do {
      const { json } = await ask(m, "GET", `${supplies}?limit=2&next=${next}`)
      seen.push(...json.supplies.map((supply: { id: string }) => supply.id))
      next = json.next
    } while (next !== 0 && ++pages < 1000)
    expect(seen.filter((id) => made.includes(id))).toEqual(made)
    expect(new Set(seen).size).toBe(seen.length)
  }))
