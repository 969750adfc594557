/** What a run came to: counts by journal state, and the one word for it. Pure. */
import { type JournalRow, openStates, type RunRecord } from "./Journal.js"
import { alreadyThere } from "./LookAgain.js"

export interface Outcome {
  readonly status: Extract<RunRecord["status"], "done" | "partial" | "failed">
  /** Rows by journal state; states nobody is in are left out. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * `done`: every change has its new value. `failed`: none has and none may yet have it. `partial`: anything between,
 * exit code 4.
 */
export const outcomeOf = (rows: ReadonlyArray<JournalRow>): Outcome => {
  const counts: Record<string, number> = {}
  for (const row of [...rows].sort((a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : 0))) {
    counts[row.state] = (counts[row.state] ?? 0) + 1
  }
  const there = rows.filter((row) => row.state === "applied" || row.detail === alreadyThere).length
  const open = rows.filter((row) => row.state === "parked" || openStates.includes(row.state)).length
  const status = there === rows.length ? "done" : there + open === 0 ? "failed" : "partial"
  return { status, counts }
}
