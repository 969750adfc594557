/** Marks of an order whose later mark was refused, or taken back: the order left with the first, judged by what the marketplace has. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { Mark } from "../../../src/engine/fulfilment/marks/Mark.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

const [first, second] = ["8100000000777711", "9200000000777722"]

/** Two orders that must have a UIN, each in an open supply of its own. */
const rings = async () => {
  const [x = 0, y = 0] = (await ShopSupply.marked(shop, 2, "uin")).map(({ id }) => id)
  const supply = await ShopSupply.open(shop, [x])
  await ShopSupply.open(shop, [y])
  return { x, y, supply }
}

const imported = async (order: number, mark: string, ...words: ReadonlyArray<string>) => {
  shop.write("marks.csv", `order;uin\n${order};${mark}\n`)
  return shop.run("orders", "marks", "import", "marks.csv", "--yes", ...words)
}
const well = async (order: number, mark: string) => {
  const { code, stderr } = await imported(order, mark)
  expect([code, stderr]).toEqual([0, expect.any(String)])
}
const uins = (...orders: ReadonlyArray<number>) => ShopSupply.uins(shop, ...orders)
/** The mark that X left with goes on no other order, unless its goods came back. */
const isGuarded = async (x: number, y: number) => {
  const refused = await imported(y, first)
  expect([refused.code, await uins(x, y)]).toEqual([3, [first, undefined]])
  expect(refused.stderr).toContain(`Order ${x} left with its mark`)
  await well(y, second)
  expect(await uins(x, y)).toEqual([first, second])
}

it("takes no mark of an order that left with it, once a later mark for that order was refused", async () => {
  const { supply, x, y } = await rings()
  await well(x, first)
  await shop.control("faults", {
    faults: [{ kind: "refuse", operation: "setOrderUin", status: 409, count: 1 }]
  })
  expect((await imported(x, second)).code).toBe(4)
  await ShopSupply.handOver(shop, supply)
  // Also where the other order was given it once, as of goods that came back, and the marketplace refused.
  await shop.control("faults", {
    faults: [{ kind: "refuse", operation: "setOrderUin", status: 409, count: 1 }]
  })
  expect((await imported(y, first, "--came-back")).code).toBe(4)
  await isGuarded(x, y)
}, 180_000)

it("takes no mark of an order that left with it, once a later mark of that order was taken back", async () => {
  const { supply, x, y } = await rings()
  await well(x, first)
  shop.write("marks.csv", `order;uin\n${x};${second}\n`)
  const { run } = await ShopPolicy.json<{ readonly run: { readonly runId: string } }>(
    shop,
    ...["orders", "marks", "import", "marks.csv", "--yes"]
  )
  expect(await uins(x)).toEqual([second])
  const preview = await shop.run("undo", run.runId, "--dry-run")
  const undone = await shop.run("undo", run.runId, "--yes")
  expect([undone.code, await uins(x)]).toEqual([0, [first]])
  // What goes back is named, of both changes.
  const sets = (mark: string) => `sets UIN ${Mark.of("uin", mark)}`
  for (const { stdout } of [preview, undone]) {
    expect(stdout).toContain(sets(first))
    expect(stdout).not.toContain(sets(second))
  }
  const { stdout } = await shop.run("orders", "history", String(x))
  expect([stdout.split(sets(first)).length, stdout.split(sets(second)).length]).toEqual([3, 2])
  await ShopSupply.handOver(shop, supply)
  await isGuarded(x, y)
}, 180_000)

it("finds nothing wrong with a sheet whose mark its order has already, though the goods left with another order before", async () => {
  const { supply, x, y } = await rings()
  await well(x, first)
  await ShopSupply.handOver(shop, supply)
  expect((await imported(y, first, "--came-back")).code).toBe(0)
  const again = await imported(y, first)
  expect([again.code, again.stderr]).toEqual([0, expect.any(String)])
  expect(await uins(x, y)).toEqual([first, first])
}, 180_000)
