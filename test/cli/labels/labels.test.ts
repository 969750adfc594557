/** A morning of who assembles orders: a supply, its pick list, its labels, its packing list, all in one order. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Reader from "../../printing/Reader.js"
import { markOf } from "../../printing/Supply.js"
import * as Shop from "../Shop.js"
import * as ShopSupply from "./ShopSupply.js"

let shop: Shop.Shop
let supply: string
let orders: ReadonlyArray<ShopSupply.Fresh>
let late: ShopSupply.Fresh
let marked: ReadonlyArray<ShopSupply.Fresh>

beforeAll(async () => {
  shop = await Shop.Shop.open()
  const [first, ...rest] = await ShopSupply.fresh(shop)
  late = first!
  orders = rest
  supply = await ShopSupply.open(
    shop,
    orders.map(({ id }) => id)
  )
  marked = orders.filter(({ requiredMeta }) => requiredMeta?.includes("sgtin") === true).slice(0, 2)
  for (const { id } of marked) await ShopSupply.mark(shop, id, markOf(id))
  const rows = orders.map(
    ({ article, skus }, i) =>
      `${skus[0]};${article};Куртка № ${i};4${i};тёмно-синий;${i % 2 === 0 ? `А-${i}` : ""}`
  )
  const unique = rows.filter(
    (row, i) => rows.findIndex((one) => one.split(";")[0] === row.split(";")[0]) === i
  )
  shop.write(
    "rules/_shared/goods.csv",
    ["barcode;артикул;название;размер;цвет;ячейка", ...unique].join("\r\n")
  )
}, 60_000)
afterAll(() => shop.close())

const bytes = (path: string) => new Uint8Array(readFileSync(join(shop.folder, path)))
interface Printed {
  readonly printed: ReadonlyArray<{ readonly orderId: number; readonly position: number }>
  readonly missing: ReadonlyArray<{ readonly orderId: number; readonly reason: string }>
  readonly files: ReadonlyArray<{ readonly path: string; readonly orders: ReadonlyArray<number> }>
  readonly printedBefore: number
  readonly notes: ReadonlyArray<string>
}
const print = async (...more: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await shop.run("labels", "print", supply, "--json", ...more)
  if (stdout === "") throw new Error(stderr)
  return { code, ...(JSON.parse(stdout) as Printed) }
}

/** The sandbox's number of an order's sticker, which its bars say. */
const barcodeOf = (orderId: number) => `*${(20_000_000_000 + orderId).toString(36).toUpperCase()}`

