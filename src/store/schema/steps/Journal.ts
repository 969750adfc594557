/** Runs and their changes, plans with their facts, limits and locks. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
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

export const step: Step = {
  version: 1,
  name: "journal, plans, limiter",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
