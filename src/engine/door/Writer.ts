/** How changes reach the marketplace of one account; `marketplace` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import type { Change } from "../kinds/Change.js"
import type { Purse } from "../kinds/DepositProof.js"
import type { Live } from "../kinds/Seen.js"

/**
 * What one request did to one change. `Unknown` means it may or may not have arrived. `Spoiled` means that it was
 * certainly not carried out, and only because of another change of the request, which is `Rejected` (field note M12):
 * it is worth sending without that one. `Doubted` are all changes of a request that was refused because of one of them,
 * nobody knows which. A reason `account_refused` is about the account as a whole, and ends sending.
 * `evidence` of an accepted one is kept with its row: what the marketplace calls the task, where it filed one, or what it made.
 */
export type WriteOutcome =
  | { readonly _tag: "Accepted"; readonly evidence?: string }
  | { readonly _tag: "Spoiled"; readonly reason: OutcomeReason }
  | { readonly _tag: "Doubted"; readonly reason: OutcomeReason }
  | { readonly _tag: "Rejected"; readonly reason: OutcomeReason }
  | { readonly _tag: "NotSent"; readonly reason: OutcomeReason }
  | { readonly _tag: "Unknown"; readonly reason: OutcomeReason }

/** Changes that travel in one request, and how to send them. */
export interface WriteBatch {
  readonly operation: string
  readonly changes: ReadonlyArray<Change>
  /** Hash of the body that will be sent; journaled before it leaves. */
  readonly requestHash: string
  /** Outcome per change id; never fails, never resends by itself after an unknown outcome. */
  readonly send: Effect.Effect<ReadonlyMap<string, WriteOutcome>, never, WritePermit>
}

/** A look at live values that takes so much of the limit which its request needs too that the request cannot follow at once. */
export interface DearLook {
  /** What one such look shows. */
  readonly shows: string
  /** How old it may be when the request leaves, milliseconds. */
  readonly lastsMs: number
}

/** Writes changes of one account. */
export class Writer extends Context.Tag("bidhelm/Writer")<
  Writer,
  {
    /** Whatever it is given it cannot send: the token is for reading only. Absent where it may write. */
    readonly isReadOnly?: boolean
    /** Milliseconds that the clock at hand is ahead of the marketplace's, whose day counts; undefined where they agree. */
    readonly clockAheadMs?: Effect.Effect<number | undefined>
    /**
     * Current values of the changes' slots, by change id, in as few calls as the batch bounds allow. `sparing`: without calls of
     * which the token has a few an hour; what only they show is unreadable then.
     */
    readonly readLive: (
      changes: ReadonlyArray<Change>,
      sparing?: "sparing"
    ) => Effect.Effect<ReadonlyMap<string, Live>>
    /**
     * Groups changes into requests. Minus lists are merged with the live list here, so the list is read again
     * right before. Order is deterministic.
     */
    readonly batches: (changes: ReadonlyArray<Change>) => Effect.Effect<ReadonlyArray<WriteBatch>>
    /** How long until a change of this kind can be seen, milliseconds (seed 001 "Timing", field note M02). */
    readonly visibilityMs: (change: Change) => number
    /** Of a change whose look is dear; absent where none is. */
    readonly dearLook?: (change: Change) => DearLook | undefined
    /**
     * The money around a deposit as it is now, with the charges of the campaign since a day (today, unless said);
     * undefined when some of it cannot be read.
     */
    readonly purse: (change: Change, spentFrom?: string) => Effect.Effect<Purse | undefined>
  }
>() {}
