/** Which changes of a run that ended long ago nobody needs any more. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Watching from "../../engine/decide/Watching.js"

/**
 * Every change that is settled and not the latest applied one of its slot. What was taken back, what took it back and the
 * change that has stood since stay for as long as a policy may ask about them: they are few.
 */
export const old = (sql: SqlClient.SqlClient, nowMs: number): Fragment =>
  sql`changes.state IN ('applied', 'rejected', 'not_applied', 'conflict', 'skipped')
    AND (changes.state <> 'applied' OR (EXISTS (${later(sql)})
      AND NOT (COALESCE(changes.sent_at, changes.updated_at) >= ${nowMs - Watching.longestMs}
        AND (${isOfUndo(sql, "changes")} OR NOT EXISTS (${later(sql)} AND NOT (${isOfUndo(sql, "later")}))))))`

/** An applied change of the same slot that came later; overlays lie over bids, so they count among themselves. */
const later = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT 1 FROM changes AS later
    WHERE later.account = changes.account AND later.slot = changes.slot AND later.state = 'applied'
    AND later.is_edge = changes.is_edge
    AND COALESCE(later.sent_at, later.updated_at) > COALESCE(changes.sent_at, changes.updated_at)`

/** It was taken back, or took something back. */
const isOfUndo = (sql: SqlClient.SqlClient, table: "changes" | "later"): Fragment =>
  sql`EXISTS (SELECT 1 FROM undoes
      WHERE undoes.run_id = ${sql(table)}.run_id AND undoes.change_id = ${sql(table)}.change_id)
    OR EXISTS (SELECT 1 FROM undoes
      WHERE undoes.undone_run = ${sql(table)}.run_id AND undoes.undone_change = ${sql(table)}.change_id)`
