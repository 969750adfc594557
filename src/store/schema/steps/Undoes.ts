/** Which change took which earlier one back, and the marks of `watch:` at which a change was found to be fine. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `CREATE TABLE undoes (
    run_id TEXT NOT NULL, change_id TEXT NOT NULL, undone_run TEXT NOT NULL, undone_change TEXT NOT NULL,
    PRIMARY KEY (run_id, change_id),
    FOREIGN KEY (run_id, change_id) REFERENCES changes (run_id, change_id) ON DELETE CASCADE)
    STRICT, WITHOUT ROWID`,
  `CREATE INDEX undoes_of_run ON undoes (undone_run, undone_change)`,
  `CREATE TABLE watch_marks (
    run_id TEXT NOT NULL, change_id TEXT NOT NULL, after_ms INTEGER NOT NULL, judged_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, change_id, after_ms),
    FOREIGN KEY (run_id, change_id) REFERENCES changes (run_id, change_id) ON DELETE CASCADE)
    STRICT, WITHOUT ROWID`
]

export const step: Step = {
  version: 9,
  name: "what was taken back",
  sqlite,
  postgres: Dialect.postgresOf(sqlite)
}
