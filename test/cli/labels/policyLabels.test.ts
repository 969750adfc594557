/** Labels of a supply that a policy made are as the policy says, unless a flag says otherwise. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Reader from "../../printing/Reader.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import type * as Shop from "../Shop.js"
import * as ShopSupply from "./ShopSupply.js"

let shop: Shop.Shop
let supply: { readonly supplyId: string; readonly orders: number }

const asWritten = "labels: {size: 40x30, sort: [size, cell], separators: true, own_page: [order, size]}\n"

beforeAll(async () => {
  shop = await ShopPolicy.open("approve", asWritten)
  const fresh = await ShopSupply.fresh(shop)
  const goods = new Map(
    fresh.map(({ article, skus }, i) => [skus[0]!, `${skus[0]};${article};${90 - i};А-${i}`])
  )
  shop.write("rules/_shared/goods.csv", ["barcode;article;size;cell", ...goods.values()].join("\n"))
  const made = await shop.run("supplies", "assemble", "--yes")
  if (made.code !== 0) throw new Error(made.stderr)
  const { supplies } = await ShopPolicy.json<{
    readonly supplies: ReadonlyArray<
      typeof supply & { readonly wave: string | null; readonly crossBorder: boolean }
    >
  }>(shop, "supplies")
  supply = supplies
    .filter(({ crossBorder, wave }) => wave !== null && !crossBorder)
    .toSorted((a, b) => b.orders - a.orders)[0]!
  expect(supply.orders).toBeGreaterThan(1)
}, 120_000)
afterAll(() => shop.close())

const printed = async (...flags: ReadonlyArray<string>) => {
  const words = ["labels", "print", supply.supplyId, "--out", "labels.pdf", ...flags]
  const told = await ShopPolicy.json<{ readonly size: string; readonly notes: ReadonlyArray<string> }>(
    shop,
    ...words
  )
  const pages = await Reader.pages(new Uint8Array(readFileSync(join(shop.folder, "labels.pdf"))))
  return { ...told, pages, widthMm: Math.round((pages[0]!.width * 25.4) / 72) }
}

const separators = (pages: ReadonlyArray<Reader.Page>) =>
  pages.filter(({ text }) => text.includes("шт.")).length
const own = (pages: ReadonlyArray<Reader.Page>) => pages.filter(({ text }) => text.includes("заказ "))

it("has the size, the order, the pages between goods and the fields of our page that it asks for", async () => {
  const { pages, size, widthMm } = await printed()
  expect([size, widthMm]).toEqual(["40x30", 40])
  expect(separators(pages)).toBeGreaterThan(0)
  expect(own(pages)).toHaveLength(supply.orders)
  const sizes = own(pages).map(({ text }) => Number(/размер (\d+)/.exec(text)?.[1]))
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  // By cell, as it is usual, they would stand the other way round.
  expect(new Set(sizes).size).toBeGreaterThan(1)
  for (const { codes } of own(pages)) expect(codes).toEqual([])
}, 60_000)

it("gives way to flags", async () => {
  const { pages, size, widthMm } = await printed("--size", "58x40", "--no-own-page")
  expect([size, widthMm, own(pages).length]).toEqual(["58x40", 58, 0])
}, 60_000)

it("wants no page of ours unless it says so; --own-page prints it all the same", async () => {
  shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("approve"))
  const bare = await printed()
  expect([bare.size, separators(bare.pages), bare.pages.length]).toEqual(["58x40", 0, supply.orders])
  const { pages } = await printed("--own-page")
  expect(own(pages).length).toBeGreaterThanOrEqual(supply.orders)
}, 60_000)

it("stops no printing when its file is broken, which is said", async () => {
  shop.write("rules/13-fulfilment.yaml", "version: 1\nkind: fulfilment\nname: [\n")
  const { notes, size } = await printed()
  expect(size).toBe("58x40")
  expect(notes).toContain("the rules could not be read, so nothing is as policy 13-fulfilment says of labels")
}, 60_000)
