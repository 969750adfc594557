/**
 * The append-only chain of what the journal recorded. Rows are written in the transaction of the change they tell of,
 * so that neither is ever there without the other.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import { storable } from "../../domain/Storable.js"
import * as Dialect from "../clients/Dialect.js"
import * as Statements from "../clients/Statements.js"
import { type AuditEntry, type AuditRow, genesis, sha256 } from "./AuditEntry.js"

/** Rows per statement, so that its one parameter stays small. */
const batch = 500

/**
 * Appends entries to the chain of an account, in their order. Call it inside the transaction of what they tell of. Make
 * the entries of a long run while they are asked for: then they are forgotten as fast as they are written.
 */
export const append = (
  sql: SqlClient.SqlClient,
  account: string,
  entries: Iterable<AuditEntry>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    let head: Head | undefined
    for (const some of inBatches(entries)) {
      const { hash, seq }: Head = head ?? (yield* lockHead(sql, account))
      const rows = following(account, seq, hash, some)
      yield* insert(sql, rows)
      head = rows
    }
    if (head === undefined) return
    const { hash, seq } = head
    yield* sql`UPDATE audit_heads SET seq = ${seq}, hash = ${hash} WHERE account = ${account}`
  })

function* inBatches(entries: Iterable<AuditEntry>): Generator<ReadonlyArray<AuditEntry>> {
  let some: Array<AuditEntry> = []
  for (const entry of entries) {
    if (some.push(entry) < batch) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/** Of a stored change, for the row that says it was planned. */
export const contentOf = (slot: string, change: string): string => sha256(`${slot}\n${change}`)

/**
 * What all rows have in common is one parameter each, the rest of all rows is one more, and their hashes another: a
 * statement with a parameter for each value takes several times as long, and so does taking hashes out of JSON.
 */
const insert = (
  sql: SqlClient.SqlClient,
  { common, from, hashes, json, own, previous, values }: AuditRows
): Effect.Effect<unknown, SqlError> => {
  const { numbered, other } = Dialect.isPostgres(sql) ? postgres : sqlite
  const names = [...common, ...own, "seq", "previous", "hash"]
  const taken = [
    ...common.map(numbered),
    ...own.map((column, at) => other(column, own.length > 1 ? at : undefined))
  ]
  return Statements.inside(
    sql.unsafe(
      `INSERT INTO audit (${names.join(", ")}) SELECT ${taken.join(", ")}, ${Dialect.pick(sql, chained(common.length))}`,
      [...values, from, previous, Buffer.from(hashes, "latin1"), json]
    )
  )
}

type Column = HashedColumn

const typeOf = (column: Column) => (column === "at" ? "bigint" : "text")

/** A parameter, and what is in the JSON of a row: at a place in a list, or alone. */
const sqlite = {
  numbered: (_: Column, at: number) => `?${at + 1}`,
  other: (_: Column, at: number | undefined) => (at === undefined ? "value" : `value ->> ${at}`)
}

const postgres = {
  numbered: (column: Column, at: number) => `$${at + 1}::${typeOf(column)}`,
  other: (column: Column, at: number | undefined) =>
    `(value ${at === undefined ? "#>> '{}'" : `->> ${at}`})::${typeOf(column)}`
}

/** Number and hashes of the rows, and where the rows come from, after so many parameters. */
const chained = (before: number) => {
  const [from, previous, hashes, json] = [before + 1, before + 2, before + 3, before + 4]
  return {
    sqlite: `?${from} + key,
      CASE key WHEN 0 THEN ?${previous} ELSE CAST(substr(?${hashes}, 64 * key - 63, 64) AS TEXT) END,
      CAST(substr(?${hashes}, 64 * key + 1, 64) AS TEXT) FROM json_each(?${json})`,
    postgres: `$${from}::bigint + n - 1,
      CASE n WHEN 1 THEN $${previous}::text
        ELSE convert_from(substr($${hashes}::bytea, (64 * n - 127)::int, 64), 'UTF8') END,
      convert_from(substr($${hashes}::bytea, (64 * n - 63)::int, 64), 'UTF8')
      FROM json_array_elements($${json}::json) WITH ORDINALITY AS rows (value, n)`
  }
}

interface Head {
  readonly seq: number
  readonly hash: string
}

/**
 * Reads the end of the chain for writing. PostgreSQL is told so by an update, so that no other transaction can read it
 * meanwhile; SQLite's transactions are alone from their start.
 */
const lockHead = (sql: SqlClient.SqlClient, account: string): Effect.Effect<Head, SqlError> =>
  Effect.gen(function* () {
    const found = yield* Dialect.isPostgres(sql)
      ? sql<Head>`UPDATE audit_heads SET seq = seq WHERE account = ${account} RETURNING seq, hash`
      : sql<Head>`SELECT seq, hash FROM audit_heads WHERE account = ${account}`
    if (found[0] !== undefined) return found[0]
    const made = yield* sql<Head>`INSERT INTO audit_heads (account, seq, hash, purged_seq, purged_hash)
      VALUES (${account}, 0, ${genesis}, 0, ${genesis})
      ON CONFLICT (account) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash`
    return made[0]!
  })

// Rows of the audit chain for one statement. A long run writes tens of thousands that differ in little: what they
// have in common is looked at and written out once, and each text that is hashed is put together once.

/** The columns that entries fill; the chain adds number and hashes. */
type HashedColumn = Exclude<keyof AuditRow, "seq" | "previous" | "hash">

interface AuditRows {
  /** Columns that have the same value in all rows, and those values. */
  readonly common: ReadonlyArray<HashedColumn>
  readonly values: ReadonlyArray<string | number | null>
  /** The other columns. */
  readonly own: ReadonlyArray<HashedColumn>
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
const following = (
  account: string,
  seq: number,
  hash: string,
  entries: ReadonlyArray<AuditEntry>
): AuditRows => {
  const first = entries[0]!
  const own = ofEntry.filter((column) => differs(entries, valueIn[column]))
  const common: ReadonlyArray<HashedColumn> = [
    "account",
    ...ofEntry.filter((column) => !own.includes(column))
  ]
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

type OfEntry = Exclude<HashedColumn, "account">

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

type Hashed = HashedColumn | "seq" | "previous"

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
