/**
 * What the calendar answered, as it answered, kept from run to run for tokens that may ask it once an hour (field note
 * P07). One answer per account and question; whoever reads it judges its age.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** What the calendar answered to a question, and when, epoch milliseconds. */
export interface Kept {
  readonly question: string
  readonly readAt: number
  /** As it was decoded; nothing but JSON. */
  readonly answer: unknown
}

export class CalendarMemory extends Context.Tag("bidhelm/CalendarMemory")<
  CalendarMemory,
  {
    /** Answers to these questions, by question; questions without one are left out. */
    readonly recall: (
      account: string,
      questions: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Kept>, StoreFailure>
    /** Takes the place of older answers to the same questions, in one transaction, and forgets what is a week old. */
    readonly keep: (account: string, answers: ReadonlyArray<Kept>) => Effect.Effect<void, StoreFailure>
  }
>() {}
