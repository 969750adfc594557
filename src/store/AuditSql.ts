/**
 * The append-only chain of what the journal recorded. Rows are written in the transaction of the change they tell of,
 * so that neither is ever there without the other.
 */
import { createHash } from "node:crypto"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { type AuditEntry, type AuditRow, genesis, link } from "./AuditEntry.js"
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
      yield* sql.unsafe(Dialect.pick(sql, insert), [JSON.stringify(rows)])
    }
    yield* sql`UPDATE audit_heads SET seq = ${seq}, hash = ${hash} WHERE account = ${account}`
  })

/** Of a stored change, for the row that says it was planned. */
export const contentOf = (slot: string, change: string): string =>
  createHash("sha256").update(slot).update("\n").update(change).digest("hex")

const columns =
  "account, seq, at, who, what, why, before_value, after_value, state, run_id, change_id, content, previous, hash"

/** All rows as one parameter: a statement with a parameter for each value takes several times as long. */
const insert = {
  sqlite: `INSERT INTO audit (${columns}) SELECT ${columns
    .split(", ")
    .map((column) => `value ->> '${column}'`)
    .join(", ")} FROM json_each(?)`,
  postgres: `INSERT INTO audit (${columns}) SELECT ${columns} FROM json_to_recordset($1::json) AS rows (${columns
    .split(", ")
    .map((column) => `${column} ${column === "seq" || column === "at" ? "bigint" : "text"}`)
    .join(", ")})`
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
