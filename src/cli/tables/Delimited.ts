/**
 * A sheet as CSV that a spreadsheet program in Russia opens as a table: semicolons, decimal commas, CR LF, and the mark by
 * which it knows UTF-8. `delimiter: ";", decimal: ","` reads it back.
 */
import type { Cell, Column, Sheet } from "./Sheet.js"

export const write = ({ columns, rows }: Sheet): string =>
  `\ufeff${[
    columns.map(({ title }) => quoted(title)),
    ...rows.map((cells) => columns.map((column, at) => text(cells[at], column.holds)))
  ]
    .map((cells) => `${cells.join(";")}\r\n`)
    .join("")}`

/** A cell as it is written for people: `1200,50`, `15%`. */
const text = (cell: Cell, holds: Column["holds"]): string => {
  if (cell === undefined) return ""
  if (typeof cell === "string" || holds === "text") return quoted(harmless(String(cell)))
  if (holds === "percent") return `${String(cell).replace(".", ",")}%`
  return (holds === "money" ? (cell / 100).toFixed(2) : String(cell)).replace(".", ",")
}

/** What begins like a formula would be computed by the program that opens it: names come from anybody. */
const harmless = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)

const quoted = (cell: string): string => (/[";\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
