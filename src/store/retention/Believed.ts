/**
 * The instant by which things are forgotten unasked. A clock that is a year ahead makes everything look old, so it moves on by two
 * days at most from one time to the next; after a longer standstill it catches up.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

const mostStepMs = 2 * 86_400_000

/** Epoch milliseconds, at most `nowMs`. Call it in a transaction. */
export const instant = (sql: SqlClient.SqlClient, nowMs: number) =>
  Effect.map(
    sql<{ at: number }>`SELECT at FROM store_marks WHERE name = 'purged' AND account = ''`,
    // One from the future is of a clock that was ahead.
    ([last]) => (last === undefined ? nowMs : Math.min(nowMs, Number(last.at) + mostStepMs))
  )
