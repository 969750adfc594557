/** Tables of own facts on disk: read beside the rule files that name them. */
import { existsSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { parse } from "csv-parse/sync"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Check from "../../engine/language/check/Check.js"
import type * as Load from "../../engine/language/Load.js"
import * as Kinds from "../../engine/language/shape/Kinds.js"
import type { DataFile, DataRow, Wanted } from "../../engine/language/shared/OwnFact.js"
import * as OwnFacts from "../../engine/language/shared/OwnFacts.js"
import * as Source from "../../engine/language/yaml/Source.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import * as Workbook from "../tables/Workbook.js"
import * as RegularFile from "../terminal/RegularFile.js"

const maxBytes = 64 * 1024 * 1024

/** The rule files, those of own facts with their tables; what cannot be read is said in the table. */
export const attach = (
  files: ReadonlyArray<Load.File>,
  tables: Tables = new Tables()
): Effect.Effect<ReadonlyArray<Load.File>> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const read = tables.reading(nowMs)
    return files.map((file) => {
      if (Kinds.isTable(file.path)) return { ...file, data: read(file.path, bySight) }
      if (!file.text.includes("csv")) return file
      const { root } = Yaml.parse(Source.make(file.path, file.text))
      const kind = Kinds.of(root, Check.stem(file.path), file.path)
      const wanted = kind === "facts" || kind === "economics" ? OwnFacts.wanted(root) : undefined
      if (wanted === undefined) return file
      const path = isAbsolute(wanted.path) ? wanted.path : join(dirname(file.path), wanted.path)
      return {
        ...file,
        data: read(path, kind === "facts" ? { delimiter: ",", ...wanted } : { ...bySight, ...wanted })
      }
    })
  })

/** The first line shows what stands between the columns. */
const seen = "by sight"
const bySight: Written = { delimiter: seen, decimal: "." }

/** A table that stayed the same is another one after so long: it may have become too old. */
const youngMs = 60_000

/** Tables that are asked for over and over, by a program that runs on: one that stayed as it is, is not read again. */
export class Tables {
  private known: ReadonlyMap<string, Known> = new Map()

  /** For one look at all files; what is not asked for meanwhile is forgotten with the next one. */
  reading(nowMs: number): (path: string, written: Written) => DataFile {
    const before = this.known
    const known = new Map<string, Known>()
    this.known = known
    return (path, written) => {
      const key = JSON.stringify([path, written.delimiter, written.decimal])
      const stamp = stampOf(path)
      const found = before.get(key)
      const isKnown = found !== undefined && stamp !== undefined && found.stamp === stamp
      const age = isKnown ? nowMs - found.table.readMs : 0
      const table = !isKnown
        ? read(path, written, nowMs)
        : age >= 0 && age < youngMs
          ? found.table
          : { ...found.table, readMs: nowMs }
      // What could not be read may be readable next time; what was written meanwhile is read again.
      const isWhole = table.content._tag === "Rows" && stamp === stampOf(path)
      if (isWhole && stamp !== undefined) known.set(key, { stamp, table })
      return table
    }
  }
}

/** How the cells of a table are written; a workbook has no delimiter. */
interface Written extends Pick<Wanted, "decimal"> {
  readonly delimiter: string
}

interface Known {
  readonly stamp: string
  readonly table: DataFile
}

/** Another one whenever the file was written, replaced or given other permissions; undefined when there is none. */
const stampOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined
    ? undefined
    : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ")
}

const read = (path: string, written: Written, readMs: number): DataFile => {
  if (!existsSync(path)) return { path, modifiedMs: 0, readMs, content: { _tag: "Missing" } }
  try {
    const { mtimeMs, size } = statSync(path)
    const linkedTo = RegularFile.linkedOut(path, dirname(path))
    const table = {
      path,
      modifiedMs: Math.floor(mtimeMs),
      readMs,
      ...(linkedTo === undefined ? {} : { linkedTo })
    }
    return size > maxBytes
      ? { ...table, content: unreadable("it is larger than 64 MiB") }
      : { ...table, content: contentOf(path, written) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { path, modifiedMs: 0, readMs, content: unreadable(why) }
  }
}

const unreadable = (why: string, line?: number): DataFile["content"] => ({
  _tag: "Unreadable",
  why,
  ...(line === undefined ? {} : { line })
})

const contentOf = (path: string, { decimal, delimiter }: Written): DataFile["content"] => {
  const bytes = RegularFile.read(path)
  if (!Workbook.isNamed(path)) return rowsOf(bytes, delimiter)
  return Either.match(Workbook.read(bytes, decimal), {
    onLeft: (why) => unreadable(`it ${why}.`),
    onRight: (rows) => ({ _tag: "Rows" as const, rows })
  })
}

const rowsOf = (bytes: Buffer, delimiter: string): DataFile["content"] => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return unreadable("it is not UTF-8. Save it as CSV UTF-8.")
  }
  const separator = delimiter === seen ? separatorOf(text) : delimiter
  const plain = plainRows(text, separator)
  if (plain !== undefined) return { _tag: "Rows", rows: plain }
  try {
    const lastLines: Array<number> = []
    const records = parse(text, {
      delimiter: separator,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (cells, { lines }) => {
        lastLines.push(lines)
        return cells
      }
    })
    return { _tag: "Rows", rows: records.map((cells, index) => rowOf(lastLines[index] ?? 0, cells)) }
  } catch (error) {
    const line = typeof error === "object" && error !== null && "lines" in error ? error.lines : undefined
    return unreadable(sentence(error), typeof line === "number" ? line : undefined)
  }
}

/** Of a text without a quote, whose lines all end alike: what `parse` answers, at a tenth of its time. */
const plainRows = (text: string, separator: string): ReadonlyArray<DataRow> | undefined => {
  const isWindows = text.includes("\r")
  if (text.includes('"') || /^$|[\r\n]/.test(separator) || (isWindows && /\r(?!\n)|(?<!\r)\n/.test(text)))
    return undefined
  const lines = text.replace(/^\ufeff/, "").split(isWindows ? "\r\n" : "\n")
  return lines.flatMap((line, at) => (line === "" ? [] : [{ line: at + 1, cells: line.split(separator) }]))
}

/** What stands most often in the first line; a comma where nothing does. */
const separatorOf = (text: string): string => {
  const head = text.split("\n", 1)[0] ?? ""
  const counts = [",", ";", "\t"].map((one) => ({ one, count: head.split(one).length }))
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).one
}

/** Counted from the line a record starts on: a quoted value may go over several lines. */
const rowOf = (lastLine: number, cells: ReadonlyArray<string>): DataRow => {
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
