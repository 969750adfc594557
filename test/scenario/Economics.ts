/** Economics tables of stories. */
import type { File } from "../../src/engine/language/Load.js"

/** A table as it lies beside the rules, written when stories begin. */
export const table = (lines: ReadonlyArray<ReadonlyArray<string>>, atMs: number): File => {
  const path = "rules/_shared/economics.csv"
  const rows = lines.map((cells, at) => ({ line: at + 1, cells }))
  return { path, text: "", data: { path, modifiedMs: atMs, readMs: atMs, content: { _tag: "Rows", rows } } }
}

export const header = [
  "item",
  "unit cost",
  "packaging",
  "commission, %",
  "commission in promo, %",
  "acquiring, %",
  "logistics out",
  "logistics back",
  "storage",
  "tax rate, %",
  "tax base",
  "extra",
  "buyout, %",
  "price floor"
]

/** Every item costs nothing and is always kept: what it earns is its price. */
export const free = (atMs: number): File =>
  table([header, ["*", "0", "0", "0", "0", "0", "0", "0", "0", "0", "revenue", "0", "100", ""]], atMs)
