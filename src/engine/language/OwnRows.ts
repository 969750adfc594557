/** The rows of a table of own facts: values by item, and a warning for every row that cannot be read. */
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import type { TypeName } from "../facts/Own.js"
import type { Code } from "./Codes.js"
import type { DataFile, DataRow } from "./DataFile.js"
import type { Diagnostic } from "./Diagnostic.js"
import * as OwnCells from "./OwnCells.js"

/** Further problems of one kind are counted. */
const shown = 10

interface Column {
  readonly name: string
  /** Index in the row, from 0. */
  readonly at: number
}

interface Table {
  /** One map per column, by item number. */
  readonly values: ReadonlyArray<ReadonlyMap<number, Cell>>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Reads all rows; the header is not among them. What cannot be read, or is said twice in two ways, is unknown. */
export const read = (
  { linkedTo, path }: DataFile,
  rows: ReadonlyArray<DataRow>,
  join: Column,
  columns: ReadonlyArray<Column & { readonly type: TypeName }>,
  decimal: string
): Table => {
  const values = columns.map(() => new Map<number, Cell>())
  const lines = new Map<number, DataRow>()
  const found = new Complaints(path, linkedTo === undefined)
  for (const row of rows) {
    const cell = row.cells[join.at] ?? ""
    if (row.cells.every((text) => text.trim() === "")) continue
    const id = OwnCells.itemId(cell)
    if (id === undefined) {
      found.add(
        "F04",
        row.line,
        `${found.quoted(cell)} in ${join.name} is not an item number; the row is left out.`
      )
      continue
    }
    const first = lines.get(id)
    const differs = first !== undefined && columns.some(({ at }) => first.cells[at] !== row.cells[at])
    if (differs) {
      const message = `Item ${id} is already on line ${first.line} with other values; the item stays unknown.`
      found.add("F03", row.line, message)
    }
    if (first !== undefined && !differs) continue
    lines.set(id, first ?? row)
    for (const [index, column] of columns.entries()) {
      const text = row.cells[column.at] ?? ""
      values[index]!.set(
        id,
        differs ? Cells.unknown("unreadable") : valueOf(text, row.line, column, decimal, found)
      )
    }
  }
  return { values, diagnostics: found.list() }
}

const valueOf = (
  text: string,
  line: number,
  { name, type }: Column & { readonly type: TypeName },
  decimal: string,
  found: Complaints
): Cell => {
  const made = OwnCells.read(text, type, decimal)
  if (made._tag === "Value") return Cells.known(made.value)
  if (made._tag === "Nothing") return Cells.unknown("unlisted")
  const mark = decimal === "." && text.includes(",") ? ' With decimal commas, write decimal: ","' : ""
  found.add(
    "F04",
    line,
    `${found.quoted(text)} in ${name} is not ${made.wanted}; the item stays unknown.${mark}`
  )
  return Cells.unknown("unreadable")
}

const short = (text: string): string => (text.length > 30 ? `${text.slice(0, 29)}…` : text)

class Complaints {
  private readonly byCode = new Map<Code, Array<Diagnostic>>()
  constructor(
    private readonly file: string,
    private readonly isQuoted: boolean
  ) {}

  /** The text of a cell for a message. */
  quoted(text: string): string {
    return this.isQuoted ? `"${short(text)}"` : "What stands"
  }

  add(code: Code, line: number, message: string): void {
    const span = { file: this.file, line, column: 1, endLine: line, endColumn: 1 }
    const one: Diagnostic = { code, severity: "warning", file: this.file, span, message }
    const others = this.byCode.get(code)
    if (others === undefined) this.byCode.set(code, [one])
    else others.push(one)
  }

  list(): ReadonlyArray<Diagnostic> {
    return [...this.byCode.values()].flatMap((all) => {
      const more = all.length - shown
      if (more <= 0) return all
      return all
        .slice(0, shown)
        .map((one, i) =>
          i < shown - 1 ? one : { ...one, message: `${one.message} And ${more} more such rows.` }
        )
    })
  }
}
