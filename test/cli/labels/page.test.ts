/** `docs/fulfilment/labels.md`: what it says to type works as it stands, and its table of goods is read. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Stickers from "../../../src/cli/labels/Stickers.js"
import * as Shop from "../Shop.js"
import * as ShopSupply from "./ShopSupply.js"

const page = readFileSync("docs/fulfilment/labels.md", "utf8")

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
}, 60_000)
afterAll(() => shop.close())

it("leads through the lists and labels of a supply with the commands it names", async () => {
  const [, table] = /```csv rules\/_shared\/goods\.csv\n([\s\S]*?)```/.exec(page) ?? []
  shop.write("rules/_shared/goods.csv", table!)
  const orders = (await ShopSupply.fresh(shop)).slice(0, 4).map(({ id }) => id)
  const supply = await ShopSupply.open(shop, orders)
  const commands = [...page.matchAll(/^ {4}bidhelm ([^#\n]+)/gm)].map(([, words]) => words!.trim())
  expect(commands.length).toBeGreaterThan(10)
  for (const command of commands) {
    const words = command.replace("SUPPLY", supply).replace("ORDER", String(orders[0])).split(/\s+/)
    const { code, stderr, stdout } = await shop.run(...words)
    expect([command, code, stderr]).toEqual([command, 0, expect.any(String)])
    expect(stdout).not.toBe("")
  }
}, 120_000)

it("names every format, and every reason that a label is missing for", () => {
  for (const format of Stickers.formats) expect(page).toContain(format)
  for (const code of [
    "wrong_status",
    "no_status",
    "no_declaration",
    "awaiting_track",
    "left_out",
    "not_png",
    "torn",
    "other_size",
    "not_pdf",
    "refused"
  ] satisfies ReadonlyArray<Stickers.Code>)
    expect(page).toContain(`\`${code}\``)
})
