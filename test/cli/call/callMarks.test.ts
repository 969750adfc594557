/** Marks that a call by hand sets, judged by what the marketplace has. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
let x: number
let y: number
beforeEach(async () => {
  shop = await ShopPolicy.open()
  const rings = await ShopSupply.marked(shop, 2, "uin")
  x = rings[0]?.id ?? 0
  y = rings[1]?.id ?? 0
  await ShopSupply.open(shop, [x, y])
})
afterEach(() => shop.close())

const [first, second] = ["8100000000777711", "9200000000777722"]

const setting = (orderId: number, uin: string) =>
  shop.run("call", "setOrderUin", "--params", JSON.stringify({ orderId, uin }), "--yes", "--json")
const set = async (orderId: number, uin: string): Promise<string> => {
  const { code, stderr, stdout } = await setting(orderId, uin)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return (JSON.parse(stdout) as { readonly runId: string }).runId
}

it("a mark that another order in assembly was given from here is not sent, and that order is named", async () => {
  await set(x, first)
  const { code, stderr } = await setting(y, first)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`order ${x}`)])
  expect([await ShopPolicy.accepted(shop, "setOrderUin"), await ShopSupply.uins(shop, x, y)]).toEqual([
    1,
    [first, undefined]
  ])
}, 180_000)

it("a mark that replaced another is taken back, whoever had set the other", async () => {
  await ShopSupply.ask(shop, "PUT", `/api/v3/orders/${x}/meta/uin`, { uin: first })
  const runId = await set(x, second)
  expect(await ShopSupply.uins(shop, x)).toEqual([second])
  const undone = await shop.run("undo", runId, "--yes")
  expect([undone.code, await ShopSupply.uins(shop, x)]).toEqual([0, [first]])
}, 180_000)
