/** A hand-over by hand whose comparison could not be read right before it. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

/** The plan is made, and the look right before the request meets this. */
const called = async (fault: object) => {
  const [order] = (await ShopSupply.fresh(shop)).filter(
    ({ requiredMeta }) => (requiredMeta ?? []).length === 0
  )
  const supplyId = await ShopSupply.open(shop, [order!.id])
  await shop.control("faults", { faults: [{ operation: "getSupplyOrderIds", skip: 1, ...fault }] })
  return shop.run(
    "call",
    "deliverSupply",
    "--params",
    JSON.stringify({ supplyId }),
    "--yes",
    "--max-wait",
    "10s"
  )
}

it("ends as one that a limit kept back where a limit did, promises no turn, and hands nothing over", async () => {
  const limited = await called({ kind: "throttle", retrySeconds: 36_000, count: 1 })
  expect([limited.code, limited.stderr]).toEqual([5, expect.not.stringContaining("turn looks again")])
  expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
}, 120_000)

it("says that it was not read and is to be tried again, and hands nothing over", async () => {
  const unread = await called({ kind: "refuse", status: 400 })
  expect([unread.code, unread.stderr]).toEqual([
    1,
    expect.stringContaining("could not be read; try it again")
  ])
  expect(unread.stderr).not.toContain("turn looks again")
  expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
}, 120_000)
