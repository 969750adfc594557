/**
 * Settles what a dead run left open, before anything new is sent: rows that were never sent are skipped, rows that
 * may have been sent are read back. Nothing is sent again from here; the next plan decides afresh.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AccountLane, Lane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { Journal, type JournalRow, type JournalState, type RunRecord } from "./Journal.js"
import type { Lease } from "./Lease.js"
import { outcomeOf } from "./Outcome.js"
import * as Parked from "./Parked.js"
import * as ReadBack from "./ReadBack.js"
import type { Writer } from "./Writer.js"

/** Open rows of the lane, oldest first: what `plan` shows and `apply` settles first. */
export const open = ({
  account,
  lane
}: AccountLane): Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure, Journal> =>
  Effect.flatMap(Journal, (journal) => journal.open(account, lane))

/**
 * Settles the open rows of the lane that the lease holds, and answers them as they ended: no other run can still be
 * sending there. Nothing is touched once the lease was lost, which is told. Without a lease all lanes are settled: call
 * it so only while holding all their locks. May wait as long as the slowest open change needs to become visible, and a
 * deposit eleven minutes (hours with a Base token).
 */
export const settle = (
  account: string,
  lease?: Lease
): Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const lane = lease?.fence.lane
    const rows = yield* journal.open(account, lane)
    if (lease !== undefined && !(yield* lease.held)) {
      if (rows.length > 0) yield* Effect.logWarning(notSettled(account, rows.length))
      return []
    }
    yield* closeDead(account, lane, new Set(rows.map((row) => row.runId)))
    if (rows.length === 0) return []
    yield* Parked.unsure(account, rows)
    const nowMs = yield* Clock.currentTimeMillis
    const runs = Object.entries(Arr.groupBy(rows, (row) => row.runId))
    for (const [runId, group] of runs) {
      yield* journal.move(
        runId,
        group.map((row) => row.change.id),
        unsent,
        "skipped",
        {
          nowMs,
          reason: { code: "run_ended_early" }
        }
      )
    }
    const maybeSent = rows.filter((row) => !unsent.includes(row.state)).map((row) => asOpen(row, nowMs))
    yield* ReadBack.settle(yield* ReadBack.glance(maybeSent))
    const dead = yield* deadAmong(account, lane, new Set(runs.map(([runId]) => runId)))
    const settled: Array<JournalRow> = []
    for (const [runId, group] of runs) {
      const after = yield* journal.rows(runId)
      const ids = new Set(group.map((row) => row.change.id))
      for (const row of after) if (ids.has(row.change.id)) settled.push(row)
      const { status, counts } = outcomeOf(after)
      const at = yield* Clock.currentTimeMillis
      yield* journal.finish(runId, dead.has(runId) ? "interrupted" : status, counts, at)
    }
    return settled
  })

/** Those of the runs that never ended well. An account has many runs, and those with open rows are mostly the latest. */
const deadAmong = (
  account: string,
  lane: Lane | undefined,
  wanted: ReadonlySet<string>
): Effect.Effect<ReadonlySet<string>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const missing = new Set(wanted)
    const dead = new Set<string>()
    let before: string | undefined
    while (missing.size > 0) {
      const page = yield* journal.runs(account, recentRuns, before, lane)
      for (const { runId, status } of page) {
        if (missing.delete(runId) && (status === "running" || status === "interrupted")) dead.add(runId)
      }
      before = page.at(-1)?.runId
      if (before === undefined) break
    }
    return dead
  })

const notSettled = (account: string, open: number): string =>
  `${account}: the apply lock was lost before ${open === 1 ? "an open change" : `${open} open changes`} of an earlier run could be read back; nothing was touched, and the next run settles ${open === 1 ? "it" : "them"}`

/** Runs of a lane, or of all, that never said how they ended; while a run lives it is among them. */
export const unended = (
  account: string,
  lane?: Lane
): Effect.Effect<ReadonlyArray<RunRecord>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    return (yield* journal.runs(account, recentRuns, undefined, lane)).filter(
      ({ status }) => status === "running"
    )
  })

/**
 * Ends runs that died with none of their changes open: right before their end, or as a raw call, of which nobody knows
 * whether it arrived. Call it only while holding the lock of the lane, or of all lanes when none is named.
 */
export const closeDead = (
  account: string,
  lane: Lane | undefined,
  open: ReadonlySet<string>
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    for (const { counts, runId } of yield* unended(account, lane)) {
      if (open.has(runId)) continue
      const rows = yield* journal.rows(runId)
      const nowMs = yield* Clock.currentTimeMillis
      const known = rows.length === 0 ? { ...counts, "outcome unknown": 1 } : outcomeOf(rows).counts
      yield* journal.finish(runId, "interrupted", known, nowMs)
    }
  })

/** Every run ends the dead ones before it, so they are among the latest. */
const recentRuns = 100

/** Never sent, unless the store lost commits: `dispatching` is committed before a request's first byte. */
const unsent: ReadonlyArray<JournalState> = ["planned", "claimed"]

/** A run that died while `dispatching` may have slept before it sent; what left, left before now. */
const asOpen = (row: JournalRow, nowMs: number): Parked.Open => ({
  runId: row.runId,
  change: row.change,
  sentAt: row.state === "dispatching" ? nowMs : (row.sentAt ?? row.updatedAt)
})
