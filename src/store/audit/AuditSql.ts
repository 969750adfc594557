/**
 * The append-only chain of what the journal recorded. Rows are written in the transaction of the change they tell of,
 * so that neither is ever there without the other.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Dialect from "../clients/Dialect.js"
import * as Transaction from "../clients/Transaction.js"
import { type AuditEntry, genesis, sha256 } from "./AuditEntry.js"
import * as AuditRows from "./AuditRows.js"

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
      const rows = AuditRows.following(account, seq, hash, some)
      yield* insert(sql, rows)
      head = rows
    }
    if (head === undefined) return
    const { hash, seq } = head
    yield* Transaction.inside(
      sql`UPDATE audit_heads SET seq = ${seq}, hash = ${hash} WHERE account = ${account}`
    )
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
  { common, from, hashes, json, own, previous, values }: AuditRows.AuditRows
): Effect.Effect<unknown, SqlError> => {
  const { numbered, other } = Dialect.isPostgres(sql) ? postgres : sqlite
  const names = [...common, ...own, "seq", "previous", "hash"]
  const taken = [
    ...common.map(numbered),
    ...own.map((column, at) => other(column, own.length > 1 ? at : undefined))
  ]
  return Transaction.inside(
    sql.unsafe(
      `INSERT INTO audit (${names.join(", ")}) SELECT ${taken.join(", ")}, ${Dialect.pick(sql, chained(common.length))}`,
      [...values, from, previous, Buffer.from(hashes, "latin1"), json]
    )
  )
}

type Column = AuditRows.Column

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
    const found = yield* Transaction.inside(
      Dialect.isPostgres(sql)
        ? sql<Head>`UPDATE audit_heads SET seq = seq WHERE account = ${account} RETURNING seq, hash`
        : sql<Head>`SELECT seq, hash FROM audit_heads WHERE account = ${account}`
    )
    if (found[0] !== undefined) return found[0]
    const made = yield* sql<Head>`INSERT INTO audit_heads (account, seq, hash, purged_seq, purged_hash)
      VALUES (${account}, 0, ${genesis}, 0, ${genesis})
      ON CONFLICT (account) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash`
    return made[0]!
  })
