/** A value that somebody else set where we had set one before. */
import type { Change } from "./Change.js"
import * as Kinds from "./Kinds.js"
import type { SlotValue } from "./SlotHistory.js"

/** One edit as the store remembers it; instants are epoch milliseconds. */
export interface HumanEdit {
  readonly slot: string
  /**
   * What we wrote last, when, and what was found instead. Where we never wrote: what a plan saw, and when. Of something undone both
   * are what the undo left.
   */
  readonly ours: SlotValue
  readonly writtenAt: number
  readonly live: SlotValue
  readonly firstSeenAt: number
  /** When a person let the rules have the slot back. */
  readonly liftedAt?: number
}

/** Found where a change left `ours`, or should have met it; of a status nobody knows whether a person or an empty purse set it. */
export const instead = (
  change: Change,
  edit: Omit<HumanEdit, "slot" | "liftedAt">
): ReadonlyArray<HumanEdit> =>
  Kinds.of(change).setsItself !== undefined ? [] : [{ slot: Kinds.slotOf(change), ...edit }]
