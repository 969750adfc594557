/**
 * The seller's economics table (`_shared/economics.csv`, `.xlsx`, or what a file with `kind: economics` names): what each item costs,
 * from which day on. A row `*` holds for every item that does not say otherwise; a later row of an item changes only the cells that it
 * fills. What is wrong with the file or its columns is an error; a cell that cannot be read is a warning, and stays unknown.
 */
import type * as Days from "../../../domain/Days.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as Economics from "../../facts/Economics.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Problems } from "../problems/Diagnostic.js"
import type { Complaints } from "./Complaints.js"
import * as Columns from "./EconomicsColumns.js"
import type { DataFile, DataRow, Dated, Key, OwnFact } from "./OwnFact.js"

/** The table's facts, and what is to be known of it as a whole. */
export interface Table {
  readonly facts: ReadonlyArray<OwnFact>
  /** True when rows are found by the seller's own code of an item: then the marketplace is asked for the codes. */
  readonly needsCodes: boolean
  /** Columns that nobody knows what to do with. */
  readonly unknownColumns: ReadonlyArray<string>
}

/** The key of what holds for all items. */
export const everyItem = "*"

/** The facts of a folder without a table: nothing is known of any item. */
export const none: Table = {
  facts: Economics.terms.map(({ word }) => ({
    fact: factOf(word),
    file: "_shared/economics.csv",
    values: new Map(),
    rest: Cells.unknown("unlisted")
  })),
  needsCodes: false,
  unknownColumns: []
}

/** Reads the table; problems of its cells go into `complaints`, those of the whole into `problems`. */
export const read = (
  data: DataFile,
  rows: ReadonlyArray<DataRow>,
  maxAgeMs: number | undefined,
  problems: Problems,
  complaints: Complaints
): Table | undefined => {
  const [head, ...others] = rows
  const header = headerOf(head?.cells ?? [], data, problems)
  if (header === undefined) return undefined
  const book = new Book(header, complaints)
  for (const row of others) book.enter(row)
  const { modifiedMs, path, readMs } = data
  const facts = Economics.terms.map(
    ({ word }): OwnFact => ({
      fact: factOf(word),
      file: problems.source.file,
      ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
      data: { path, modifiedMs, readMs },
      values: new Map(),
      dated: book.dated(word),
      rest: Cells.unknown("unlisted")
    })
  )
  return { facts, needsCodes: book.needsCodes, unknownColumns: header.unknown }
}

function factOf(word: string) {
  const fact = Vocabulary.byFactId(`item.${word}`)
  if (fact === undefined) throw new RangeError(`${word} is no fact of the economics table`)
  return fact
}

interface Column extends Columns.Header {
  readonly at: number
  readonly name: string
}

interface Head {
  readonly columns: ReadonlyArray<Column>
  readonly unknown: ReadonlyArray<string>
}

const headerOf = (cells: ReadonlyArray<string>, data: DataFile, problems: Problems): Head | undefined => {
  const before = problems.count
  const named = cells.map((text, at) => ({ at, name: text.trim(), header: Columns.headerOf(text) }))
  const columns = named.flatMap(
    ({ at, header, name }): ReadonlyArray<Column> => (header === undefined ? [] : [{ at, name, ...header }])
  )
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
  if (problems.count > before) return undefined
  return {
    columns,
    unknown: named.flatMap(({ header, name }) => (header === undefined && name !== "" ? [name] : []))
  }
}

const keyOf = (meaning: Columns.Meaning): string => (meaning._tag === "Term" ? meaning.word : meaning._tag)

/** `"cost" (B)`. */
const place = ({ at, name }: Column): string => `"${name}" (${letters(at)})`

const wrong = (problems: Problems, message: string): undefined =>
  problems.error("F02", { start: 0, end: 0 }, message)

/** A column's letters, as spreadsheets show them: A to Z, AA. */
const letters = (at: number): string =>
  at < 26 ? String.fromCharCode(65 + at) : `${letters(Math.floor(at / 26) - 1)}${letters(at % 26)}`

/** Rows as they come in: of each key and term what was said from which day on. */
class Book {
  private readonly lists = new Map<string, Map<Key, ReadonlyArray<Dated>>>()
  /** By column and text: what most rows say alike is read once, and held once. */
  private readonly alike = new Map<Column, Map<string, ReadonlyArray<Dated>>>()
  private readonly keyColumns: Readonly<Record<"Item" | "VendorCode" | "ValidFrom", Column | undefined>>
  /** By key and day: the row that said it first. */
  private readonly first = new Map<string, DataRow>()
  private readonly spoiled = new Set<Key>()
  private codes = false

  constructor(
    private readonly head: Head,
    private readonly complaints: Complaints
  ) {
    const column = (tag: Columns.Meaning["_tag"]) => head.columns.find(({ meaning }) => meaning._tag === tag)
    this.keyColumns = {
      Item: column("Item"),
      VendorCode: column("VendorCode"),
      ValidFrom: column("ValidFrom")
    }
  }

  get needsCodes(): boolean {
    return this.codes
  }

