/**
 * Brings due times of an account to whoever runs its cycles: this process, or the one of several that has the account.
 * Whoever implements it promises that cycles of one account never overlap, and may deliver a due time more than once.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Turns } from "./AccountTurn.js"
import type { DueTime } from "./DueTimes.js"

export class Dispatch extends Context.Tag("bidhelm/Dispatch")<
  Dispatch,
  {
    /**
     * Ends when every due time was dealt with, or is stored where it will be: true when all are stored. Due times may
     * be submitted again.
     */
    readonly submit: (account: string, dues: ReadonlyArray<DueTime>) => Effect.Effect<boolean>
  }
>() {}

/** Runs cycles in this process. */
export const direct = (turns: Turns): typeof Dispatch.Service => ({
  submit: (account, dues) =>
    Effect.as(
      Effect.forEach(dues, (due) => turns.runDue(account, due), { discard: true }),
      false
    )
})
