/**
 * Forgets what is old, a little at a time: no transaction is long enough for anybody to wait for it. Never forgotten
 * are changes whose outcome is open, and of every slot the latest applied change, on which cooldown, undo and "whose
 * value is this" rest; what a `watch:` may still ask about goes later than the rest (`RetentionChanges`).
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { openStates } from "../../engine/run/Journal.js"
import type { StoreFailure } from "../../engine/run/Ports.js"
import * as AuditPurge from "../audit/AuditPurge.js"
import * as SqliteSpace from "../clients/SqliteSpace.js"
import * as Transaction from "../clients/Transaction.js"
import * as LimiterPurge from "../limiter/LimiterPurge.js"
import * as RetentionChanges from "./RetentionChanges.js"
import { type Keep, usual } from "./RetentionDays.js"
import * as RetentionRows from "./RetentionRows.js"

/** How many rows were forgotten, or would be. */
export interface Purged extends Readonly<Record<RetentionRows.Name, number>> {
  readonly plans: number
  readonly runs: number
  readonly changes: number
  readonly audit: number
  readonly limits: number
}

const dayMs = 86_400_000

/** Rows per transaction. */
const batch = 500

/**
 * Forgets what is older than `keep` says at `nowMs`. Safe beside running commands, and to be called again after it was
 * killed at any place. On SQLite the file then shrinks by what became free.
 */
export const purge = (
  nowMs: number,
  keep: Keep = usual
): Effect.Effect<Purged, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const old = limits(nowMs, keep)
    const plans = yield* repeat(sql, "forget old plans", removePlans(sql, old.plansIso))
    const audit = yield* AuditPurge.purge(sql, old.journalMs, nowMs)
    const { changes, runs } = yield* purgeJournal(sql, old)
    const rows = yield* eachTable((name) =>
      repeat(sql, "forget old rows", removeRows(sql, RetentionRows.all[name], old))
    )
    const limiter = yield* LimiterPurge.purge(sql, nowMs)
    yield* SqliteSpace.giveBack(sql)
    return { plans, runs, changes, audit, ...rows, limits: limiter }
  })

/** What `purge` would forget; changes nothing. */
export const dryRun = (
  nowMs: number,
  keep: Keep = usual
): Effect.Effect<Purged, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const old = limits(nowMs, keep)
    const count = (rows: Effect.Effect<ReadonlyArray<{ readonly n: number }>, SqlError>) =>
      Effect.map(Transaction.run(sql, "count what is old", rows), ([row]) => Number(row?.n ?? 0))
    return {
      plans: yield* count(sql`SELECT COUNT(*) AS n FROM plans WHERE ${oldPlans(sql, old.plansIso)}`),
      runs: yield* count(sql`SELECT COUNT(*) AS n FROM runs WHERE finished_at < ${old.journalMs}
        AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.run_id = runs.run_id AND NOT (${RetentionChanges.old(sql, old.nowMs)}))`),
      changes:
        yield* count(sql`SELECT COUNT(*) AS n FROM changes WHERE ${RetentionChanges.old(sql, old.nowMs)}
        AND run_id IN (SELECT run_id FROM runs WHERE finished_at < ${old.journalMs})`),
      audit: yield* AuditPurge.count(sql, old.journalMs, nowMs),
      ...(yield* eachTable((name) => {
        const { old: isOld, table } = RetentionRows.all[name]
        return count(sql`SELECT COUNT(*) AS n FROM ${sql(table)} WHERE ${isOld(sql, old)}`)
      })),
      limits: yield* LimiterPurge.count(sql, nowMs)
    }
  })

const limits = (nowMs: number, keep: Keep) => {
  const before = (days: number) => Math.floor(nowMs - days * dayMs)
  return {
    plansMs: before(keep.plansDays),
    plansIso: new Date(before(keep.plansDays)).toISOString(),
    journalMs: before(keep.journalDays),
    reportsMs: before(keep.reportsDays),
    nowMs: Math.floor(nowMs)
  }
}

