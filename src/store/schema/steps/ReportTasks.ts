/** Report tasks and how far they are. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE reports (
        id TEXT PRIMARY KEY, account TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
        stored_at INTEGER NOT NULL, asked_at INTEGER, retries INTEGER NOT NULL, ready_at INTEGER, detail TEXT,
        updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX reports_open ON reports (account, stored_at) WHERE state IN ('stored', 'asked')`
]

export const step: Step = { version: 3, name: "report tasks", sqlite, postgres: Dialect.postgresOf(sqlite) }