  enter(row: DataRow): void {
    if (row.cells.every((text) => text.trim() === "")) return
    const key = this.keyOf(row)
    if (key === undefined) return
    if (typeof key === "string" && key !== everyItem) this.codes = true
    const from = this.dayOf(row, key)
    if (from === undefined) return
    const id = typeof key === "number" ? `${key} ${from}` : JSON.stringify([key, from])
    const before = this.first.get(id)
    if (before !== undefined && before.cells.join("\0") === row.cells.join("\0")) return
    if (before !== undefined) {
      const when = from === "" ? "" : ` from ${from}`
      this.complaints.add(
        "F03",
        row.line,
        `${this.shown(key)}${when} is already on line ${before.line} with other values; it stays unknown.`
      )
      this.spoiled.add(key)
      return
    }
    this.first.set(id, row)
    for (const column of this.head.columns) this.term(column, row, key, from)
  }

  /** By key, ascending by day; a key that is said twice in two ways is unknown for good. */
  dated(word: string): ReadonlyMap<Key, ReadonlyArray<Dated>> {
    const lists = this.listsOf(word)
    for (const key of this.spoiled) lists.set(key, [{ from: "", cell: Cells.unknown("unreadable") }])
    for (const [key, list] of lists)
      if (list.length > 1) lists.set(key, list.toSorted(TextOrder.by(({ from }) => from)))
    return lists
  }

  private listsOf(word: string): Map<Key, ReadonlyArray<Dated>> {
    const existing = this.lists.get(word)
    if (existing !== undefined) return existing
    const made = new Map<Key, ReadonlyArray<Dated>>()
    this.lists.set(word, made)
    return made
  }

  private term(column: Column, row: DataRow, key: Key, from: string): void {
    const { meaning } = column
    const text = (row.cells[column.at] ?? "").trim()
    if (meaning._tag !== "Term" || text === "") return
    const lists = this.listsOf(meaning.word)
    const before = lists.get(key)
    const known = this.alike.get(column)?.get(text) ?? this.read(column, meaning, row, text)
    const [{ cell } = { cell: Cells.unknown("unreadable") }] = known
    if (before === undefined) lists.set(key, from === "" ? known : [{ from, cell }])
    else lists.set(key, [...before, { from, cell }])
  }

  /** From the beginning of time on. */
  private read(
    column: Column,
    meaning: Extract<Columns.Meaning, { readonly _tag: "Term" }>,
    row: DataRow,
    text: string
  ): ReadonlyArray<Dated> {
    const { at, isPercent, name } = column
    const read = Columns.readTerm(text, meaning.word, meaning.reads, isPercent)
    const cell: Cell = read._tag === "Value" ? read.cell : Cells.unknown("unreadable")
    if (read._tag === "Wrong")
      this.complaints.add(
        "F04",
        row.line,
        `${this.complaints.quoted(text)} in ${name} (${letters(at)}${row.line}) is not ${read.wanted}; it stays unknown.`
      )
    const made = [{ from: "", cell }]
    // What is wrong is told of every row.
    if (read._tag === "Value") {
      const alike = this.alike.get(column) ?? new Map<string, ReadonlyArray<Dated>>()
      this.alike.set(column, alike.set(text, made))
    }
    return made
  }

  /** The item's number, else the seller's code; `*` in either is every item. */
  private keyOf(row: DataRow): Key | undefined {
    const item = this.cell(row, "Item")
    const code = this.cell(row, "VendorCode")
    if (item?.text === everyItem || (item?.text ?? "") + (code?.text ?? "") === everyItem) return everyItem
    if (item !== undefined && item.text !== "") {
      const number = Number(item.text)
      if (/^\d{1,15}$/.test(item.text) && number > 0) return number
      this.complaints.add(
        "F04",
        row.line,
        `${this.complaints.quoted(item.text)} in ${item.name} (${letters(item.at)}${row.line}) is not an item number; the row is left out.`
      )
      return undefined
    }
    if (code !== undefined && code.text !== "") return code.text
    this.complaints.add("F04", row.line, "The row does not say which item it is about; it is left out.")
    return undefined
  }

  /** The empty text is from the beginning of time; undefined when it cannot be read, and then nothing is known of the key. */
  private dayOf(row: DataRow, key: Key): Days.Day | "" | undefined {
    const found = this.cell(row, "ValidFrom")
    if (found === undefined || found.text === "") return ""
    const day = Columns.readDay(found.text)
    if (day !== undefined) return day
    this.complaints.add(
      "F04",
      row.line,
      `${this.complaints.quoted(found.text)} in ${found.name} (${letters(found.at)}${row.line}) is not a day, such as 2026-12-01 or 01.12.2026; ${this.shown(key)} stays unknown.`
    )
    this.spoiled.add(key)
    return undefined
  }

  private cell(row: DataRow, tag: "Item" | "VendorCode" | "ValidFrom") {
    const column = this.keyColumns[tag]
    return column === undefined ? undefined : { ...column, text: (row.cells[column.at] ?? "").trim() }
  }

  private shown(key: Key): string {
    return key === everyItem
      ? "what holds for every item"
      : typeof key === "number"
        ? `item ${key}`
        : `vendor code ${this.complaints.quoted(key)}`
  }
}

/** What holds of a key on a day: the last that was said until then; undefined where nothing was. */
export const on = (dated: ReadonlyArray<Dated> | undefined, day: Days.Day): Cell | undefined =>
  dated?.length === 1 && dated[0]!.from === ""
    ? dated[0]!.cell
    : dated?.findLast(({ from }) => from <= day)?.cell
