/** What is forgotten row by row, because nothing else hangs on it: for each table, which of its rows are old. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { openStates } from "../../engine/run/Journal.js"

/** Epoch milliseconds: what ended before is forgotten. */
export interface Before {
  readonly plansMs: number
  readonly journalMs: number
  readonly reportsMs: number
  readonly nowMs: number
}

export interface Rows {
  readonly table: string
  /** What tells its rows apart. */
  readonly key: ReadonlyArray<string>
  readonly old: (sql: SqlClient.SqlClient, before: Before) => Fragment
}

/** A request that another took the place of carries its whole plan, and there may be one an hour. */
const supersededMs = 3 * 86_400_000

/** Two months of turns tell how the timetable went; of every policy the latest one stays, from which it counts on. */
const turnsMs = 60 * 86_400_000

const list = (states: ReadonlyArray<string>) => states.map((state) => `'${state}'`).join(", ")

/** By the name under which their number is told. */
export const all = {
  reports: {
    table: "reports",
    key: ["id"],
    old: (sql, { reportsMs }) => sql`updated_at < ${reportsMs} AND state NOT IN ('stored', 'asked')`
  },
  holds: {
    table: "holds",
    key: ["account", "policy", "target"],
    old: (sql, { plansMs }) => sql`counted_at < ${plansMs}`
  },
  turns: {
    table: "due_times",
    key: ["account", "policy", "due_at"],
    old: (sql, { nowMs }) => sql`updated_at < ${nowMs - turnsMs} AND state NOT IN ('waiting', 'running')
      AND EXISTS (SELECT 1 FROM due_times AS later WHERE later.account = due_times.account
        AND later.policy = due_times.policy AND later.due_at > due_times.due_at
        AND later.recorded_at <= ${nowMs})`
  },
  approvals: {
    table: "approvals",
    key: ["approval_id"],
    old: (sql, { nowMs, plansMs }) => sql`(requested_at < ${plansMs} AND expires_at < ${plansMs}
      AND COALESCE(decided_at, 0) < ${plansMs} AND NOT (state = 'approved' AND run_id IS NULL)
      OR state = 'superseded' AND run_id IS NULL AND expires_at < ${nowMs - supersededMs})`
  },
  approvedBids: {
    table: "approved_bids",
    key: ["account", "slot"],
    old: (sql, { plansMs }) => sql`at < ${plansMs}`
  },
  operatorHolds: {
    table: "operator_holds",
    key: ["account", "kind", "what", "since"],
    old: (sql, { plansMs }) => sql`(lifted_at < ${plansMs} OR ends_at < ${plansMs})`
  },
  // One that still differs is found again and held anew, as if it had been made just then.
  edits: {
    table: "human_edits",
    key: ["account", "slot"],
    old: (sql, { journalMs }) => sql`first_seen_at < ${journalMs} AND COALESCE(lifted_at, 0) < ${journalMs}`
  },
  creations: {
    table: "creations",
    key: ["id"],
    old: (sql, { journalMs }) =>
      sql`updated_at < ${journalMs} AND state NOT IN (${sql.literal(list([...openStates, "parked"]))})`
  },
  figures: {
    table: "run_figures",
    key: ["account", "at", "fact"],
    old: (sql, { nowMs }) => sql`at < ${nowMs - turnsMs}`
  }
} satisfies Record<string, Rows>

export type Name = keyof typeof all
