/**
 * What the marketplace refused rests: the same is refused again as long as nothing changes, day after day, such as the bid of a
 * cluster that still gathers data (field note M13). Another value of the slot is another matter, and what stops spending never
 * waits (`Kind.rests`). Pure.
 */
import type { OutcomeReason } from "../../../domain/OutcomeReason.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"

/** So long refusals are remembered, milliseconds. */
export const rememberedMs = 4 * 86_400_000

const firstMs = 3_600_000
const longestMs = 86_400_000

/** The last refusal of a slot, and how many of the same value there were. */
export interface Refusal {
  readonly after: SlotValue
  readonly at: number
  readonly times: number
}

/** By slot. Changes and when they were refused, epoch milliseconds, oldest first. */
export const bySlot = (
  refused: ReadonlyArray<{
    readonly change: Change
    readonly slot: string
    readonly updatedAt: number
    readonly reason: OutcomeReason | undefined
  }>,
  nowMs: number
): ReadonlyMap<string, Refusal> => {
  const found = new Map<string, Refusal>()
  for (const { change, reason, slot, updatedAt } of refused) {
    // A token that was not accepted says nothing of the change; a clock that was ahead says nothing of the time.
    if (Kinds.of(change).rests !== true || reason?.code === "account_refused" || updatedAt > nowMs) continue
    // What its budget counts with would be missing from the plan, and others would be made dearer for it.
    if ("optimised" in change.details && change.details.optimised !== undefined) continue
    const before = found.get(slot)
    const times = before?.after === change.after ? before.times + 1 : 1
    found.set(slot, { after: change.after, at: updatedAt, times })
  }
  return found
}

/**
 * Until when a slot is not set to a value again, epoch milliseconds: an hour, and with each refusal of what would spend more twice as
 * long, a day at most.
 */
export const restsUntil = (
  refusal: Refusal | undefined,
  wanted: { readonly after: SlotValue; readonly dearer: boolean },
  history: SlotHistory | undefined
): number => {
  if (refusal === undefined || refusal.after !== wanted.after) return Number.NEGATIVE_INFINITY
  if ((history?.lastAppliedAt ?? Number.NEGATIVE_INFINITY) > refusal.at) return Number.NEGATIVE_INFINITY
  return refusal.at + (wanted.dearer ? Math.min(longestMs, firstMs * 2 ** (refusal.times - 1)) : firstMs)
}
