/** The chain of everything the journal ever recorded, and marks about the store as a whole. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `ALTER TABLE runs ADD COLUMN approved_by TEXT`,
  `CREATE TABLE audit (
    account TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
    why TEXT, before_value TEXT, after_value TEXT, state TEXT, run_id TEXT, change_id TEXT, content TEXT,
    previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (account, seq)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE audit_heads (
    account TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL,
    purged_seq INTEGER NOT NULL, purged_hash TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE store_marks (
    name TEXT NOT NULL, account TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (name, account)) STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 11,
  name: "audit chain and marks of the store",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
