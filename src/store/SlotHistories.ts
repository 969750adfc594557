/** What was last done to every slot of an account, for cooldown, `move_per_day` and changes not visible yet. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { SlotHistory } from "../engine/decide/SlotHistory.js"

/**
 * Slots with a change that was sent and not refused, by slot. `lastAppliedAt` is the moment the latest accepted
 * change left, `pendingSince` that of the oldest whose effect has not been seen; `dayFirstBid` is the bid before the
 * first change sent since `dayStartMs`.
 */
export const read = (
  sql: SqlClient.SqlClient,
  account: string,
  dayStartMs: number
): Effect.Effect<ReadonlyMap<string, SlotHistory>, SqlError> =>
  Effect.map(
    // SQLite takes a bare column from the row that holds the group's single MAX or MIN.
    sql<Row>`
      WITH sent AS (
        SELECT slot, policy, state, bid_before, COALESCE(sent_at, updated_at) AS at FROM changes
        WHERE account = ${account} AND state IN ('dispatching', 'accepted', 'unknown', 'applied')),
      latest AS (SELECT slot, policy, MAX(at) AS at FROM sent GROUP BY slot),
      applied AS (SELECT slot, MAX(at) AS at FROM sent WHERE state IN ('accepted', 'applied') GROUP BY slot),
      pending AS (SELECT slot, MIN(at) AS at FROM sent WHERE state <> 'applied' GROUP BY slot),
      today AS (SELECT slot, bid_before, MIN(at) AS at FROM sent
        WHERE at >= ${dayStartMs} AND bid_before IS NOT NULL GROUP BY slot)
      SELECT latest.slot, latest.policy, applied.at AS applied_at, pending.at AS pending_since, today.bid_before
      FROM latest LEFT JOIN applied USING (slot) LEFT JOIN pending USING (slot) LEFT JOIN today USING (slot)
      ORDER BY latest.slot`,
    (rows) => new Map(rows.map((row) => [row.slot, toHistory(row)]))
  )

interface Row {
  readonly slot: string
  readonly policy: string
  readonly applied_at: number | null
  readonly pending_since: number | null
  readonly bid_before: number | null
}

const toHistory = (row: Row): SlotHistory => ({
  slot: row.slot,
  lastPolicy: row.policy,
  lastAppliedAt: row.applied_at ?? undefined,
  pendingSince: row.pending_since ?? undefined,
  dayFirstBid: row.bid_before ?? undefined
})
