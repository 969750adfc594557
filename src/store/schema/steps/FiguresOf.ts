/** Which rules a run had when it saw its figures: only the same rules look at the same rows. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [`ALTER TABLE run_figures ADD COLUMN rules TEXT NOT NULL DEFAULT ''`]

export const step: Step = {
  version: 16,
  name: "figures of which rules",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
