/**
 * The facts of whole runs, kept by day: what rules can be tried on afterwards (`bidhelm backtest`). The engine writes
 * and reads the parts' texts (`backtest/Recording`, `backtest/Recall`); the store only keeps them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Day } from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** A piece of a snapshot: its rows, or one fact of all rows. `text` is JSON. */
export interface Part {
  readonly name: string
  readonly text: string
}

/** When a day's snapshot was taken, epoch milliseconds. */
export interface Taken {
  readonly day: Day
  readonly atMs: number
}

export class Snapshots extends Context.Tag("bidhelm/Snapshots")<
  Snapshots,
  {
    /** Replaces the day's snapshot unless it is a later one, and forgets days past keeping. Parts are taken one by one. */
    readonly keep: (account: string, taken: Taken, parts: Iterable<Part>) => Effect.Effect<void, StoreFailure>
    /** The first part of a day's snapshot; none when there is none, or a damaged one. */
    readonly first: (account: string, day: Day) => Effect.Effect<ReadonlyArray<Part>, StoreFailure>
    /** Days with a snapshot, the oldest first. */
    readonly days: (account: string) => Effect.Effect<ReadonlyArray<Taken>, StoreFailure>
    /** The parts in the order they were kept; none when there is no snapshot of that day, or a damaged one. */
    readonly read: (account: string, day: Day) => Effect.Effect<ReadonlyArray<Part>, StoreFailure>
  }
>() {}
