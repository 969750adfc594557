/** A supply packed by scans: what fits goes on, what does not is loud, marks are set meanwhile, and nothing done is lost. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as RunFolder from "../../../src/cli/daemon/RunFolder.js"
import * as ProcessLock from "../../../src/store/clients/ProcessLock.js"
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
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
      readonly runs: ReadonlyArray<{ readonly runId: string }>
    }
    const told = await Promise.all(runs.map(({ runId }) => shop.run("history", runId)))
    const lines = told.flatMap((one) => one.stdout.split("\n"))
    for (const { id } of wanted) expect(lines.some((line) => line.includes(String(id)))).toBe(true)

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
  }, 120_000)

  it("knows afterwards that all is packed", async () => {
    const table = new PackTable(shop, supply)
    const { says } = await table.until(({ event }) => event === "Begun")
    expect(says).toContain(`0 orders to pack, ${orders.length} packed before`)
    expect((await table.end()).code).toBe(0)
  }, 60_000)
})

describe("a supply that is packed in several sittings", () => {
  let other: string
  let mine: ReadonlyArray<ShopSupply.Fresh>
  let marked: ShopSupply.Fresh
  let plain: ReadonlyArray<ShopSupply.Fresh>

  beforeAll(async () => {
    const free = (await ShopSupply.fresh(shop)).slice(0, 30)
    marked = free.find(({ requiredMeta }) => requiredMeta?.join() === "sgtin")!
    plain = free.filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0).slice(0, 4)
    mine = [...plain, marked]
    other = await ShopSupply.open(
      shop,
      mine.map(({ id }) => id)
    )
  })

  /** Label first: then it is known which order is packed. */
  const packing = async (table: PackTable, one: ShopSupply.Fresh, mark?: string) => {
    await table.scan(stickerOf(one.id))
    const said = await table.scan(one.skus[0]!)
    return mark === undefined ? said : table.scan(mark)
  }

  it("goes on where it ended, and puts back what was in hand", async () => {
    const first = new PackTable(shop, other)
    expect(await packing(first, plain[0]!)).toBe("Packed")
    expect(await packing(first, plain[1]!)).toBe("Packed")
    expect(await first.scan(stickerOf(plain[2]!.id))).toBe("ask Goods")
    const { code, stdout, stderr } = await first.end()
    expect(code).toBe(4)
    expect(eventsOf(stdout).at(-1)?.event).toBe("PutBack")
    expect(stderr).toBe("")
    const second = new PackTable(shop, other)
    expect((await second.until(({ event }) => event === "Begun")).says).toContain(
      `${mine.length - 2} orders to pack, 2 packed before`
    )
    expect(await second.scan(stickerOf(plain[0]!.id))).toBe("packed_already")
    expect((await second.end()).code).toBe(4)
  }, 60_000)

  it("is packed at one table at a time: two would both pack, and label, the same order", async () => {
    const lock = RunFolder.packing(
      { storePath: join(shop.folder, ".bidhelm", "bidhelm.sqlite") },
      "main",
      other
    )
    const refused = await ProcessLock.hold(lock, "the table at the door").pipe(
      Effect.zipRight(Effect.promise(() => shop.run("pack", other))),
      Effect.scoped,
      Effect.runPromise
    )
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${other} is being packed at another table (the table at the door)`)
    ])
  })

  it("is not begun while nobody knows which marks an order needs", async () => {
    await shop.control("faults", { faults: [{ operation: "getOrderLabels", kind: "omit", share: 0.5 }] })
    const refused = await shop.run("pack", other)
    await shop.control("faults", { faults: [] })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/which marks orders? .* in need of was not answered/)
    ])
  })

  it("is loud about an order that was cancelled, packed or not, and again when packing goes on", async () => {
    const table = new PackTable(shop, other)
    await table.until(({ event }) => event === "Begun")
    await ShopSupply.ask(shop, "PATCH", `/api/v3/orders/${plain[0]!.id}/cancel`)
    await table.until(({ code, orderId }) => code === "packed_order_cancelled" && orderId === plain[0]!.id)
    expect(await table.scan(stickerOf(plain[2]!.id))).toBe("ask Goods")
    await ShopSupply.ask(shop, "PATCH", `/api/v3/orders/${plain[2]!.id}/cancel`)
    await table.until(({ code, orderId }) => code === "order_cancelled" && orderId === plain[2]!.id)
    expect(await table.scan(stickerOf(plain[2]!.id))).toBe("order_cancelled")
    expect((await table.end()).code).toBe(4)
    const again = new PackTable(shop, other)
    await again.until(({ code, orderId }) => code === "packed_order_cancelled" && orderId === plain[0]!.id)
    expect(await again.scan(stickerOf(plain[0]!.id))).toBe("TakenOut")
    expect(await again.scan("finish")).toBe("orders_left")
    await again.end()
  }, 60_000)

  it("packs an order once more when the check of its mark refuses it", async () => {
    const table = new PackTable(shop, other)
    expect(await packing(table, marked, codeOf(1, "SOLD"))).toBe("Packed")
    const refused = await table.until(({ code }) => code === "mark_refused")
    expect(refused.says).toContain("it was withdrawn from circulation")
    expect(await packing(table, marked)).toBe("ask sgtin")
    expect(await table.scan(codeOf(2))).toBe("Packed")
    expect(await packing(table, plain[3]!)).toBe("Packed")
    await table.until(({ event }) => event === "MarkPassed")
    const { code, stderr } = await table.end()
    expect([code, stderr]).toEqual([0, ""])
    expect((await labelsOf(shop, marked.id)).get("sgtin")).toMatchObject({
      value: codeOf(2),
      decision: "filled"
    })
    const { entries } = await shop.ledger()
    expect(
      entries.filter(
        ({ slot, target }) => slot === "label" && JSON.stringify(target).includes(String(marked.id))
      )
    ).toHaveLength(2)
  }, 90_000)
})

it("knows the label of an order that was cancelled before it was packed, whoever printed it, cancelled it, and in which supply", async () => {
  const made = { play: "make_orders", count: 6, warehouses: [71001], cargo: [1], markedShare: 0 }
  await shop.control("shop", { ...made, crossBorderShare: 0, businessShare: 0 })
  const [withdrawn, dropped, stays, away, offered] = await ShopSupply.fresh(shop)
  const here = await ShopSupply.open(shop, [withdrawn!.id, dropped!.id, stays!.id])
  const there = await ShopSupply.open(shop, [away!.id, offered!.id])
  const theirs = await shop.run("labels", "print", there, "--order", String(offered!.id), "--out", "two.pdf")
  expect(theirs.code).toBe(0)
  // One label of each supply is printed here, the others by another program.
  const printed = await shop.run("labels", "print", here, "--order", String(dropped!.id), "--out", "one.pdf")
  expect([printed.code, printed.stderr]).toEqual([0, expect.any(String)])
  for (const { id } of [dropped!, offered!])
    await ShopSupply.ask(shop, "PATCH", `/api/v3/orders/${id}/cancel`)
  for (const { id } of [withdrawn!, away!])
    await shop.control("shop", { play: "cancel", orderId: id, by: "buyer" })
  const table = new PackTable(shop, here)
  for (const { id } of [withdrawn!, dropped!, away!, offered!]) {
    expect([id, await table.scan(stickerOf(id))]).toEqual([id, "order_cancelled"])
    expect(table.events.at(-1)?.says).toContain(`order ${id} is cancelled. Put its goods back`)
  }
  expect(await table.scan(stickerOf(stays!.id))).toBe("ask Goods")
  await table.end()
  // What a label says is no news of an order.
  const history = await shop.run("orders", "history", String(dropped!.id))
  expect([history.stdout, history.stdout]).toEqual([
    expect.stringContaining(`printed its label for supply ${here}, place 2`),
    expect.not.stringContaining(stickerOf(dropped!.id))
  ])
}, 60_000)

it("sends the parcel of an order that was packed into another supply and then cancelled back to its own table, which waits for its label", async () => {
  const made = { play: "make_orders", count: 2, warehouses: [71001], cargo: [1], markedShare: 0 }
  await shop.control("shop", { ...made, crossBorderShare: 0, businessShare: 0 })
  const [astray, stays] = (await ShopSupply.fresh(shop)).filter(
    ({ requiredMeta }) => (requiredMeta ?? []).length === 0
  )
  const there = await ShopSupply.open(shop, [astray!.id])
  const here = await ShopSupply.open(shop, [stays!.id])
  const first = new PackTable(shop, there)
  await first.scan(stickerOf(astray!.id))
  expect(await first.scan(astray!.skus[0]!)).toBe("Packed")
  await first.end()
  await shop.control("shop", { play: "cancel", orderId: astray!.id, by: "buyer" })
  const table = new PackTable(shop, here)
  expect(await table.scan(stickerOf(astray!.id))).toBe("not_in_supply")
  await table.end()
  const own = new PackTable(shop, there)
  await own.until(({ code, orderId }) => code === "packed_order_cancelled" && orderId === astray!.id)
  expect(await own.scan(stickerOf(astray!.id))).toBe("TakenOut")
  await own.end()
  // Out of its parcel it is an order like any that was cancelled.
  const again = new PackTable(shop, here)
  expect(await again.scan(stickerOf(astray!.id))).toBe("order_cancelled")
  await again.end()
}, 60_000)

it("tells of orders that went to another supply and of those that came, while it is being packed", async () => {
  const [goes, stays, comes] = await ShopSupply.fresh(shop)
  const here = await ShopSupply.open(shop, [goes!.id, stays!.id])
  const table = new PackTable(shop, here)
  await table.until(({ event }) => event === "Begun")
  await ShopSupply.open(shop, [goes!.id])
  await ShopSupply.add(shop, here, [comes!.id])
  await table.until(({ event, orderId }) => event === "MovedAway" && orderId === goes!.id)
  expect(await table.scan(stickerOf(goes!.id))).toBe("not_in_supply")
  expect((await table.until(({ event }) => event === "Came")).says).toMatch(/^1 order came into this supply/)
  expect((await table.end()).code).toBe(4)
  expect(table.events.filter(({ event }) => event === "MovedAway" || event === "Came")).toHaveLength(2)
}, 60_000)

it("tells of a cancelled order though which orders are in the supply is not answered", async () => {
  const [first, second] = await ShopSupply.fresh(shop)
  const here = await ShopSupply.open(shop, [first!.id, second!.id])
  const table = new PackTable(shop, here)
  await table.until(({ event }) => event === "Begun")
  expect(await table.scan(stickerOf(first!.id))).toBe("ask Goods")
  await shop.control("faults", { faults: [{ operation: "getSupplyOrderIds", kind: "refuse", status: 409 }] })
  await ShopSupply.ask(shop, "PATCH", `/api/v3/orders/${first!.id}/cancel`)
  await table.until(({ code, orderId }) => code === "order_cancelled" && orderId === first!.id)
  await table.until(({ event }) => event === "Unread")
  await shop.control("faults", { faults: [] })
  await table.end()
}, 60_000)

it("leaves a mark as it is that an order was given since it was packed here, as by a store that was restored meanwhile", async () => {
  const one = (await ShopSupply.marked(shop, 1, "sgtin"))[0]!
  const here = await ShopSupply.open(shop, [one.id])
  const table = new PackTable(shop, here)
  await table.scan(stickerOf(one.id))
  await table.scan(one.skus[0]!)
  expect(await table.scan(codeOf(801))).toBe("Packed")
  await table.until(({ event }) => event === "MarkSet" || event === "MarkPassed")
  await table.end()
  const later = codeOf(802)
  await ShopSupply.mark(shop, one.id, later)
  const again = new PackTable(shop, here)
  await again.until(({ event }) => event === "Begun")
  await again.end()
  expect((await labelsOf(shop, one.id)).get("sgtin")?.value).toBe(later)
}, 90_000)

it("names at each beginning the parcel whose mark was refused, until its order is packed again", async () => {
  const [one, next] = await ShopSupply.marked(shop, 2, "sgtin")
  const here = await ShopSupply.open(shop, [one!.id, next!.id])
  const first = new PackTable(shop, here)
  for (const text of [stickerOf(one!.id), one!.skus[0]!, codeOf(701, "SOLD")]) await first.scan(text)
  await first.until(({ code }) => code === "mark_refused")
  await first.end()
  const second = new PackTable(shop, here)
  const { says } = await second.until(({ code, orderId }) => code === "mark_refused" && orderId === one!.id)
  expect(says).toContain("Take the parcel, scan its label")
  await second.end()
  const third = new PackTable(shop, here)
  await third.until(({ code, orderId }) => code === "mark_refused" && orderId === one!.id)
  for (const text of [stickerOf(one!.id), one!.skus[0]!]) await third.scan(text)
  expect(await third.scan(codeOf(702))).toBe("Packed")
  await third.until(({ event }) => event === "MarkSet" || event === "MarkPassed")
  await third.end()
  expect((await labelsOf(shop, one!.id)).get("sgtin")?.value).toBe(codeOf(702))
  const fourth = new PackTable(shop, here)
  await fourth.until(({ event }) => event === "Begun")
  await fourth.end()
  expect(fourth.events.map(({ code }) => code)).not.toContain("mark_refused")
}, 90_000)

it("sets the GTIN that is the goods' own barcode", async () => {
  await shop.control("shop", {
    play: "make_orders",
    count: 1,
    warehouses: [71001],
    markedShare: 1,
    marks: ["gtin"]
  })
  const { orders: all } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  const one = all.find(({ requiredMeta }) => requiredMeta?.join() === "gtin")!
  const here = await ShopSupply.open(shop, [one.id])
  const gtin = "4601234567893"
  // Barcodes of the sandbox's own goods are its own numbers: this order is listed first, with another.
  await shop.control("faults", {
    faults: [{ kind: "oddEntry", operation: "listOrders", at: "orders", put: { id: one.id, skus: [gtin] } }]
  })
  const table = new PackTable(shop, here)
  expect(await table.scan(gtin)).toBe("ask gtin")
  expect(await table.scan(gtin)).toBe("ask Sticker")
  expect(await table.scan(gtin)).toBe("hand_not_empty")
  expect(await table.scan(stickerOf(one.id))).toBe("Packed")
  await shop.control("faults", { faults: [] })
  expect((await table.end()).code).toBe(0)
  const { entries } = await shop.ledger()
  expect(
    entries.filter(({ slot, target }) => slot === "label" && JSON.stringify(target).includes(String(one.id)))
  ).toMatchObject([{ target: { labelKey: "gtin" }, after: [gtin] }])
}, 60_000)

it("keeps marks while sending is stopped, and sets them when packing goes on", async () => {
  const { orders: all } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  const one = all.find(({ requiredMeta }) => requiredMeta?.join() === "imei")!
  const held = await ShopSupply.open(shop, [one.id])
  expect((await shop.run("kill")).code).toBe(0)
  const table = new PackTable(shop, held)
  for (const text of [stickerOf(one.id), one.skus[0]!, markOf("imei", one.id)]) await table.scan(text)
  const waits = await table.until(({ event }) => event === "MarkWaits")
  expect(waits.says).toContain("sending is stopped")
  const { code, stderr } = await table.end()
  expect(code).toBe(4)
  expect((await labelsOf(shop, one.id)).get("imei")?.value).toBe(null)
  expect(stderr).toBe("")
  expect((await shop.run("resume", "--kill")).code).toBe(0)
  expect((await new PackTable(shop, held).end()).code).toBe(0)
  expect((await labelsOf(shop, one.id)).get("imei")?.value).toBe(markOf("imei", one.id))
}, 60_000)

it("says that the mark of an order that was handed over meanwhile comes too late, and waits for nothing", async () => {
  const [one] = await ShopSupply.marked(shop, 1, "sgtin")
  const here = await ShopSupply.open(shop, [one!.id])
  const table = new PackTable(shop, here)
  await table.until(({ event }) => event === "Begun")
  await shop.control("faults", { faults: [{ operation: "getOrderLabels", kind: "refuse", status: 409 }] })
  for (const text of [stickerOf(one!.id), one!.skus[0]!, codeOf(712)]) await table.scan(text)
  await table.until(({ event }) => event === "MarkWaits")
  // The first scan of the acceptance closes it.
  await shop.control("shop", { play: "scan", supplyId: here })
  await shop.control("faults", { faults: [] })
  await table.until(({ event }) => event === "MarkLate")
  const { stderr } = await table.end()
  expect(stderr).not.toContain("to set")
}, 60_000)

it("does not keep the mark of an order that was cancelled meanwhile, which has its parcel taken out", async () => {
  const [one, next] = await ShopSupply.marked(shop, 2, "sgtin")
  const here = await ShopSupply.open(shop, [one!.id, next!.id])
  const table = new PackTable(shop, here)
  await table.until(({ event }) => event === "Begun")
  await shop.control("faults", { faults: [{ operation: "getOrderLabels", kind: "refuse", status: 409 }] })
  for (const text of [stickerOf(one!.id), one!.skus[0]!, codeOf(711)]) await table.scan(text)
  await table.until(({ event }) => event === "MarkWaits")
  await shop.control("shop", { play: "cancel", orderId: one!.id, by: "buyer" })
  await shop.control("faults", { faults: [] })
  const { stderr } = await table.end()
  const own = table.events.filter(({ orderId }) => orderId === one!.id)
  expect(own.filter(({ event }) => event === "MarkDropped").map(({ says }) => says)).toEqual([
    `the marking code of order ${one!.id} is not set: the order is cancelled, or not in the seller's hands any more`
  ])
  expect(own.filter(({ says }) => says.includes("begin packing again"))).toEqual([])
  expect(own.filter(({ code }) => code === "packed_order_cancelled")).toHaveLength(1)
  expect(stderr).not.toContain("to set")
  const { entries } = await shop.ledger()
  expect(
    entries.filter(({ slot, target }) => slot === "label" && JSON.stringify(target).includes(String(one!.id)))
  ).toEqual([])
}, 60_000)

