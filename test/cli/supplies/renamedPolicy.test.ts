/** Open supplies of a policy that is gone from the rules: judged by what the marketplace was handed over. */
import { expect, it } from "vitest"
import * as Input from "../../../src/cli/terminal/Input.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import type * as Shop from "../Shop.js"

const turn = ["apply", "--yes", "--lane", "orders"]

const replaced = (shop: Shop.Shop, warehouses: string) => {
  const policy = ShopPolicy.text("apply", "deliver: apply\n").replace("[71001, 71002]", warehouses)
  shop.removeRules()
  shop.write("rules/14-renamed.yaml", policy)
}

it("are handed over by the policy that has their warehouse now, and named where none has", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  try {
    await shop.well(...turn)
    replaced(shop, "[71003]")
    await shop.advance(5.6 * 3_600_000)
    expect((await shop.run(...turn)).stderr).toContain(
      "is not handed over: policy 13-fulfilment, which made it, is gone from the rules or disabled, and no other has its warehouse → add the warehouse"
    )
    expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
    replaced(shop, "[71001, 71002]")
    const { stderr } = await shop.run(...turn)
    expect(stderr).not.toContain("is gone from the rules")
    expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBeGreaterThan(0)
  } finally {
    await shop.close()
  }
}, 180_000)

const told = "is not handed over: policy 13-fulfilment, which made it, is gone from the rules or disabled"
const over = "no policy has a schedule, so nothing is ever due"
const halfHour = 31 * 60_000

const once = (shop: Shop.Shop) =>
  shop.talk({ input: Input.filled(), out: () => {} }, "run", "--once", "--json")

it("are named by the program that runs on where the last policy of orders is deleted or disabled, however long ago", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  try {
    await shop.well(...turn)
    shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("disabled"))
    await once(shop)
    await shop.advance(halfHour)
    expect((await once(shop)).stdout).toContain(told)
    shop.removeRules()
    await shop.advance(halfHour)
    expect((await once(shop)).stdout).toContain(told)
    expect((await shop.run("plan", "--lane", "orders")).stderr).toContain(told)
    expect((await shop.run("doctor")).stdout).toContain("bidhelm run would change nothing by itself")
    await shop.advance(8 * 86_400_000)
    expect((await once(shop)).stdout).toContain(told)
  } finally {
    await shop.close()
  }
}, 180_000)

it("are looked for until none is open, and no longer", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  try {
    await shop.control("faults", { faults: [{ kind: "selfScan", ms: 2700000 }] })
    await shop.well(...turn)
    shop.removeRules()
    await once(shop)
    await shop.advance(halfHour)
    expect((await once(shop)).stdout).toContain(told)
    await shop.advance(halfHour)
    expect((await once(shop)).stdout).toContain("no supply that a turn made is open any more")
    await shop.advance(halfHour)
    expect((await once(shop)).stderr).toContain(over)
  } finally {
    await shop.close()
  }
}, 180_000)

it("are looked for once a day where the token may not see orders, which is said and no failure", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  try {
    await shop.well(...turn)
    shop.removeRules()
    await once(shop)
    await shop.control("faults", { faults: [{ kind: "refuse", operation: "listNewOrders" }] })
    await shop.advance(halfHour)
    const words = "nobody knows whether supplies that turns made are still open"
    expect(await once(shop)).toMatchObject({ code: 0, stdout: expect.stringContaining(words) })
    await shop.advance(halfHour)
    expect(await once(shop)).toMatchObject({ code: 0, stderr: expect.stringContaining(over) })
    await shop.control("faults", { faults: [] })
    await shop.advance(24 * 3_600_000)
    await once(shop)
    await shop.advance(halfHour)
    expect((await once(shop)).stdout).toContain(told)
  } finally {
    await shop.close()
  }
}, 180_000)
