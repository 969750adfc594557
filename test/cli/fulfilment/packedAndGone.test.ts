/** A supply of which a packed parcel is no part any more: it is not handed over before a person has taken it out. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as RunFolder from "../../../src/cli/daemon/RunFolder.js"
import * as ProcessLock from "../../../src/store/clients/ProcessLock.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import { codeOf, PackTable, stickerOf } from "../packing/PackTable.js"
import type * as Shop from "../Shop.js"
import * as ShopPolicy from "./ShopPolicy.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

/** A supply of three orders that were all packed. */
const packed = async () => {
  const orders = (await ShopSupply.fresh(shop))
    .filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
    .slice(0, 3)
  const ids = orders.map(({ id }) => id)
  const supply = await ShopSupply.open(shop, ids)
  const table = new PackTable(shop, supply)
  for (const { id, skus } of orders) {
    await table.scan(stickerOf(id))
    expect(await table.scan(skus[0] ?? "")).toBe("Packed")
  }
  expect((await table.end()).code).toBe(0)
  return { ids, supply }
}
/** A supply of an order without marks and of one that was packed with a mark that its check then refused. */
const refusedOnce = async () => {
  const fresh = await ShopSupply.fresh(shop)
  const good = fresh.find(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
  const bad = fresh.find(({ requiredMeta }) => JSON.stringify(requiredMeta) === '["sgtin"]')
  if (good === undefined || bad === undefined) throw new Error("the shop has no such orders")
  const supply = await ShopSupply.open(shop, [good.id, bad.id])
  const table = new PackTable(shop, supply)
  await table.scan(stickerOf(bad.id))
  await table.scan(bad.skus[0] ?? "")
  expect(await table.scan(codeOf(1, "SOLD"))).toBe("Packed")
  await table.until(({ code }) => code === "mark_refused")
  await table.scan(stickerOf(good.id))
  expect(await table.scan(good.skus[0] ?? "")).toBe("Packed")
  await table.end()
  return { bad, good, supply }
}

const isClosed = async (supply: string) =>
  ((await ShopSupply.ask(shop, "GET", `/api/v3/supplies/${supply}`)) as { readonly done: boolean }).done

/** Neither check nor deliver lets it go, each for this reason, until what is to be taken out is out. */
const waits = async (supply: string, reason: string, rest: ReadonlyArray<number>) => {
  const checked = await shop.run("supplies", "check", supply)
  expect([checked.code, checked.stdout]).toEqual([4, expect.stringContaining(reason)])
  expect(checked.stdout).toContain("--taken-out")
  const refused = await shop.run("supplies", "deliver", supply, "--yes")
  expect([refused.code, refused.stderr, await isClosed(supply)]).toEqual([
    4,
    expect.stringContaining(reason),
    false
  ])
  const done = await ShopPolicy.json<{ readonly delivered: ReadonlyArray<number> }>(
    shop,
    ...["supplies", "deliver", supply, "--taken-out", "--yes"]
  )
  expect([[...done.delivered].sort(), await isClosed(supply)]).toEqual([[...rest].sort(), true])
}

it("waits for the parcel of a packed order that the seller cancelled, though no list has it any more", async () => {
  const { ids, supply } = await packed()
  const [lost = 0, ...rest] = ids
  expect((await shop.run("orders", "cancel", String(lost), "--yes")).code).toBe(0)
  await waits(supply, `order ${lost} is cancelled (cancel) → take its parcel out of the pile`, rest)
}, 120_000)

it("waits for the parcel of a packed order that was moved to another supply", async () => {
  const { ids, supply } = await packed()
  const [moved = 0, ...rest] = ids
  expect((await shop.run("supplies", "move", String(moved), "--to", "later", "--yes")).code).toBe(0)
  await waits(supply, `order ${moved} was packed here and is not in this supply any more`, rest)
}, 120_000)

it("moves no packed order out that cannot go, until its parcel is out of the pile", async () => {
  const [bare, marked] = [
    (await ShopSupply.fresh(shop)).filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0),
    (await ShopSupply.fresh(shop)).filter(({ requiredMeta }) => JSON.stringify(requiredMeta) === '["sgtin"]')
  ]
  const [good, bad] = [bare[0], marked[0]]
  if (good === undefined || bad === undefined) throw new Error("the shop has no such orders")
  const supply = await ShopSupply.open(shop, [good.id, bad.id])
  const table = new PackTable(shop, supply)
  await table.scan(stickerOf(bad.id))
  await table.scan(bad.skus[0] ?? "")
  expect(await table.scan(codeOf(1))).toBe("Packed")
  await table.scan(stickerOf(good.id))
  expect(await table.scan(good.skus[0] ?? "")).toBe("Packed")
  await table.end()
  await ShopSupply.ask(shop, "DELETE", `/api/v3/orders/${bad.id}/meta?key=sgtin`)
  const words = ["supplies", "deliver", supply, "--move-out", "later", "--yes"]
  const refused = await shop.run(...words)
  expect([refused.code, refused.stderr, await isClosed(supply)]).toEqual([
    4,
    expect.stringContaining("what was packed is to leave the pile first"),
    false
  ])
  expect(refused.stderr).toContain(`${supply} --move-out NAME --taken-out`)
  const said = await shop.run(...words, "--all-packed")
  expect(said.stderr).toContain(`${supply} --move-out NAME --taken-out --all-packed`)
  const done = await ShopPolicy.json<{ readonly delivered: ReadonlyArray<number> }>(
    shop,
    ...words,
    "--taken-out"
  )
  expect([done.delivered, await isClosed(supply)]).toEqual([[good.id], true])
}, 120_000)

