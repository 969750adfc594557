/**
 * Deposits are sent once ever. None is sent when another one was made since the plan, because the plan's limits did not
 * count it; and what became of one is proved by the marketplace's answer alone, never by reading back.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Change } from "../decide/Plan.js"
import type { ApprovedPlan } from "../decide/Review.js"
import { Journal, type StoreFailure } from "./Ports.js"

export const isDeposit = (change: Pick<Change, "unit">): boolean => change.unit === "kopecks_deposit"

/** Why a parked deposit stays open, for whoever reads the journal. */
const parked =
  "may or may not have been paid and is never sent again; compare the campaign's budget with its top-ups"

/**
 * The changes of an approved plan without its deposits, if others were made since: those are skipped. Call it while
 * holding the apply lock, after the run's rows were journaled.
 */
export const withoutOvertaken = (
  runId: string,
  { account, changes, plan }: ApprovedPlan
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const deposits = changes.filter(isDeposit)
    if (deposits.length === 0) return changes
    const journal = yield* Journal
    const since = yield* journal.deposits(account, Date.parse(plan.createdAt))
    if (since.length === 0) return changes
    yield* skip(
      runId,
      deposits,
      "not sent: deposits were made since the plan, so its limits do not hold; plan anew"
    )
    return changes.filter((change) => !isDeposit(change))
  })

/** After a deposit whose outcome is unknown none of the run's other deposits is sent. */
export const skipRest = (runId: string, changes: ReadonlyArray<Change>) =>
  skip(runId, changes, "not sent: the outcome of a deposit before it is unknown")

const skip = (runId: string, changes: ReadonlyArray<Change>, detail: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const ids = changes.map(({ id }) => id)
    yield* journal.move(runId, ids, ["planned"], "skipped", { nowMs, detail })
  })

/** Of deposits that left: those answered are applied once their money can be seen; the others stay open. */
export const settle = (
  items: ReadonlyArray<{ readonly runId: string; readonly change: Change; readonly sentAt: number }>,
  visibilityMs: (change: Change) => number
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.forEach(
    items,
    ({ change, runId, sentAt }) =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const nowMs = yield* Clock.currentTimeMillis
        const left = yield* journal.move(runId, [change.id], ["dispatching"], "unknown", {
          nowMs,
          detail: parked
        })
        if (left.length > 0) return
        yield* Effect.sleep(Math.max(0, sentAt + visibilityMs(change) - nowMs))
        yield* journal.move(runId, [change.id], ["accepted"], "applied", {
          nowMs: yield* Clock.currentTimeMillis,
          detail: "the marketplace answered with the new budget"
        })
      }),
    { concurrency: "unbounded", discard: true }
  )
