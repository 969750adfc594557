/** A supply that is handed over, deleted or emptied elsewhere while a table packs it: each scan says so, and no label is made. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as Shop from "../Shop.js"
import { PackTable, stickerOf } from "./PackTable.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 4, items: 6, clusters: 2 } })
}, 60_000)
afterAll(() => shop.close())

/**
 * A supply of three orders without marks, the first of which is packed with a label that was made for it. More are made than go in: the
 * shop has orders of its own, and `fresh` gives the largest group.
 */
const begun = async () => {
  const made = { play: "make_orders", count: 12, warehouses: [71001], cargo: [1], markedShare: 0 }
  await shop.control("shop", { ...made, crossBorderShare: 0, businessShare: 0 })
  const orders = (await ShopSupply.fresh(shop))
    .filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
    .slice(0, 3)
  const supply = await ShopSupply.open(
    shop,
    orders.map(({ id }) => id)
  )
  const table = new PackTable(shop, supply, "--labels", supply, "--no-own-page")
  const [first, second] = orders
  expect(await table.scan(first!.skus[0]!)).toBe("ask Sticker")
  const { orderId } = table.events.findLast(({ event }) => event === "Show")!
  expect(await table.scan(stickerOf(orderId!))).toBe("Packed")
  await table.until(({ event }) => event === "LabelPrinted")
  return { ids: orders.map(({ id }) => id), orders, second: second!, supply, table, packed: orderId! }
}

const labels = (supply: string): number => {
  const folder = join(shop.folder, supply)
  return existsSync(folder) ? readdirSync(folder).length : 0
}

it("says at each scan that the supply was handed over elsewhere, with what was not packed, and makes no label for it", async () => {
  const { ids, packed, second, supply, table } = await begun()
  await ShopSupply.ask(shop, "PATCH", `/api/v3/supplies/${supply}/deliver`)
  const told = await table.until(({ code }) => code === "supply_gone")
  expect(told.says).toContain("the supply was handed over or closed elsewhere")
  for (const { skus } of [second, second]) {
    expect(await table.scan(skus[0]!)).toBe("supply_gone")
    expect(table.events.at(-1)?.says).toContain("2 orders were not packed")
  }
  const unpacked = ids.find((id) => id !== packed)!
  expect(await table.scan(stickerOf(unpacked))).toBe("supply_gone")
  expect(labels(supply)).toBe(1)
  const { code, stderr } = await table.end()
  expect([code, stderr]).toEqual([4, ""])
  expect((await shop.run("orders", "history", String(unpacked))).stdout).not.toContain("packed  supplyId")
}, 90_000)

it("says so of a supply whose orders were all moved away, and of one that was deleted then", async () => {
  const { ids, packed, second, supply, table } = await begun()
  const other = await ShopSupply.open(shop, ids)
  const told = await table.until(({ code }) => code === "supply_gone")
  expect(told.says).toContain("no order is in the supply any more")
  expect(await table.scan(second.skus[0]!)).toBe("supply_gone")
  expect(await table.scan("finish")).toBe("parcels_to_take_out")
  expect(await table.scan(stickerOf(packed))).toBe("TakenOut")
  await ShopSupply.ask(shop, "DELETE", `/api/v3/supplies/${supply}`)
  const deleted = await table.until(({ says }) => says.includes("the supply was deleted elsewhere"))
  expect(deleted.code).toBe("supply_gone")
  expect(await table.scan(second.skus[0]!)).toBe("supply_gone")
  expect([labels(supply), await table.scan("finish")]).toEqual([1, "supply_gone"])
  await table.end()
  expect((await shop.run("supplies", "check", other)).code).toBe(0)
}, 120_000)
