/** What a run came to, and changes of it that are not sent after all. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Change } from "../kinds/Change.js"
import { Journal, type JournalRow, type JournalState, openStates, type RunRecord } from "./Journal.js"

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
  for (const row of [...rows].sort(TextOrder.by(({ state }) => state))) {
    counts[row.state] = (counts[row.state] ?? 0) + 1
  }
  const there = rows.filter((row) => row.state === "applied" || isThere(row)).length
  const open = rows.filter((row) => row.state === "parked" || openStates.includes(row.state)).length
  const status = there === rows.length ? "done" : there + open === 0 ? "failed" : "partial"
  return { status, counts }
}

/** True for a change that needed no sending: its slot had the new value already. */
export const isThere = ({ reason }: Pick<JournalRow, "reason">): boolean => reason?.code === "already_there"

/** True for a change that does not come about, and was not there before. */
export const isLost = (row: Pick<JournalRow, "reason" | "state">): boolean =>
  lost.includes(row.state) && !isThere(row)

const lost: ReadonlyArray<JournalState> = ["skipped", "rejected", "not_applied", "conflict"]

/** Changes of a run that end as `skipped`, or as `to` says, with the reason. What has left its plan already stays. */
export const skipPlanned = (
  runId: string,
  changes: ReadonlyArray<Change>,
  reason: OutcomeReason,
  to: JournalState = "skipped"
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const ids = changes.map(({ id }) => id)
    yield* (yield* Journal).move(runId, ids, ["planned"], to, { nowMs, reason })
  })
