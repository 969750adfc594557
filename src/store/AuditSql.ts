/**
 * The append-only chain of what the journal recorded. Rows are written in the transaction of the change they tell of,
 * so that neither is ever there without the other.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { type AuditEntry, type AuditRow, genesis, link, sha256 } from "./AuditEntry.js"
import * as Dialect from "./Dialect.js"

/** Rows per statement, so that its one parameter stays small. */
const batch = 500

/** Appends entries to the chain of an account, in their order. Call it inside the transaction of what they tell of. */
export const append = (
  sql: SqlClient.SqlClient,
  account: string,
  entries: ReadonlyArray<AuditEntry>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (entries.length === 0) return
    const head = yield* lockHead(sql, account)
    let { hash, seq } = head
    for (let from = 0; from < entries.length; from += batch) {
      const rows: Array<AuditRow> = []
      for (const entry of entries.slice(from, from + batch)) {
        const row = link(account, ++seq, hash, entry)
        hash = row.hash
        rows.push(row)
      }
      yield* insert(sql, rows)
    }
    yield* sql`UPDATE audit_heads SET seq = ${seq}, hash = ${hash} WHERE account = ${account}`
  })

/** Of a stored change, for the row that says it was planned. */
export const contentOf = (slot: string, change: string): string => sha256(`${slot}\n${change}`)

const columns = [
  "account",
  "seq",
  "at",
  "who",
  "what",
  "why",
  "before_value",
  "after_value",
  "state",
  "run_id",
  "change_id",
  "content",
  "previous",
  "hash"
] as const

/**
 * What all rows have in common is one parameter each, the rest of all rows is one more: a statement with a parameter
 * for each value takes several times as long, and so does taking the same words out of each row.
 */
const insert = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<AuditRow>
): Effect.Effect<unknown, SqlError> => {
  const first = rows[0]!
  const own = columns.filter((column) => rows.some((row) => row[column] !== first[column]))
  const common = columns.filter((column) => !own.includes(column))
  const parameters = [
    ...common.map((column) => first[column]),
    JSON.stringify(rows.length === 1 ? [[]] : rows.map((row) => own.map((column) => row[column])))
  ]
  const texts = Dialect.isPostgres(sql) ? postgres : sqlite
  const values = [...common.map((column, at) => texts.common(column, at)), ...own.map(texts.own)]
  return sql.unsafe(
    `INSERT INTO audit (${[...common, ...own].join(", ")}) SELECT ${values.join(", ")} FROM ${texts.rows(common.length)}`,
    parameters
  )
}

type Column = (typeof columns)[number]

const sqlite = {
  common: () => "?",
  own: (_: Column, at: number) => `value ->> ${at}`,
  rows: () => "json_each(?)"
}

const typeOf = (column: Column) => (column === "seq" || column === "at" ? "bigint" : "text")

const postgres = {
  common: (column: Column, at: number) => `$${at + 1}::${typeOf(column)}`,
  own: (column: Column, at: number) => `(value ->> ${at})::${typeOf(column)}`,
  rows: (count: number) => `json_array_elements($${count + 1}::json) AS rows (value)`
}

interface Head {
  readonly seq: number
  readonly hash: string
}

/** Reads the end of the chain for writing: an update, so that no other transaction can read it meanwhile. */
const lockHead = (sql: SqlClient.SqlClient, account: string): Effect.Effect<Head, SqlError> =>
  Effect.gen(function* () {
    const found =
      yield* sql<Head>`UPDATE audit_heads SET seq = seq WHERE account = ${account} RETURNING seq, hash`
    if (found[0] !== undefined) return found[0]
    const made = yield* sql<Head>`INSERT INTO audit_heads (account, seq, hash, purged_seq, purged_hash)
      VALUES (${account}, 0, ${genesis}, 0, ${genesis})
      ON CONFLICT (account) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash`
    return made[0]!
  })
