/**
 * Settles what a dead run left open, before anything new is sent: rows that were never sent are skipped, rows that
 * may have been sent are read back. Nothing is sent again from here; the next plan decides afresh.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { outcomeOf } from "./Outcome.js"
import { Journal, type JournalRow, type StoreFailure, type Writer } from "./Ports.js"
import * as ReadBack from "./ReadBack.js"

/** Open rows of the account, oldest first: what `plan` shows and `apply` settles first. */
export const open = (account: string): Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure, Journal> =>
  Effect.flatMap(Journal, (journal) => journal.open(account))

/**
 * Settles the account's open rows and answers them as they ended. Call it only while holding the apply lock: then
 * no other run can still be sending. May wait as long as the slowest open change needs to become visible.
 */
export const settle = (
  account: string
): Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const rows = yield* journal.open(account)
    if (rows.length === 0) return []
    const nowMs = yield* Clock.currentTimeMillis
    const runs = Object.entries(Arr.groupBy(rows, (row) => row.runId))
    for (const [runId, group] of runs) {
      yield* journal.move(
        runId,
        group.map((row) => row.change.id),
        ["planned"],
        "skipped",
        {
          nowMs,
          detail: "never sent: the run ended before its turn"
        }
      )
    }
    const maybeSent = rows.filter((row) => row.state !== "planned").map((row) => asOpen(row, nowMs))
    yield* ReadBack.settle(yield* ReadBack.glance(maybeSent))
    const dead = new Set(
      (yield* journal.runs(account, Number.MAX_SAFE_INTEGER))
        .filter((run) => run.status === "running" || run.status === "interrupted")
        .map((run) => run.runId)
    )
    const settled: Array<JournalRow> = []
    for (const [runId, group] of runs) {
      const after = yield* journal.rows(runId)
      const ids = new Set(group.map((row) => row.change.id))
      settled.push(...after.filter((row) => ids.has(row.change.id)))
      const { status, counts } = outcomeOf(after)
      const at = yield* Clock.currentTimeMillis
      yield* journal.finish(runId, dead.has(runId) ? "interrupted" : status, counts, at)
    }
    return settled
  })

/**
 * A run that died while a request was `dispatching` may have been waiting for its turn at the limiter, so its claim
 * says little about when it left; it certainly left before now.
 */
const asOpen = (row: JournalRow, nowMs: number): ReadBack.Open => ({
  runId: row.runId,
  change: row.change,
  sentAt: row.state === "dispatching" ? nowMs : (row.sentAt ?? row.updatedAt)
})
