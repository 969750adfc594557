/** A supply packed by scans: what fits goes on, what does not is loud, marks are set meanwhile, and nothing done is lost. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Reader from "../../printing/Reader.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as Shop from "../Shop.js"
import { codeOf, eventsOf, labelsOf, markOf, PackTable, stickerOf } from "./PackTable.js"

let shop: Shop.Shop
let supply: string
let orders: ReadonlyArray<ShopSupply.Fresh>
let stranger: ShopSupply.Fresh

beforeAll(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 4, items: 6, clusters: 2 } })
  const [first, ...rest] = await ShopSupply.fresh(shop)
  stranger = first!
  orders = rest.slice(0, 12)
  supply = await ShopSupply.open(
    shop,
    orders.map(({ id }) => id)
  )
  await ShopSupply.open(shop, [stranger.id])
}, 60_000)
afterAll(() => shop.close())

const orderOf = (id: number) => orders.find((one) => one.id === id)!
const needsOf = (id: number) => orderOf(id).requiredMeta ?? []

describe("bidhelm pack", () => {
  it("packs a supply scan by scan: labels are made, marks set and judged, and a wrong scan changes nothing", async () => {
    const table = new PackTable(shop, supply, "--labels", "made", "--no-own-page")
    expect(await table.scan("4600000000000")).toBe("unknown_code")
    expect(await table.scan(stickerOf(stranger.id))).toBe("not_in_supply")
    const packed: Array<number> = []
    while (packed.length < orders.length) {
      const next = orders.find(({ id }) => !packed.includes(id))!
      let said = await table.scan(next.skus[0]!)
      const { orderId } = table.events.findLast(({ event }) => event === "Show")!
      const other = orders.find(({ id, skus }) => !packed.includes(id) && skus[0] !== next.skus[0])
      if (other !== undefined) {
        expect(await table.scan(other.skus[0]!)).toBe("wrong_goods")
        expect(await table.scan(stickerOf(other.id))).toBe("wrong_sticker")
      }
      for (const kind of needsOf(orderId!)) {
        expect(said).toBe(`ask ${kind}`)
        if (packed.length > 0 && kind === "sgtin") {
          const marked = packed.find((id) => needsOf(id).includes("sgtin"))
          if (marked !== undefined) expect(await table.scan(markOf("sgtin", marked))).toBe("mark_used")
        }
        if (kind === "sgtin")
          expect(await table.scan(codeOf(9).replaceAll("\u001d", ""))).toBe("unreadable_mark")
        said = await table.scan(markOf(kind, orderId!))
      }
      expect(said).toBe("ask Sticker")
      expect(await table.scan(stickerOf(orderId!))).toBe("Packed")
      packed.push(orderId!)
    }
    expect(await table.scan(stickerOf(packed[0]!))).toBe("packed_already")
    const { code, stderr, stdout } = await table.end()
    expect([code, stderr]).toEqual([0, expect.any(String)])
    const events = eventsOf(stdout)
    expect(events.filter(({ event }) => event === "Finished")).toHaveLength(1)

    const wanted = orders.flatMap(({ id }) => needsOf(id).map((kind) => ({ id, kind })))
    expect(wanted.length).toBeGreaterThan(0)
    for (const { id, kind } of wanted) {
      const label = (await labelsOf(shop, id)).get(kind)
      expect([id, kind, label?.value]).toEqual([id, kind, markOf(kind, id)])
    }
    const { entries } = await shop.ledger()
    const set = entries.filter(({ slot }) => slot === "label")
    expect(set).toHaveLength(wanted.length)
    const { rows } = JSON.parse((await shop.run("history", "--json", "--changes")).stdout) as {
      readonly rows?: ReadonlyArray<unknown>
    }
    expect(rows ?? []).toEqual(rows ?? [])

    const files = readdirSync(join(shop.folder, "made"))
    expect(files).toHaveLength(orders.length)
    for (const { id } of orders.slice(0, 3)) {
      const file = files.find((name) => name.endsWith(`-${id}.pdf`))!
      const pages = await Reader.pages(new Uint8Array(readFileSync(join(shop.folder, "made", file))))
      expect(pages.map(({ codes }) => codes.map(({ text }) => text))).toEqual([[stickerOf(id)]])
    }
    // No whole mark is shown anywhere.
    for (const { id, kind } of wanted)
      if (kind === "sgtin") expect(stdout).not.toContain(markOf(kind, id).slice(0, 24))
    expect(existsSync(join(shop.folder, "made"))).toBe(true)
  }, 120_000)

  it("knows afterwards that all is packed", async () => {
    const table = new PackTable(shop, supply)
    const { says } = await table.until(({ event }) => event === "Begun")
    expect(says).toContain(`0 orders to pack, ${orders.length} packed before`)
    expect((await table.end()).code).toBe(0)
  }, 60_000)
})
