/**
 * `_shared/cost.yaml` and its like (`kind: facts`): facts of items, campaigns or clusters from a table of the seller's.
 * What is wrong with the file or its columns is an error; a single row that cannot be read is a warning, and what it is
 * about stays unknown.
 */

import * as Days from "../../../domain/Days.js"
import * as When from "../../../domain/When.js"
import * as Cells from "../../facts/Cell.js"
import type { Fact } from "../../facts/FactType.js"
import * as Own from "../../facts/Own.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Amounts from "../check/Amounts.js"
import type { Diagnostic, Problems } from "../problems/Diagnostic.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import { type Entry, entry, get, type MapNode, type Node, textAt } from "../yaml/Node.js"
import type { DataFile, DataRow, OwnFact, Wanted } from "./OwnFact.js"
import * as OwnRows from "./OwnRows.js"

export type { OwnFact }

/** The words of own facts that conditions may name. */
export type Words = ReadonlyMap<string, Fact>

interface Read {
  readonly file: string
  readonly facts: ReadonlyArray<OwnFact>
  /** Problems inside the table. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const notRead = Cells.unknown("notFetched")

/** The facts of one file; `named` collects the words of all files, with the file of each. */
export const read = (
  root: Node,
  data: DataFile | undefined,
  named: Map<string, string>,
  problems: Problems
): Read => {
  Shape.check(Schema.Facts, root, { key: "This file", range: root.range }, problems, ["fields"])
  const { file } = problems.source
  const key = readJoin(root, problems)
  const maxAgeMs = Amounts.milliseconds(
    Amounts.keyed(root, "max_age"),
    Days.hourMs,
    3650 * Days.dayMs,
    problems
  )
  const columns = readFields(root, key?.level, named, problems)
  const age = maxAgeMs === undefined ? {} : { maxAgeMs }
  const declared = columns.map(
    ({ fact }): OwnFact => ({ fact, file, values: new Map(), rest: notRead, ...age })
  )
  const none = { file, facts: declared, diagnostics: [] }
  if (data === undefined || problems.count > 0 || key === undefined) return none
  const rows = rowsOf(data, root, problems)
  if (rows === undefined) return none
  tooOld(data, maxAgeMs, root, problems)
  const header = rows[0]?.cells.map((name) => name.trim()) ?? []
  const join = place(header, key.column, entry(root, "join")!, data, problems)
  const places = columns.map(({ column, node }) => place(header, column, node, data, problems))
  if (join === undefined || places.includes(undefined)) return none
  const table = OwnRows.read(
    data,
    rows.slice(1),
    { name: key.column, at: join, level: key.level },
    columns.map(({ column, fact, type }, index) => ({
      name: column,
      at: places[index]!,
      type,
      isSigned: Vocabulary.mayBeNegative(fact.id)
    })),
    decimalOf(root)
  )
  const facts = columns.map(({ fact }, index): OwnFact => {
    const { modifiedMs, path, readMs } = data
    return {
      fact,
      file,
      ...age,
      data: { path, modifiedMs, readMs },
      values: table.values[index] ?? new Map(),
      rest: table.rest[index] ?? notRead
    }
  })
  return { file, facts, diagnostics: table.diagnostics }
}

/** Whether a file may name a table: seen without reading it, or opening what reads tables. */
export const mayWant = (text: string): boolean => text.includes("source") && text.includes("csv")

/** What must be read for a file of own facts; undefined when it does not say so. */
export const wanted = (root: Node | undefined): Wanted | undefined => {
  const source = get(root, "source")
  const path = textAt(source, "csv")
  if (path === undefined || path === "") return undefined
  const written = get(source, "delimiter")
  const isWritten = written?._tag === "Scalar" && written.text !== ""
  return { path, decimal: decimalOf(root), ...(isWritten ? { delimiter: written.text } : {}) }
}

const decimalOf = (root: Node | undefined): string => textAt(get(root, "source"), "decimal") ?? "."

interface FactColumn {
  readonly fact: Fact
  readonly column: string
  readonly type: Own.TypeName
  readonly node: Entry
}

/** What `join:` may name on its left, and of which level the fields then are. */
const keys: Readonly<Record<string, Own.OwnLevel>> = {
  "item.id": "item",
  "campaign.id": "campaign",
  query: "cluster"
}

interface Join {
  readonly column: string
  readonly level: Own.OwnLevel
}

const readJoin = (root: Node, problems: Problems): Join | undefined => {
  const found = Amounts.keyed(root, "join")
  if (found === undefined) return undefined
  const parts = /^\s*([a-z.]+)\s*=\s*(\S.*?)\s*$/.exec(found.node.text)
  const [level, column] = [keys[parts?.[1] ?? ""], parts?.[2]]
  if (level !== undefined && column !== undefined) return { column, level }
  const message =
    "join: says which column holds the item's number, the campaign's number or the query: item.id = nm, campaign.id = id, query = phrase"
  return problems.error("K16", found.node.range, message, "item.id = nm")
}

const readFields = (
  root: Node,
  level: Own.OwnLevel | undefined,
  named: Map<string, string>,
  problems: Problems
): ReadonlyArray<FactColumn> => {
  const found = entry(root, "fields")
  if (found === undefined) return []
  if (found.value._tag !== "Map" || found.value.entries.length === 0) {
    problems.error(
      "K16",
      found.keyRange,
      `fields: holds names with columns, such as ${level ?? "item"}.cost:`
    )
    return []
  }
  return found.value.entries.flatMap((field) => readField(field, level, named, problems) ?? [])
}

/** `level` is that of the join; undefined when it could not be read, and then of no field either. */
const readField = (
  field: Entry,
  level: Own.OwnLevel | undefined,
  named: Map<string, string>,
  problems: Problems
): FactColumn | undefined => {
  const { key: word, keyRange, value } = field
  const before = problems.count
  const own = Own.levelOf(word)
  if (level !== undefined && own !== level) {
    const tail = word
      .replace(/^(item|campaign|cluster|query)\./, "")
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, "_")
    const fix = /^[a-z]/.test(tail) ? `${level}.${tail}` : undefined
    const message =
      own === undefined
        ? `An own field is called ${level}. and a word of latin letters.`
        : `join: finds rows per ${level}, so the field is called ${level}. and a word.`
    problems.error("K16", keyRange, message, fix)
  } else if (Vocabulary.resolve(word, "cluster") !== undefined || Vocabulary.byFactId(word) !== undefined) {
    problems.error("K16", keyRange, `${word} is a field already. Choose another name.`, `${word}_own`)
  }
  const other = named.get(word)
  if (other !== undefined) {
    problems.error("K18", keyRange, `${word} is already in ${other}. Names must differ.`)
  }
  named.set(word, problems.source.file)
  Shape.check(Schema.FactColumn, value, { key: word, range: keyRange }, problems)
  const type = textAt(value, "type")
  const column = textAt(value, "column")
  if (problems.count > before || type === undefined || column === undefined) return undefined
  if (!Object.hasOwn(Own.types, type) || own === undefined) return undefined
  const name = type as Own.TypeName
  return { fact: Own.make(word, own, name), column, type: name, node: entry(value as MapNode, "column")! }
}

