/** How many plans of a due time were begun and not made, in a row: the process ended meanwhile. */
import type { Step } from "./Step.js"

export const step: Step = {
  version: 14,
  name: "plans that were cut short",
  sqlite: ["ALTER TABLE due_times ADD COLUMN cut_short INTEGER NOT NULL DEFAULT 0"],
  postgres: ["ALTER TABLE due_times ADD COLUMN cut_short BIGINT NOT NULL DEFAULT 0"]
}
