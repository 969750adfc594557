import { expect, test } from "vitest"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import type { Marketplace } from "./Real.js"
import { withShop } from "./ShopOrders.js"

const path = "/api/v3/passes"
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const driver = {
  firstName: "Анна",
  lastName: "Петрова",
  carModel: "Газель",
  carNumber: "А123ВС77",
  officeId: 15
}

const create = (m: Marketplace, details: object = driver) => m.ask("POST", path, { body: details })
const writes = (m: Marketplace) => m.sandbox.ledger.entries.filter((entry) => entry.slot === "pass")

test("offices that ask for a pass have an id, a name and an address", () =>
  withShop(async (m) => {
    const { json, status } = await m.ask("GET", `${path}/offices`)
    expect(status).toBe(200)
    expect(json.length).toBeGreaterThan(1)
    for (const office of json)
      expect(office).toEqual({
        id: expect.any(Number),
        name: expect.any(String),
        address: expect.any(String)
      })
    expect(new Set(json.map((o: { id: number }) => o.id)).size).toBe(json.length)
  }))

test("a created pass is listed with its office and ends 48 hours later, a space before the time", () =>
  withShop(async (m) => {
    expect((await m.ask("GET", path)).json).toEqual([])
    const created = await create(m)
    expect(created.status).toBe(201)
    expect(created.json).toEqual({ id: expect.any(Number) })
    const listed = {
      ...driver,
      id: created.json.id,
      officeName: "Склад Юг",
      officeAddress: expect.stringContaining("Промышленная"),
      dateEnd: "2026-11-22 15:00:00+03:00"
    }
    expect((await m.ask("GET", path)).json).toEqual([listed])
    expect(writes(m)).toMatchObject([
      { operation: "createPass", target: { passId: created.json.id }, before: null, after: listed }
    ])
  }))

test("an expired pass is listed, and may be changed, for one more day", () =>
  withShop(async (m) => {
    const { id } = (await create(m)).json
    m.advance(71 * hourMs)
    expect((await m.ask("GET", path)).json).toMatchObject([{ id, dateEnd: "2026-11-22 15:00:00+03:00" }])
    m.advance(hourMs)
    expect((await m.ask("GET", path)).json).toEqual([])
    expect((await m.ask("DELETE", `${path}/${id}`)).status).toBe(404)
  }))

test("an update replaces everything but the end, a deletion takes the pass off the list", () =>
  withShop(async (m) => {
    const { id } = (await create(m)).json
    m.advance(hourMs)
    const changed = { ...driver, lastName: "Сидорова", officeId: 26 }
    const updated = await m.ask("PUT", `${path}/${id}`, { body: changed })
    expect([updated.status, updated.text]).toEqual([204, ""])
    expect((await m.ask("GET", path)).json).toMatchObject([
      { id, lastName: "Сидорова", officeName: "Склад Север", dateEnd: "2026-11-22 15:00:00+03:00" }
    ])
    const deleted = await m.ask("DELETE", `${path}/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ""])
    expect((await m.ask("GET", path)).json).toEqual([])
    expect(writes(m).map((entry) => entry.operation)).toEqual(["createPass", "updatePass", "deletePass"])
    expect(writes(m)[1]).toMatchObject({ before: { lastName: "Петрова" }, after: { lastName: "Сидорова" } })
  }))

test("unknown passes and offices are refused, and nothing is written", () =>
  withShop(async (m) => {
    const { id } = (await create(m)).json
    const before = writes(m).length
    const code = async (method: string, url: string, body?: unknown) => {
      m.advance(100 * minuteMs)
      const answer = await m.ask(method, url, body === undefined ? {} : { body })
      return [answer.status, answer.json.code]
    }
    expect(await code("PUT", `${path}/99`, driver)).toEqual([404, "NotFound"])
    expect(await code("DELETE", `${path}/99`)).toEqual([404, "NotFound"])
    expect(await code("POST", path, { ...driver, officeId: 9999 })).toEqual([404, "NotFound"])
    expect(await code("PUT", `${path}/${id}`, { ...driver, officeId: 9999 })).toEqual([
      400,
      "WarehouseNameInvalid"
    ])
    expect(writes(m)).toHaveLength(before)
  }))

test.each([
  ["names that count 5 characters together", { firstName: "Ян", lastName: "Цой" }],
  ["names that count 101", { firstName: "А".repeat(50), lastName: "Б".repeat(51) }],
  ["an empty first name", { firstName: "" }],
  ["a car number with a space", { carNumber: "А123 ВС" }],
  ["a car number of 5", { carNumber: "А123В" }],
  ["no car model", { carModel: "" }],
  ["an office below 1", { officeId: 0 }]
])("a pass is refused for %s", (_, wrong) =>
  withShop(async (m) => {
    const refused = await create(m, { ...driver, ...wrong })
    expect([refused.status, typeof refused.json.code, typeof refused.json.message]).toEqual([
      400,
      "string",
      "string"
    ])
    m.advance(100 * minuteMs)
    expect((await m.ask("GET", path)).json).toEqual([])
    expect(writes(m)).toEqual([])
  })
)

test("two sellers do not see each other's passes", () =>
  withShop(async (m) => {
    await create(m)
    const other = sandboxToken({ seller: "5a4d0000-0000-4000-8000-000000000002" })
    expect((await m.ask("GET", path, { token: other })).json).toEqual([])
  }))
