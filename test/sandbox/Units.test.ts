import * as fc from "fast-check"
import { expect, test } from "vitest"
import * as Units from "../../src/sandbox/handlers/Supplies.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import { type Marketplace, originMs, withMarketplace } from "./Real.js"
import {
  ask,
  deliver,
  ordersPath,
  outcome,
  plain,
  put,
  supplies,
  supplyOf,
  unitsPath,
  withShop
} from "./ShopOrders.js"

const writes = (m: Marketplace) => m.sandbox.ledger.entries
const add = (m: Marketplace, id: string, orders: ReadonlyArray<number>) =>
  ask(m, "PATCH", ordersPath(id), { orders })

test("units are at most half the orders, counting what is there, and the call is not idempotent", () =>
  withShop(async (m) => {
    const id = await supplyOf(m, put(m, 7))
    expect(outcome(await ask(m, "POST", unitsPath(id), { amount: 4 }))).toEqual([400, "IncorrectParameter"])
    const two = await ask(m, "POST", unitsPath(id), { amount: 2 })
    expect([two.status, two.json.trbxIds.length]).toEqual([201, 2])
    expect(outcome(await ask(m, "POST", unitsPath(id), { amount: 2 }))).toEqual([400, "IncorrectParameter"])
    const one = await ask(m, "POST", unitsPath(id), { amount: 1 })
    const all = [...two.json.trbxIds, ...one.json.trbxIds]
    for (const unit of all) expect(unit).toMatch(/^PLATFORM-TRBX-\d+$/)
    expect((await ask(m, "GET", unitsPath(id))).json).toEqual({ trbxes: all.map((unit) => ({ id: unit })) })
    expect(writes(m).at(-1)).toMatchObject({
      slot: "units",
      target: { supplyId: id },
      before: two.json.trbxIds,
      after: all
    })
  }))

test("units need an open supply whose orders all go to a pickup point", () =>
  withShop(async (m) => {
    const mixed = await supplyOf(m, [...put(m, 3), ...put(m, 1, { pickupPointAllowed: false })])
    const closed = await supplyOf(m, put(m, 4))
    const [unit] = (await ask(m, "POST", unitsPath(closed), { amount: 1 })).json.trbxIds
    await deliver(m, closed)
    const empty = await supplyOf(m)
    const before = writes(m).length
    for (const id of [mixed, closed, empty])
      expect(outcome(await ask(m, "POST", unitsPath(id), { amount: 1 }))).toEqual([400, "IncorrectParameter"])
    expect(outcome(await ask(m, "POST", unitsPath("PLATFORM-GI-1"), { amount: 1 }))).toEqual([
      404,
      "NotFound"
    ])
    expect(outcome(await ask(m, "DELETE", unitsPath(closed), { trbxIds: [unit] }))).toEqual([
      400,
      "IncorrectParameter"
    ])
    expect((await ask(m, "GET", unitsPath(closed))).json.trbxes).toEqual([{ id: unit }])
    expect(writes(m)).toHaveLength(before)
  }))

test("a unit is deleted while the supply is assembled; one that is not in it is 404 and nothing goes", () =>
  withShop(async (m) => {
    const id = await supplyOf(m, put(m, 4))
    const [first, second] = (await ask(m, "POST", unitsPath(id), { amount: 2 })).json.trbxIds
    const wrong = await ask(m, "DELETE", unitsPath(id), { trbxIds: [first, "PLATFORM-TRBX-1"] })
    expect(outcome(wrong)).toEqual([404, "NotFound"])
    expect((await ask(m, "DELETE", unitsPath(id), { trbxIds: [first] })).status).toBe(204)
    expect((await ask(m, "GET", unitsPath(id))).json.trbxes).toEqual([{ id: second }])
    expect(writes(m).at(-1)).toMatchObject({ before: [first, second], after: [second] })
  }))

test("a unit without orders has no sticker", () =>
  withShop(async (m) => {
    const orders = put(m, 4)
    const id = await supplyOf(m, orders)
    const trbxIds = (await ask(m, "POST", unitsPath(id), { amount: 2 })).json.trbxIds
    const stickers = async () =>
      (
        await ask(m, "POST", `${unitsPath(id)}/stickers?type=png`, {
          trbxIds: [...trbxIds, "PLATFORM-TRBX-1"]
        })
      ).json.stickers
    expect((await stickers()).map((s: { barcode: string }) => s.barcode)).toEqual(trbxIds)
    await add(m, await supplyOf(m), orders.slice(1))
    expect((await stickers()).map((s: { barcode: string }) => s.barcode)).toEqual(trbxIds.slice(0, 1))
  }))

test("every order of a supply is in exactly one unit, and units differ by at most one order", () => {
  const world = World.make({ seller: "seller", seed: 1, scale: Scale.demo, originMs, firstId: 1 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 40 }), (orderCount, unitCount) => {
      const supply = Supplies.create(world, "", originMs)
      const ids = Units.addUnits(world, supply, unitCount)
      const orders = Array.from({ length: orderCount }, (_, i) => plain(i))
      const spread = ids.map((id) => Units.ordersIn(supply, id, orders))
      expect(spread.flat().sort((a, b) => a.id - b.id)).toEqual(orders)
      const sizes = spread.map((inUnit) => inUnit.length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 100 }
  )
})

test("ids of the test environment carry letters between", () =>
  withMarketplace({ testEnvironment: true }, async (m) => {
    const token = sandboxToken({ test: true })
    const send = (method: string, path: string, body: unknown) => {
      m.advance(10_000)
      return m.ask(method, path, { body, token })
    }
    const { id } = (await send("POST", supplies, {})).json
    expect(id).toMatch(/^PLATFORM-GI-SAND-\d+$/)
    await send("PATCH", ordersPath(id), { orders: put(m, 2) })
    const { trbxIds } = (await send("POST", unitsPath(id), { amount: 1 })).json
    expect(trbxIds).toEqual([expect.stringMatching(/^PLATFORM-TRBX-SAND-\d+$/)])
  }))
