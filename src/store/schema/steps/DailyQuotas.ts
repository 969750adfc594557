/** How much of a day's calls is used. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE limiter_quotas (
        account TEXT NOT NULL, quota_group TEXT NOT NULL, per_day INTEGER NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (account, quota_group)) STRICT, WITHOUT ROWID`
]

export const step: Step = { version: 2, name: "daily quotas", sqlite, postgres: Dialect.postgresOf(sqlite) }
