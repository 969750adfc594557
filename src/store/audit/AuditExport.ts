/**
 * The journal as lines of JSON, for other programs: `{"version":1,"kind":"run"|"change"|"audit",…}`, read page by page.
 * Field names are part of the contract. Tokens are never in the store, so they cannot be in here.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Failure from "../clients/Failure.js"
import type { AuditRow } from "./AuditEntry.js"
import * as OneOrAll from "./OneOrAll.js"

/** Version of every line. */
const version = 1

const page = 500

/** Runs with their changes, oldest first, then the audit rows; of one account, or of all. */
export const lines = (
  account: string | undefined
): Stream.Stream<string, StoreFailure, SqlClient.SqlClient> =>
  Stream.unwrap(
    Effect.map(SqlClient.SqlClient, (sql) =>
      Stream.concat(
        Stream.flatMap(runs(sql, account), (run) =>
          Stream.concat(Stream.make(line("run", runFields(run))), changes(sql, run))
        ),
        Stream.map(audit(sql, account), (row) => line("audit", auditFields(row)))
      )
    )
  ).pipe(Stream.mapError((error) => Failure.from("export the journal", error)))

const line = (kind: string, fields: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ version, kind, ...fields })}\n`

interface RunRow {
  readonly run_id: string
  readonly account: string
  readonly plan_id: string
  readonly started_at: number
  readonly finished_at: number | null
  readonly status: string
  readonly counts: string
  readonly approved_by: string | null
}

const runs = (sql: SqlClient.SqlClient, account: string | undefined) =>
  paged<RunRow, readonly [number, string]>(
    [Number.MIN_SAFE_INTEGER, ""],
    ([
      at,
      id
    ]) => sql<RunRow>`SELECT run_id, account, plan_id, started_at, finished_at, status, counts, approved_by
      FROM runs WHERE (started_at > ${at} OR (started_at = ${at} AND run_id > ${id}))
      AND ${OneOrAll.where(sql, account, (one) => sql`account = ${one}`)}
      ORDER BY started_at, run_id LIMIT ${page}`,
    (row) => [row.started_at, row.run_id]
  )

const runFields = (row: RunRow) => ({
  runId: row.run_id,
  account: row.account,
  planId: row.plan_id,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  status: row.status,
  counts: JSON.parse(row.counts) as unknown,
  approvedBy: row.approved_by
})

interface ChangeRow {
  readonly change_id: string
  readonly position: number
  readonly slot: string
  readonly policy: string
  readonly change: string
  readonly state: string
  readonly operation: string | null
  readonly request_hash: string | null
  readonly reason: string | null
  readonly updated_at: number
  readonly sent_at: number | null
}

const changes = (sql: SqlClient.SqlClient, run: RunRow) =>
  Stream.map(
    paged<ChangeRow, number>(
      -1,
      (
        position
      ) => sql<ChangeRow>`SELECT change_id, position, slot, policy, change, state, operation, request_hash,
        reason, updated_at, sent_at FROM changes
        WHERE run_id = ${run.run_id} AND position > ${position} ORDER BY position LIMIT ${page}`,
      (row) => row.position
    ),
    (row) =>
      line("change", {
        runId: run.run_id,
        changeId: row.change_id,
        account: run.account,
        slot: row.slot,
        policy: row.policy,
        change: JSON.parse(row.change) as unknown,
        state: row.state,
        operation: row.operation,
        requestHash: row.request_hash,
        reason: row.reason === null ? null : (JSON.parse(row.reason) as unknown),
        updatedAt: row.updated_at,
        sentAt: row.sent_at
      })
  )

const audit = (sql: SqlClient.SqlClient, account: string | undefined) =>
  paged<AuditRow, readonly [string, number]>(
    ["", 0],
    ([name, seq]) => sql<AuditRow>`SELECT * FROM audit
      WHERE (account > ${name} OR (account = ${name} AND seq > ${seq}))
      AND ${OneOrAll.where(sql, account, (one) => sql`account = ${one}`)}
      ORDER BY account, seq LIMIT ${page}`,
    (row) => [row.account, row.seq]
  )

const auditFields = (row: AuditRow) => ({
  account: row.account,
  seq: row.seq,
  at: row.at,
  who: row.who,
  what: row.what,
  why: row.why,
  before: row.before_value,
  after: row.after_value,
  state: row.state,
  runId: row.run_id,
  changeId: row.change_id,
  content: row.content,
  previous: row.previous,
  hash: row.hash
})

/** Rows after rows, a page at a time, each page beginning behind the last row of the one before. */
const paged = <Row, Place>(
  first: Place,
  read: (after: Place) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  place: (row: Row) => Place
): Stream.Stream<Row, SqlError> =>
  Stream.paginateEffect(first, (after) =>
    Effect.map(read(after), (rows) => {
      const last = rows[rows.length - 1]
      const next = rows.length < page || last === undefined ? Option.none<Place>() : Option.some(place(last))
      return [rows, next] as const
    })
  ).pipe(Stream.mapConcat((rows) => rows))