describe("labels, pick list and packing list of a supply", () => {
  it("follow one stored order: the pick list's numbers are those of the labels, and the packing list's", async () => {
    const picked = await shop.run("supplies", "pick-list", supply, "--json")
    expect([picked.code, picked.stderr]).toEqual([0, expect.any(String)])
    const { rows, totals } = JSON.parse(picked.stdout) as {
      readonly rows: ReadonlyArray<{
        readonly positions: ReadonlyArray<number>
        readonly cell: string | null
      }>
      readonly totals: ReadonlyArray<{ readonly count: number }>
    }
    expect(rows.flatMap(({ positions }) => positions).toSorted((a, b) => a - b)).toEqual(
      orders.map((_, i) => i + 1)
    )
    expect(totals.reduce((sum, { count }) => sum + count, 0)).toBe(orders.length)
    const unknown = rows.findIndex(({ cell }) => cell === null)
    if (unknown >= 0) expect(rows.slice(unknown).every(({ cell }) => cell === null)).toBe(true)

    const labels = await print("--out", "labels.pdf")
    expect(labels).toMatchObject({ code: 0, missing: [] })
    expect(labels.printed.map(({ position }) => position)).toEqual(orders.map((_, i) => i + 1))
    const packed = JSON.parse((await shop.run("supplies", "packing-list", supply, "--json")).stdout) as {
      readonly groups: ReadonlyArray<{
        readonly orders: ReadonlyArray<{ readonly orderId: number; readonly position: number }>
      }>
    }
    const packing = packed.groups.flatMap(({ orders }) => orders).toSorted((a, b) => a.position - b.position)
    expect(packing.map(({ orderId }) => orderId)).toEqual(labels.printed.map(({ orderId }) => orderId))

    const pages = await Reader.pages(bytes("labels.pdf"))
    expect(pages).toHaveLength(2 * orders.length)
    expect(pages.map(({ codes }) => codes.map(({ text }) => text))).toEqual(
      labels.printed.flatMap(({ orderId }) => [
        [barcodeOf(orderId)],
        marked.some(({ id }) => id === orderId) ? [markOf(orderId)] : []
      ])
    )
    for (const [i, { orderId, position }] of labels.printed.entries()) {
      const { article, skus } = orders.find(({ id }) => id === orderId)!
      const own = pages[2 * i + 1]!.text
      const [name] = shop
        .read("rules/_shared/goods.csv")
        .split("\r\n")
        .flatMap((row) => (row.startsWith(`${skus[0]};`) ? [row.split(";")[2]!] : []))
      for (const word of [
        `${position}/${orders.length}`,
        `заказ ${orderId}`,
        article,
        name!,
        "цвет тёмно-синий"
      ])
        expect(own).toContain(word)
    }
  }, 60_000)

  it("are the same bytes when they are printed again, and --missing leaves alone what was printed", async () => {
    await print("--out", "again.pdf")
    expect(Buffer.from(bytes("again.pdf")).equals(Buffer.from(bytes("labels.pdf")))).toBe(true)
    const missing = await print("--missing", "--out", "none.pdf")
    expect(missing).toMatchObject({ code: 0, printed: [], files: [], printedBefore: orders.length })
    expect(existsSync(join(shop.folder, "none.pdf"))).toBe(false)
  }, 30_000)

  it("put an order that comes later at the end, with its number, and print one that is asked for alone", async () => {
    await ShopSupply.add(shop, supply, [late.id])
    const missing = await print("--missing", "--out", "late.pdf")
    expect(missing.printed).toEqual([{ orderId: late.id, position: orders.length + 1 }])
    const one = await print(
      "--order",
      String(orders[0]!.id),
      "--out",
      "one.pdf",
      "--size",
      "40x30",
      "--no-own-page"
    )
    expect(one.printed.map(({ orderId }) => orderId)).toEqual([orders[0]!.id])
    const [page, ...others] = await Reader.pages(bytes("one.pdf"))
    expect(others).toEqual([])
    expect(page!.codes.map(({ text }) => text)).toEqual([barcodeOf(orders[0]!.id)])
    const stranger = await shop.run("labels", "print", supply, "--order", "99")
    expect([stranger.code, stranger.stderr]).toEqual([
      1,
      expect.stringContaining("order 99 is not in supply")
    ])
  }, 30_000)

  it("come for label printers as one stream, and as pictures in a folder, in the same order", async () => {
    const { printed } = await print("--format", "zpl", "--out", "labels.zpl")
    const stream = shop.read("labels.zpl")
    expect([...stream.matchAll(/\^FD(\*\w+)\^FS/g)].map(([, barcode]) => barcode)).toEqual(
      printed.map(({ orderId }) => barcodeOf(orderId))
    )
    expect(stream.split("^XA")).toHaveLength(printed.length + 1)
    const pictures = await print("--format", "png", "--out", "pictures")
    expect(readdirSync(join(shop.folder, "pictures"))).toEqual(
      pictures.printed.map(({ orderId, position }) => `${String(position).padStart(4, "0")}-${orderId}.png`)
    )
  }, 30_000)

  it("are lists on A4, and words in the terminal", async () => {
    for (const [list, title] of [
      ["pick-list", "Лист подбора."],
      ["packing-list", "Лист упаковки."]
    ] as const) {
      const { code, stdout } = await shop.run("supplies", list, supply, "--out", `${list}.pdf`)
      expect([code, stdout]).toEqual([0, expect.stringContaining(`is in ${list}.pdf`)])
      const [page] = await Reader.pages(bytes(`${list}.pdf`), () => false)
      expect(page!.text).toContain(`${title} ${supply}`)
      expect(page!.text).toContain("Куртка №")
    }
    const shown = await shop.run("supplies", "pick-list", supply.replace(/\D/g, ""), "--by", "article")
    expect(shown.stdout).toContain("Totals")
    expect(shown.stdout).toContain(orders[0]!.article)
    const baskets = await shop.run("supplies", "packing-list", supply, "--by", "basket")
    expect(baskets.stdout).toContain(String(late.id))
  }, 30_000)

  it("tell a name from the stock report where the seller has no table, and what nobody tells is said", async () => {
    const before = shop.read("rules/_shared/goods.csv")
    shop.write("rules/_shared/goods.csv", "item;cell\n")
    const { stdout, stderr } = await shop.run("supplies", "pick-list", supply)
    expect(stderr).toContain("not known: size of all, colour of all, cell of all")
    expect(stdout).not.toContain("Куртка № ")
    expect(stdout).toMatch(/^[А-Яа-яЁё].+ {2}\d+ × art-/m)
    const { article } = orders[0]!
    const cyrillic = article.replace("a", "а")
    shop.write("rules/_shared/goods.csv", `article;size\n${cyrillic};42\n`)
    const alike = await shop.run("supplies", "pick-list", supply)
    expect(alike.stderr).toContain(`"${cyrillic}" in `)
    expect(alike.stderr).toContain(`is not the orders' "${article}"`)
    shop.write("rules/_shared/goods.csv", before)
  }, 60_000)

  it("say every problem of the table of goods at once, and what else was typed wrong", async () => {
    const before = shop.read("rules/_shared/goods.csv")
    shop.write("rules/_shared/goods.csv", "barcode;shelf;size;размер\n1;2;3;4\n")
    const wrong = await shop.run("supplies", "pick-list", supply)
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('line 1: column "shelf" is not known')
    expect(wrong.stderr).toContain('"размер" is a second column of size')
    shop.write("rules/_shared/goods.csv", "barcode;size\n1;42\n1;44\n;46\n2;4;5\n3;42;;\n")
    const rows = await shop.run("supplies", "pick-list", supply)
    expect(rows.stderr).toContain("line 3: barcode 1 stands in line 2 already")
    expect(rows.stderr).toContain("line 4: nothing says which goods it is about")
    expect(rows.stderr).toContain("line 5: the row has more cells than the first line has names")
    expect(rows.stderr).not.toContain("line 6")
    shop.write("rules/_shared/goods.csv", before)
    for (const [words, why] of [
      [["labels", "print", "Москва"], "is no supply"],
      [["labels", "print", "999999999"], "there is no supply PLATFORM-GI-999999999"],
      [["labels", "print", supply, "--wait", "soon"], "--wait soon: write a duration"],
      [["labels", "print", supply, "--format", "zpl", "--separators"], "are for --format pdf"],
      [["supplies", "pick-list", supply, "--out", "list.docx"], "name a file that ends in .pdf"],
      [["labels", "print", supply, "--out", "no/such/labels.pdf"], "cannot be written"]
    ] as const) {
      const { code, stderr } = await shop.run(...words)
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    }
  }, 60_000)
})