/** The rows of a table, the first with the names of its columns; or the reason why there are none. */
export const rowsOf = (
  data: DataFile,
  root: Node | undefined,
  problems: Problems
): ReadonlyArray<DataRow> | undefined => {
  const at = entry(get(root, "source"), "csv")?.value.range ?? root?.range ?? { start: 0, end: 0 }
  switch (data.content._tag) {
    case "Missing":
      return problems.error(
        "F01",
        at,
        `There is no file ${data.path}. The path starts at this file's folder.`
      )
    case "Unreadable": {
      const { line, why } = data.content
      const where = line === undefined ? data.path : `${data.path}:${line}`
      return problems.error("F01", at, `${where} cannot be read: ${why}`)
    }
    case "Rows":
      if (data.content.rows.length > 0) return data.content.rows
      return problems.error("F01", at, `${data.path} is empty. Its first line names the columns.`)
  }
}

const place = (
  header: ReadonlyArray<string>,
  column: string,
  node: Entry,
  data: DataFile,
  problems: Problems
): number | undefined => {
  const at = header.indexOf(column)
  if (at >= 0 && header.indexOf(column, at + 1) < 0) return at
  const { range } = node.value
  if (at >= 0) return problems.error("F02", range, `${data.path} has two columns ${column}. Rename one.`)
  const names = header.filter((name) => name !== "").slice(0, 12)
  const hint =
    data.linkedTo !== undefined
      ? `It is a link to ${data.linkedTo}, outside of its folder, so its columns are not told.`
      : names.length < 2
        ? `Its first line is one name only: "${(names[0] ?? "").slice(0, 60)}". Look at delimiter:`
        : `It has ${names.join(", ")}.`
  return problems.error("F02", range, `${data.path} has no column "${column}". ${hint}`)
}

/** F05 where a table is older than its own file lets it be. */
export const tooOld = (
  { modifiedMs, path, readMs }: DataFile,
  maxAgeMs: number | undefined,
  root: Node,
  problems: Problems
): void => {
  if (maxAgeMs === undefined || readMs - modifiedMs <= maxAgeMs) return
  const age = When.length(readMs - modifiedMs)
  const message = `${path} was written ${age} ago, longer than max_age: its values are not used. Export it anew.`
  problems.warning("F05", entry(root, "max_age")!.value.range, message)
}
