/** The rows of a table of own facts: values by item, campaign or query, and a warning for every row that cannot be read. */
import * as Money from "../../../domain/Money.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import type { OwnLevel, TypeName } from "../../facts/Own.js"
import * as Texts from "../../facts/Texts.js"
import type { Diagnostic } from "../problems/Diagnostic.js"
import { Complaints, movedRow } from "./Complaints.js"
import * as EconomicsColumns from "./EconomicsColumns.js"
import type { DataFile, DataRow, Key } from "./OwnFact.js"

// The cells of a table of own facts: text as a spreadsheet writes it → a value, or what is wrong with it.

type Read =
  | { readonly _tag: "Value"; readonly value: number | string | boolean }
  /** An empty cell. */
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Wrong"; readonly wanted: string }

const wrong = (wanted: string): Read => ({ _tag: "Wrong", wanted })
const value = (of: number | string | boolean): Read => ({ _tag: "Value", value: of })

/** Reads the cell of a column; `decimal` is the mark before the fraction. Money with more than two decimals is rounded to kopecks. */
const readCell = (row: DataRow, { at, isSigned, type }: ValueColumn, decimal: string): Read => {
  const cell = row.cells[at] ?? ""
  const text = cell.trim()
  // A row without a label says so.
  if (type === "labels") return value(Texts.labels(cell))
  if (text === "") return { _tag: "Nothing" }
  switch (type) {
    case "text":
      return value(text)
    case "yes_no": {
      const word = text.toLowerCase()
      if (/^(yes|true|1|да)$/.test(word)) return value(true)
      return /^(no|false|0|нет)$/.test(word) ? value(false) : wrong("yes or no")
    }
    case "money": {
      const amount = text.replace(EconomicsColumns.roubles, "")
      const isUnsure =
        !(row.exact?.includes(at) ?? false) && EconomicsColumns.mayBeThousands(amount.replace(/^-/, ""))
      const digits = isUnsure ? undefined : plain(amount, decimal)
      const kopecks = digits === undefined ? undefined : Money.fromDecimal(digits)
      const wanted = `money, such as 120${decimal}50`
      if (kopecks?._tag !== "Right") return wrong(isUnsure ? `${wanted}, and may be thousands` : wanted)
      return isSigned || kopecks.right >= 0 ? value(kopecks.right) : wrong("a cost: that is never below zero")
    }
    case "ratio": {
      const digits = text.endsWith("%") ? plain(text.slice(0, -1), decimal) : undefined
      return digits === undefined
        ? wrong(`a percentage, such as 12${decimal}5%`)
        : value(Number(`${digits}e-2`))
    }
    case "count": {
      const digits = plain(text, decimal)
      const isWhole = digits !== undefined && /^\d+$/.test(digits) && Number.isSafeInteger(Number(digits))
      return isWhole ? value(Number(digits)) : wrong("a whole number")
    }
    case "number": {
      const digits = plain(text, decimal)
      return digits === undefined ? wrong(`a number, such as 12${decimal}5`) : value(Number(digits))
    }
  }
}

/** Number of an item or a campaign. */
const number = (cell: string): number | undefined => {
  const text = cell.trim()
  const number = Number(text)
  return /^\d{1,15}$/.test(text) && number > 0 ? number : undefined
}

/**
 * Digits with a point, of a number with spaces or apostrophes between the thousands. The other mark is refused: in
 * `12,500` it may mean twelve and a half or twelve thousand.
 */
