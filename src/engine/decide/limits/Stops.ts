/** Everything a person has stopped, as the review looks at it: holds placed by hand, and values set by hand. */

import * as Target from "../../../domain/Target.js"
import * as Bids from "../../kinds/Bids.js"
import type { Change } from "../../kinds/Change.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import type { HumanEdit } from "../../kinds/HumanEdit.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import * as Optimised from "../../kinds/Optimised.js"
import { toTheMinute } from "../RowReason.js"
import * as HumanEdits from "./HumanEdits.js"

export interface Stops {
  readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
  /** Edits by slot, lifted and outlived ones among them. */
  readonly edits: ReadonlyMap<string, HumanEdit>
  /** Slots of which nobody can tell yet, and until when. */
  readonly unsettled: ReadonlyMap<string, number>
  /** How long an edit is left alone. */
  readonly editHoldMs: number
  readonly nowMs: number
  readonly zone: string
}

/** Why a change has to wait for a person or the clock; undefined when it has not. */
export const verdict = (change: Change, stops: Stops): HeldReason | undefined => {
  const hold = OperatorHold.stopping(stops.holds, change, stops.nowMs)
  if (hold !== undefined) return OperatorHold.verdict(hold, stops.zone)
  return change.origin.name === OperatorHold.undoPolicy ? undefined : edited(change, stops)
}

const edited = (
  change: Change,
  { editHoldMs, edits, nowMs, unsettled, zone }: Stops
): HeldReason | undefined => {
  if (editHoldMs === 0 || edits.size + unsettled.size === 0) return undefined
  const slot = Kinds.slotOf(change)
  const told = unsettled.get(slot)
  if (told !== undefined) return { code: "human_edit_unsettled", until: toTheMinute(told), zone }
  for (const edit of [edits.get(slot), undoneBeside(change, edits)]) {
    // What a person took back is the base; an overlay over it still ends at its time.
    if (edit === undefined || (HumanEdits.isUndo(edit) && Bids.endsOverlay(change))) continue
    const until = HumanEdits.heldUntil(edit, editHoldMs, nowMs)
    if (until === undefined) continue
    const { firstSeenAt, live, ours, writtenAt } = edit
    return { code: "human_edit", slot: edit.slot, ours, writtenAt, live, firstSeenAt, until, zone }
  }
  return undefined
}

/** `optimise` brings a cluster down by its bid or by a minus phrase: who undid the one wants none of the other. */
const undoneBeside = (change: Change, edits: Stops["edits"]): HumanEdit | undefined => {
  const { subject } = change
  if (
    Optimised.of(change) === undefined ||
    subject.cluster === undefined ||
    Kinds.of(change).isDearer(change)
  )
    return undefined
  const slotOf = change.kind === MinusPhrase.name ? ClusterBid.slot : MinusPhrase.slot
  const edit = edits.get(slotOf(subject))
  return edit !== undefined && HumanEdits.isUndo(edit) ? edit : undefined
}

/** The command that gives a slot back to the rules. */
export const resumeWith = (slot: string, among: OperatorHold.Among | undefined): string =>
  OperatorHold.resumeWith({ kind: "target", what: targetOf(slot) }, among)

/** What a slot is about, as a key of a target: `777`, `777/1001`, `777/1001/женские кеды`. */
export const targetOf = (slot: string): string => {
  const target = Kinds.targetOf(slot)
  return target === undefined ? slot : Target.key(target)
}
