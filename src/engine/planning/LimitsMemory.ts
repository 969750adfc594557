/** Whether rules of an account ever came with a file of limits, as far as the store knows. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** Where limits stood, and when they were seen there last, on the day at least. */
export interface Stood {
  readonly path: string
  readonly atMs: number
}

/** Each method is one committed transaction. */
export class LimitsMemory extends Context.Tag("bidhelm/LimitsMemory")<
  LimitsMemory,
  {
    readonly known: (account: string) => Effect.Effect<Stood | undefined, StoreFailure>
    readonly keep: (account: string, stood: Stood) => Effect.Effect<void, StoreFailure>
  }
>() {}
