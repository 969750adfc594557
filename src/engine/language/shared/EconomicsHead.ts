/** The header of the economics table: what its columns mean, which of them are in doubt, and which tables cannot be read at all. */
import type { Problems } from "../problems/Diagnostic.js"
import * as Columns from "./EconomicsColumns.js"
import type { DataFile, DataRow } from "./OwnFact.js"

/** A column that is read. */
export interface Column extends Columns.Header {
  readonly at: number
  readonly name: string
}

/** A column that may be a term, but not as it is written. */
export interface Doubtful extends Columns.Doubt {
  readonly at: number
  readonly name: string
}

export interface Head {
  readonly columns: ReadonlyArray<Column>
  /** Of terms that no other column tells. */
  readonly doubtful: ReadonlyArray<Doubtful>
  readonly unknown: ReadonlyArray<string>
}

/** Undefined where the table cannot be read by its header; why goes into `problems`. */
export const read = (
  cells: ReadonlyArray<string>,
  below: ReadonlyArray<DataRow>,
  data: DataFile,
  problems: Problems
): Head | undefined => {
  const before = problems.count
  const named = cells.map((text, at) => ({ at, name: text.trim(), header: Columns.headerOf(text) }))
  const columns = named.flatMap(
    ({ at, header, name }): ReadonlyArray<Column> => (header === undefined ? [] : [{ at, name, ...header }])
  )
  const more = namesBelow(below.slice(0, mostHeadRows), columns)
  if (more !== undefined) {
    const names = more.cells.map((text) => text.trim()).filter((text) => text !== "")
    const told = data.linkedTo === undefined ? ` (${names.slice(0, 12).join(", ")})` : ""
    return wrong(
      problems,
      `${data.path}: names of columns stand in row ${more.line} too${told}, and those of the first row alone are read. Put all names into the first row, and remove the others.`
    )
  }
  const seen = new Map<string, Column>()
  for (const column of columns) {
    const key = keyOf(column.meaning)
    const first = seen.get(key)
    if (first !== undefined)
      wrong(problems, `${data.path}: columns ${place(first)} and ${place(column)} mean the same. Remove one.`)
    seen.set(key, column)
  }
  const shown = named.filter(({ name }) => name !== "").map(({ name }) => name)
  if (!seen.has("Item") && !seen.has("VendorCode")) {
    const has = data.linkedTo === undefined ? ` It has ${shown.slice(0, 12).join(", ") || "no names"}.` : ""
    wrong(
      problems,
      `${data.path} has no column that says which item a row is about: item (the marketplace's number) or vendor code.${has}`
    )
  }
  const doubtful = named.flatMap(({ at, header, name }): ReadonlyArray<Doubtful> => {
    const doubt = header === undefined ? Columns.doubtOf(name) : undefined
    return doubt === undefined || seen.has(keyOf(doubt.meant.meaning)) ? [] : [{ at, name, ...doubt }]
  })
  // Without their days rows would hold from ever.
  for (const { at, meant, name } of doubtful.filter(({ meant }) => meant.meaning._tag === "ValidFrom"))
    wrong(
      problems,
      `${data.path}: column ${data.linkedTo === undefined ? place({ at, name }) : letters(at)} may be ${meant.title}, and is not read. Call it "${meant.title}", or give it another name.`
    )
  if (problems.count > before) return undefined
  return {
    columns,
    doubtful,
    unknown: named.flatMap(({ header, name }) => (header === undefined && name !== "" ? [name] : []))
  }
}

/** Names of columns in more than one row take no more, under headings of several columns. */
const mostHeadRows = 3

/** A row of further names: it is about no item, and has two of them, or nothing but one where the first row has none. */
const namesBelow = (rows: ReadonlyArray<DataRow>, columns: ReadonlyArray<Column>): DataRow | undefined => {
  const keys = columns.filter(({ meaning }) => meaning._tag === "Item" || meaning._tag === "VendorCode")
  const isNamed = new Set(columns.map(({ at }) => at))
  return rows.find(({ cells }) => {
    const filled = cells.flatMap((text, at) => (text.trim() === "" ? [] : [{ at, text: text.trim() }]))
    const names = filled.filter(({ text }) => isName(text))
    if (keys.some(({ at }) => filled.some((cell) => cell.at === at && !names.includes(cell)))) return false
    const [first] = names
    return names.length > 1 || (first !== undefined && filled.length === 1 && !isNamed.has(first.at))
  })
}

const isName = (text: string): boolean =>
  Columns.headerOf(text) !== undefined || Columns.doubtOf(text) !== undefined

const keyOf = (meaning: Columns.Meaning): string => (meaning._tag === "Term" ? meaning.word : meaning._tag)

/** `"cost" (B)`. */
export const place = ({ at, name }: Pick<Column, "at" | "name">): string => `"${name}" (${letters(at)})`

const wrong = (problems: Problems, message: string): undefined =>
  problems.error("F02", { start: 0, end: 0 }, message)

/** A column's letters, as spreadsheets show them: A to Z, AA. */
export const letters = (at: number): string =>
  at < 26 ? String.fromCharCode(65 + at) : `${letters(Math.floor(at / 26) - 1)}${letters(at % 26)}`
