/** Marks of a store that was restored from before they were set: judged by what orders have at the marketplace. */
import { realpathSync } from "node:fs"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as OpenFiles from "../../OpenFiles.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as PackTable from "../packing/PackTable.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

/** Once nobody has the store's file open. */
const restore = async (file: string) => {
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
  await shop.well("restore", file)
}
const imported = (order: number, mark: string, ...words: ReadonlyArray<string>) => {
  shop.write("marks.csv", `order;uin\n${order};${mark}\n`)
  return shop.run("orders", "marks", "import", "marks.csv", "--yes", ...words)
}
const uinOf = async (order: number) => (await PackTable.labelsOf(shop, order)).get("uin")?.value ?? null

it("knows after a restore which marks orders were given meanwhile, of those handed over and of those still in assembly", async () => {
  const [gone = 0, packed = 0, other = 0] = (await ShopSupply.marked(shop, 3, "uin")).map(({ id }) => id)
  const [first, second] = await Promise.all([
    ShopSupply.open(shop, [gone]),
    ShopSupply.open(shop, [packed]),
    ShopSupply.open(shop, [other])
  ])
  const [ofGone, ofPacked] = [PackTable.markOf("uin", 1), PackTable.markOf("uin", 2)]
  expect((await imported(gone, PackTable.markOf("uin", 3))).code).toBe(0)
  await shop.well("backup", "before.gz")
  for (const [order, mark] of [
    [gone, ofGone],
    [packed, ofPacked]
  ] as const)
    expect((await imported(order, mark)).code).toBe(0)
  await ShopSupply.handOver(shop, first)
  await restore("before.gz")

  await shop.control("faults", {
    faults: [{ kind: "refuse", operation: "getOrderLabels", status: 400, count: 2 }]
  })
  const unread = await shop.run("reconcile")
  expect([unread.code, unread.stdout]).toEqual([
    1,
    expect.stringContaining("Which marks orders have by now could not be read")
  ])
  const { stdout } = await shop.well("reconcile")
  expect(stdout).toMatch(/\d+ marks that orders have were not known here, and are now/)
  for (const mark of [ofGone, ofPacked]) expect(stdout).not.toContain(mark)
  await ShopSupply.handOver(shop, second)
  for (const [order, mark] of [
    [gone, ofGone],
    [packed, ofPacked]
  ] as const) {
    const refused = await imported(other, mark)
    expect([refused.code, await uinOf(order), await uinOf(other)]).toEqual([3, mark, null])
    expect(refused.stderr).toContain(`Order ${order} left with its mark`)
  }
  expect((await imported(other, ofGone, "--came-back")).code).toBe(0)
  expect(await uinOf(other)).toBe(ofGone)
}, 180_000)

it("sets no mark that waited in the backup and left with another order meanwhile", async () => {
  const [first = 0, second = 0] = (await ShopSupply.marked(shop, 3, "uin")).map(({ id }) => id)
  const mark = PackTable.markOf("uin", 1)
  expect((await imported(second, mark)).code).toBe(0)
  await shop.well("backup", "before.gz")
  // The sheet was wrong: the mark is the first order's.
  expect((await imported(second, PackTable.markOf("uin", 2))).code).toBe(0)
  const supply = await ShopSupply.open(shop, [first])
  expect((await imported(first, mark)).code).toBe(0)
  await ShopSupply.handOver(shop, supply)
  await restore("before.gz")

  const { stdout } = await shop.well("reconcile")
  await ShopSupply.open(shop, [second])
  await shop.well("supplies", "assemble", "--yes")
  expect([await uinOf(first), await uinOf(second)]).toEqual([mark, null])
  expect(stdout).toContain(`The UIN that waited for order ${second} is on order ${first} by now`)
  expect((await imported(second, PackTable.markOf("uin", 2))).code).toBe(0)
}, 180_000)

it("sets no mark by packing that goes on where another order left with it meanwhile, and asks for another one", async () => {
  const [packed, other] = await ShopSupply.marked(shop, 2, "sgtin")
  if (packed === undefined || other === undefined) throw new Error("no orders were made")
  const here = await ShopSupply.open(shop, [packed.id])
  const mark = PackTable.codeOf(1)
  await shop.well("kill")
  const table = new PackTable.PackTable(shop, here)
  for (const text of [PackTable.stickerOf(packed.id), packed.skus[0] ?? "", mark]) await table.scan(text)
  await table.end()
  await shop.well("resume", "--kill")
  await shop.well("backup", "before.gz")
  const supply = await ShopSupply.open(shop, [other.id])
  await ShopSupply.mark(shop, other.id, mark)
  await ShopSupply.handOver(shop, supply)
  await restore("before.gz")
  await shop.well("reconcile")

  const again = new PackTable.PackTable(shop, here)
  await again.until(({ event }) => event === "Begun")
  const { code } = await again.end()
  const sgtinOf = async (order: number) => (await PackTable.labelsOf(shop, order)).get("sgtin")?.value
  expect([code, await sgtinOf(other.id), await sgtinOf(packed.id)]).toEqual([4, mark, null])
  expect(again.events.map(({ says }) => says)).toContainEqual(
    expect.stringContaining(`a mark (sgtin) that order ${other.id} has by now`)
  )
  expect(again.events).toContainEqual(expect.objectContaining({ code: "mark_refused", orderId: packed.id }))
}, 180_000)

it.each([
  { where: "with a token that is not for them", token: { categories: ["promotion"] } },
  { where: "without an address for them", token: {} }
] as const)(
  "asks for no orders $where, and is reconciled all the same",
  async ({ token, where }) => {
    await shop.close()
    shop = await Shop.Shop.open({ token })
    shop.removeRules()
    if (where.startsWith("without"))
      shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^ {2}marketplace: .*\n/m, ""))
    await shop.run("plan")
    await shop.well("backup", "before.gz")
    await restore("before.gz")
    const { stderr } = await shop.well("reconcile")
    expect(stderr).toContain("may be written to again")
  },
  60_000
)