const plain = (text: string, decimal: string): string | undefined => {
  const spaced = /^-?\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?!\d)/.test(text.trim())
  const bare = spaced ? text.replace(/[ \u00a0\u202f\u2009'’]/g, "") : text.trim()
  const point = bare.replace(decimal, ".")
  if (decimal === "," && bare.includes(".")) return undefined
  return /^-?\d{1,12}(\.\d{1,10})?$/.test(point) ? point : undefined
}

interface Column {
  readonly name: string
  /** Index in the row, from 0. */
  readonly at: number
}

interface ValueColumn extends Column {
  readonly type: TypeName
  /** What it says may be below zero. */
  readonly isSigned: boolean
}

interface Table {
  /** One map per column. */
  readonly values: ReadonlyArray<ReadonlyMap<Key, Cell>>
  /** Per column: what is so of all that no row names. */
  readonly rest: ReadonlyArray<Cell>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Reads all rows; the header is not among them. What cannot be read, or is said twice in two ways, is unknown. */
export const read = (
  { linkedTo, path }: DataFile,
  rows: ReadonlyArray<DataRow>,
  join: Column & { readonly level: OwnLevel },
  columns: ReadonlyArray<ValueColumn>,
  decimal: string
): Table => {
  const values = columns.map(() => new Map<Key, Cell>())
  const lines = new Map<Key, DataRow>()
  const found = new Complaints(path, linkedTo === undefined)
  const { keyOf, noun, wanted } = joins[join.level]
  let areAllNamed = true
  for (const row of rows) {
    const cell = row.cells[join.at] ?? ""
    if (row.cells.every((text) => text.trim() === "")) continue
    const id = keyOf(cell)
    if (id === undefined) {
      areAllNamed = false
      found.add(
        "F04",
        row.line,
        `${found.quoted(cell)} in ${join.name} is not ${wanted}; the row is left out.`
      )
      continue
    }
    const first = lines.get(id)
    if (row.moved !== undefined) {
      found.add("F04", row.line, `The row ${movedRow[row.moved]}; the ${noun} stays unknown.`)
      // What stands before the key may have moved it, and a query may have a comma of its own.
      if (join.at > 0 || join.level === "cluster") areAllNamed = false
      for (const one of values) one.set(id, Cells.unknown("unreadable"))
      lines.set(id, first ?? row)
      continue
    }
    // Labels of several rows are the labels of all of them together.
    const differs =
      first !== undefined &&
      columns.some((column) => column.type !== "labels" && !agree(first, row, column, decimal))
    if (differs) {
      const shown = typeof id === "number" ? id : found.quoted(id)
      const message = `${capital(noun)} ${shown} is already on line ${first.line} with other values; the ${noun} stays unknown.`
      found.add("F03", row.line, message)
    }
    lines.set(id, first ?? row)
    for (const [index, column] of columns.entries()) {
      const before = values[index]!.get(id)
      if (column.type === "labels") values[index]!.set(id, joined(before, row.cells[column.at] ?? ""))
      else if (differs) values[index]!.set(id, Cells.unknown("unreadable"))
      else if (first === undefined) values[index]!.set(id, valueOf(row, column, decimal, found, noun))
    }
  }
  return { values, rest: columns.map(({ type }) => rest(type, areAllNamed)), diagnostics: found.list() }
}

/** How the key of a row is read, and what people call it. */
const joins: Readonly<
  Record<
    OwnLevel,
    { readonly keyOf: (cell: string) => Key | undefined; readonly noun: string; readonly wanted: string }
  >
> = {
  item: { keyOf: number, noun: "item", wanted: "an item number" },
  campaign: { keyOf: number, noun: "campaign", wanted: "a campaign number" },
  cluster: { keyOf: (cell) => Texts.label(cell) || undefined, noun: "query", wanted: "a query" }
}

/**
 * Who is in no row has no label; unless a row names nobody that can be read, for it may have been theirs. Of other
 * values nothing is known.
 */
const rest = (type: TypeName, areAllNamed: boolean): Cell =>
  type !== "labels" ? Cells.unknown("unlisted") : areAllNamed ? Cells.known("") : Cells.unknown("unreadable")

/** What cannot be read of one row is not known with those of another. */
const joined = (before: Cell | undefined, text: string): Cell =>
  before?._tag === "Unknown"
    ? before
    : Cells.known(Texts.labels(before === undefined ? text : `${before.value}, ${text}`))

/** Whether two rows say the same in a column, in whatever spelling. */
const agree = (one: DataRow, other: DataRow, column: ValueColumn, decimal: string): boolean => {
  const [a = "", b = ""] = [one, other].map(({ cells }) => (cells[column.at] ?? "").trim())
  if (a === b) return true
  const [first, second] = [readCell(one, column, decimal), readCell(other, column, decimal)]
  return first._tag === "Value" && second._tag === "Value" && first.value === second.value
}

const capital = (noun: string): string => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`

const valueOf = (
  row: DataRow,
  column: ValueColumn,
  decimal: string,
  found: Complaints,
  noun: string
): Cell => {
  const made = readCell(row, column, decimal)
  if (made._tag === "Value") return Cells.known(made.value)
  if (made._tag === "Nothing") return Cells.unknown("unlisted")
  const text = row.cells[column.at] ?? ""
  const mark = decimal === "." && text.includes(",") ? ' With decimal commas, write decimal: ","' : ""
  found.add(
    "F04",
    row.line,
    `${found.quoted(text)} in ${column.name} is not ${made.wanted}; the ${noun} stays unknown.${mark}`
  )
  return Cells.unknown("unreadable")
}