/** One number for each of the tables, one table after the other. */
const eachTable = <E>(ask: (name: RetentionRows.Name) => Effect.Effect<number, E>) =>
  Effect.all({
    reports: ask("reports"),
    holds: ask("holds"),
    turns: ask("turns"),
    approvals: ask("approvals"),
    approvedBids: ask("approvedBids"),
    operatorHolds: ask("operatorHolds"),
    edits: ask("edits"),
    creations: ask("creations"),
    figures: ask("figures")
  } satisfies Record<RetentionRows.Name, Effect.Effect<number, E>>)

const removeRows = (
  sql: SqlClient.SqlClient,
  { key, old, table }: RetentionRows.Rows,
  before: RetentionRows.Before
) => {
  const columns = sql.literal(key.join(", "))
  return sql`DELETE FROM ${sql(table)} WHERE (${columns}) IN (SELECT ${columns} FROM ${sql(table)}
    WHERE ${old(sql, before)} LIMIT ${batch}) RETURNING 1 AS gone`
}

/** Runs a statement that removes at most `batch` rows until it removes fewer; answers how many it removed. */
const repeat = (
  sql: SqlClient.SqlClient,
  action: string,
  remove: Effect.Effect<ReadonlyArray<unknown>, SqlError>
): Effect.Effect<number, StoreFailure> =>
  Effect.gen(function* () {
    let total = 0
    for (;;) {
      const { length } = yield* Transaction.run(sql, action, remove)
      total += length
      if (length < batch) return total
      // Whoever waits for the store goes first.
      yield* Effect.sleep(1)
    }
  })

const openPlans = `SELECT runs.plan_id FROM changes JOIN runs ON runs.run_id = changes.run_id
  WHERE changes.state IN (${[...openStates, "parked"].map((state) => `'${state}'`).join(", ")})`

const oldPlans = (sql: SqlClient.SqlClient, iso: string) =>
  sql`created_at < ${iso} AND plan_id NOT IN (${sql.literal(openPlans)})`

const removePlans = (sql: SqlClient.SqlClient, iso: string) =>
  Effect.gen(function* () {
    const found = yield* sql<{ plan_id: string }>`SELECT plan_id FROM plans WHERE ${oldPlans(sql, iso)}
      ORDER BY created_at LIMIT ${batch}`
    if (found.length === 0) return found
    const ids = found.map(({ plan_id }) => plan_id)
    yield* sql`DELETE FROM snapshots WHERE plan_id IN ${sql.in(ids)}`
    yield* sql`DELETE FROM plans WHERE plan_id IN ${sql.in(ids)}`
    return found
  })

const purgeJournal = (sql: SqlClient.SqlClient, old: RetentionRows.Before) =>
  Effect.gen(function* () {
    let runs = 0
    let changes = 0
    let after: { readonly started_at: number; readonly run_id: string } = { started_at: -1, run_id: "" }
    for (;;) {
      const found = yield* Transaction.run(
        sql,
        "read the old runs",
        sql<{ run_id: string; started_at: number }>`SELECT run_id, started_at FROM runs
          WHERE finished_at < ${old.journalMs} AND (started_at > ${after.started_at}
            OR (started_at = ${after.started_at} AND run_id > ${after.run_id}))
          ORDER BY started_at, run_id LIMIT ${batch}`
      )
      for (const { run_id } of found) {
        changes += yield* repeat(sql, "forget old changes", removeChanges(sql, run_id, old))
        const gone = yield* Transaction.run(sql, "forget an old run", removeRun(sql, run_id))
        runs += gone.length
      }
      const last = found[found.length - 1]
      if (last === undefined || found.length < batch) return { runs, changes }
      after = last
    }
  })

const removeChanges = (sql: SqlClient.SqlClient, runId: string, old: RetentionRows.Before) =>
  sql`DELETE FROM changes WHERE run_id = ${runId} AND change_id IN (SELECT change_id FROM changes
    WHERE run_id = ${runId} AND ${RetentionChanges.old(sql, old.nowMs)} LIMIT ${batch}) RETURNING change_id`

const removeRun = (sql: SqlClient.SqlClient, runId: string) =>
  sql`DELETE FROM runs WHERE run_id = ${runId}
    AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.run_id = runs.run_id) RETURNING run_id`
