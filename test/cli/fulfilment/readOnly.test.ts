/** Commands that send something of orders, with a token that may only read: refused before anything is read, or asked of a person. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import { codeOf, PackTable } from "../packing/PackTable.js"
import type * as Shop from "../Shop.js"
import * as ShopPolicy from "./ShopPolicy.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

const readOnly = () => {
  shop.environment = { BIDHELM_TOKEN: sandboxToken({ readOnly: true }) }
}

/** How often the marketplace was asked anything. */
const requests = async (): Promise<number> => {
  const { counters } = (await shop.ledger()) as unknown as {
    readonly counters: Readonly<Record<string, { readonly requests: number }>>
  }
  return Object.values(counters).reduce((sum, one) => sum + one.requests, 0)
}

it("each is refused at once, with one sentence, and shows its plan all the same", async () => {
  const [marked] = await ShopSupply.marked(shop, 1, "sgtin")
  const others = (await ShopSupply.fresh(shop)).filter(({ id }) => id !== marked!.id)
  const order = String(others[0]!.id)
  const supply = await ShopSupply.open(
    shop,
    others.slice(1, 3).map(({ id }) => id)
  )
  shop.write("marks.csv", `order;sgtin\n${marked!.id};"${codeOf(1).replaceAll('"', '""')}"\n`)
  readOnly()
  const before = { asked: await requests(), writes: (await shop.ledger()).entries.length }
  const commands = [
    ["supplies", "assemble"],
    ["supplies", "move", order, "--to", "new"],
    ["supplies", "deliver", supply],
    ["orders", "cancel", order],
    ["orders", "marks", "import", "marks.csv"],
    ["units", "add", supply, "1"],
    ["call", "cancelOrder", "--params", `{"orderId": ${order}}`],
    [
      ...["passes", "book", "--first-name", "Пётр", "--last-name", "Андреев", "--car", "ГАЗель"],
      ...["--number", "А123ВС777", "--office", "1"]
    ]
  ]
  for (const words of commands) {
    const { code, stderr, stdout } = await shop.run(...words, "--yes")
    expect([words, code, stdout]).toEqual([words, 1, ""])
    expect([words, stderr.match(/nothing was sent: the token of main is for reading only/g)]).toEqual([
      words,
      [expect.any(String)]
    ])
  }
  expect(await requests()).toBe(before.asked)
  expect((await shop.run("orders", "cancel", order, "--plan")).code).toBe(0)
  expect((await shop.ledger()).entries.length).toBe(before.writes)
})

it("a table packs goods without marks, and does not begin where it would have to set some", async () => {
  const [marked] = await ShopSupply.marked(shop, 1, "sgtin")
  const bare = (await ShopSupply.fresh(shop)).find(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
  const [needy, plain] = [await ShopSupply.open(shop, [marked!.id]), await ShopSupply.open(shop, [bare!.id])]
  readOnly()
  const refused = await new PackTable(shop, needy).ended
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("is for reading only")])
  const table = new PackTable(shop, plain)
  await table.until(({ event }) => event === "Begun")
  expect((await table.end()).code).toBe(4)
})
