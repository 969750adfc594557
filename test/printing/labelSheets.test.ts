/** Labels on paper, judged by a reader of another make. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as LabelSheets from "../../src/printing/LabelSheets.js"
import * as Line from "../../src/printing/Line.js"
import * as Stickers from "../../src/sandbox/shop/Stickers.js"
import * as Depth from "../Depth.js"
import { plain } from "../sandbox/ShopOrders.js"
import * as Reader from "./Reader.js"
import * as Supply from "./Supply.js"

const wanted = (size: LabelSheets.Size, total: number): LabelSheets.Wanted => ({
  size,
  ownPage: LabelSheets.pageFields,
  separators: false,
  total,
  fonts: Supply.fonts
})

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const flat = (text: string) => text.replace(/\s+/g, " ")

const count = Depth.isDeep ? 300 : 30

describe("labels of a supply", () => {
  for (const size of ["58x40", "40x30"] as const)
    it(`of ${size} mm name their orders and marks on a printer of 203 dots, in the order of the list`, async () => {
      const labels = Supply.labels(count, size)
      const file = await LabelSheets.make(labels, wanted(size, count), "PLATFORM-GI-1")
      const pages = await Reader.pages(file)
      expect(pages).toHaveLength(2 * count)
      const [width, height] = size.split("x").map((mm) => (Number(mm) * 72) / 25.4) as [number, number]
      for (const page of pages) {
        expect(page.width).toBeCloseTo(width, 2)
        expect(page.height).toBeCloseTo(height, 2)
      }
      const told = labels.map((_, i) => pages[2 * i]!.codes.map(({ format, text }) => `${format} ${text}`))
      expect(told).toEqual(
        labels.map(({ line }) => [`Code128 ${Supply.barcodeOf(line.orderId - Supply.orderId(0))}`])
      )
      const marks = labels.map((_, i) => pages[2 * i + 1]!.codes)
      expect(marks).toEqual(
        labels.map(({ marks }) => marks.map((text) => ({ format: "DataMatrix", text, symbology: "]d2" })))
      )
      for (const [i, { digits, line }] of labels.entries()) {
        const text = flat(pages[2 * i + 1]!.text)
        for (const word of [
          `${i + 1}/${count}`,
          `заказ ${line.orderId}`,
          Line.articleOf(line),
          `размер ${line.size}`,
          `цвет ${line.colour}`,
          digits!
        ])
          expect(text).toContain(word)
      }
    }, 300_000)

  it("say on our page what is asked for, and always number, cell and digits", async () => {
    const labels = Supply.labels(3).map((label) => ({ ...label, line: { ...label.line, cell: "Б-7" } }))
    const some = { ...wanted("58x40", 3), ownPage: ["colour", "order"] } as const
    const pages = await Reader.pages(await LabelSheets.make(labels, some, "PLATFORM-GI-1"))
    // One page of ours each, however many marks there are.
    expect(pages).toHaveLength(6)
    for (const [i, { digits, line }] of labels.entries()) {
      const { codes, text } = pages[2 * i + 1]!
      for (const word of [
        `${i + 1}/3`,
        `заказ ${line.orderId}`,
        `цвет ${line.colour}`,
        "ячейка Б-7",
        digits!
      ])
        expect(flat(text)).toContain(word)
      for (const word of [Line.articleOf(line), "размер", line.name!.split(" ")[0]!])
        expect(flat(text)).not.toContain(word)
      expect(codes).toEqual([])
    }
  })

  it("make the same bytes again, and others when anything differs", async () => {
    const labels = Supply.labels(12)
    const once = await LabelSheets.make(labels, wanted("58x40", 12), "PLATFORM-GI-1")
    const again = await LabelSheets.make(Supply.labels(12), wanted("58x40", 12), "PLATFORM-GI-1")
    expect(hash(again)).toBe(hash(once))
    const [first, ...rest] = labels
    const other = [{ ...first!, line: { ...first!.line, name: "Кепка" } }, ...rest]
    expect(hash(await LabelSheets.make(other, wanted("58x40", 12), "PLATFORM-GI-1"))).not.toBe(hash(once))
  })

  it("have a page before goods that differ, which says what comes and how many", async () => {
    const at = (position: number, article: string) => ({
      ...Supply.labels(1)[0]!,
      line: Supply.line(position, { position, article, cell: "А-7", size: "42", barcode: "1" })
    })
    const labels = [at(1, "Куртка"), at(2, "Куртка"), at(3, "Шапка")]
    const file = await LabelSheets.make(
      labels,
      { ...wanted("58x40", 3), ownPage: undefined, separators: true },
      "PLATFORM-GI-1"
    )
    const pages = await Reader.pages(file)
    expect(pages.map(({ codes }) => codes.length)).toEqual([0, 1, 1, 0, 1])
    expect(flat(pages[0]!.text)).toContain("ячейка А-7 Куртка размер 42")
    expect(flat(pages[0]!.text)).toContain("2 шт.")
    expect(flat(pages[0]!.text)).toContain("№ 1–2")
    expect(flat(pages[3]!.text)).toContain("1 шт.")
  })

  it("tell sizes that nobody told apart by how their barcodes end, on our page and before it", async () => {
    const labels = ["2000000000016", "2000000000023"].map((barcode, i) => ({
      ...Supply.labels(1)[0]!,
      line: Supply.line(i + 1, { position: i + 1, article: "Куртка", size: undefined, barcode })
    }))
    const made = async (ownPage: LabelSheets.Wanted["ownPage"]) =>
      (
        await Reader.pages(
          await LabelSheets.make(
            labels,
            { ...wanted("58x40", 2), ownPage, separators: true },
            "PLATFORM-GI-1"
          )
        )
      ).map(({ text }) => /размер …\d+/.exec(flat(text))?.[0])
    const [first, second] = ["размер …0016", "размер …0023"]
    expect(await made(["article", "size"])).toEqual([first, undefined, first, second, undefined, second])
    expect(await made(["article"])).toEqual([first, undefined, undefined, second, undefined, undefined])
  })

  it("have one page for each mark of an order that has several", async () => {
    const [label] = Supply.labels(1)
    const marks = [Supply.markOf(1), Supply.markOf(2)]
    const file = await LabelSheets.make([{ ...label!, marks }], wanted("58x40", 1), "PLATFORM-GI-1")
    const pages = await Reader.pages(file)
    expect(pages.flatMap(({ codes }) => codes).map(({ text }) => text)).toEqual([
      Supply.barcodeOf(1),
      ...marks
    ])
    expect(flat(pages[2]!.text)).toContain("код 2/2")
  })

  it("take the pages of cross-border stickers in at their places", async () => {
    const file = (n: number) =>
      new Uint8Array(Buffer.from(Stickers.crossBorderFile(plain(8_000_000_000 + n)), "base64"))
    const made = await Promise.all(
      [1, 2, 3].map(async (n) => ({
        ...Supply.labels(1)[0]!,
        line: Supply.line(n),
        marks: [],
        sticker: (await LabelSheets.pages(file(n))).pipe((one) => {
          if (one._tag === "Left") throw new Error(one.left)
          return one.right
        })
      }))
    )
    const pages = await Reader.pages(await LabelSheets.make(made, wanted("58x40", 3), "PLATFORM-GI-1"))
    expect(pages.map(({ codes }) => codes[0]?.text)).toEqual(
      [1, 2, 3].flatMap((n) => [Supply.barcodeOf(n), undefined])
    )
    expect(pages[4]!.text).toContain("CB28000000003")
  })

  it("are in parts of at most five hundred, in order", () => {
    const many = Array.from({ length: 1001 }, (_, i) => ({ ...Supply.labels(1)[0]!, digits: String(i) }))
    const parts = LabelSheets.parts(many)
    expect(parts.map(({ length }) => length)).toEqual([500, 500, 1])
    expect(parts.flat()).toEqual(many)
    expect(LabelSheets.parts([])).toEqual([])
    expect(LabelSheets.fileOf("out/labels.pdf", 1, 1)).toBe("out/labels.pdf")
    expect(LabelSheets.fileOf("out/labels.pdf", 2, 3)).toBe("out/labels-2of3.pdf")
    expect(LabelSheets.fileOf("out.d/labels", 2, 3)).toBe("out.d/labels-2of3")
  })

  it("fit names of any length, and show what cannot be set as a question mark", async () => {
    const [label] = Supply.labels(1)
    const name = `Очень длинное название ${"с подробностями ".repeat(20)}`
    const line = { ...label!.line, name, article: `${"Щ".repeat(60)}`, colour: "红色 🟥 синий" }
    const [, own] = await Reader.pages(
      await LabelSheets.make([{ ...label!, line, marks: [] }], wanted("40x30", 1), "PLATFORM-GI-1")
    )
    const text = flat(own!.text)
    expect(text).toContain("Очень длинное название")
    expect(text).toContain("…")
    expect(text).toContain("цвет ?? ? синий")
  })
})
