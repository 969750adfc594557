/** Whether rules of an account ever came with a file of limits, or a table with price floors, as far as the store knows. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** What may be gone: the account's limits, or the floors of its items' prices. */
export type Guard = "limits" | "price floors"

/** Where they stood, and when they were seen there last, on the day at least. */
export interface Stood {
  readonly path: string
  readonly atMs: number
}

/** Each method is one committed transaction. */
export class LimitsMemory extends Context.Tag("bidhelm/LimitsMemory")<
  LimitsMemory,
  {
    readonly known: (account: string, guard: Guard) => Effect.Effect<Stood | undefined, StoreFailure>
    readonly keep: (account: string, guard: Guard, stood: Stood) => Effect.Effect<void, StoreFailure>
  }
>() {}
