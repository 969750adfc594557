/** What people have stopped, as a review looks at it: holds by hand, and values that somebody else set. */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as HumanEdits from "../decide/limits/HumanEdits.js"
import type * as Stops from "../decide/limits/Stops.js"
import { Journal } from "../door/Journal.js"
import type { AccountLimits } from "../language/Policy.js"
import { RuleMemory } from "./RuleMemory.js"

/**
 * What stands by the journal alone, for a person who asks: holds, and edits with those that an undo has just made. The
 * latter are kept, so that they can be lifted before the next plan meets them.
 */
export const remembered = (account: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const { edits, holds } = yield* journal.stops(account)
    const slots = yield* memory.slots(account, yield* Clock.currentTimeMillis)
    const found = [...HumanEdits.standing(slots, edits).values()]
    const known = new Set(edits)
    const fresh = found.filter((edit) => !known.has(edit))
    if (fresh.length > 0) yield* journal.keepEdits(account, fresh, [])
    return { holds, edits: found }
  })

/**
 * What stands of an account by the clock, for a review. `found` when the slots' values were read in this run; without it
 * what the journal alone tells, what a person has just taken back among it.
 */
export const stops = (
  account: string,
  limits: AccountLimits,
  zone: string,
  found?: HumanEdits.Found
): Effect.Effect<Stops.Stops, StoreFailure, Journal | RuleMemory> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const { edits, holds } = yield* journal.stops(account)
    return {
      holds,
      edits:
        found === undefined
          ? HumanEdits.standing(yield* memory.slots(account, nowMs), edits)
          : new Map(found.edits.map((edit) => [edit.slot, edit])),
      unsettled: found?.unsettled ?? new Map(),
      editHoldMs: HumanEdits.holdMs(limits),
      nowMs,
      zone
    }
  })
