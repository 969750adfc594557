/** `bidhelm pack` as people have it: a scanner on a pipe, a terminal, a process that is killed, beside `bidhelm run`. */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import { until } from "../../faults/Waiting.js"
import * as Bundle from "../Bundle.js"
import { Daemon } from "../Daemon.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as Shop from "../Shop.js"
import * as Terminal from "../Terminal.js"
import { eventsOf, labelsOf, markOf, stickerOf } from "./PackTable.js"

let shop: Shop.Shop
let fresh: ReadonlyArray<ShopSupply.Fresh>

beforeAll(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 4, items: 6, clusters: 2 } })
  const { orders } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  fresh = orders.filter(
    ({ crossBorderType, requiredMeta }) =>
      crossBorderType !== 1 && !(requiredMeta ?? []).includes("customsDeclaration")
  )
}, 120_000)
afterAll(() => shop.close())

/** A supply of so many orders, of which the first needs a mark of this kind. */
const supplyOf = async (count: number, kind: string) => {
  const marked = fresh.find(({ requiredMeta }) => requiredMeta?.join() === kind)!
  const fits = (one: ShopSupply.Fresh) =>
    one !== marked && one.warehouseId === marked.warehouseId && one.cargoType === marked.cargoType
  const orders = [marked, ...fresh.filter(fits).slice(0, count - 1)]
  fresh = fresh.filter((one) => !orders.includes(one))
  return {
    orders,
    supply: await ShopSupply.open(
      shop,
      orders.map(({ id }) => id)
    )
  }
}

const scansOf = ({ id, requiredMeta, skus }: ShopSupply.Fresh): ReadonlyArray<string> => [
  stickerOf(id),
  skus[0]!,
  ...(requiredMeta ?? []).map((kind) => markOf(kind, id))
]

const isMarked = async (orders: ReadonlyArray<ShopSupply.Fresh>) => {
  for (const { id, requiredMeta } of orders)
    for (const kind of requiredMeta ?? [])
      expect((await labelsOf(shop, id)).get(kind)?.value).toBe(markOf(kind, id))
}

const packedIn = (stdout: string) =>
  eventsOf(stdout)
    .filter(({ event }) => event === "Packed")
    .map(({ orderId }) => orderId)

describe("bidhelm pack", () => {
  it("reads a pipe, and goes on after a kill in the middle with nothing lost and no mark set twice", async () => {
    const { orders, supply } = await supplyOf(6, "sgtin")
    const child = shop.startReading("pack", supply, "--json")
    let said = ""
    child.stdout!.on("data", (part: Buffer) => {
      said += part.toString()
    })
    child.stdin!.write(`${orders.slice(0, 3).flatMap(scansOf).join("\r\n")}\r\n`)
    await until(() => packedIn(said.slice(0, said.lastIndexOf("\n") + 1)).length === 3)
    child.kill("SIGKILL")
    await new Promise((gone) => child.once("close", gone))
    const second = shop.startReading("pack", supply, "--json", "--labels", "made", "--format", "zpl")
    const end = Shop.ended(second)
    second.stdin!.end(
      orders
        .slice(3)
        .flatMap((one) => [one.skus[0]!, ...scansOf(one).slice(2), stickerOf(one.id)])
        .join("\n")
    )
    const { code, stderr, stdout } = await end
    const rest = packedIn(stdout)
    // Goods of which several orders want one go to the first of the list, whose label is another one.
    if (rest.length === 3) expect([code, stderr]).toEqual([0, expect.any(String)])
    const third = shop.startReading("pack", supply, "--json")
    const ended = Shop.ended(third)
    third.stdin!.end(
      orders
        .filter(({ id }) => !packedIn(said).includes(id) && !rest.includes(id))
        .flatMap(scansOf)
        .join("\n")
    )
    expect((await ended).code).toBe(0)
    await isMarked(orders)
    const { entries } = await shop.ledger()
    const marked = orders.filter(({ requiredMeta }) => requiredMeta?.length === 1)
    for (const { id } of marked)
      expect(
        entries.filter(({ slot, target }) => slot === "label" && JSON.stringify(target).includes(`${id}`))
      ).toHaveLength(1)
    for (const file of readdirSync(join(shop.folder, "made")))
      expect(readFileSync(join(shop.folder, "made", file), "utf8")).toContain("^XA")
  })

  it("works beside bidhelm run, whose process has the store, and ends with it", async () => {
    const daemon = new Daemon(shop.start("run"))
    await daemon.until(/bidhelm run/)
    await until(async () => (await shop.run("status")).code === 0)
    const { orders, supply } = await supplyOf(3, "imei")
    const child = shop.startReading("pack", supply, "--json")
    const end = Shop.ended(child)
    child.stdin!.end(orders.flatMap(scansOf).join("\n"))
    const { code, stderr, stdout } = await end
    expect([code, stderr]).toEqual([0, ""])
    expect(packedIn(stdout)).toEqual(orders.map(({ id }) => id))
    await isMarked(orders)

    const open = await supplyOf(2, "imei")
    const second = shop.startReading("pack", open.supply, "--json")
    let said = ""
    second.stdout!.on("data", (part: Buffer) => {
      said += part.toString()
    })
    const gone = Shop.ended(second)
    second.stdin!.write(`${scansOf(open.orders[0]!).join("\n")}\n`)
    await until(() => said.includes('"Packed"'))
    expect((await daemon.stop()).code).toBe(0)
    const last = await gone
    expect(last.code).toBe(4)
    expect(last.stdout).toContain("bidhelm run was asked to end")
  })

  it.runIf(Terminal.isThere)(
    "keeps the group separator at a terminal, shows no mark there, and ends with Ctrl-C",
    async () => {
      const { orders, supply } = await supplyOf(1, "sgtin")
      const line = [process.execPath, Bundle.program(), "pack", supply].join(" ")
      const child = spawn("/usr/bin/script", ["-qec", line, "/dev/null"], {
        cwd: shop.folder,
        env: { ...process.env, BIDHELM_TOKEN: sandboxToken({}) },
        stdio: ["pipe", "pipe", "pipe"]
      })
      const end = Shop.ended(child)
      let said = ""
      child.stdout.on("data", (part: Buffer) => {
        said += part.toString()
      })
      await until(() => said.includes("to pack"))
      child.stdin.write("finish\r")
      await until(() => said.includes("STOP") && said.includes("\u0007"))
      for (const text of scansOf(orders[0]!)) child.stdin.write(`${text}\r`)
      await until(() => said.includes("PACKED"))
      child.stdin.write("\u0003")
      const { code } = await end
      expect(code).toBe(0)
      expect(said).toContain("finish")
      expect(said).not.toContain(markOf("sgtin", orders[0]!.id).slice(0, 24))
      await isMarked(orders)
    }
  )
})