it("prints no label of an order that its buyer cancelled in the supply, and says why", async () => {
  const lost = orders[0]!.id
  await shop.control("shop", { play: "cancel", orderId: lost, by: "buyer" })
  const { code, missing, printed } = await print("--out", "without.pdf")
  expect([code, missing.map(({ orderId, reason }) => [orderId, reason])]).toEqual([
    4,
    [[lost, "wrong_status"]]
  ])
  expect(printed.map(({ orderId }) => orderId)).not.toContain(lost)
  const { stdout } = await shop.run("labels", "print", supply, "--out", "without.pdf")
  expect(stdout).toContain(`${lost}: its status is canceled_by_client`)
}, 60_000)

it("lists no order that its buyer cancelled in the supply: both lists say how many were left out, and why", async () => {
  const lost = orders[1]!.id
  const listed = async (list: string) => {
    const { code, stderr, stdout } = await shop.run("supplies", list, supply, "--json")
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as {
      readonly orders: number
      readonly leftOut: ReadonlyArray<{ readonly orderId: number; readonly position: number }>
      readonly rows?: ReadonlyArray<{ readonly positions: ReadonlyArray<number> }>
      readonly totals?: ReadonlyArray<{ readonly count: number }>
      readonly groups?: ReadonlyArray<{ readonly orders: ReadonlyArray<{ readonly orderId: number }> }>
    }
  }
  const before = await listed("pick-list")
  await shop.control("shop", { play: "cancel", orderId: lost, by: "buyer" })
  const picked = await listed("pick-list")
  const told = { orderId: lost, position: expect.any(Number), status: "canceled_by_client" }
  expect(picked.leftOut).toContainEqual(told)
  expect([picked.orders, picked.leftOut.length]).toEqual([before.orders - 1, before.leftOut.length + 1])
  const { position } = picked.leftOut.find(({ orderId }) => orderId === lost)!
  expect(before.rows!.flatMap(({ positions }) => positions)).toContain(position)
  expect(picked.rows!.flatMap(({ positions }) => positions)).not.toContain(position)
  expect(picked.totals!.reduce((sum, { count }) => sum + count, 0)).toBe(picked.orders)
  const packed = await listed("packing-list")
  expect(packed.leftOut).toContainEqual(told)
  expect(packed.groups!.flatMap((one) => one.orders.map(({ orderId }) => orderId))).not.toContain(lost)
  for (const list of ["pick-list", "packing-list"]) {
    const { stdout } = await shop.run("supplies", list, supply)
    expect(stdout).toContain(`Left out, cancelled: ${picked.leftOut.length} order`)
    expect(stdout).toContain(`${lost}: canceled_by_client`)
    const written = await shop.run("supplies", list, supply, "--out", "without.pdf")
    expect(written.stdout).toContain(`${lost}: canceled_by_client`)
    const pages = await Reader.pages(bytes("without.pdf"), () => false)
    const paper = pages.map(({ text }) => text.replace(/\s+/g, " ")).join(" ")
    expect(paper).toContain(`Отменены, не собирать: ${picked.leftOut.length} шт.`)
    expect(paper).toContain(`№ ${position}, заказ ${lost}: canceled_by_client`)
  }
}, 60_000)

