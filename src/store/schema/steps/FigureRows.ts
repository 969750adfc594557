/** Which rows a run's figures were of: other rules may look at the same ones. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [`ALTER TABLE run_figures ADD COLUMN rows_hash TEXT NOT NULL DEFAULT ''`]

export const step: Step = {
  version: 17,
  name: "figures of which rows",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
