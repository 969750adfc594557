/** The past of slots and undoes in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Transaction from "../clients/Transaction.js"
import * as BrowsingSql from "./BrowsingSql.js"
import * as JournalRows from "./JournalRows.js"

type Methods = Context.Tag.Service<ChangeLog>

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<ChangeLog, never, SqlClient.SqlClient> = Layer.effect(
  ChangeLog,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...changes(sql),
    ...undoes(sql),
    ...BrowsingSql.methods(sql)
  }))
)

/** Names per statement: databases bound how many a statement may hold. */
const rowsPerStatement = 500

const changes = (
  sql: SqlClient.SqlClient
): Pick<Methods, "ofSlots" | "ofSlotsNamed" | "named" | "applied" | "appliedNamed" | "refused"> => ({
  ofSlots: (account, slots, sinceMs = 0) =>
    inParts(
      sql,
      "read what was done to these targets",
      slots,
      (some) => sql<JournalRows.ChangeRow>`
      SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
      WHERE changes.account = ${account} AND slot IN ${sql.in(some)}
      AND ${sql.literal(stands)}
      AND COALESCE(sent_at, updated_at) >= ${Math.floor(sinceMs)}
      ORDER BY slot, nth`
    ).pipe(Effect.flatMap(Effect.forEach(JournalRows.toRow))),
  ofSlotsNamed: (account, prefix, sinceMs = 0) =>
    Transaction.read(sql, "read what was done to targets of this kind", function* () {
      const rows = yield* sql<JournalRows.ChangeRow>`
          SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
          WHERE changes.account = ${account} AND slot >= ${prefix} AND slot < ${`${prefix}~`}
          AND began_at >= ${Math.floor(sinceMs)}
          ORDER BY runs.started_at, run_id, position`
      return yield* Effect.forEach(rows, JournalRows.toRow)
    }),
  named: (account, idPrefix) =>
    Transaction.read(sql, "look a change up", function* () {
      const rows = yield* sql<JournalRows.ChangeRow>`
          SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
          WHERE changes.account = ${account} AND change_id >= ${idPrefix} AND change_id < ${`${idPrefix}~`}
          ORDER BY nth DESC, run_id DESC
          LIMIT 100`
      return yield* Effect.forEach(rows, JournalRows.toRow)
    }),
  refused: (account, sinceMs) =>
    Transaction.read(sql, "read what was refused", function* () {
      const rows = yield* refusedSince(sql, account, sinceMs)
      // The pattern is a sieve: PostgreSQL reads no JSON with half a character in somebody's words.
      const read = yield* Effect.forEach(rows, JournalRows.toRow)
      return read.filter(({ reason, state }) => state === "rejected" || reason?.code === "unfit")
    }),
  applied: (account, policies, sinceMs) =>
    inParts(sql, "read the changes to watch", policies, (some) =>
      appliedSince(sql, account, some, sinceMs)
    ).pipe(Effect.flatMap(Effect.forEach(JournalRows.toRow))),
  appliedNamed: (account, prefix, sinceMs) =>
    Transaction.read(sql, "read how values of this kind moved", function* () {
      const rows = yield* appliedNamedSince(sql, account, prefix, sinceMs)
      return yield* Effect.forEach(rows, JournalRows.toRow)
    })
})

/** The states stand as in the index: SQLite takes a partial one for no others, even where they mean the same. */
export const refusedSince = (sql: SqlClient.SqlClient, account: string, sinceMs: number) =>
  sql<JournalRows.ChangeRow>`
  SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
  WHERE changes.account = ${account} AND updated_at >= ${Math.floor(sinceMs)}
  AND state IN ('rejected', 'skipped') AND (state = 'rejected' OR reason LIKE '%"unfit"%')
  ORDER BY updated_at, run_id, position`

/** What left, or may have left, and was not refused. */
export const stands = "state IN ('dispatching', 'accepted', 'unknown', 'applied', 'parked')"

/**
 * A change leaves within hours of its run's beginning, by which the changes of a policy are indexed. Far more than that:
 * of one that left right before the machine slept it is only noted when it wakes.
 */
const leavesWithinMs = 14 * 86_400_000

/** Changes that these policies made, seen in place, and sent since an instant; oldest first. */
export const appliedSince = (
  sql: SqlClient.SqlClient,
  account: string,
  policies: ReadonlyArray<string>,
  sinceMs: number
) => sql<JournalRows.ChangeRow>`
  SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
  WHERE changes.account = ${account} AND policy IN ${sql.in(policies)} AND state = 'applied'
  AND began_at >= ${Math.floor(sinceMs) - leavesWithinMs}
  AND COALESCE(sent_at, updated_at) >= ${Math.floor(sinceMs)}
  ORDER BY COALESCE(sent_at, updated_at), runs.started_at, run_id, position`

/** When a change of a slot was sent stands in the index: nothing else is read of those that left before the instant. */
export const appliedNamedSince = (
  sql: SqlClient.SqlClient,
  account: string,
  prefix: string,
  sinceMs: number
) => sql<JournalRows.ChangeRow>`
  SELECT changes.*, runs.plan_id FROM
    (SELECT run_id, change_id FROM changes WHERE account = ${account}
      AND slot >= ${prefix} AND slot < ${`${prefix}~`} AND sent_at >= ${Math.floor(sinceMs)}) AS found
    JOIN changes USING (run_id, change_id) JOIN runs USING (run_id)
  WHERE state = 'applied' ORDER BY sent_at, runs.started_at, run_id, position`

const undoes = (sql: SqlClient.SqlClient): Pick<Methods, "undone"> => ({
  undone: (runIds) =>
    Effect.map(
      inParts(
        sql,
        "read what was taken back",
        runIds,
        (some) => sql<UndoneRow>`
        SELECT undone_run, run_id, COUNT(*) AS number FROM undoes JOIN changes USING (run_id, change_id)
        WHERE undone_run IN ${sql.in(some)} AND state = 'applied'
        GROUP BY undone_run, run_id ORDER BY undone_run, run_id`
      ),
      (rows) =>
        rows.map((row) => ({ runId: row.undone_run, byRunId: row.run_id, changes: Number(row.number) }))
    )
})

interface UndoneRow {
  readonly undone_run: string
  readonly run_id: string
  readonly number: number
}

/** One transaction; some of the names at a time. */
export const inParts = <Row>(
  sql: SqlClient.SqlClient,
  action: string,
  names: ReadonlyArray<string>,
  read: (some: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, SqlError>
) =>
  Transaction.read(sql, action, function* () {
    const found: Array<Row> = []
    for (const some of Arr.chunksOf(names, rowsPerStatement)) {
      // One by one: a call takes some hundred thousand arguments at most.
      for (const row of yield* read(some)) found.push(row)
    }
    return found
  })

/** Says which changes the rows of a run that just began take back; part of the transaction that began it. */
export const record = (
  sql: SqlClient.SqlClient,
  runId: string,
  rows: ReadonlyArray<{ readonly change: Change }>
) =>
  Effect.forEach(
    rows,
    ({ change: { id, undoes } }) =>
      undoes === undefined
        ? Effect.void
        : Effect.asVoid(sql`INSERT INTO undoes (run_id, change_id, undone_run, undone_change)
            VALUES (${runId}, ${id}, ${undoes.runId}, ${undoes.changeId})`),
    { discard: true }
  )
