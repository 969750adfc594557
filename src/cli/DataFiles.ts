/** Tables of own facts on disk: read beside the rule files that name them. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { parse } from "csv-parse/sync"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Check from "../engine/language/Check.js"
import type { DataFile, DataRow } from "../engine/language/DataFile.js"
import * as Kinds from "../engine/language/Kinds.js"
import type * as Load from "../engine/language/Load.js"
import * as OwnFacts from "../engine/language/OwnFacts.js"
import * as Source from "../engine/language/Source.js"
import * as Yaml from "../engine/language/Yaml.js"

const maxBytes = 64 * 1024 * 1024

/** The rule files, those of own facts with their tables; what cannot be read is said in the table. */
export const attach = (files: ReadonlyArray<Load.File>): Effect.Effect<ReadonlyArray<Load.File>> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    files.map((file) => {
      const { root } = Yaml.parse(Source.make(file.path, file.text))
      const wanted =
        Kinds.of(root, Check.stem(file.path), file.path) === "facts" ? OwnFacts.wanted(root) : undefined
      if (wanted === undefined) return file
      const path = isAbsolute(wanted.path) ? wanted.path : join(dirname(file.path), wanted.path)
      return { ...file, data: read(path, wanted.delimiter, nowMs) }
    })
  )

const read = (path: string, delimiter: string, readMs: number): DataFile => {
  if (!existsSync(path)) return { path, modifiedMs: 0, readMs, content: { _tag: "Missing" } }
  try {
    const { mtimeMs, size } = statSync(path)
    const modifiedMs = Math.floor(mtimeMs)
    if (size > maxBytes) {
      return { path, modifiedMs, readMs, content: unreadable("it is larger than 64 MiB") }
    }
    return { path, modifiedMs, readMs, content: rowsOf(readFileSync(path), delimiter) }
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

const rowsOf = (bytes: Buffer, delimiter: string): DataFile["content"] => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return unreadable("it is not UTF-8. Save it as CSV UTF-8.")
  }
  try {
    const lastLines: Array<number> = []
    const records = parse(text, {
      delimiter,
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

/** Counted from the line a record starts on: a quoted value may go over several lines. */
const rowOf = (lastLine: number, cells: ReadonlyArray<string>): DataRow => {
  const breaks = cells.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0)
  return { line: lastLine - breaks, cells }
}

const sentence = (error: unknown): string =>
  error instanceof Error && /quote/i.test(error.message)
    ? "a quote is opened or closed in the wrong place"
    : "it is not a table of columns"
