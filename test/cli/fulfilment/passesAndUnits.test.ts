/** Passes, shipping units and reshipments by command, judged by the marketplace. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"
import * as ShopPolicy from "./ShopPolicy.js"

let shop: Shop.Shop
const passes = (office: number) => `passes:
  driver: {first_name: Пётр, last_name: Андреев}
  car: {model: ГАЗель Next, number: А123ВС777}
  office: ${office}
`
const officeId = async () => {
  const [first] = (await ShopSupply.ask(shop, "GET", "/api/v3/passes/offices")) as ReadonlyArray<{
    readonly id: number
  }>
  return first!.id
}
const listed = async () =>
  (await ShopSupply.ask(shop, "GET", "/api/v3/passes")) as ReadonlyArray<{
    readonly id: number
    readonly carNumber: string
  }>

beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

it("books the pass of a policy, says when the next one may be made, and needs none after it", async () => {
  await shop.close()
  // Ten minutes of it are half a minute.
  shop = await ShopPolicy.open("approve", "", 20)
  expect((await shop.run("passes")).stdout).toContain("No fulfilment policy that is switched on books passes")
  shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("approve", passes(await officeId())))
  const need = await shop.run("passes")
  expect(need.stdout).toMatch(/What the policies need:\n {2}office \d+ {2}ГАЗель Next А123ВС777/)
  expect((await shop.run("passes", "book", "--plan")).code).toBe(0)
  expect(await ShopPolicy.accepted(shop, "createPass")).toBe(0)
  const done = await shop.run("passes", "book", "--yes")
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("The next pass can be made at")])
  const [pass, ...others] = (await listed()).filter(({ carNumber }) => carNumber === "А123ВС777")
  expect(others).toEqual([])
  const [runId = ""] = /run-\S+(?=: done)/.exec(done.stdout) ?? []
  expect((await shop.run("history", runId)).stdout).toContain(`; pass ${pass!.id}\n`)
  const told = await ShopPolicy.json<{
    readonly changes: ReadonlyArray<{ readonly madeId: string | null }>
  }>(shop, "history", runId)
  expect(told.changes.map(({ madeId }) => madeId)).toEqual([String(pass!.id)])
  const again = await shop.run("passes", "book", "--yes")
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("as wanted already")])
  const early = await shop.run("passes", "book", "--number", "В777ОР77", "--yes")
  expect([early.code, early.stderr]).toEqual([5, expect.stringContaining("one pass in ten minutes")])
  expect(await ShopPolicy.accepted(shop, "createPass")).toBe(1)
}, 180_000)

it("sends no pass that would be refused, and tells everything that is wrong with it", async () => {
  const flags = [
    "--first-name",
    "П",
    "--last-name",
    "А",
    "--car",
    "Г".repeat(101),
    "--number",
    "А 1",
    "--office",
    "1"
  ]
  const { code, stderr } = await shop.run("passes", "book", ...flags, "--yes")
  expect(code).toBe(1)
  for (const part of [
    "together have 2 characters",
    "model has 101 characters",
    "no letters or digits",
    "not among those"
  ])
    expect(stderr).toContain(part)
  const lacking = await shop.run("passes", "book", "--car", "ГАЗель", "--yes")
  expect(lacking.stderr).toContain("give --first-name, --last-name, --number, --office")
  expect(await ShopPolicy.accepted(shop, "createPass")).toBe(0)
})

it("adds shipping units up to half of the orders, and refuses more before it asks", async () => {
  const fits = (
    (await ShopSupply.fresh(shop)) as ReadonlyArray<
      ShopSupply.Fresh & { readonly isPickupPointShipmentAllowed?: boolean }
    >
  ).filter(({ isPickupPointShipmentAllowed }) => isPickupPointShipmentAllowed === true)
  expect(fits.length).toBeGreaterThan(4)
  const supply = await ShopSupply.open(
    shop,
    fits.slice(0, 4).map(({ id }) => id)
  )
  const { stderr, stdout } = await shop.run("units", supply)
  expect([stderr, stdout]).toEqual(["", expect.stringContaining("has 0 shipping units; its orders allow 2")])
  expect(await shop.run("units", "add", supply, "3", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("add at most 2")
  })
  const added = await shop.run("units", "add", supply, "2", "--yes")
  expect([added.code, added.stderr]).toEqual([0, expect.any(String)])
  const { units } = await ShopPolicy.json<{ readonly units: ReadonlyArray<string> }>(shop, "units", supply)
  expect(units).toHaveLength(2)
  const full = await shop.run("units", "add", supply, "1", "--yes")
  expect([full.code, full.stderr]).toEqual([
    1,
    expect.stringContaining("half of their number; it takes no more")
  ])
  expect((await shop.run("units")).code).toBe(1)
  expect((await shop.run("units", "add", supply, "many", "--yes")).code).toBe(1)
})

it("names the orders that must be shipped again, as the marketplace does", async () => {
  const { orders } = await ShopPolicy.json<{ readonly orders: ReadonlyArray<{ readonly orderId: number }> }>(
    shop,
    "reshipments"
  )
  const { orders: theirs } = (await ShopSupply.ask(shop, "GET", "/api/v3/supplies/orders/reshipment")) as {
    readonly orders: ReadonlyArray<{ readonly orderID: number }>
  }
  expect(orders.map(({ orderId }) => orderId).sort()).toEqual(theirs.map(({ orderID }) => orderID).sort())
  expect((await shop.run("reshipments")).stdout).not.toBe("")
})
