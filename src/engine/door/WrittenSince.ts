/**
 * Slots that other runs have written since a plan was made. A plan may be applied long after it was made, and once more after it was applied: where the old
 * value stands in such a slot again, somebody has set it back, and what the plan saw is no ground any more.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Lane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { ApprovedPlan } from "../kinds/Approved.js"
import * as Kinds from "../kinds/Kinds.js"
import { Journal } from "./Journal.js"

/** The last write: whose it was, and when it left, epoch milliseconds. */
export interface Written {
  readonly policy: string
  readonly at: number
}

/** By slot, of the changes of a plan; deposits have a stricter look of their own. What left after now was noted by a clock that was ahead, and proves nothing. */
export const read = (
  runId: string,
  lane: Lane,
  { account, changes, madeAtMs }: Pick<ApprovedPlan, "account" | "changes" | "madeAtMs">
): Effect.Effect<ReadonlyMap<string, Written>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const found = new Map<string, Written>()
    // Most plans are sent as they are made, and one look at the lane's latest runs tells it.
    const latest = yield* journal.runs(account, 2, undefined, lane)
    const isQuiet = latest.every((run) => run.runId === runId || (run.finishedAt ?? madeAtMs) < madeAtMs)
    if (isQuiet) return found
    const nowMs = yield* Clock.currentTimeMillis
    const asked = changes.filter((change) => !Kinds.isPayment(change))
    const slots = new Set(asked.map(Kinds.slotOf))
    for (const prefix of new Set(asked.map((change) => Kinds.of(change).prefix)))
      for (const { change, sentAt, slot } of yield* journal.leftSince(account, prefix, madeAtMs, runId)) {
        if (sentAt === undefined || sentAt < madeAtMs || sentAt > nowMs || !slots.has(slot)) continue
        if (sentAt >= (found.get(slot)?.at ?? 0)) found.set(slot, { policy: change.origin.name, at: sentAt })
      }
    return found
  })
