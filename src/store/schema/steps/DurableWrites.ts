/** Fencing of the apply lock, deadlines and evidence of changes, creations without a key, and figures of past runs. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const open = `'planned', 'claimed', 'dispatching', 'accepted', 'unknown'`

const sqlite = [
  `ALTER TABLE locks ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE changes ADD COLUMN evidence TEXT`,
  `ALTER TABLE changes ADD COLUMN deadline_at INTEGER`,
  `DROP INDEX changes_open`,
  `CREATE INDEX changes_open ON changes (account, run_id, position) WHERE state IN (${open})`,
  `CREATE INDEX changes_due ON changes (deadline_at) WHERE state IN (${open}, 'parked')`,
  `DROP INDEX changes_of_slot`,
  `CREATE INDEX changes_of_slot ON changes
    (account, slot, state, is_edge, sent_at, updated_at, policy, bid_before, memory)
    WHERE state IN ('dispatching', 'accepted', 'unknown', 'applied', 'parked')`,
  `CREATE TABLE creations (
    id TEXT PRIMARY KEY, account TEXT NOT NULL, operation TEXT NOT NULL, marker TEXT NOT NULL,
    request_hash TEXT NOT NULL, before_ids TEXT NOT NULL, state TEXT NOT NULL, found_id TEXT, detail TEXT,
    stored_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX creations_open ON creations (account, stored_at) WHERE state IN (${open})`,
  `CREATE TABLE run_figures (
    account TEXT NOT NULL, at INTEGER NOT NULL, fact TEXT NOT NULL, rows INTEGER NOT NULL, active INTEGER NOT NULL,
    total REAL NOT NULL, PRIMARY KEY (account, at, fact)) STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 8,
  name: "durable writes",
  sqlite,
  postgres: Dialect.withoutColumn(Dialect.postgresOf(sqlite), "changes_of_slot", "memory")
}
