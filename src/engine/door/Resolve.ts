/** A person's word on a deposit that nothing else can prove. */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Kinds from "../kinds/Kinds.js"
import { Journal, type JournalRow } from "./Journal.js"
import { outcomeOf } from "./Outcome.js"

/**
 * Settles a parked deposit as paid or not paid, in somebody's name; answers why it cannot be settled so, or nothing.
 * Call it while holding the apply lock.
 */
export const deposit = (
  row: JournalRow,
  paid: boolean,
  who: string
): Effect.Effect<string | undefined, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { change, runId } = row
    if (!Kinds.isPayment(change)) return "only a deposit is settled by a person; everything else is read back"
    const nowMs = yield* Clock.currentTimeMillis
    const reason = { code: "person_said", who, paid } as const
    const to = paid ? "applied" : "not_applied"
    const moved = yield* journal.move(runId, [change.id], ["parked"], to, { nowMs, reason })
    if (moved.length === 0) return `the deposit is ${row.state}, not parked; there is nothing to settle`
    const { counts, status } = outcomeOf(yield* journal.rows(runId))
    yield* journal.finish(runId, status, counts, nowMs)
    return undefined
  })
