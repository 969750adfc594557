/** What the journal knows beyond a single run: the past of slots, and what took what back. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { JournalRow, JournalState } from "./Journal.js"

/** Changes of one run that another one took back. */
export interface Undone {
  readonly runId: string
  readonly byRunId: string
  /** How many of them have been taken back for certain. */
  readonly changes: number
}

/** Which changes of all runs somebody wants to see; what is absent does not matter. The instants are those of runs. */
export interface ChangeFilter {
  readonly account?: string
  readonly campaignId?: CampaignId
  readonly policy?: string
  readonly state?: JournalState
  /** Epoch milliseconds. */
  readonly fromMs?: number
  /** Epoch milliseconds, exclusive. */
  readonly toMs?: number
}

/** The place of a change among all of them. It never changes, whatever becomes of the change. */
export interface ChangePlace {
  /** Beginning of its run, epoch milliseconds. */
  readonly beganAt: number
  readonly runId: string
  /** Its number in the run. */
  readonly position: number
}

/** A change with the beginning of its run, epoch milliseconds. */
export interface Browsed extends JournalRow {
  readonly beganAt: number
}

export class ChangeLog extends Context.Tag("bidhelm/ChangeLog")<
  ChangeLog,
  {
    /** Changes of these slots that left, or may have left (since an instant), and were not refused; those of a slot oldest first. */
    readonly ofSlots: (
      account: string,
      slots: ReadonlyArray<string>,
      sinceMs?: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes of slots whose names begin so, whatever became of them, of runs since an instant; oldest first. */
    readonly ofSlotsNamed: (
      account: string,
      prefix: string,
      sinceMs?: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes whose id begins so, those of a slot latest first; at most a hundred. */
    readonly named: (
      account: string,
      idPrefix: string
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes that the marketplace refused since an instant, or that were found unfit before they left; oldest first. */
    readonly refused: (
      account: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Which runs took changes of these runs back, sorted. */
    readonly undone: (runIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Undone>, StoreFailure>
    /** Changes that these policies made, seen in place, and sent since an instant; oldest first. */
    readonly applied: (
      account: string,
      policies: ReadonlyArray<string>,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes of slots whose names begin so, whoever made them, seen in place, and sent since an instant; oldest first. */
    readonly appliedNamed: (
      account: string,
      prefix: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes of all runs that fit, newest first; before a place, when one is given. */
    readonly browse: (
      filter: ChangeFilter,
      limit: number,
      before?: ChangePlace
    ) => Effect.Effect<ReadonlyArray<Browsed>, StoreFailure>
    /** Places of a run's changes whose id begins so, at most two; without an id the place before all of the run. */
    readonly places: (
      runId: string,
      idPrefix?: string
    ) => Effect.Effect<ReadonlyArray<ChangePlace>, StoreFailure>
    /** Policies that made changes, sorted; of all accounts. */
    readonly policies: Effect.Effect<ReadonlyArray<string>, StoreFailure>
    /**
     * Since when everything is kept, epoch milliseconds: of what had ended before, all but each value's latest change
     * was forgotten. Of several accounts the latest; undefined when nothing was ever forgotten.
     */
    readonly keptSince: (account: string | undefined) => Effect.Effect<number | undefined, StoreFailure>
  }
>() {}
