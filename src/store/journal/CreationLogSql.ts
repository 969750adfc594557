/** Creations without a key in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CreationReason } from "../../domain/CreationReason.js"
import type { Lane } from "../../domain/Lane.js"
import { type Creation, CreationLog } from "../../engine/door/CreationLog.js"
import { type JournalState, openStates } from "../../engine/door/Journal.js"
import * as OneOrAll from "../audit/OneOrAll.js"
import * as Transaction from "../clients/Transaction.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<CreationLog, never, SqlClient.SqlClient> = Layer.effect(
  CreationLog,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    begin: (creation) =>
      Transaction.run(
        sql,
        "record what is to be created",
        Effect.asVoid(sql`INSERT INTO creations
          (id, account, lane, operation, marker, request_hash, before_ids, state, stored_at, updated_at)
          VALUES (${creation.id}, ${creation.account}, ${creation.lane}, ${creation.operation},
            ${creation.marker}, ${creation.requestHash}, ${JSON.stringify(creation.beforeIds)}, ${creation.state},
            ${Math.floor(creation.storedAt)}, ${Math.floor(creation.storedAt)})`)
      ),
    move: (id, from, to, note) =>
      Transaction.run(
        sql,
        `record that a creation is ${to}`,
        Effect.map(
          sql`UPDATE creations SET state = ${to}, updated_at = ${Math.floor(note.nowMs)},
            found_id = COALESCE(${note.foundId ?? null}, found_id),
            reason = COALESCE(${note.reason === undefined ? null : JSON.stringify(note.reason)}, reason)
            WHERE id = ${id} AND state IN ${sql.in(from)} RETURNING id`,
          (rows) => rows.length > 0
        )
      ),
    made: ({ account, marker, operation }) =>
      Transaction.read(
        sql,
        "read what was created under the name",
        Effect.map(
          sql<MadeRow>`SELECT found_id, updated_at FROM creations WHERE account = ${account}
            AND operation = ${operation} AND marker = ${marker} AND state = 'applied' AND found_id IS NOT NULL
            ORDER BY updated_at DESC, id DESC LIMIT 1`,
          ([row]) =>
            row === undefined ? undefined : { foundId: row.found_id, knownAt: Number(row.updated_at) }
        )
      ),
    one: (id) =>
      Transaction.read(
        sql,
        "read a creation",
        Effect.map(sql<Row>`SELECT * FROM creations WHERE id = ${id}`, ([row]) =>
          row === undefined ? undefined : toCreation(row)
        )
      ),
    open: (account, lane) =>
      Transaction.read(
        sql,
        "read the open creations",
        Effect.map(
          sql<Row>`SELECT * FROM creations WHERE account = ${account} AND state IN ${sql.in(openStates)}
            AND ${OneOrAll.where(sql, lane, (one) => sql`lane = ${one}`)} ORDER BY stored_at, id`,
          (rows) => rows.map(toCreation)
        )
      )
  }))
)

interface Row {
  readonly id: string
  readonly account: string
  readonly lane: Lane
  readonly operation: string
  readonly marker: string
  readonly request_hash: string
  readonly before_ids: string
  readonly state: JournalState
  readonly found_id: string | null
  readonly reason: string | null
  readonly stored_at: number
  readonly updated_at: number
}

interface MadeRow {
  readonly found_id: string
  readonly updated_at: number
}

/** Written by this program only. */
const toCreation = (row: Row): Creation => ({
  id: row.id,
  account: row.account,
  lane: row.lane,
  operation: row.operation,
  marker: row.marker,
  requestHash: row.request_hash,
  beforeIds: JSON.parse(row.before_ids) as ReadonlyArray<string>,
  state: row.state,
  foundId: row.found_id ?? undefined,
  reason: row.reason === null ? undefined : (JSON.parse(row.reason) as CreationReason),
  storedAt: Number(row.stored_at),
  updatedAt: Number(row.updated_at)
})
