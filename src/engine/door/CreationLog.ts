/** Durable memory of things created without a key. The engine owns the port; `store` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CreationReason } from "../../domain/CreationReason.js"
import type { Lane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { JournalState } from "./Journal.js"

/** One creation: what was meant, what was there before, and what became of it. */
export interface Creation {
  readonly id: string
  readonly account: string
  /** Under whose lock it is made and looked for. */
  readonly lane: Lane
  readonly operation: string
  /** The name by which it can be recognised; nothing else of that account has it. */
  readonly marker: string
  readonly requestHash: string
  /** What the list held before. */
  readonly beforeIds: ReadonlyArray<string>
  readonly state: JournalState
  /** The marketplace's id of what was created, once known. */
  readonly foundId: string | undefined
  /** Why it is in its state. */
  readonly reason: CreationReason | undefined
  /** When it was meant, epoch milliseconds. */
  readonly storedAt: number
  /** When its state changed last, epoch milliseconds; known once it is stored. */
  readonly updatedAt?: number
}

/** Something that was created. */
export interface Made {
  readonly foundId: string
  /** When it was known to exist, epoch milliseconds: right after it was made, or later. It may have been meant hours earlier. */
  readonly knownAt: number
}

/** Each method is one committed transaction. */
export class CreationLog extends Context.Tag("bidhelm/CreationLog")<
  CreationLog,
  {
    readonly begin: (creation: Creation) => Effect.Effect<void, StoreFailure>
    /** Moves it from one of `from`; false when it was in none of them. */
    readonly move: (
      id: string,
      from: ReadonlyArray<JournalState>,
      to: JournalState,
      note: { readonly nowMs: number; readonly foundId?: string; readonly reason?: CreationReason }
    ) => Effect.Effect<boolean, StoreFailure>
    /** The last one of that name which is known to exist; it may not be in any list yet, or have been deleted since. */
    readonly made: (
      creation: Pick<Creation, "account" | "operation" | "marker">
    ) => Effect.Effect<Made | undefined, StoreFailure>
    /** The one of that id, whatever became of it; undefined when there is none. */
    readonly one: (id: string) => Effect.Effect<Creation | undefined, StoreFailure>
    /** Those of the account, or of one lane of it, whose outcome is open; oldest first. */
    readonly open: (account: string, lane?: Lane) => Effect.Effect<ReadonlyArray<Creation>, StoreFailure>
  }
>() {}
