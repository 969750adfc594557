/** Whether rules of an account ever came with a file of limits, as far as the store knows. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** Each method is one committed transaction. */
export class LimitsMemory extends Context.Tag("bidhelm/LimitsMemory")<
  LimitsMemory,
  {
    readonly has: (account: string) => Effect.Effect<boolean, StoreFailure>
    readonly keep: (account: string, atMs: number) => Effect.Effect<void, StoreFailure>
  }
>() {}
