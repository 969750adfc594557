/** What a change left behind, for the next decision about its slot. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const sqlite = [
  `ALTER TABLE changes ADD COLUMN is_edge INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE changes ADD COLUMN memory TEXT`,
  `UPDATE changes SET memory = json_object('before', change -> '$.before', 'after', change -> '$.after')`,
  `CREATE INDEX changes_of_slot ON changes
        (account, slot, state, is_edge, sent_at, updated_at, policy, bid_before, memory)
        WHERE state IN ('dispatching', 'accepted', 'unknown', 'applied')`
]

// No PostgreSQL store is older than this step: there is nothing to fill in.
const postgres = Dialect.withoutColumn(
  Dialect.postgresOf(sqlite.filter((statement) => !statement.startsWith("UPDATE"))),
  "changes_of_slot",
  "memory"
)

export const step: Step = { version: 6, name: "what a change left behind", sqlite, postgres }
