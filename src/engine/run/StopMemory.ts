/** The part of the journal that remembers what people have stopped. `E`: the store could not be read or written. */
import type * as Effect from "effect/Effect"
import type { HumanEdit } from "../decide/HumanEdits.js"
import type { OperatorHold } from "../decide/OperatorHold.js"

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
