/** Report tasks in the SQL store: one row of `reports` per task. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountName, ReportId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import {
  type ReportState,
  ReportStore,
  ReportStoreFailure,
  type StoredReport
} from "../../services/ports/ReportStore.js"
import * as Transaction from "../clients/Transaction.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<ReportStore, never, SqlClient.SqlClient> = Layer.effect(
  ReportStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const run = <A>(action: string, body: Effect.Effect<A, SqlError>) =>
      Effect.mapError(Transaction.run(sql, action, body), failure)
    return {
      save: (report) =>
        run(
          "record the report task",
          sql`INSERT INTO reports (id, account, request, state, stored_at, asked_at, retries, ready_at, detail,
            updated_at)
            VALUES (${report.id}, ${report.account}, ${report.request}, ${report.state}, ${report.storedAt},
              ${report.askedAt ?? null}, ${report.retries}, ${report.readyAt ?? null}, ${report.detail ?? null},
              ${report.updatedAt})
            ON CONFLICT (id) DO UPDATE SET state = excluded.state, asked_at = excluded.asked_at,
              retries = excluded.retries, ready_at = excluded.ready_at, detail = excluded.detail, updated_at = excluded.updated_at`
        ).pipe(Effect.asVoid),
      find: (id) =>
        Effect.map(run("read the report task", sql<Row>`SELECT * FROM reports WHERE id = ${id}`), ([row]) =>
          row === undefined ? undefined : toReport(row)
        ),
      open: (account) =>
        Effect.map(
          run(
            "read the open report tasks",
            sql<Row>`SELECT * FROM reports WHERE account = ${account} AND state IN ('stored', 'asked')
              ORDER BY stored_at, id`
          ),
          (rows) => rows.map(toReport)
        )
    }
  })
)

interface Row {
  readonly id: string
  readonly account: string
  readonly request: string
  readonly state: string
  readonly stored_at: number
  readonly asked_at: number | null
  readonly retries: number
  readonly ready_at: number | null
  readonly detail: string | null
  readonly updated_at: number
}

const toReport = (row: Row): StoredReport => ({
  id: ReportId.make(row.id),
  account: AccountName(row.account),
  request: row.request,
  state: row.state as ReportState,
  storedAt: row.stored_at,
  askedAt: row.asked_at ?? undefined,
  retries: row.retries,
  readyAt: row.ready_at ?? undefined,
  detail: row.detail ?? undefined,
  updatedAt: row.updated_at
})

const failure = (error: StoreFailure) => new ReportStoreFailure({ message: error.message, cause: error })
