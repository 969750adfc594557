/**
 * Forgets what is old, a little at a time: no transaction is long enough for anybody to wait for it. Never forgotten
 * are changes whose outcome is open, and of every slot the latest applied change, on which cooldown, undo and "whose
 * value is this" rest; what a `watch:` may still ask about goes later than the rest (`oldChanges`).
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Rec from "effect/Record"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Watching from "../../engine/decide/Watching.js"
import { openStates } from "../../engine/door/Journal.js"
import { all } from "../../engine/kinds/All.js"
import * as AuditPurge from "../audit/AuditPurge.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as SqliteClient from "../clients/SqliteClient.js"
import * as Transaction from "../clients/Transaction.js"
import * as LimiterStoreSql from "../limiter/LimiterStoreSql.js"
import * as Believed from "./Believed.js"
import { type Keep, usual } from "./RetentionDays.js"

/** How many rows were forgotten, or would be. */
export interface Purged extends Readonly<Record<Name, number>> {
  readonly plans: number
  readonly runs: number
  readonly changes: number
  readonly audit: number
  readonly limits: number
}

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
      repeat(sql, "forget old rows", removeRows(sql, rowTables[name], old))
    )
    const limiter = yield* LimiterStoreSql.purgeIdle(sql, nowMs)
    yield* SqliteClient.giveBack(sql)
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
      Effect.map(Transaction.read(sql, "count what is old", rows), ([row]) => Number(row?.n ?? 0))
    return {
      plans: yield* count(sql`SELECT COUNT(*) AS n FROM plans WHERE ${oldPlans(sql, old.plansIso)}`),
      runs: yield* count(sql`SELECT COUNT(*) AS n FROM runs WHERE finished_at < ${old.journalMs}
        AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.run_id = runs.run_id AND NOT (${oldChanges(sql, old)}))`),
      changes: yield* count(sql`SELECT COUNT(*) AS n FROM changes WHERE ${oldChanges(sql, old)}
        AND run_id IN (SELECT run_id FROM runs WHERE finished_at < ${old.journalMs})`),
      audit: yield* AuditPurge.count(sql, old.journalMs, nowMs),
      ...(yield* eachTable((name) => {
        const { old: isOld, table } = rowTables[name]
        return count(sql`SELECT COUNT(*) AS n FROM ${sql(table)} WHERE ${isOld(sql, old)}`)
      })),
      limits: yield* LimiterStoreSql.countIdle(sql, nowMs)
    }
  })

const limits = (nowMs: number, keep: Keep) => {
  const before = (days: number) => Math.floor(nowMs - days * Days.dayMs)
  return {
    plansMs: before(keep.plansDays),
    plansIso: new Date(before(keep.plansDays)).toISOString(),
    journalMs: before(keep.journalDays),
    reportsMs: before(keep.reportsDays),
    nowMs: Math.floor(nowMs)
  }
}

/** One number for each of the tables, one table after the other. */
const eachTable = <E>(ask: (name: Name) => Effect.Effect<number, E>) =>
  Effect.all(Rec.map(rowTables, (_, name) => ask(name)))

const removeRows = (sql: SqlClient.SqlClient, { key, old, table }: Rows, before: Before) => {
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
    yield* sql`DELETE FROM plans WHERE plan_id IN ${sql.in(ids)}`
    return found
  })

