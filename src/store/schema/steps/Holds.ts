/** In how many runs in a row a rule has matched. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE holds (
        account TEXT NOT NULL, policy TEXT NOT NULL, meaning TEXT NOT NULL, target TEXT NOT NULL,
        rule INTEGER NOT NULL, runs INTEGER NOT NULL, counted_at INTEGER NOT NULL,
        PRIMARY KEY (account, policy, target)) STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 4,
  name: "consecutive matches",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
