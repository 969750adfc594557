/** What the journal knows beyond a single run: the past of slots, what took what back, what a watch has answered. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WatchMark } from "../decide/Plan.js"
import type { JournalRow } from "./Journal.js"
import type { StoreFailure } from "./Ports.js"

/** Changes of one run that another one took back. */
export interface Undone {
  readonly runId: string
  readonly byRunId: string
  /** How many of them have been taken back for certain. */
  readonly changes: number
}

export class ChangeLog extends Context.Tag("bidhelm/ChangeLog")<
  ChangeLog,
  {
    /** Changes of these slots that left, or may have left, and were not refused; oldest first. */
    readonly ofSlots: (
      account: string,
      slots: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Changes whose id begins so, latest first; at most a hundred. */
    readonly named: (
      account: string,
      idPrefix: string
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Which runs took changes of these runs back, sorted. */
    readonly undone: (runIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Undone>, StoreFailure>
    /** Changes that these policies made, seen in place, and sent since an instant; oldest first. */
    readonly applied: (
      account: string,
      policies: ReadonlyArray<string>,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Marks of `watch:` that these runs' changes have passed. */
    readonly marks: (
      runIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Omit<WatchMark, "policy">>, StoreFailure>
    readonly keepMarks: (marks: ReadonlyArray<WatchMark>, nowMs: number) => Effect.Effect<void, StoreFailure>
  }
>() {}
