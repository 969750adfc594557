/** Pick list and packing list: sorted, summed, and read back from the paper by a program of another make. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Line from "../../src/printing/Line.js"
import * as Lists from "../../src/printing/Lists.js"
import * as Table from "../../src/printing/Table.js"
import * as Depth from "../Depth.js"
import * as Reader from "./Reader.js"
import * as Supply from "./Supply.js"

const text = fc.constantFrom(undefined, "А-2", "А-10", "А-2-1", "B", "")
const goods = fc.record({ cell: text, article: text, size: text, barcode: text, basketId: text, name: text })
const lines = fc
  .array(goods, { maxLength: 40 })
  .map((all) => all.map((more, i) => Supply.line(i + 1, { ...more, position: i + 1 })))
const runs = { numRuns: Depth.cases(400) }
const flat = (pages: ReadonlyArray<Reader.Page>) =>
  pages.map((page) => page.text.replace(/\s+/g, " ")).join(" ")

describe("the order of a supply", () => {
  it("is the same whatever order the orders came in, and leaves none out", () => {
    fc.assert(
      fc.property(lines, fc.subarray([...Line.keys]), (all, by) => {
        const ids = (some: ReadonlyArray<Line.Line>) => some.map(({ orderId }) => orderId)
        const sorted = Line.sorted(all, by)
        expect(ids(Line.sorted(all.toReversed(), by))).toEqual(ids(sorted))
        expect(new Set(ids(sorted))).toEqual(new Set(ids(all)))
      }),
      runs
    )
  })

  it("counts numbers in cells and sizes as numbers, and puts what is unknown last", () => {
    const cells = ["А-10", undefined, "А-2", "А-2-1"].map((cell, i) => Supply.line(i + 1, { cell }))
    expect(Line.sorted(cells, ["cell"]).map(({ cell }) => cell)).toEqual(["А-2", "А-2-1", "А-10", undefined])
  })

  it("says places in as few words as name all of them", () => {
    expect(Line.places([7, 1, 3, 2, 9, 10])).toBe("1–3, 7, 9–10")
    expect(Line.places([])).toBe("")
  })
})

describe("lists of a supply", () => {
  it("tell sizes of one article apart by their barcodes where nobody told the size", () => {
    const barcodes = ["2000300000016", "2000300000017"]
    const all = barcodes.map((barcode, i) =>
      Supply.line(i + 1, { article: "art-5", barcode, size: undefined })
    )
    const told = JSON.stringify(Lists.pickTable("S", [...all, Supply.line(3, { size: "42" })], "size"))
    for (const size of ['"…0016"', '"…0017"', '"42"']) expect(told).toContain(size)
  })

  it("pick every order once, and the totals by article are all of them", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(...Line.keys), (all, by) => {
        const { picks, totals } = Lists.picks(all, by)
        expect(picks.flatMap(({ positions }) => positions).toSorted((a, b) => a - b)).toEqual(
          all.map(({ position }) => position)
        )
        for (const pick of picks) expect(pick.count).toBe(pick.positions.length)
        expect(totals.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
        expect(new Set(totals.map(({ article }) => article)).size).toBe(totals.length)
      }),
      runs
    )
  })

  it("pack every order once, the orders of a basket together and those alone in theirs at the end", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom("article" as const, "basket" as const), (all, by) => {
        const packs = Lists.packs(all, by)
        expect(
          packs.flatMap(({ lines }) => lines.map(({ position }) => position)).toSorted((a, b) => a - b)
        ).toEqual(all.map(({ position }) => position))
        const alone = packs.findIndex(({ key }) => key === undefined)
        expect(alone === -1 || alone === packs.length - 1).toBe(true)
        if (by === "basket")
          for (const { key, lines } of packs)
            if (key !== undefined) {
              expect(lines.length).toBeGreaterThan(1)
              expect(new Set(lines.map(({ basketId }) => basketId))).toEqual(new Set([key]))
            }
      }),
      runs
    )
  })

  it("are set on A4 in Cyrillic, with headings and a page number on every page", async () => {
    const all = Supply.labels(Depth.isDeep ? 300 : 60).map(({ line }) => line)
    for (const table of [
      Lists.pickTable("PLATFORM-GI-1", all, "cell"),
      Lists.packTable("PLATFORM-GI-1", all, "basket"),
      Lists.packTable("PLATFORM-GI-1", all, "article")
    ]) {
      const file = await Table.make(table, Supply.fonts)
      const pages = await Reader.pages(file, () => false)
      expect(pages.length).toBeGreaterThan(1)
      for (const [i, page] of pages.entries()) {
        expect([page.width, page.height].map(Math.round)).toEqual([595, 842])
        expect(page.text).toContain(table.title)
        expect(page.text).toContain(`стр. ${i + 1} из ${pages.length}`)
        for (const { title } of table.columns) expect(page.text).toContain(title)
      }
      const whole = flat(pages)
      expect(whole).toContain("Куртка ветровка с капюшоном,")
      expect(whole).toContain(`Всего ${all.length} шт.`)
      for (const row of table.rows) {
        if (row._tag === "sum") expect(whole).toContain(`${row.text} ${row.count} шт.`)
        if (row._tag === "heading") expect(whole).toContain(row.text)
      }
      expect(Buffer.from(await Table.make(table, Supply.fonts)).equals(Buffer.from(file))).toBe(true)
    }
  }, 60_000)
})
