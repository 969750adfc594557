/** Tables that people keep: the rows of a workbook, or of CSV in any of the spellings that spreadsheet programs have. */
import { parse } from "csv-parse/sync"
import * as Either from "effect/Either"
import * as EconomicsColumns from "../../engine/language/shared/EconomicsColumns.js"
import * as EconomicsHead from "../../engine/language/shared/EconomicsHead.js"
import type { DataRow } from "../../engine/language/shared/OwnFact.js"
import * as RegularFile from "../terminal/RegularFile.js"
import * as Workbook from "./Workbook.js"

/** How the cells of a table are written; a workbook has no delimiter. */
export interface Written {
  readonly delimiter: string
  /** The mark before a fraction. */
  readonly decimal: string
  /** Whether a quote in the middle of a cell is a sign like others: codes have some. */
  readonly looseQuotes?: boolean
}

/** The first line shows what stands between the columns. */
const seen = "by sight"
export const bySight: Written = { delimiter: seen, decimal: "." }

export type Content =
  /** `line` counts from 1. */
  | { readonly _tag: "Rows"; readonly rows: ReadonlyArray<DataRow> }
  /** `why` is a sentence that follows the file's name. */
  | { readonly _tag: "Unreadable"; readonly why: string; readonly line?: number }

const unreadable = (why: string, line?: number): Content => ({
  _tag: "Unreadable",
  why,
  ...(line === undefined ? {} : { line })
})

/** The rows of a file that is there. Throws what opening it throws (`RegularFile.open`). */
export const read = (path: string, written: Written): Content => {
  const bytes = RegularFile.read(path)
  if (!Workbook.isNamed(path)) return rowsOf(bytes, written)
  return Either.match(Workbook.read(bytes, written.decimal), {
    onLeft: (why) => unreadable(`it ${why}.`),
    onRight: (rows) => ({ _tag: "Rows" as const, rows })
  })
}

const rowsOf = (bytes: Buffer, { delimiter, looseQuotes = false }: Written): Content => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return unreadable("it is not UTF-8. Save it as CSV UTF-8.")
  }
  // Spreadsheet programs write what separates columns into a line of its own; without it the others keep their numbers.
  const named = /^\ufeff?sep=([^\r\n])(?=[\r\n])/i.exec(text)
  if (named !== null) text = text.slice(named[0].length)
  const separator = delimiter === seen ? (named?.[1] ?? separatorOf(text)) : delimiter
  const plain = plainRows(text, separator)
  if (plain !== undefined) return told(plain, separator, !looseQuotes)
  try {
    const lastLines: Array<number> = []
    const records = parse(text, {
      delimiter: separator,
      record_delimiter: ["\r\n", "\n", "\r"],
      bom: true,
      relax_quotes: looseQuotes,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells, { lines }) => {
        lastLines.push(lines)
        return cells
      }
    })
    const rows = records.map((cells, at) => rowOf(lastLines[at] ?? 0, cells))
    return told(rows, separator, !looseQuotes)
  } catch (error) {
    const line = typeof error === "object" && error !== null && "lines" in error ? error.lines : undefined
    return unreadable(sentence(error), typeof line === "number" ? line : undefined)
  }
}

/** Of a text without a quote, whose lines all end alike: what `parse` answers, at a tenth of its time. */
const plainRows = (text: string, separator: string): ReadonlyArray<Workbook.Row> | undefined => {
  const isWindows = text.includes("\r")
  if (text.includes('"') || /^$|[\r\n]/.test(separator) || (isWindows && /\r(?!\n)|(?<!\r)\n/.test(text)))
    return undefined
  const lines = text.replace(/^\ufeff/, "").split(isWindows ? "\r\n" : "\n")
  return lines.flatMap((line, at) => (line === "" ? [] : [{ line: at + 1, cells: line.split(separator) }]))
}

