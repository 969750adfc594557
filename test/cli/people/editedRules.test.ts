/** A request for approval whose rules somebody edits: an approval is held against the rules that asked, and the list says so. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open("preview")
})
afterEach(() => shop.close())

const raise = (percent: number) =>
  shop.write(
    "rules/raise.yaml",
    `version: 1\nname: raise\nmode: approve\neach: campaign_item\nwhere: campaign.payment = cpm\nwhen: bid > 1 ₽\ndo: {raise_bid: {by: ${percent}%, cap: 9000 ₽}}\ncooldown: 1d\n`
  )

const asked = async () => {
  raise(10)
  await shop.run("apply", "--yes")
  const { approvals } = JSON.parse((await shop.run("approvals", "--json")).stdout) as {
    readonly approvals: ReadonlyArray<{ readonly id: string }>
  }
  return approvals[0]!.id
}

it("is heard though the rules of orders have changed, which asked for nothing of it", async () => {
  const id = await asked()
  shop.write(
    "rules/13-fulfilment.yaml",
    shop.read("rules/13-fulfilment.yaml").replace("[71001, 71002]", "[71001]")
  )
  expect((await shop.run("approvals")).stdout).toContain(`${id}  waits until `)
  expect((await shop.run("approve", id)).code).toBe(0)
  expect(await ShopPolicy.accepted(shop, "setItemBids")).toBeGreaterThan(0)
})

it("is offered no more once its own rules have changed, and the list says what comes next", async () => {
  const id = await asked()
  raise(20)
  const { stdout } = await shop.run("approvals")
  expect(stdout).toContain(
    `${id}  waits, but the rules have changed since, so approve refuses it and the next plan asks anew`
  )
  expect((await shop.run("approvals", id)).stdout).not.toContain("bidhelm approve")
  expect(JSON.parse((await shop.run("approvals", "--json")).stdout).approvals[0]).toMatchObject({
    state: "requested",
    outdated: true
  })
  expect((await shop.run("approve", id)).stderr).toContain("The rules have changed since the plan was made")
  expect(await ShopPolicy.accepted(shop, "setItemBids")).toBe(0)
})
