/**
 * A sheet of marks: rows with an order's number and its marks, either one mark a row (columns order, kind, value) or a
 * column for each kind, or both. Reads every row and tells every problem with its row and column; nothing is asked of the
 * marketplace. `Duplicates` then holds the marks against each other.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { OrderId } from "../../../domain/Ids.js"
import * as Duplicates from "./Duplicates.js"
import type { MarkKind } from "./Mark.js"
import * as MarkColumns from "./MarkColumns.js"
import type { MarkProblem, Mended } from "./MarkProblem.js"
import * as ReadMark from "./ReadMark.js"

/** As it was read from a file: `line` counts from 1, the first row holds the names of the columns. */
export interface SheetRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** A cell: `column` counts from 0, `name` is its header. */
export interface Place {
  readonly line: number
  readonly column: number
  readonly name: string
}

export type SheetProblem =
  | MarkProblem
  | Duplicates.ClaimProblem<Place>
  | { readonly code: "order_missing" }
  | { readonly code: "order_unreadable"; readonly text: string }
  | { readonly code: "kind_missing" }
  | { readonly code: "kind_unknown"; readonly text: string }
  /** The row has an order and no mark. */
  | { readonly code: "no_mark" }
  /** More cells than the header has names: a mark holds the sign between columns. */
  | { readonly code: "cells_beyond"; readonly cells: number; readonly columns: number }

/** What is wrong with the sheet as a whole; then no row was read. */
export type HeaderProblem =
  | { readonly code: "sheet_empty" }
  | { readonly code: "no_order_column"; readonly found: ReadonlyArray<string> }
  | { readonly code: "no_mark_column"; readonly found: ReadonlyArray<string> }
  | { readonly code: "no_kind_column" }
  | { readonly code: "no_value_column" }
  | { readonly code: "same_column"; readonly first: Place; readonly second: Place }

export interface ReadSheet {
  /** Marks that may be set, by their orders, in the order of the sheet. */
  readonly claims: ReadonlyArray<SheetClaim>
  readonly problems: ReadonlyArray<{
    readonly at: Place
    readonly orderId: OrderId | undefined
    readonly kind: MarkKind | undefined
    readonly problem: SheetProblem
  }>
  /** What was taken as meant, of any mark. */
  readonly mended: ReadonlyArray<{ readonly at: Place; readonly mended: Mended }>
  /** Marks that stand there twice for one order. */
  readonly repeated: ReadonlyArray<Place>
  /** Columns that mean nothing here. */
  readonly unknownColumns: ReadonlyArray<string>
  /** Rows below the header that are not empty. */
  readonly rows: number
}

export type SheetClaim = Duplicates.Claim<Place>

export type Sheet =
  | { readonly _tag: "Read"; readonly read: ReadSheet }
  | { readonly _tag: "Wrong"; readonly problems: ReadonlyArray<HeaderProblem> }

/** Reads a sheet at `nowMs` (epoch milliseconds), against the marks that live orders have. */
export const read = (
  rows: ReadonlyArray<SheetRow>,
  nowMs: number,
  live: Duplicates.LiveMarks = new Map()
): Sheet => {
  const [first, ...others] = rows
  const header = headerOf(first)
  if (header._tag === "Wrong") return header
  const problems: Array<ReadSheet["problems"][number]> = []
  const mended: Array<ReadSheet["mended"][number]> = []
  const given: Array<SheetClaim> = []
  const filled = others.filter(({ cells }) => cells.some((text) => text.trim() !== ""))
  for (const row of filled) {
    const { cells, orderId } = rowOf(row, header, problems)
    for (const { at, kind, text } of cells) {
      const one = ReadMark.read(kind, text, nowMs)
      for (const what of one.mended) mended.push({ at, mended: what })
      if (one._tag === "Wrong") problems.push({ at, orderId, kind, problem: one.problem })
      else if (orderId !== undefined) given.push({ orderId, mark: one.mark, at })
    }
  }
  const settled = Duplicates.settle(given, live)
  for (const { claim, problem } of settled.problems)
    problems.push({ at: claim.at, orderId: claim.orderId, kind: claim.mark.kind, problem })
  return {
    _tag: "Read",
    read: {
      claims: settled.accepted,
      problems: problems.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column),
      mended,
      repeated: settled.repeated.map(({ at }) => at),
      unknownColumns: header.unknown,
      rows: filled.length
    }
  }
}

