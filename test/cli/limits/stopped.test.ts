/** A call limit that is used up ends every command with 5, in the same words. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace("# analytics:", "analytics:"))
})
afterEach(() => shop.close())

const throttled = (operation: string, retrySeconds = 18_000) =>
  shop.control("faults", { faults: [{ kind: "throttle", operation, retrySeconds }] })

const words = /^bidhelm: stopped by limits: \S/m

const stopped = async (operation: string, typed: ReadonlyArray<string>, retrySeconds?: number) => {
  await throttled(operation, retrySeconds)
  const { code, stderr } = await shop.run(...typed, "--max-wait", "1s")
  expect([typed, code, stderr]).toEqual([typed, 5, expect.stringMatching(words)])
}

const bids = JSON.stringify({
  bids: [
    { advert_id: 1_000_001, nm_bids: [{ nm_id: 200_000_001, bid_kopecks: 30_000, placement: "search" }] }
  ]
})

describe("a call limit that is used up", () => {
  it.each([
    ["listCampaignIds", ["plan"]],
    ["listCampaignIds", ["apply", "--yes"]],
    ["listCampaignIds", ["explain", "1000001"]],
    ["listCampaignIds", ["limits", "--forecast"]],
    ["listCampaignIds", ["economics"]],
    ["getStockProducts", ["economics", "template", "--out", "table.csv"]],
    ["listPromotions", ["promos"]],
    ["listNewOrders", ["orders"]],
    ["listNewOrders", ["supplies", "assemble", "--yes"]],
    ["listSupplies", ["supplies"]],
    ["getSupply", ["supplies", "check", "WB-GI-1"]],
    ["listPasses", ["passes"]],
    ["getBalance", ["call", "getBalance"]],
    ["getCampaigns", ["call", "setItemBids", "--params", bids, "--yes"]]
  ] as const)("of %s ends %j with 5", (operation, typed) => stopped(operation, typed))

  it("is one too where the marketplace itself says so each time it is asked", async () => {
    await throttled("getPaymentHistory", 1)
    const { code, stderr } = await shop.run("account", "deposits", "main")
    expect([code, stderr]).toEqual([5, expect.stringMatching(words)])
  })

  it("ends a cancel whose order cannot be looked at, and labels that cannot be read, with 5", async () => {
    const [order] = await ShopSupply.fresh(shop)
    const supply = await ShopSupply.open(shop, [order!.id])
    await stopped("getOrderStatuses", ["orders", "cancel", `${order!.id}`, "--yes"])
    await stopped("getOrderStickers", ["labels", "print", supply])
  })

  it.each([1, 18_000])("of a cancel ends it with 5, asked to come back in %d s", async (retrySeconds) => {
    const [order] = await ShopSupply.fresh(shop)
    await stopped("cancelOrder", ["orders", "cancel", `${order!.id}`, "--yes"], retrySeconds)
  })
})