it("shows a person what to do in lines of its own, and what is wrong between empty ones", async () => {
  const { code, stdout } = await shop.run("pack", supply, "--help")
  expect([code, stdout]).toEqual([0, expect.stringContaining("A scanner is a keyboard")])
})

it("takes no mark of an order that was handed over, and takes it once that order's goods came back", async () => {
  await shop.control("shop", {
    play: "make_orders",
    count: 3,
    warehouses: [71001],
    markedShare: 1,
    marks: ["sgtin"]
  })
  const { orders: all } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  const [went, here] = all.filter(({ requiredMeta }) => requiredMeta?.join() === "sgtin")
  const gone = await ShopSupply.open(shop, [went!.id])
  const given = codeOf(went!.id)
  shop.write("marks.csv", `order;sgtin\n${went!.id};"${given.replaceAll("\u001d", "<GS>")}"\n`)
  const imported = await shop.run("orders", "marks", "import", "marks.csv", "--yes")
  expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)])
  await ShopSupply.handOver(shop, gone)

  const table = new PackTable(shop, await ShopSupply.open(shop, [here!.id]))
  await table.scan(stickerOf(here!.id))
  expect(await table.scan(here!.skus[0]!)).toBe("ask sgtin")
  expect(await table.scan(given)).toBe("mark_used")
  expect(table.events.at(-1)?.says).toContain(String(went!.id))
  expect((await labelsOf(shop, here!.id)).get("sgtin")?.value).toBe(null)
  await shop.control("shop", { play: "cancel", orderId: went!.id, by: "buyer" })
  expect(await table.scan(given)).toBe("Packed")
  expect((await table.end()).code).toBe(0)
  expect((await labelsOf(shop, here!.id)).get("sgtin")?.value).toBe(given)
}, 120_000)