interface Column {
  readonly at: number
  readonly name: string
  readonly meaning: MarkColumns.Meaning
}

type Head =
  | {
      readonly _tag: "Header"
      readonly columns: ReadonlyArray<Column>
      /** Cells up to the last that has a name. */
      readonly width: number
      readonly unknown: ReadonlyArray<string>
    }
  | Extract<Sheet, { readonly _tag: "Wrong" }>

const headerOf = (row: SheetRow | undefined): Head => {
  if (row === undefined) return { _tag: "Wrong", problems: [{ code: "sheet_empty" }] }
  const named = row.cells.map((text, at) => ({
    at,
    name: text.trim(),
    meaning: MarkColumns.headerOf(text.replace(/^\ufeff/, ""))
  }))
  const columns = named.flatMap(({ at, meaning, name }) =>
    meaning === undefined ? [] : [{ at, name, meaning }]
  )
  const found = named.flatMap(({ name }) => (name === "" ? [] : [name])).slice(0, 12)
  const read = asValues(columns)
  const problems = [...twice(read, row.line), ...lacking(read, found)]
  return problems.length > 0
    ? { _tag: "Wrong", problems }
    : {
        _tag: "Header",
        columns: read,
        width: widthOf(row),
        unknown: named.flatMap(({ meaning, name }) => (meaning === undefined && name !== "" ? [name] : []))
      }
}

/** Beside a column of kinds and without one of values, the only column of a kind holds the values of all. */
const asValues = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const has = (tag: MarkColumns.Meaning["_tag"]) => columns.some(({ meaning }) => meaning._tag === tag)
  const marks = columns.filter(({ meaning }) => meaning._tag === "Mark")
  return has("Kind") && !has("Value") && marks.length === 1
    ? columns.map((one) => (one === marks[0] ? { ...one, meaning: { _tag: "Value" } as const } : one))
    : columns
}

const twice = (columns: ReadonlyArray<Column>, line: number): ReadonlyArray<HeaderProblem> =>
  columns.flatMap((second, index) => {
    // Several marking codes of one order may stand side by side.
    if (second.meaning._tag === "Mark" && second.meaning.kind === "sgtin") return []
    const first = columns.slice(0, index).find(({ meaning }) => same(meaning, second.meaning))
    return first === undefined
      ? []
      : [{ code: "same_column" as const, first: placeOf(first, line), second: placeOf(second, line) }]
  })

const same = (a: MarkColumns.Meaning, b: MarkColumns.Meaning): boolean =>
  a._tag === "Mark" && b._tag === "Mark" ? a.kind === b.kind : a._tag === b._tag

const lacking = (
  columns: ReadonlyArray<Column>,
  found: ReadonlyArray<string>
): ReadonlyArray<HeaderProblem> => {
  const has = (tag: MarkColumns.Meaning["_tag"]) => columns.some(({ meaning }) => meaning._tag === tag)
  const problems: Array<HeaderProblem> = []
  if (!has("Order")) problems.push({ code: "no_order_column", found })
  if (has("Kind") && !has("Value")) problems.push({ code: "no_value_column" })
  else if (has("Value") && !has("Kind")) problems.push({ code: "no_kind_column" })
  else if (!has("Mark") && !has("Value")) problems.push({ code: "no_mark_column", found })
  return problems
}

const placeOf = ({ at, name }: Column, line: number): Place => ({ line, column: at, name })

