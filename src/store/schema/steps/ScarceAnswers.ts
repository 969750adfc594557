/** The last answers of scarce sources. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE scarce_answers (
        account TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL, read_at INTEGER NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (account, source, key)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX scarce_answers_by_age ON scarce_answers (account, source, read_at)`
]

export const step: Step = { version: 5, name: "scarce answers", sqlite, postgres: Dialect.postgresOf(sqlite) }
