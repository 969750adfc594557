/** Calls that the marketplace's limit keeps back: whoever made them hears until when. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  // Ten minutes of it are ten seconds.
  shop = await Shop.Shop.open({ speed: 60 })
}, 60_000)
afterAll(() => shop.close())

it("a pass that has to wait for the one before says for which limit and until when, and is made then", async () => {
  const [office] = (await ShopSupply.ask(shop, "GET", "/api/v3/passes/offices")) as ReadonlyArray<{
    readonly id: number
  }>
  const book = (carNumber: string, ...more: ReadonlyArray<string>) => {
    const form = { firstName: "Анна", lastName: "Петрова", carModel: "Лада", carNumber, officeId: office!.id }
    return shop.run("call", "createPass", "--params", JSON.stringify(form), "--yes", ...more)
  }
  const said = "createPass waits for its call limit (marketplace.passCreate) until 2026-09-01 15:"
  const first = await book("А123ВС77")
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining("waits")])
  const hasty = await book("В777ОР77", "--max-wait", "1m")
  expect([hasty.code, hasty.stderr]).toEqual([5, expect.not.stringContaining(said)])
  const second = await book("В777ОР77")
  expect([second.code, second.stderr]).toEqual([0, expect.stringContaining(said)])
  expect(await ShopPolicy.accepted(shop, "createPass")).toBe(2)
}, 120_000)