it("knows whose label it is though an order of another supply lacks its customs declaration", async () => {
  const wide = await Shop.Shop.open({ scale: { campaigns: 4, items: 24, clusters: 2 } })
  try {
    await wide.control("shop", { play: "make_orders", count: 60, crossBorderShare: 1, markedShare: 0 })
    const { orders: all } = (await ShopSupply.ask(wide, "GET", "/api/v3/orders/new")) as {
      readonly orders: ReadonlyArray<ShopSupply.Fresh>
    }
    const undeclared = all.find(({ requiredMeta }) => requiredMeta?.includes("customsDeclaration"))
    await ShopSupply.open(wide, [undeclared!.id])
    const [astray, stays] = await ShopSupply.fresh(wide)
    await ShopSupply.open(wide, [astray!.id])
    const table = new PackTable(wide, await ShopSupply.open(wide, [stays!.id]))
    expect(await table.scan(stickerOf(astray!.id))).toBe("not_in_supply")
    await table.end()
  } finally {
    await wide.close()
  }
}, 60_000)

it("says that marks and cancellations of other supplies are not known, where they were not read", async () => {
  const made = { play: "make_orders", warehouses: [71001], cargo: [1], markedShare: 0, businessShare: 0 }
  await shop.control("shop", { ...made, count: 2, crossBorderShare: 0 })
  const [elsewhere, stays] = await ShopSupply.fresh(shop)
  await ShopSupply.open(shop, [elsewhere!.id])
  const here = await ShopSupply.open(shop, [stays!.id])
  // What is asked of the supply itself is answered.
  const refused = (operation: string) => ({ kind: "refuse", operation, status: 409, skip: 2 })
  await shop.control("faults", { faults: [refused("getOrderStatuses"), refused("getOrderLabels")] })
  const table = new PackTable(shop, here)
  await table.until(({ event }) => event === "Begun")
  await shop.control("faults", { faults: [] })
  const { stderr } = await table.end()
  const said = stderr + table.events.map(({ says }) => says).join("\n")
  expect(said).toContain("which orders of other supplies are cancelled was not read of")
  expect(said).toContain("which marks orders of other supplies have was not read of")
}, 60_000)
