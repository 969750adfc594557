/**
 * Rows of the audit chain for one statement. A long run writes tens of thousands that differ in little: what they have
 * in common is looked at and written out once, and each text that is hashed is put together once.
 */

import * as Hash from "../../domain/Hash.js"
import { storable } from "../../domain/Storable.js"
import { type AuditEntry, type AuditRow, sha256 } from "./AuditEntry.js"

/** The columns that entries fill; the chain adds number and hashes. */
export type Column = Exclude<keyof AuditRow, "seq" | "previous" | "hash">

export interface AuditRows {
  /** Columns that have the same value in all rows, and those values. */
  readonly common: ReadonlyArray<Column>
  readonly values: ReadonlyArray<string | number | null>
  /** The other columns. */
  readonly own: ReadonlyArray<Column>
  /** A list of the rows as JSON: each the value of its only own column, or a list of the values of all of them. */
  readonly json: string
  /** Number of the first row, and the hash of the row before it. */
  readonly from: number
  readonly previous: string
  /** Of all rows, 64 characters each. */
  readonly hashes: string
  /** Of the last row. */
  readonly seq: number
  readonly hash: string
}

/** The rows that follow the row `seq` with its hash; at least one. */
export const following = (
  account: string,
  seq: number,
  hash: string,
  entries: ReadonlyArray<AuditEntry>
): AuditRows => {
  const first = entries[0]!
  const own = ofEntry.filter((column) => differs(entries, valueIn[column]))
  const common: ReadonlyArray<Column> = ["account", ...ofEntry.filter((column) => !own.includes(column))]
  const values = common.map((column) => (column === "account" ? account : valueIn[column](first)))
  const { parts, tail } = partsOf(new Map(common.map((column, at) => [column, values[at] ?? null])))
  let [last, previous, hashes, rows] = [seq, hash, "", ""]
  for (const entry of entries) {
    last++
    let [text, row] = ["", ""]
    for (const { lead, of } of parts) {
      if (of === "seq") text += lead + last
      // What a store holds may be anything; a hash that was just made is in no need of quoting.
      else if (of === "previous") text += lead + (previous === hash ? Hash.canonical(hash) : `"${previous}"`)
      else {
        const value = Hash.canonical(of(entry))
        text += lead + value
        row = row === "" ? value : `${row},${value}`
      }
    }
    previous = sha256(text + tail)
    hashes += previous
    rows += `${rows === "" ? "" : ","}${own.length === 1 ? row : `[${row}]`}`
  }
  const json = `[${rows}]`
  return { common, values, own, json, from: seq + 1, previous: hash, hashes, seq: last, hash: previous }
}

type Read = (entry: AuditEntry) => string | number | null

const differs = (entries: ReadonlyArray<AuditEntry>, read: Read): boolean => {
  const value = read(entries[0]!)
  for (let at = 1; at < entries.length; at++) if (read(entries[at]!) !== value) return true
  return false
}

type OfEntry = Exclude<Column, "account">

const valueIn: { readonly [column in OfEntry]: Read } = {
  after_value: ({ after }) => after ?? null,
  at: ({ at }) => Math.floor(at),
  before_value: ({ before }) => before ?? null,
  change_id: ({ changeId }) => changeId ?? null,
  content: ({ content }) => content ?? null,
  run_id: ({ runId }) => runId ?? null,
  state: ({ state }) => state ?? null,
  what: ({ what }) => what,
  // Words of the marketplace, such as a campaign's name; the other texts are JSON, which escapes.
  who: ({ who }) => storable(who),
  why: ({ why }) => (why === undefined ? null : storable(why))
}

type Hashed = Column | "seq" | "previous"

/** In the order in which `AuditEntry.hashOf` hashes them. */
const hashed = [
  "account",
  "after_value",
  "at",
  "before_value",
  "change_id",
  "content",
  "previous",
  "run_id",
  "seq",
  "state",
  "what",
  "who",
  "why"
] as const satisfies ReadonlyArray<Hashed>

const ofEntry = hashed.filter((column) => column !== "account" && column !== "seq" && column !== "previous")

/** The canonical JSON of a row, cut before each value that rows do not share. */
const partsOf = (shared: ReadonlyMap<Hashed, string | number | null>) => {
  const parts: Array<{ readonly lead: string; readonly of: Read | "seq" | "previous" }> = []
  let lead = ""
  for (const column of hashed) {
    lead += `${lead === "" && parts.length === 0 ? "{" : ","}"${column}":`
    const value = shared.get(column)
    if (column === "account" || value !== undefined) lead += Hash.canonical(value)
    else {
      parts.push({ lead, of: column === "seq" || column === "previous" ? column : valueIn[column] })
      lead = ""
    }
  }
  return { parts, tail: `${lead}}` }
}
