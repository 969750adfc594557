/** What people have stopped: holds placed by hand, values set by hand, and changes that wait for a person. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE operator_holds (
    account TEXT NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, since INTEGER NOT NULL, ends_at INTEGER,
    placed_by TEXT NOT NULL, why TEXT, lifted_at INTEGER, lifted_by TEXT,
    PRIMARY KEY (account, kind, what, since)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE human_edits (
    account TEXT NOT NULL, slot TEXT NOT NULL, ours TEXT NOT NULL, written_at INTEGER NOT NULL, live TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL, lifted_at INTEGER, lifted_by TEXT,
    PRIMARY KEY (account, slot)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE approvals (
    approval_id TEXT PRIMARY KEY, account TEXT NOT NULL, plan_id TEXT NOT NULL, plan_seal TEXT NOT NULL,
    plan TEXT NOT NULL, asked TEXT NOT NULL, state TEXT NOT NULL, requested_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, decided_at INTEGER, decided_by TEXT, why TEXT, run_id TEXT) STRICT, WITHOUT ROWID`,
  `CREATE INDEX approvals_by_account ON approvals (account, state, requested_at)`,
  `CREATE TABLE approved_bids (
    account TEXT NOT NULL, slot TEXT NOT NULL, kopecks INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (account, slot)) STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 10,
  name: "holds, edits by people, approvals",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
