import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it } from "vitest"
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

it("two articles that differ only by case are two, and a third spelling is neither", async () => {
  expect(await sizes("a-1;42\nA-1;44\n", ["a-1", "A-1"])).toEqual(["42", "44"])
  expect(await sizes("ab-1;42\nAB-1;44\n", ["Ab-1"])).toEqual([undefined])
})
