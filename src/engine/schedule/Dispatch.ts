/**
 * Brings due times of a lane to whoever runs its cycles: this process, or the one of several that has the lane.
 * Whoever implements it promises that cycles of one lane never overlap, and may deliver a due time more than once.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AccountLane } from "../../domain/Lane.js"
import type { Turns } from "./AccountTurn.js"
import type { DueTime } from "./DueTimes.js"

export class Dispatch extends Context.Tag("bidhelm/Dispatch")<
  Dispatch,
  {
    /**
     * Ends when every due time was dealt with, or is stored where it will be: true when all are stored. Due times may
     * be submitted again.
     */
    readonly submit: (where: AccountLane, dues: ReadonlyArray<DueTime>) => Effect.Effect<boolean>
  }
>() {}

/** Runs cycles in this process. */
export const direct = (turns: Turns): typeof Dispatch.Service => ({
  submit: (where, dues) =>
    Effect.as(
      Effect.forEach(dues, (due) => turns.runDue(where, due), { discard: true }),
      false
    )
})
