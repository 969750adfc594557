/** Tables of own facts on disk: read beside the rule files that name them. */
import { existsSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Check from "../../engine/language/check/Check.js"
import type * as Load from "../../engine/language/Load.js"
import * as Kinds from "../../engine/language/shape/Kinds.js"
import type { DataFile } from "../../engine/language/shared/OwnFact.js"
import * as OwnFacts from "../../engine/language/shared/OwnFacts.js"
import * as Source from "../../engine/language/yaml/Source.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import * as TableFile from "../tables/TableFile.js"
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
      if (Kinds.isTable(file.path)) return { ...file, data: read(file.path, TableFile.bySight) }
      if (!OwnFacts.mayWant(file.text)) return file
      const { root } = Yaml.parse(Source.make(file.path, file.text))
      const kind = Kinds.of(root, Check.stem(file.path), file.path)
      const wanted = kind === "facts" || kind === "economics" ? OwnFacts.wanted(root) : undefined
      if (wanted === undefined) return file
      const path = isAbsolute(wanted.path) ? wanted.path : join(dirname(file.path), wanted.path)
      return {
        ...file,
        data: read(
          path,
          kind === "facts" ? { delimiter: ",", ...wanted } : { ...TableFile.bySight, ...wanted }
        )
      }
    })
  })

/** A table that stayed the same is another one after so long: it may have become too old. */
const youngMs = 60_000

/** Tables that are asked for over and over, by a program that runs on: one that stayed as it is, is not read again. */
export class Tables {
  private known: ReadonlyMap<string, Known> = new Map()

  /** For one look at all files; what is not asked for meanwhile is forgotten with the next one. */
  reading(nowMs: number): (path: string, written: TableFile.Written) => DataFile {
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

const read = (path: string, written: TableFile.Written, readMs: number): DataFile => {
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
      : { ...table, content: TableFile.read(path, written) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { path, modifiedMs: 0, readMs, content: unreadable(why) }
  }
}

const unreadable = (why: string): DataFile["content"] => ({ _tag: "Unreadable", why })
