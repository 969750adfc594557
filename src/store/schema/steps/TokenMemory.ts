/** What is remembered about accounts' tokens: whose they are, and what the marketplace refused to them. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE account_sellers (
    account TEXT PRIMARY KEY, seller TEXT NOT NULL UNIQUE, bound_at INTEGER NOT NULL, bound_by TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE switched_off (
    account TEXT NOT NULL, operation TEXT NOT NULL, scope TEXT NOT NULL, status INTEGER NOT NULL, said TEXT NOT NULL,
    token_mark TEXT NOT NULL, first_at INTEGER NOT NULL, again_at INTEGER NOT NULL,
    PRIMARY KEY (account, operation, scope)) STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 13,
  name: "whose a token is, and what it may not do",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
