/** CSV as the report files write it: a header, commas, quotes where needed, decimal commas in quotes (field note A25). */
import * as Fflate from "fflate"
import * as Moscow from "../Moscow.js"
import * as Change from "./Change.js"

/** Blank where there is nothing to say. */
export type Cell = string | number | undefined

export interface Table {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
}

/** A number with a decimal comma; whole numbers have none. */
export const comma = (value: number): string => String(Change.round2(value)).replace(".", ",")

/** A part in percent, with a decimal comma; 0 of nothing. */
export const rate = (part: number, whole: number): string => comma(whole === 0 ? 0 : (100 * part) / whole)

/** The file's text, UTF-8 without a mark, lines ended by a line feed. */
export const text = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((cells) => `${cells.map(written).join(",")}\n`).join("")

export const bytes = (table: Table): Uint8Array => Fflate.strToU8(text(table))

/** A ZIP that holds one CSV named after the report; the same table gives the same bytes. */
export const zipped = (id: string, table: Table, madeAtMs: number): Uint8Array =>
  Fflate.zipSync(
    { [`${id}.csv`]: bytes(table) },
    // Without an offset the library writes this very wall-clock time, wherever it runs.
    { mtime: Moscow.timeText(madeAtMs).slice(0, 19), level: 6 }
  )

const written = (cell: Cell): string => {
  if (cell === undefined) return ""
  const plain = String(cell)
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