/** Between commas a title that has one of its own is two cells; where the second is a unit, that is sure. */
const told = (rows: ReadonlyArray<Workbook.Row>, separator: string, hasNames: boolean): Content => {
  const [head] = rows
  const found = head === undefined || !hasNames || separator !== "," ? undefined : secondHalf(head)
  if (head === undefined || found === undefined) return { _tag: "Rows", rows: measured(rows, separator) }
  const { at, isUnit } = found
  const [half, either, example] = isUnit
    ? ["is a unit, and no name", "", "commission, %"]
    : [
        "begins with a space and may be the rest of the name before it",
        ", or remove the space where it is a column of its own",
        "unit cost, net of tax"
      ]
  return unreadable(
    `what stands first in column ${EconomicsHead.letters(at)} ${half}: the comma before it may belong to the name, and all that follows be another column's. Put quotes around the whole name, "${example}", or ; between columns${either}.`,
    head.line
  )
}

/** The second half of a title that a comma of its own cut in two, as far as that can be seen. */
const secondHalf = ({
  cells
}: Workbook.Row): { readonly at: number; readonly isUnit: boolean } | undefined => {
  const unit = cells.findIndex((text, at) => at > 0 && isUnit(text))
  if (unit > 0) return { at: unit, isUnit: true }
  // Who writes a space after each comma writes none to go on with a name.
  if (cells.every((text, at) => at === 0 || text.trim() === "" || isSpaced(text))) return undefined
  const rest = cells.findIndex(
    (text, at) => at > 0 && isSpaced(text) && !isName(text) && isName(cells[at - 1])
  )
  return rest < 0 ? undefined : { at: rest, isUnit: false }
}

const isUnit = (text: string): boolean => EconomicsColumns.unitOf(text, "money") !== undefined

const isSpaced = (text: string): boolean => /^\s+\S/.test(text)

const isName = (text = ""): boolean =>
  EconomicsColumns.headerOf(text) !== undefined || EconomicsColumns.doubtOf(text) !== undefined

/**
 * Marks the rows that reach beyond the last name of the first. Between commas an amount may have pushed out what is empty, so there
 * an empty cell too much tells as well, unless all rows end with one; and a name may be two cells, so there a row that ends before the
 * last name is marked too.
 */
const measured = (
  [head, ...rows]: ReadonlyArray<Workbook.Row>,
  separator: string
): ReadonlyArray<DataRow> => {
  if (head === undefined) return []
  const width = widthOf(head)
  const shortest = rows.reduce((least, { cells }) => Math.min(least, cells.length), Number.MAX_SAFE_INTEGER)
  const most = separator === "," ? Math.max(head.cells.length, shortest) : Number.MAX_SAFE_INTEGER
  const isLong = (row: Workbook.Row) =>
    row.cells.length > width && (row.cells.length > most || widthOf(row) > width)
  const isShort = ({ cells }: Workbook.Row) => separator === "," && cells.length < width
  return [
    head,
    ...rows.map(
      (row): DataRow =>
        isLong(row) ? { ...row, moved: "long" } : isShort(row) ? { ...row, moved: "short" } : row
    )
  ]
}

const widthOf = ({ cells }: Workbook.Row): number => cells.findLastIndex((text) => text.trim() !== "") + 1

const mostSeen = 100_000

/** A tab or a semicolon outside of quotes in the first row that is not empty; else a comma, for names of columns hold commas too. */
const separatorOf = (text: string): string => {
  const quoted = /(?<=^|[\t;,\r\n])"[^"]*(?:""[^"]*)*"/g
  const head = /[^\r\n]+/.exec(text.slice(0, mostSeen).replace(quoted, "quoted"))?.[0]?.trim() ?? ""
  const [tabs, semicolons] = [head.split("\t").length - 1, head.split(";").length - 1]
  if (tabs + semicolons === 0) return ","
  return tabs >= semicolons ? "\t" : ";"
}

/** Counted from the line a record starts on: a quoted value may go over several lines. */
const rowOf = (lastLine: number, cells: ReadonlyArray<string>): Workbook.Row => {
  const breaks = cells.reduce(
    (sum, cell) => (cell.includes("\n") ? sum + cell.split("\n").length - 1 : sum),
    0
  )
  return { line: lastLine - breaks, cells }
}

const sentence = (error: unknown): string =>
  error instanceof Error && /quote/i.test(error.message)
    ? "a quote is opened or closed in the wrong place"
    : "it is not a table of columns"
