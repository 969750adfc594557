/** One write per slot at a time: while an earlier one may still take effect, no second one is sent after it. */
import * as Effect from "effect/Effect"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import { Journal } from "./Journal.js"
import type { StoreFailure } from "./Ports.js"
import * as Skip from "./Skip.js"

/** The changes whose slots no other run has left open; the others are skipped. Call it while holding the apply lock. */
export const without = (
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
    yield* Skip.planned(runId, waiting, "not sent: what became of an earlier change to it is not known yet")
    return changes.filter((change) => !open.has(Kinds.slotOf(change)))
  })
