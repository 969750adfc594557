import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as GoodsTable from "../../../src/cli/supplies/GoodsTable.js"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "goods-"))
  mkdirSync(join(folder, "_shared"))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Sizes that a table tells of articles. */
const sizes = (rows: string, articles: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "_shared", "goods.csv"), `article;size\n${rows}`)
  return Effect.runPromise(
    Effect.map(GoodsTable.read(folder), ({ of }: GoodsTable.Table) =>
      articles.map((article) => of({ article, barcodes: [], itemId: undefined }).size)
    )
  )
}

it("an article is found however its letters are written, as in the table of economics", async () => {
  expect(await sizes("куртка-10;42\n", ["Куртка-10", " КУРТКА-10 ", "куртка-1"])).toEqual([
    "42",
    "42",
    undefined
  ])
})

it("an article with letters of another alphabet is not found, and told for the one that it looks like", async () => {
  writeFileSync(join(folder, "_shared", "goods.csv"), "article;size\nкyртка-10;42\nшапка;44\n")
  const table: GoodsTable.Table = await Effect.runPromise(GoodsTable.read(folder))
  expect(table.of({ article: "Куртка-10", barcodes: [], itemId: undefined })).toEqual({})
  expect(["Куртка-10", "КYРТКА-10", "Шапка", "кепка"].map(table.alike)).toEqual([
    "кyртка-10",
    undefined,
    undefined,
    undefined
  ])
})

it("two articles that differ only by case are two, and a third spelling is neither", async () => {
  expect(await sizes("a-1;42\nA-1;44\n", ["a-1", "A-1"])).toEqual(["42", "44"])
  expect(await sizes("ab-1;42\nAB-1;44\n", ["Ab-1"])).toEqual([undefined])
})

describe("a number that a spreadsheet shortened", () => {
  const problems = (csv: string) => {
    writeFileSync(join(folder, "_shared", "goods.csv"), csv)
    return Effect.runPromise(GoodsTable.problemsIn(folder))
  }

  it.each(["barcode", "article", "item"])(
    "is told where it is %s, twice too: its last digits are lost",
    async (key) =>
      expect(await problems(`${key};size\n2,04E+12;42\n2,04E+12;43\n2040000000019;44\n`)).toEqual(
        [2, 3].map((line) =>
          expect.stringContaining(`goods.csv: line ${line}: ${key} 2,04E+12 was shortened by the spreadsheet`)
        )
      )
  )

  it("is no barcode of digits and an E", async () =>
    expect(await problems("barcode;size\n5E1234;42\n1E10;43\n")).toEqual([]))
})