interface Cell {
  readonly at: Place
  readonly kind: MarkKind
  readonly text: string
}

/** The marks of a row, whose order may be unreadable: its marks are looked at all the same. */
const rowOf = (
  row: SheetRow,
  { columns, width }: Extract<Head, { readonly _tag: "Header" }>,
  problems: Array<ReadSheet["problems"][number]>
): { readonly orderId: OrderId | undefined; readonly cells: ReadonlyArray<Cell> } => {
  const column = (tag: MarkColumns.Meaning["_tag"]) => columns.find(({ meaning }) => meaning._tag === tag)
  const order = column("Order")!
  const orderText = textOf(order, row)
  const orderId = orderOf(orderText)
  const tell = (column: Column, problem: SheetProblem) =>
    problems.push({ at: placeOf(column, row.line), orderId, kind: undefined, problem })
  if (orderId === undefined)
    tell(
      order,
      orderText === "" ? { code: "order_missing" } : { code: "order_unreadable", text: quoted(orderText) }
    )
  // A mark that was cut at the sign between columns may look whole.
  if (widthOf(row) > width) {
    tell(columns.findLast(({ meaning }) => meaning._tag !== "Order") ?? order, {
      code: "cells_beyond",
      cells: widthOf(row),
      columns: width
    })
    return { orderId, cells: [] }
  }
  const ownColumns = columns.flatMap((one) =>
    one.meaning._tag === "Mark" ? valuesOf(one, one.meaning.kind, row) : []
  )
  const named = namedValue(row, column("Kind"), column("Value"), tell)
  if (named !== undefined) return { orderId, cells: [...ownColumns, ...named] }
  if (ownColumns.length === 0)
    tell(columns.find(({ meaning }) => /^(Value|Mark)$/.test(meaning._tag)) ?? order, { code: "no_mark" })
  return { orderId, cells: ownColumns }
}

/** The mark of the columns `kind` and `value`; undefined where the row has none there. */
const namedValue = (
  row: SheetRow,
  kindColumn: Column | undefined,
  valueColumn: Column | undefined,
  tell: (column: Column, problem: SheetProblem) => void
): ReadonlyArray<Cell> | undefined => {
  if (kindColumn === undefined || valueColumn === undefined || textOf(valueColumn, row) === "")
    return undefined
  const text = textOf(kindColumn, row)
  const kind = MarkColumns.kindOf(text)
  if (kind !== undefined) return valuesOf(valueColumn, kind, row)
  tell(kindColumn, text === "" ? { code: "kind_missing" } : { code: "kind_unknown", text: quoted(text) })
  return []
}

/** Marking codes of one cell stand on lines of their own; other kinds have one value. */
const valuesOf = (column: Column, kind: MarkKind, row: SheetRow): ReadonlyArray<Cell> => {
  const text = row.cells[column.at] ?? ""
  const texts = kind === "sgtin" ? text.split(/[\r\n]+/) : [text]
  return texts.flatMap((one) =>
    one.trim() === "" ? [] : [{ at: placeOf(column, row.line), kind, text: one }]
  )
}

const textOf = (column: Column, row: SheetRow): string => (row.cells[column.at] ?? "").trim()

const widthOf = ({ cells }: SheetRow): number => cells.findLastIndex((text) => text.trim() !== "") + 1

/** A whole number, also with the apostrophe or the `.0` that spreadsheets give it. */
const orderOf = (text: string): OrderId | undefined => {
  const digits = /^'?(\d{1,16})(?:[.,]0+)?$/.exec(text)?.[1]
  return digits === undefined ? undefined : Option.getOrUndefined(asOrder(Number(digits)))
}

const asOrder = Schema.decodeOption(OrderId)

/** Too short to hold a mark, should columns be exchanged. */
const quoted = (text: string): string => (text.length > 12 ? `${text.slice(0, 12)}…` : text)