it("moves no order out whose parcel was to be packed once more, until its label was scanned and it was put back", async () => {
  const { bad, good, supply } = await refusedOnce()
  const words = ["supplies", "deliver", supply, "--move-out", "later", "--yes"]
  const kept = await shop.run(...words)
  expect([kept.code, kept.stderr, await isClosed(supply)]).toEqual([
    4,
    expect.stringContaining("what was packed is to leave the pile first"),
    false
  ])
  const again = new PackTable(shop, supply)
  await again.until(({ event }) => event === "Begun")
  await again.scan(stickerOf(bad.id))
  expect(await again.scan("put back")).toBe("TakenOut")
  await again.end()
  const done = await ShopPolicy.json<{ readonly delivered: ReadonlyArray<number> }>(shop, ...words)
  expect([done.delivered, await isClosed(supply)]).toEqual([[good.id], true])
}, 120_000)

it("takes the parcel out of an order that was moved away before it was packed once more", async () => {
  const { bad, supply } = await refusedOnce()
  await ShopSupply.open(shop, [bad.id])
  const kept = await shop.run("supplies", "deliver", supply, "--yes")
  expect([kept.code, kept.stderr]).toEqual([
    4,
    expect.stringContaining(`order ${bad.id} was packed here and is not in this supply any more`)
  ])
  const again = new PackTable(shop, supply)
  await again.until(({ code }) => code === "packed_order_moved")
  expect(await again.scan(stickerOf(bad.id))).toBe("TakenOut")
  await again.end()
  expect((await shop.run("supplies", "deliver", supply, "--yes")).code).toBe(0)
}, 120_000)

it("waits where the packing of the supply was left off halfway, until the rest is packed or a person says that it is", async () => {
  const orders = (await ShopSupply.fresh(shop))
    .filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
    .slice(0, 4)
  const ids = orders.map(({ id }) => id)
  const halves = [
    [orders[0], orders[1]],
    [orders[2], orders[3]]
  ]
  const supplies = [await ShopSupply.open(shop, ids.slice(0, 2)), await ShopSupply.open(shop, ids.slice(2))]
  for (const [at, supply] of supplies.entries()) {
    const [first, second] = halves[at] ?? []
    const table = new PackTable(shop, supply)
    await table.scan(stickerOf(first!.id))
    expect(await table.scan(first!.skus[0] ?? "")).toBe("Packed")
    const ended = await table.end()
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([4, expect.any(String)])
    const reason = `only a part of the supply was packed at a table: 1 order was not scanned (${second!.id})`
    const checked = await shop.run("supplies", "check", supply)
    expect([checked.code, checked.stdout]).toEqual([4, expect.stringContaining(reason)])
    const refused = await shop.run("supplies", "deliver", supply, "--taken-out", "--yes")
    expect([refused.code, refused.stderr, await isClosed(supply)]).toEqual([
      4,
      expect.stringContaining(reason),
      false
    ])
  }
  const [told = "", packedLater = ""] = supplies
  expect((await shop.run("supplies", "deliver", told, "--all-packed", "--yes")).code).toBe(0)
  const table = new PackTable(shop, packedLater)
  await table.scan(stickerOf(orders[3]!.id))
  expect(await table.scan(orders[3]!.skus[0] ?? "")).toBe("Packed")
  expect((await table.end()).code).toBe(0)
  expect((await shop.run("supplies", "deliver", packedLater, "--yes")).code).toBe(0)
  expect([await isClosed(told), await isClosed(packedLater)]).toEqual([true, true])
}, 120_000)

