/**
 * Carries out an approved plan: lock, settle what a dead run left, journal every change, send, read back, report.
 * Nothing leaves this machine before its journal row is committed, and nothing whose outcome is unknown is sent
 * again.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { StopReason } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { WritePermit } from "../../domain/WritePermit.js"
import type { ApprovedPlan } from "../kinds/Approved.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as ByHand from "./ByHand.js"
import { Journal, type JournalRow, type RunRecord } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import * as Lease from "./Lease.js"
import * as LookAgain from "./LookAgain.js"
import { type Outcome, outcomeOf, skipPlanned } from "./Outcome.js"
import * as Parked from "./Parked.js"
import * as Permit from "./Permit.js"
import * as ReadBack from "./ReadBack.js"
import * as Recover from "./Recover.js"
import * as Send from "./Send.js"
import * as WrittenSince from "./WrittenSince.js"

export interface ApplyOptions {
  /** Says who holds the lock, for the one who is refused: `pid 4711 on desk`. */
  readonly holder?: string
  /** True when a lock's holder is certainly dead; its lock is then taken over at once. */
  readonly abandoned?: (holder: string) => boolean
  /** The changes are those of one request, so they are never parted. */
  readonly whole?: boolean
}

/** `begun`: what whoever planned writes down once the lane is this run's and what earlier runs left is settled. */
export interface Begun<R> {
  readonly begun: Effect.Effect<void, StoreFailure, R>
}

export interface ApplyReport extends Outcome {
  readonly runId: string
  /** Every change of the plan with its final state and the reason of it. */
  readonly rows: ReadonlyArray<JournalRow>
  /** What earlier runs had left open, as it ended. */
  readonly recovered: ReadonlyArray<JournalRow>
  /** Why sending ended before the last change; undefined when it did not. */
  readonly stopped: StopReason | undefined
  /** True when nothing at all was sent because the lock was lost first: the same plan is worth making again. */
  readonly nothingSentLockLost: boolean
}

/** Applies a plan. A failing store ends it before the next request; what was sent is settled by the next run. */
export const run = <R>(approved: ApprovedPlan, options: ApplyOptions & Begun<R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Lease.allowed(approved.account)
      const runId = yield* makeRunId
      const holder = options.holder === undefined ? runId : `${options.holder}, ${runId}`
      const { account, changes } = approved
      const lane = Kinds.laneOf(changes)
      const lease = yield* Lease.hold({ account, lane }, holder, options.abandoned)
      yield* JournalPoints.pass("locked")
      const recovered = yield* Recover.settle(approved.account, lease)
      yield* JournalPoints.pass("recovered")
      yield* options.begun
      const report = yield* journaled(approved, runId, lease, options)
      return { ...report, runId, recovered } satisfies ApplyReport
    })
  ).pipe(Effect.withSpan("Apply.run"))

/** Journals the plan's changes, sends them and reads them back. An interruption leaves rows open, and says so. */
const journaled = (
  approved: ApprovedPlan,
  runId: string,
  lease: Lease.Lease,
  { whole = false }: ApplyOptions
) =>
  Effect.gen(function* () {
    const { account, changes, planId } = approved
    const journal = yield* Journal
    const startedAt = yield* Clock.currentTimeMillis
    yield* journal.begin(
      {
        runId,
        account,
        lane: lease.fence.lane,
        planId,
        startedAt,
        finishedAt: undefined,
        status: "running",
        counts: {},
        approvedBy: approved.approvedBy
      },
      changes.map((change) => ({ slot: Kinds.slotOf(change), change }))
    )
    yield* JournalPoints.pass("begun")
    const known = yield* Parked.withoutForgotten(runId, approved)
    const due = yield* Parked.withoutOvertaken(runId, { ...approved, changes: known })
    const free = yield* withoutOpen(runId, account, due)
    const left = yield* withoutFiled(runId, account, free)
    yield* ByHand.seen(account, left)
    const { sent, stopped } = yield* Send.all(runId, left, lease, {
      ...(whole ? { size: left.length } : {}),
      madeAtMs: approved.madeAtMs,
      written: yield* WrittenSince.read(runId, lease.fence.lane, { ...approved, changes: left }),
      others: yield* besideOf(runId, approved, left)
    }).pipe(Effect.provideService(WritePermit, Permit.grant(approved)))
    yield* JournalPoints.pass("sent")
    if (stopped?.code !== "account_refused") yield* ReadBack.settle(sent.map((item) => ({ runId, ...item })))
    yield* JournalPoints.pass("settled")
    const rows = yield* journal.rows(runId)
    const outcome = outcomeOf(rows)
    yield* finish(runId, outcome.status)
    yield* JournalPoints.pass("finished")
    const nothingSentLockLost =
      stopped?.code === "lock_lost" && rows.every(({ state }) => state === "skipped")
    return { ...outcome, rows, stopped, nothingSentLockLost }
  }).pipe(Effect.onInterrupt(() => Effect.ignoreLogged(finish(runId, "interrupted"))))

const finish = (runId: string, status: RunRecord["status"]) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const rows = yield* journal.rows(runId)
    const nowMs = yield* Clock.currentTimeMillis
    yield* journal.finish(runId, status, outcomeOf(rows).counts, nowMs)
  })

/** Sorts by time and never repeats: `run-2026-09-01T09:00:00.000Z-4f2a9c`. */
const makeRunId = Effect.gen(function* () {
  const now = yield* DateTime.now
  const tail = yield* Random.nextIntBetween(0, 0x1000000)
  return `run-${DateTime.formatIso(now)}-${tail.toString(16).padStart(6, "0")}`
})

/**
 * One write per slot at a time: while an earlier one may still take effect, no second one is sent after it. Answers the
 * changes whose slots no other run of any lane has left open; the others are skipped;
 * call it while holding the apply lock.
 */
const withoutOpen = (
  runId: string,
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const open = new Set(
      (yield* journal.open(account)).filter((row) => row.runId !== runId).map((row) => row.slot)
    )
    const waiting = changes.filter((change) => open.has(Kinds.slotOf(change)))
    if (waiting.length === 0) return changes
    yield* skipPlanned(runId, waiting, { code: "earlier_change_open" })
    return changes.filter((change) => !open.has(Kinds.slotOf(change)))
  })

/** Without what rules set once and have sent before: the plan may be older than that, and waited for a person. */
const withoutFiled = (
  runId: string,
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const once = changes.filter((change) => Kinds.of(change).isOnce === true && change.origin.by === "policy")
    if (once.length === 0) return changes
    const before = yield* (yield* Journal).leftBefore(account, once.map(Kinds.slotOf), runId)
    const filed = new Set(once.filter((change) => before.has(Kinds.slotOf(change))))
    if (filed.size === 0) return changes
    yield* skipPlanned(runId, [...filed], { code: "filed_before" })
    return changes.filter((change) => !filed.has(change))
  })

/** What of other runs the changes are looked at beside: what left since the plan was made, and what is open. */
const besideOf = (
  runId: string,
  { account, madeAtMs }: ApprovedPlan,
  changes: ReadonlyArray<Change>
): Effect.Effect<LookAgain.Others, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const prefixes = new Set(
      changes.map(Kinds.of).flatMap(({ beside, prefix }) => (beside === undefined ? [] : [prefix]))
    )
    const rows = yield* Effect.forEach(prefixes, (prefix) =>
      journal.leftSince(account, prefix, madeAtMs, runId)
    )
    return new LookAgain.Others(rows.flat().map(({ change }) => change))
  })
