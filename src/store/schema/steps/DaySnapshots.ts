/** The facts of whole days, packed. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE day_snapshots (
        account TEXT NOT NULL, day TEXT NOT NULL, taken_at INTEGER NOT NULL,
        PRIMARY KEY (account, day)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE day_snapshot_parts (
        account TEXT NOT NULL, day TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, payload BLOB NOT NULL,
        UNIQUE (account, day, position),
        FOREIGN KEY (account, day) REFERENCES day_snapshots (account, day) ON DELETE CASCADE) STRICT`
]

export const step: Step = {
  version: 7,
  name: "facts of whole days",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
