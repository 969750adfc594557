/**
 * The seller's economics table (`_shared/economics.csv`, `.xlsx`, or what a file with `kind: economics` names): what each item costs,
 * from which day on. A row `*` holds for every item that does not say otherwise; a later row of an item changes only the cells that it
 * fills. What is wrong with the file or its columns is an error; a cell that cannot be read is a warning, and stays unknown. Where it
 * cannot be read which item a row is about, it may be any that no row names: of these, what the row fills is unknown.
 */
import type * as Arr from "effect/Array"
import type * as Days from "../../../domain/Days.js"
import * as Groups from "../../../domain/Groups.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as Economics from "../../facts/Economics.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import { type Complaints, movedRow } from "./Complaints.js"
import * as Columns from "./EconomicsColumns.js"
import type { Column, Doubtful, Head } from "./EconomicsHead.js"
import * as EconomicsHead from "./EconomicsHead.js"

import type { DataFile, DataRow, Dated, DatedTerm, Key, OwnFact } from "./OwnFact.js"

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
  const header = EconomicsHead.read(head?.cells ?? [], others, data, problems)
  if (header === undefined) return undefined
  const book = new Book(header, complaints)
  for (const one of header.doubtful) book.doubt(one, head?.line ?? 1)
  for (const row of others) book.enter(row)
  const { modifiedMs, path, readMs } = data
  const facts = Economics.terms.map(
    ({ word }): OwnFact => ({
      fact: factOf(word),
      file: problems.source.file,
      ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
      data: { path, modifiedMs, readMs },
      values: new Map(),
      ...book.column(word),
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

interface TermColumn {
  readonly column: Column
  readonly meaning: Extract<Columns.Meaning, { readonly _tag: "Term" }>
  readonly said: Said
  /** By number, or by text that is none: what most rows say alike is read once, and held once. */
  readonly alike: Map<string | number, Array<Dated>>
}

/** What was said of the keys, by their numbers. */
type Said = Array<Array<Dated> | undefined>

/** Rows as they come in: of each key and term what was said from which day on. */
class Book {
  private readonly numbers = new Map<Key, number>()
  private readonly terms = new Map<string, Said>()
  private termColumns: ReadonlyArray<TermColumn>
  private isFirst = true
  /** A row says something of an item: units stand above it. */
  private isBegun = false
  private readonly keyColumns: Readonly<Record<"Item" | "VendorCode" | "ValidFrom", Column | undefined>>
  /** The row that said it first: by the key's number what is so from the beginning of time, and by number and day. */
  private readonly first: Array<DataRow | undefined> = []
  private readonly firstFrom = new Map<string, DataRow>()
  private readonly lastFrom = new Map<number, string>()
  private latestFrom = ""
  private readonly spoiled = new Set<Key>()
  /** Words of terms that a row fills without saying of which item. */
  private readonly lost = new Set<string>()
  private codes = false
  /** Codes as their first row has them. */
  private readonly written = new Map<string, string>()

  constructor(
    head: Head,
    private readonly complaints: Complaints
  ) {
    const column = (tag: Columns.Meaning["_tag"]) => head.columns.find(({ meaning }) => meaning._tag === tag)
    this.keyColumns = {
      Item: column("Item"),
      VendorCode: column("VendorCode"),
      ValidFrom: column("ValidFrom")
    }
    this.termColumns = head.columns.flatMap((one) =>
      one.meaning._tag === "Term"
        ? [{ column: one, meaning: one.meaning, said: this.saidOf(one.meaning.word), alike: new Map() }]
        : []
    )
  }

  get needsCodes(): boolean {
    return this.codes
  }

  /** Its term is unknown of every item: without a word of it a floor would be none. */
  doubt(column: Doubtful, line: number): void {
    const { at, meant, why } = column
    const { meaning, title } = meant
    if (meaning._tag !== "Term") return
    const shown = this.complaints.isQuoted
      ? EconomicsHead.place(column)
      : `Column ${EconomicsHead.letters(at)}`
    const text = {
      otherUnit: `may be ${title} in another unit, or something else, and is not read; ${title} stays unknown. If it is ${title} in the account's currency, call it "${title}"; else convert it, or give it another name.`,
      otherAlphabet: `has letters of another alphabet that look like those of ${title}, and is not read; ${title} stays unknown. Call it "${title}".`
    }[why]
    this.complaints.add("F02", line, `${shown} ${text}`)
    this.saidOf(meaning.word)[this.numberOf(everyItem)] = unreadable
  }

  enter(row: DataRow): void {
    if (row.cells.every((text) => text.trim() === "")) return
    const heading = this.headingOf(row)
    const mayTellUnits =
      !this.isBegun && (this.isFirst || heading === undefined || !this.isNameOfGroup(row, heading))
    this.isFirst = false
    if (mayTellUnits && this.tellsUnits(row)) return
    if (heading !== undefined) {
      const shown = this.complaints.quoted(heading)
      this.complaints.add("F04", row.line, `${shown} stands in all cells of the row; the row is left out.`)
      return
    }
    const key = this.keyOf(row)
    this.isBegun ||= key !== undefined && this.termColumns.some(({ column }) => textIn(row, column) !== "")
    if (row.moved !== undefined) {
      this.moved(row, row.moved, key)
      return
    }
    if (typeof key === "string" && key !== everyItem) this.codes = true
    const from = key === undefined ? undefined : this.dayOf(row, key)
    if (key === undefined || from === undefined) {
      this.onlyRead(row)
      return
    }
    const number = this.numberOf(key)
    const id = from === "" ? "" : `${number} ${from}`
    const before = from === "" ? this.first[number] : this.firstFrom.get(id)
    if (before !== undefined && this.agree(before, row)) return
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
    if (from === "") this.first[number] = row
    else {
      this.firstFrom.set(id, row)
      if (from > (this.lastFrom.get(number) ?? "")) this.lastFrom.set(number, from)
      if (from > this.latestFrom) this.latestFrom = from
    }
    for (const one of this.termColumns) this.term(one, row, number, from)
  }

  /** Of a heading: it stands where the item does too, and speaks of no unit. */
  private isNameOfGroup(row: DataRow, heading: string): boolean {
    const { Item, VendorCode } = this.keyColumns
    return [Item, VendorCode].some((one) => textIn(row, one) !== "") && !Columns.speaksOfUnits(heading)
  }

  /** Whether a row is a further line of names, with units; columns in another unit than the one they are read in are not read. */
  private tellsUnits(row: DataRow): boolean {
    const { Item, VendorCode } = this.keyColumns
    const item = textIn(row, Item)
    if (item === everyItem || /\d/.test(item)) return false
    const named = this.termColumns.flatMap((one) => {
      const text = textIn(row, one.column)
      return text === "" || one.meaning.reads === "taxBase"
        ? []
        : [{ one, text, unit: Columns.unitOf(text, one.meaning.reads) }]
    })
    const isCode = textIn(row, VendorCode) !== ""
    const areUnits = named.every(({ text, unit }) => unit !== undefined || (!isCode && Columns.isWord(text)))
    if (named.length === 0 || !areUnits) return false
    for (const { one, text } of named.filter(({ unit }) => unit !== "own")) {
      const { column, meaning } = one
      const shown = this.complaints.isQuoted
        ? EconomicsHead.place(column)
        : `Column ${EconomicsHead.letters(column.at)}`
      const mend =
        meaning.reads === "share"
          ? "If it is in percent, take that line out; else convert it."
          : "If its amounts are in the account's currency, take that line out; else convert them."
      this.complaints.add(
        "F02",
        row.line,
        `${shown} has ${this.complaints.quoted(text)} below its name, which may be another unit, and is not read; it stays unknown. ${mend}`
      )
      this.termColumns = this.termColumns.filter((other) => other !== one)
      this.saidOf(meaning.word)[this.numberOf(everyItem)] = unreadable
    }
    return true
  }

  /** The text of a row that is one merged cell, the name of what stands below it; undefined of other rows. */
  private headingOf(row: DataRow): string | undefined {
    let text: string | undefined
    let isOfSeveral = false
    for (const cell of row.cells) {
      const own = cell.trim()
      if (own === "") continue
      if (text !== undefined && own !== text) return undefined
      isOfSeveral = text !== undefined
      text = own
    }
    if (text === undefined || !isOfSeveral || !Columns.isWord(text)) return undefined
    return this.termColumns.some(({ column }) => textIn(row, column) !== "") ? text : undefined
  }

  /** Of a row that moved: whose it is, is only sure where nothing before the number could move it. */
  private moved(row: DataRow, how: keyof typeof movedRow, key: Key | undefined): void {
    const filled = row.cells.filter((text) => text.trim() !== "")
    if (key === undefined && (filled.length < 2 || filled.some((text) => total.test(text)))) return
    const isSure = this.keyColumns.Item?.at === 0 && (typeof key === "number" || key === everyItem)
    const whose = [
      ...(key === undefined ? [] : [this.shown(key)]),
      ...(isSure ? [] : ["items that no row names"])
    ]
    this.complaints.add(
      "F04",
      row.line,
      `The row ${movedRow[how]}; nothing is known of ${whose.join(" and of ")}.`
    )
    if (key !== undefined) this.spoiled.add(key)
    if (!isSure) for (const { meaning } of this.termColumns) this.lost.add(meaning.word)
  }

  /** Whether two rows say the same of every term, in whatever spelling. */
  private agree(one: DataRow, other: DataRow): boolean {
    return this.termColumns.every(({ column, meaning: { reads, word } }) => {
      const cells = [one, other].map((row) => ({ row, text: textIn(row, column) }))
      const [text, otherText] = cells.map(({ text }) => text)
      if (text === otherText) return true
      if (text === "" || otherText === "") return false
      const [value, same] = cells.map(({ row, text }) => {
        const read = Columns.readTerm(text, word, reads, column.isPercent, isNumberIn(row, column))
        return read._tag === "Value" && read.cell._tag === "Known" ? read.cell.value : undefined
      })
      return value !== undefined && value === same
    })
  }

  /** Ask before `dated`, which makes keys unknown whether or not a column says something of them. */
  column(word: string): Pick<OwnFact, "column"> {
    const said = this.terms.get(word)
    if (said === undefined) return {}
    const isFilled = said.some((one) => one !== undefined) || this.lost.has(word)
    return { column: isFilled ? "filled" : "empty" }
  }

  /** A key that is said twice in two ways is unknown for good. */
  dated(word: string): DatedTerm {
    const said = this.saidOf(word)
    for (const key of this.spoiled) said[this.numberOf(key)] = unreadable
    for (let number = 0; number < said.length; number++) {
      const list = said[number]
      if (list !== undefined && list.length > 1)
        said[number] = list.toSorted(TextOrder.by(({ from }) => from))
    }
    if (this.lost.has(word)) this.lose(said)
    return { numbers: this.numbers, said, lastFrom: this.lastFrom, latestFrom: this.latestFrom }
  }

  /**
   * What holds for every item holds for those that a row names, and of others nothing is known. Where the term is told by codes, a
   * number alone does not say that the item has no other row.
   */
  private lose(said: Said): void {
    const every = this.numberOf(everyItem)
    const ofAll = said[every] ?? []
    const keys = [...this.numbers].filter(([key]) => key !== everyItem)
    const isCoded = keys.some(([key, number]) => typeof key === "string" && said[number] !== undefined)
    for (const [key, number] of keys) {
      if (typeof key === "number" && isCoded) continue
      // Before the first day of its rows it may be the item that could not be read.
      const before = this.first[number] === undefined ? unreadable : ofAll
      said[number] = over(before, said[number] ?? [])
    }
    said[every] = unreadable
  }

  private numberOf(key: Key): number {
    const existing = this.numbers.get(key)
    if (existing !== undefined) return existing
    const made = this.numbers.size
    this.numbers.set(key, made)
    this.first.push(undefined)
    for (const said of this.terms.values()) said.push(undefined)
    return made
  }

  private saidOf(word: string): Said {
    const existing = this.terms.get(word)
    if (existing !== undefined) return existing
    const made: Said = Array.from(this.numbers, () => undefined)
    this.terms.set(word, made)
    return made
  }

  /** Of a row that counts for nothing: what is wrong with its other cells is told with it. */
  private onlyRead(row: DataRow): void {
    for (const { alike, column, meaning } of this.termColumns) {
      const text = (row.cells[column.at] ?? "").trim()
      if (text !== "" && !alike.has(alikeKey(text))) this.read(column, meaning, alike, row, text)
    }
  }

  private term(
    { alike, column, meaning, said }: TermColumn,
    row: DataRow,
    number: number,
    from: string
  ): void {
    const text = (row.cells[column.at] ?? "").trim()
    if (text === "") return
    const before = said[number]
    const known =
      (isNumberIn(row, column) ? undefined : alike.get(alikeKey(text))) ??
      this.read(column, meaning, alike, row, text)
    if (before === undefined && from === "") {
      said[number] = known
      return
    }
    const [{ cell } = { cell: Cells.unknown("unreadable") }] = known
    // A list of one row without a day may be that of others too.
    if (before === undefined || (before.length === 1 && before[0]!.from === ""))
      said[number] = [...(before ?? []), { from, cell }]
    else before.push({ from, cell })
  }

  /** From the beginning of time on. */
  private read(
    column: Column,
    meaning: TermColumn["meaning"],
    alike: TermColumn["alike"],
    row: DataRow,
    text: string
  ): Array<Dated> {
    const { at, isPercent, name } = column
    const isNumber = isNumberIn(row, column)
    const read = Columns.readTerm(text, meaning.word, meaning.reads, isPercent, isNumber)
    const cell: Cell = read._tag === "Value" ? read.cell : Cells.unknown("unreadable")
    if (read._tag === "Wrong")
      this.complaints.add(
        "F04",
        row.line,
        `${this.complaints.quoted(text)} in ${name} (${EconomicsHead.letters(at)}${row.line}) is not ${read.wanted}; it stays unknown.`
      )
    const made = [{ from: "", cell }]
    // What is wrong is told of every row.
    if (read._tag === "Value" && !isNumber) alike.set(alikeKey(text), made)
    return made
  }

  /** The item's number, else the seller's code; `*` in either is every item. */
  private keyOf(row: DataRow): Key | undefined {
    const { Item: item, VendorCode } = this.keyColumns
    const text = textIn(row, item)
    const code = textIn(row, VendorCode)
    if (text === everyItem || text + code === everyItem) return everyItem
    if (item !== undefined && text !== "") {
      const digits = Columns.ungrouped(text)
      const number = Number(digits)
      if (/^\d{1,15}$/.test(digits) && number > 0) return number
      this.complaints.add(
        "F04",
        row.line,
        `${this.complaints.quoted(text)} in ${item.name} (${EconomicsHead.letters(item.at)}${row.line}) is not an item number; the row is ${this.leftOut(row)}`
      )
      return undefined
    }
    if (code !== "") {
      const key = codeKey(code)
      if (!this.written.has(key)) this.written.set(key, code)
      return key
    }
    this.complaints.add(
      "F04",
      row.line,
      `The row does not say which item it is about; it is ${this.leftOut(row)}`
    )
    return undefined
  }

  /** What a row fills whose item nobody knows; of a sum at a table's end nothing. */
  private leftOut(row: DataRow): string {
    const filled = row.cells.some((text) => total.test(text))
      ? []
      : this.termColumns.filter(({ column }) => textIn(row, column) !== "")
    for (const { meaning } of filled) this.lost.add(meaning.word)
    return filled.length === 0
      ? "left out."
      : "left out, and what it fills is unknown of items that no row names."
  }

  /** The empty text is from the beginning of time; undefined when it cannot be read, and then nothing is known of the key. */
  private dayOf(row: DataRow, key: Key): Days.Day | "" | undefined {
    const { ValidFrom: column } = this.keyColumns
    const text = textIn(row, column)
    if (column === undefined || text === "") return ""
    const day = Columns.readDay(text)
    if (day !== undefined) return day
    this.complaints.add(
      "F04",
      row.line,
      `${this.complaints.quoted(text)} in ${column.name} (${EconomicsHead.letters(column.at)}${row.line}) is not a day, such as 2026-12-01 or 01.12.2026; ${this.shown(key)} stays unknown.`
    )
    this.spoiled.add(key)
    return undefined
  }

  private shown(key: Key): string {
    return key === everyItem
      ? "what holds for every item"
      : typeof key === "number"
        ? `item ${key}`
        : `vendor code ${this.complaints.quoted(this.written.get(key) ?? key)}`
  }
}

const unreadable: Array<Dated> = [{ from: "", cell: Cells.unknown("unreadable") }]

/** `Итого`, `Всего по складу:`, `Total`. */
const total = /^\s*(?:(?:итого|всего)(?!\p{L}).*|(?:(?:grand |sub)?total|sum|сумма)[\s:.]*)$/iu

/** What was said of a key, over what holds for every item until then; what neither says is in no row. */
const over = (ofAll: ReadonlyArray<Dated>, own: ReadonlyArray<Dated>): Array<Dated> => {
  const first = own[0]?.from
  const all = [...ofAll.filter(({ from }) => first === undefined || from < first), ...own]
  return all[0]?.from === "" ? all : [{ from: "", cell: Cells.unknown("unlisted") }, ...all]
}

const textIn = (row: DataRow, column: Column | undefined): string =>
  column === undefined ? "" : (row.cells[column.at] ?? "").trim()

const alikeKey = (text: string): string | number => Columns.hundredths(text) ?? text

const isNumberIn = (row: DataRow, { at }: Column): boolean => row.exact?.includes(at) ?? false

/** What holds of a key on a day; undefined where nothing was said of it. Codes are alike whatever their case. */
export const ofKey = ({ numbers, said }: DatedTerm, key: Key, day: Days.Day): Cell | undefined => {
  const number = numbers.get(typeof key === "string" ? codeKey(key) : key)
  return number === undefined ? undefined : on(said[number], day)
}

/**
 * Of a code that the table does not name: unknown where it says something of one with letters of another alphabet that look the same,
 * for that is likely the item's own row.
 */
export const ofLookAlike = ({ numbers, said }: DatedTerm, code: string): Cell | undefined => {
  if (numbers.has(codeKey(code))) return undefined
  const isSaid = lookAlikesIn(numbers)
    .get(Suggest.lookAlike(code.trim()))
    ?.some((one) => said[one] !== undefined)
  return isSaid === true ? Cells.unknown("unreadable") : undefined
}

/** Rows whose number or code none of these items has, and the item that a code is of but for letters that look the same. */
export const unmatched = (
  { numbers }: Pick<DatedTerm, "numbers">,
  items: ReadonlyArray<{ readonly itemId: number; readonly vendorCode: string }>
): ReadonlyArray<{ readonly key: Key; readonly alike?: number }> => {
  const known = new Set<Key>(items.flatMap(({ itemId, vendorCode }) => [itemId, codeKey(vendorCode)]))
  const alike = new Map(items.map(({ itemId, vendorCode }) => [Suggest.lookAlike(vendorCode), itemId]))
  return [...numbers.keys()]
    .filter((key) => key !== everyItem && !known.has(key))
    .map((key) => {
      const itemId = typeof key === "string" ? alike.get(Suggest.lookAlike(key)) : undefined
      return itemId === undefined ? { key } : { key, alike: itemId }
    })
}

/** A code as keys have it. */
export const codeKey = (code: string): string => code.trim().toLowerCase()

/** Numbers of keys by their codes, all letters that look the same being one; made once for a table. */
const lookAlikesIn = (numbers: DatedTerm["numbers"]): ReadonlyMap<string, ReadonlyArray<number>> => {
  const before = lookAlikes.get(numbers)
  if (before !== undefined) return before
  const made = new Map<string, Arr.NonEmptyArray<number>>()
  for (const [key, number] of numbers)
    if (typeof key === "string" && key !== everyItem) Groups.add(made, Suggest.lookAlike(key), number)
  lookAlikes.set(numbers, made)
  return made
}

const lookAlikes = new WeakMap<DatedTerm["numbers"], ReadonlyMap<string, ReadonlyArray<number>>>()

/** What holds of a key on a day: the last that was said until then; undefined where nothing was. */
export const on = (dated: ReadonlyArray<Dated> | undefined, day: Days.Day): Cell | undefined =>
  dated?.length === 1 && dated[0]!.from === ""
    ? dated[0]!.cell
    : dated?.findLast(({ from }) => from <= day)?.cell