it("waits while a table packs the supply, and for no table whose process is gone", async () => {
  const { supply } = await packed()
  const storePath = join(shop.folder, ".bidhelm", "bidhelm.sqlite")
  const lock = RunFolder.packing({ storePath }, "main", supply)
  const [checked, refused] = await ProcessLock.hold(lock, "the table at the door").pipe(
    Effect.zipRight(
      Effect.promise(async () => [
        await shop.run("supplies", "check", supply),
        await shop.run("supplies", "deliver", supply, "--yes")
      ])
    ),
    Effect.scoped,
    Effect.runPromise
  )
  const reason = "the supply is being packed at a table (the table at the door) → pack what is left of it"
  expect([checked?.code, checked?.stdout]).toEqual([4, expect.stringContaining(reason)])
  expect([refused?.code, refused?.stderr, await isClosed(supply)]).toEqual([
    4,
    expect.stringContaining(reason),
    false
  ])
  writeFileSync(`${lock}.pid`, "pid 7 on desk\n")
  expect((await shop.run("supplies", "deliver", supply, "--yes")).code).toBe(0)
  expect(await isClosed(supply)).toBe(true)
}, 120_000)

it("does not wait for a parcel that was taken out at the table", async () => {
  const { ids, supply } = await packed()
  const [lost = 0] = ids
  expect((await shop.run("orders", "cancel", String(lost), "--yes")).code).toBe(0)
  const table = new PackTable(shop, supply)
  expect(await table.scan(stickerOf(lost))).toBe("TakenOut")
  await table.end()
  const told = (await shop.run("orders", "history", String(lost))).stdout
  expect(told).toContain(`bidhelm  packed into supply ${supply}\n`)
  expect(told).toContain(`bidhelm  taken out of the parcels of supply ${supply}\n`)
  expect((await shop.run("supplies", "deliver", supply, "--yes")).code).toBe(0)
  expect(await isClosed(supply)).toBe(true)
}, 120_000)

it("takes the parcel of an order that was moved away out at the table, and packs it at the table of its new supply", async () => {
  const { ids, supply } = await packed()
  const [moved = 0] = ids
  const goods = (await ShopSupply.ask(shop, "GET", "/api/v3/orders?limit=1000&next=0")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  const sku = goods.orders.find(({ id }) => id === moved)?.skus[0] ?? ""
  const later = await ShopSupply.open(shop, [])
  expect((await shop.run("supplies", "move", String(moved), "--to", later, "--yes")).code).toBe(0)
  const table = new PackTable(shop, supply)
  const told = await table.until(({ code }) => code === "packed_order_moved")
  expect([told.orderId, told.says]).toEqual([moved, expect.stringContaining("travels with another supply")])
  expect(await table.scan("finish")).toBe("parcels_to_take_out")
  expect(await table.scan(stickerOf(moved))).toBe("TakenOut")
  expect(await table.scan(stickerOf(moved))).toBe("not_in_supply")
  expect((await table.end()).code).toBe(0)
  const next = new PackTable(shop, later)
  await next.scan(stickerOf(moved))
  expect(await next.scan(sku)).toBe("Packed")
  await next.end()
  // Beside its new supply it is no parcel of the old one.
  expect((await new PackTable(shop, supply).end()).code).toBe(0)
  expect((await shop.run("supplies", "deliver", supply, "--yes")).code).toBe(0)
  expect(await isClosed(supply)).toBe(true)
}, 120_000)
