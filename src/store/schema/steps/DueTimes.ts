/** Due times of policies: what became due, which run took it, and how it ended. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE due_times (
    account TEXT NOT NULL, policy TEXT NOT NULL, due_at INTEGER NOT NULL, since INTEGER NOT NULL,
    schedule TEXT NOT NULL, state TEXT NOT NULL, run_id TEXT, detail TEXT, attempts INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (account, policy, due_at)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX due_times_open ON due_times (account, due_at) WHERE state IN ('waiting', 'running')`
]

export const step: Step = {
  version: 12,
  name: "due times",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