const purgeJournal = (sql: SqlClient.SqlClient, old: Before) =>
  Effect.gen(function* () {
    let runs = 0
    let changes = 0
    let after: { readonly started_at: number; readonly run_id: string } = { started_at: -1, run_id: "" }
    for (;;) {
      const found = yield* Transaction.read(
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

const removeChanges = (sql: SqlClient.SqlClient, runId: string, old: Before) =>
  sql`DELETE FROM changes WHERE run_id = ${runId} AND change_id IN (SELECT change_id FROM changes
    WHERE run_id = ${runId} AND ${oldChanges(sql, old)} LIMIT ${batch}) RETURNING change_id`

const removeRun = (sql: SqlClient.SqlClient, runId: string) =>
  sql`DELETE FROM runs WHERE run_id = ${runId}
    AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.run_id = runs.run_id) RETURNING run_id`

// Which changes of a run that ended long ago nobody needs any more.

/**
 * Every change that was settled long ago, for its rows of the chain are forgotten by when that was, and is not the latest applied
 * one of its slot. What was taken back, what took it back and the
 * change that has stood since stay for as long as a policy may ask about them: they are few.
 */
const oldChanges = (sql: SqlClient.SqlClient, { journalMs, nowMs }: Before): Fragment =>
  sql`changes.state IN ('applied', 'rejected', 'not_applied', 'conflict', 'skipped')
    AND changes.updated_at < ${journalMs}
    AND NOT (changes.updated_at >= ${nowMs - onceMs} AND changes.state IN ('not_applied', 'conflict') AND ${isOnce(sql)})
    AND (changes.state <> 'applied' OR (EXISTS (${later(sql)})
      AND NOT (COALESCE(changes.sent_at, changes.updated_at) >= ${nowMs - Watching.longestMs}
        AND (${isOfUndo(sql, "changes")} OR NOT EXISTS (${later(sql)} AND NOT (${isOfUndo(sql, "later")}))))))`

/** What is filed once only must be known to have been filed for as long as a promotion may last. */
const onceMs = 400 * Days.dayMs
const isOnce = (sql: SqlClient.SqlClient): Fragment =>
  sql.or(oncePrefixes.map((prefix) => sql`changes.slot LIKE ${`${prefix}:%`}`))
const oncePrefixes = Object.values(all).flatMap(({ isOnce, prefix }) => (isOnce === true ? [prefix] : []))

/** An applied change of the same slot that came later; overlays lie over bids, so they count among themselves. */
const later = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT 1 FROM changes AS later
    WHERE later.account = changes.account AND later.slot = changes.slot AND later.state = 'applied'
    AND later.is_edge = changes.is_edge AND later.nth > changes.nth`

/** It was taken back, or took something back. */
const isOfUndo = (sql: SqlClient.SqlClient, table: "changes" | "later"): Fragment =>
  sql`EXISTS (SELECT 1 FROM undoes
      WHERE undoes.run_id = ${sql(table)}.run_id AND undoes.change_id = ${sql(table)}.change_id)
    OR EXISTS (SELECT 1 FROM undoes
      WHERE undoes.undone_run = ${sql(table)}.run_id AND undoes.undone_change = ${sql(table)}.change_id)`

// What is forgotten row by row, because nothing else hangs on it: for each table, which of its rows are old.

/** Epoch milliseconds: what ended before is forgotten. */
interface Before {
  readonly plansMs: number
  readonly journalMs: number
  readonly reportsMs: number
  readonly nowMs: number
}

interface Rows {
  readonly table: string
  /** What tells its rows apart. */
  readonly key: ReadonlyArray<string>
  readonly old: (sql: SqlClient.SqlClient, before: Before) => Fragment
}

/** A request that another took the place of carries its whole plan, and there may be one an hour. */
const supersededMs = 3 * 86_400_000

/** Two months of turns tell how the timetable went; of every policy the latest one stays, from which it counts on. */
const turnsMs = 60 * 86_400_000

const list = (states: ReadonlyArray<string>) => states.map((state) => `'${state}'`).join(", ")

/** By the name under which their number is told. */
const rowTables = {
  reports: {
    table: "reports",
    key: ["id"],
    old: (sql, { reportsMs }) => sql`updated_at < ${reportsMs} AND state NOT IN ('stored', 'asked')`
  },
  holds: {
    table: "holds",
    key: ["account", "policy", "target"],
    old: (sql, { plansMs }) => sql`counted_at < ${plansMs}`
  },
  turns: {
    table: "due_times",
    key: ["account", "lane", "job", "due_at"],
    old: (sql, { nowMs }) => sql`updated_at < ${nowMs - turnsMs} AND state NOT IN ('waiting', 'running')
      AND EXISTS (SELECT 1 FROM due_times AS later WHERE later.account = due_times.account
        AND later.lane = due_times.lane AND later.job = due_times.job AND later.due_at > due_times.due_at
        AND later.recorded_at <= ${nowMs})`
  },
  approvals: {
    table: "approvals",
    key: ["approval_id"],
    old: (sql, { nowMs, plansMs }) => sql`(requested_at < ${plansMs} AND expires_at < ${plansMs}
      AND COALESCE(decided_at, 0) < ${plansMs} AND NOT (state = 'approved' AND run_id IS NULL)
      OR state = 'superseded' AND run_id IS NULL AND expires_at < ${nowMs - supersededMs})`
  },
  approvedBids: {
    table: "approved_bids",
    key: ["account", "slot"],
    old: (sql, { plansMs }) => sql`at < ${plansMs}`
  },
  operatorHolds: {
    table: "operator_holds",
    key: ["account", "kind", "what", "since"],
    old: (sql, { plansMs }) => sql`(lifted_at < ${plansMs} OR ends_at < ${plansMs})`
  },
  // One that still differs is found again and held anew, as if it had been made just then.
  edits: {
    table: "human_edits",
    key: ["account", "slot"],
    old: (sql, { journalMs }) => sql`first_seen_at < ${journalMs} AND COALESCE(lifted_at, 0) < ${journalMs}`
  },
  creations: {
    table: "creations",
    key: ["id"],
    old: (sql, { journalMs }) =>
      sql`updated_at < ${journalMs} AND state NOT IN (${sql.literal(list([...openStates, "parked"]))})`
  },
  figures: {
    table: "run_figures",
    key: ["account", "at", "fact"],
    old: (sql, { nowMs }) => sql`at < ${nowMs - turnsMs}`
  },
  // A supply whole or not at all: places of what is left would say something else.
  supplyOrders: {
    table: "supply_orders",
    key: ["account", "supply_id", "position"],
    old: (sql, { journalMs }) => sql`stored_at < ${journalMs}
      AND NOT EXISTS (SELECT 1 FROM supply_orders AS later WHERE later.account = supply_orders.account
        AND later.supply_id = supply_orders.supply_id AND later.stored_at >= ${journalMs})`
  },
  orderEvents: {
    table: "order_events",
    key: ["account", "order_id", "at", "kind"],
    old: (sql, { journalMs }) => sql`at < ${journalMs}`
  },
  forecasts: {
    table: "forecasts",
    key: ["account", "policy", "budget", "day"],
    old: (sql, { plansMs }) => sql`made_at < ${plansMs}`
  },
  // Of campaigns that nobody reads any more.
  spendCurves: {
    table: "spend_curves",
    key: ["account", "campaign_id"],
    old: (sql, { plansMs }) => sql`read_at < ${plansMs}`
  }
} satisfies Record<string, Rows>

type Name = keyof typeof rowTables

/** The instant by which a program forgets by itself, epoch milliseconds, at most `nowMs`; kept as the last time, with `nowMs`. */
export const believedNow = (nowMs: number): Effect.Effect<number, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.run(sql, "note when the store forgets", function* () {
      const at = yield* Believed.instant(sql, nowMs)
      yield* StoreMarks.put(sql, "purged", "", at, `${Math.floor(nowMs)}`)
      return at
    })
  )

/** Whether the last time was a day ago or more, for a program that does not run on. */
export const isPurgeDue = (nowMs: number): Effect.Effect<boolean, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.read(
      sql,
      "read when the store forgot",
      Effect.map(
        sql<{ at: number; detail: string }>`SELECT at, detail FROM store_marks
          WHERE name = 'purged' AND account = ''`,
        // By when it was, not by the instant believed then: that may be months behind and moves on two days at a time.
        ([last]) =>
          last === undefined ||
          Math.abs(nowMs - Number(last.detail === "" ? last.at : last.detail)) >= Days.dayMs
      )
    )
  )
