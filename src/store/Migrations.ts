/**
 * The schema, as numbered steps. A step that has been released is never edited: a new one follows it. Every step is
 * one transaction, so a killed migration leaves the version before it.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreFailure } from "../engine/run/Ports.js"
import * as Failure from "./Failure.js"
import * as Transaction from "./Transaction.js"

interface Step {
  readonly version: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** Brings the store to this program's version; refuses one that a newer program has written. */
export const migrate: Effect.Effect<void, StoreFailure, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* current(sql)
  if (found === latest) return
  if (found > latest) return yield* tooNew(found)
  for (const step of steps) yield* apply(sql, step)
})

/** The store, ready for use. */
export const layer: Layer.Layer<never, StoreFailure, SqlClient.SqlClient> = Layer.effectDiscard(migrate)

/** Version of the file; 0 for a new one. */
const current = (sql: SqlClient.SqlClient): Effect.Effect<number, StoreFailure> =>
  Effect.gen(function* () {
    const tables = yield* sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'`
    if (tables.length === 0) return 0
    const rows = yield* sql<{ version: number | null }>`SELECT MAX(version) AS version FROM schema_version`
    return rows[0]?.version ?? 0
  }).pipe(Effect.mapError((error) => Failure.from("read the version of the store", error)))

const apply = (sql: SqlClient.SqlClient, step: Step): Effect.Effect<void, StoreFailure> =>
  Transaction.run(
    sql,
    `bring the store to version ${step.version}`,
    Effect.gen(function* () {
      if ((yield* current(sql)) >= step.version) return
      for (const statement of step.statements) yield* sql.unsafe(statement)
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO schema_version (version, name, applied_at) VALUES (${step.version}, ${step.name}, ${now})`
    })
  )

const tooNew = (found: number) =>
  new StoreFailure({
    action: "could not use the store",
    hint: `it was written by a newer bidhelm (store version ${found}, this program knows ${latest}); update bidhelm, or choose another place for the store`,
    cause: undefined
  })

const steps: ReadonlyArray<Step> = [
  {
    version: 1,
    name: "journal, plans, limiter",
    statements: [
      `CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`,
      `CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, account TEXT NOT NULL, plan_id TEXT NOT NULL, started_at INTEGER NOT NULL,
        finished_at INTEGER, status TEXT NOT NULL, counts TEXT NOT NULL) STRICT`,
      `CREATE INDEX runs_by_start ON runs (started_at)`,
      `CREATE TABLE changes (
        run_id TEXT NOT NULL REFERENCES runs (run_id), change_id TEXT NOT NULL, position INTEGER NOT NULL,
        slot TEXT NOT NULL, account TEXT NOT NULL, policy TEXT NOT NULL, bid_before INTEGER, change TEXT NOT NULL,
        state TEXT NOT NULL, operation TEXT, request_hash TEXT, detail TEXT, updated_at INTEGER NOT NULL,
        sent_at INTEGER, PRIMARY KEY (run_id, change_id)) STRICT, WITHOUT ROWID`,
      `CREATE INDEX changes_by_slot ON changes (account, slot, sent_at)`,
      `CREATE INDEX changes_open ON changes (account, run_id, position)
        WHERE state IN ('planned', 'dispatching', 'accepted', 'unknown')`,
      `CREATE TABLE plans (
        plan_id TEXT PRIMARY KEY, account TEXT NOT NULL, created_at TEXT NOT NULL, plan TEXT NOT NULL) STRICT`,
      `CREATE TABLE snapshots (
        plan_id TEXT PRIMARY KEY REFERENCES plans (plan_id), facts TEXT NOT NULL) STRICT`,
      `CREATE TABLE limiter_buckets (
        account TEXT NOT NULL, token_kind TEXT NOT NULL, limit_group TEXT NOT NULL, bucket TEXT NOT NULL,
        state TEXT NOT NULL, PRIMARY KEY (account, token_kind, limit_group)) STRICT, WITHOUT ROWID`,
      `CREATE TABLE locks (account TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT`
    ]
  },
  {
    version: 2,
    name: "daily quotas",
    statements: [
      `CREATE TABLE limiter_quotas (
        account TEXT NOT NULL, quota_group TEXT NOT NULL, per_day INTEGER NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (account, quota_group)) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 3,
    name: "report tasks",
    statements: [
      `CREATE TABLE reports (
        id TEXT PRIMARY KEY, account TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
        stored_at INTEGER NOT NULL, asked_at INTEGER, retries INTEGER NOT NULL, ready_at INTEGER, detail TEXT,
        updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
      `CREATE INDEX reports_open ON reports (account, stored_at) WHERE state IN ('stored', 'asked')`
    ]
  },
  {
    version: 4,
    name: "consecutive matches",
    statements: [
      `CREATE TABLE holds (
        account TEXT NOT NULL, policy TEXT NOT NULL, meaning TEXT NOT NULL, target TEXT NOT NULL,
        rule INTEGER NOT NULL, runs INTEGER NOT NULL, counted_at INTEGER NOT NULL,
        PRIMARY KEY (account, policy, target)) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 5,
    name: "scarce answers",
    statements: [
      `CREATE TABLE scarce_answers (
        account TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL, read_at INTEGER NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (account, source, key)) STRICT, WITHOUT ROWID`,
      `CREATE INDEX scarce_answers_by_age ON scarce_answers (account, source, read_at)`
    ]
  },
  {
    version: 6,
    name: "what a change left behind",
    statements: [
      `ALTER TABLE changes ADD COLUMN is_edge INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE changes ADD COLUMN memory TEXT`,
      `UPDATE changes SET memory = json_object('before', change -> '$.before', 'after', change -> '$.after')`,
      `CREATE INDEX changes_of_slot ON changes
        (account, slot, state, is_edge, sent_at, updated_at, policy, bid_before, memory)
        WHERE state IN ('dispatching', 'accepted', 'unknown', 'applied')`
    ]
  },
  {
    version: 7,
    name: "facts of whole days",
    statements: [
      `CREATE TABLE day_snapshots (
        account TEXT NOT NULL, day TEXT NOT NULL, taken_at INTEGER NOT NULL,
        PRIMARY KEY (account, day)) STRICT, WITHOUT ROWID`,
      `CREATE TABLE day_snapshot_parts (
        account TEXT NOT NULL, day TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, payload BLOB NOT NULL,
        UNIQUE (account, day, position),
        FOREIGN KEY (account, day) REFERENCES day_snapshots (account, day) ON DELETE CASCADE) STRICT`
    ]
  }
]

/** Version this program writes. */
export const latest = steps.length