it("lists an order whose status is not answered, and says so: a parcel that is forgotten costs more", async () => {
  const told = async () => {
    const { stderr, stdout } = await shop.run("supplies", "pick-list", supply, "--json")
    return { stderr, ...(JSON.parse(stdout) as { orders: number; leftOut: unknown; notes: unknown }) }
  }
  const before = await told()
  await shop.control("faults", { faults: [{ operation: "getOrderStatuses", kind: "omit" }] })
  const after = await told()
  await shop.control("faults", { faults: [] })
  expect(after.leftOut).toEqual([])
  expect(after.orders).toBeGreaterThan(before.orders)
  expect(after.notes).toContainEqual(expect.stringMatching(/^whether .* cancelled was not answered/))
}, 60_000)

describe("labels of cross-border orders", () => {
  it("are waited for, say what is awaited, and are merged when they are there", async () => {
    const abroad = await ShopSupply.fresh(shop, { crossBorder: true })
    const id = await ShopSupply.open(
      shop,
      abroad.map(({ id }) => id)
    )
    const soon = await shop.run("labels", "print", id, "--wait", "0s", "--out", "abroad.pdf", "--json")
    expect(soon.code).toBe(4)
    expect((JSON.parse(soon.stdout) as Printed).missing.map(({ reason }) => reason)).toEqual(
      abroad.map(() => "awaiting_track")
    )
    expect(existsSync(join(shop.folder, "abroad.pdf"))).toBe(false)
    const later = await shop.run("labels", "print", id, "--missing", "--wait", "15m", "--out", "abroad.pdf")
    expect([later.code, later.stdout]).toEqual([0, expect.stringContaining("abroad.pdf")])
    const again = await shop.run("labels", "print", id, "--out", "abroad again.pdf", "--json")
    const { printed } = JSON.parse(again.stdout) as Printed
    expect(printed.map(({ orderId }) => orderId).toSorted()).toEqual(abroad.map(({ id }) => id).toSorted())
    const pages = await Reader.pages(bytes("abroad.pdf"))
    expect(pages.flatMap(({ codes }) => codes.map(({ text }) => text))).toEqual(
      printed.map(({ orderId }) => barcodeOf(orderId))
    )
    const zpl = await shop.run("labels", "print", id, "--format", "zpl")
    expect([zpl.code, zpl.stderr]).toEqual([1, expect.stringContaining("its stickers are PDF alone")])
  }, 60_000)
})
