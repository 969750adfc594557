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

it("begins the market at the very instant its clock is told to start at, so that it is the same each time", async () => {
  const originMs = Date.parse("2026-09-01T01:00:00+03:00")
  shop = await Shop.Shop.open({ originMs, speed: 900 })
  const state = await fetch(`${shop.url}/_sandbox/state`)
  expect(await state.json()).toMatchObject({ originMs })
})
