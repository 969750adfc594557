/** Orders that a call by hand puts into supplies. The judge is the sandbox's own ledger. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
let orders: ReadonlyArray<number>
let supplies: ReadonlyArray<string>

const call = (operation: string, params: object, ...more: ReadonlyArray<string>) =>
  shop.run("call", operation, "--params", JSON.stringify(params), ...more)

const answered = async <A>(operation: string, params: object): Promise<A> => {
  const { code, stderr, stdout } = await call(operation, params, "--yes")
  if (code !== 0) throw new Error(`${operation}: ${stderr}`)
  return JSON.parse(stdout) as A
}

const added = () => ShopPolicy.accepted(shop, "addOrdersToSupply")

beforeAll(async () => {
  shop = await Shop.Shop.open()
  const { orders: fresh } = await answered<{
    orders: ReadonlyArray<{ id: number; warehouseId: number; cargoType: number; crossBorderType: number }>
  }>("listNewOrders", {})
  const plain = fresh.filter((one) => one.cargoType === 1 && one.crossBorderType === 0)
  orders = plain
    .filter((one) => one.warehouseId === plain[0]?.warehouseId)
    .slice(0, 2)
    .map(({ id }) => id)
  const made = [
    await answered<{ id: string }>("createSupply", { name: "A" }),
    await answered<{ id: string }>("createSupply", { name: "B" })
  ]
  supplies = made.map(({ id }) => id)
}, 60_000)
afterAll(() => shop.close())

it("orders that are in the supply already are not sent again", async () => {
  const params = { supplyId: supplies[0], orders }
  await answered("addOrdersToSupply", params)
  const before = await added()
  const again = await call("addOrdersToSupply", params, "--yes")
  expect([again.code, again.stdout, again.stderr]).toEqual([
    0,
    "",
    expect.stringContaining("as asked for already")
  ])
  expect(await added()).toBe(before)
})

it("an order that came from a supply nobody named is not taken back, and the plan says so", async () => {
  const params = { supplyId: supplies[1], orders }
  const shown = await call("addOrdersToSupply", params, "--dry-run")
  expect(shown.stdout).toContain("irreversible: the supply that it comes from is not known")
  expect(shown.stdout).not.toContain("supply another supply")
  const { code, stderr, stdout } = await call("addOrdersToSupply", params, "--yes", "--json")
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("take it back")])
  const { runId } = JSON.parse(stdout) as { runId: string }
  const before = (await shop.ledger()).entries.length
  const why = expect.stringContaining("the supply that it comes from is not known")
  expect((await shop.run("undo", runId, "--dry-run")).stdout).toEqual(why)
  const undone = await shop.run("undo", runId, "--yes")
  expect([undone.code, undone.stdout]).toEqual([4, why])
  expect((await shop.ledger()).entries.length).toBe(before)
})
