import { afterEach, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
afterEach(() => shop.close())

it("refuses a market that does not exist with every problem at once, and serves nothing", async () => {
  shop = await Shop.Shop.open()
  const { code, stderr, stdout } = await shop.run("sandbox", "--market", "harsh,rivals=stil", "--port", "0")
  expect(code).toBe(1)
  expect(stderr).toContain('--market: "harsh" is no market; write plain, lean or hard')
  expect(stderr).toContain('--market: rivals may be still or drift, not "stil"')
  expect(stdout).toBe("")
})
