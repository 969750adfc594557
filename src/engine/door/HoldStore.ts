/** What people have stopped, as the store keeps it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { HumanEdit } from "../kinds/HumanEdit.js"
import type { OperatorHold, Scope } from "../kinds/OperatorHold.js"

/** The part of the journal that remembers what people have stopped. `E`: the store could not be read or written. */
export interface StopMemory<E> {
  /** Holds that nobody lifted (some may have ended by the clock), and what others have changed. */
  readonly stops: (account: string) => Effect.Effect<
    {
      readonly holds: ReadonlyArray<OperatorHold>
      readonly edits: ReadonlyArray<HumanEdit>
    },
    E
  >
  /** The holds alone: what is asked before each request, while others may have changed thousands of values. */
  readonly standing: (account: string) => Effect.Effect<ReadonlyArray<OperatorHold>, E>
  /** Keeps edits as a run found them and forgets those that are over. An edit given back stays given back. */
  readonly keepEdits: (
    account: string,
    edits: ReadonlyArray<HumanEdit>,
    over: ReadonlyArray<string>
  ) => Effect.Effect<void, E>
}

/** Places and lifts holds. Each method is one committed transaction. */
export class Holdings extends Context.Tag("bidhelm/Holdings")<
  Holdings,
  {
    /**
     * A hold of the same scope that stands already is replaced; a kill switch that is on keeps its beginning, and its reason
     * unless there is a new one. Answers the hold that stood; of several the one that would have ended last.
     */
    readonly place: (hold: OperatorHold) => Effect.Effect<OperatorHold | undefined, StoreFailure>
    /** Lifts what stands of a scope; answers the holds lifted. */
    readonly lift: (
      account: string,
      scope: Scope,
      by: string,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<OperatorHold>, StoreFailure>
    /** Deposits may be made although the store does not know the account for a day yet. */
    readonly allowDeposits: (account: string, by: string, nowMs: number) => Effect.Effect<void, StoreFailure>
    /** Deposits before `nowMs` may be forgotten: the store knows them from then on, as of an account that it just met. */
    readonly doubtDeposits: (account: string, why: string, nowMs: number) => Effect.Effect<void, StoreFailure>
    /** Gives the rules back what somebody else set on a target or below it; answers the edits. */
    readonly forgive: (
      account: string,
      target: string,
      by: string,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<HumanEdit>, StoreFailure>
    /** Days that these policies' budgets missed until now count no more. */
    readonly forgiveForecasts: (
      account: string,
      budgets: ReadonlyArray<{ readonly policy: string; readonly budget: string }>,
      by: string,
      nowMs: number
    ) => Effect.Effect<void, StoreFailure>
  }
>() {}
