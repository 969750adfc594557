/**
 * Values that somebody else set where we had set one before: a person, another tool, the marketplace itself. They are
 * left alone for some days, counted from when they were first seen. What a person undid or called for counts as well, and what one
 * stopped again that we had stopped and somebody had started. Pure.
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Table } from "../../facts/Table.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { HumanEdit } from "../../kinds/HumanEdit.js"
import type { Facts } from "../../kinds/Kind.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"
import type { AccountLimits, Each } from "../../language/Policy.js"

/** What a run found of the slots whose value it read. */
export interface Found {
  /** Every edit that is known now, those of slots that were not read among them. */
  readonly edits: ReadonlyArray<HumanEdit>
  /** Slots of which the store should forget an edit: the value is ours again, or we have written since. */
  readonly over: ReadonlyArray<string>
  /** Just written and not shown yet, or set by somebody just now: nobody can tell. By slot, when it can be told. */
  readonly unsettled: ReadonlyMap<string, number>
}

/** Days a foreign value is left alone unless the limits say otherwise. */
export const usualHoldMs = 3 * 86_400_000

export const holdMs = ({ humanEditHoldMs }: AccountLimits): number => humanEditHoldMs ?? usualHoldMs

/** Until then a read may still answer what was there before our write (seed 001 "Timing"). */
const settledAfterMs = 20 * 60_000

/**
 * Compares what was read with what was written last. Writes in flight and slots that were not read say nothing. `budgets`
 * are those read for this question alone, kopecks by campaign (see `doubtful`).
 */
export const find = (
  slots: ReadonlyMap<string, SlotHistory>,
  table: (each: Each) => Table,
  remembered: ReadonlyArray<HumanEdit>,
  nowMs: number,
  budgets: ReadonlyMap<CampaignId, number> = new Map()
): Found => {
  const known = standing(slots, remembered)
  const unsettled = new Map<string, number>()
  for (const history of slots.values()) {
    const { lastWritten, pendingSince, slot } = history
    if (pendingSince !== undefined || lastWritten === undefined) continue
    // Where we removed the slot's own value, only one that it has again is somebody's.
    const isCleared = lastWritten.clears === true
    if (isCleared && factsOf(slot, table, (facts) => Kinds.isOwn(slot, facts)) !== true) continue
    const live = liveOf(slot, table)
    if (live === undefined || !isEditable(slot, live)) continue
    const edit = known.get(slot)
    const isStill = Kinds.ofSlot(slot)?.kind.setsItself?.(live) === true
    if (live === lastWritten.after && !isCleared) {
      // An edit of a later write, which a store that was restored from a backup does not know, is not over for what it knows.
      if (edit === undefined || isUndo(edit) || (edit.writtenAt > lastWritten.at && edit.ours !== live))
        continue
      const isUndone = isPersons(slot, lastWritten.policy)
      if (isUndone) known.set(slot, undoneAgain(slot, lastWritten, edit))
      else if (!isStill) known.delete(slot)
      if (isUndone || !isStill) continue
    } else if (isUnsettled(lastWritten, nowMs)) {
      unsettled.set(slot, lastWritten.at + settledAfterMs)
      continue
    }
    if (edit?.live === live) continue
    const budget = isStill ? budgetOf(slot, table, budgets) : Number.POSITIVE_INFINITY
    if (budget === undefined) unsettled.set(slot, nowMs)
    else if (budget > 0)
      known.set(slot, {
        slot,
        ours: lastWritten.after,
        writtenAt: lastWritten.at,
        live,
        firstSeenAt: nowMs
      })
  }
  for (const edit of [...known.values()].filter(({ slot }) => isNeverOurs(slots.get(slot)))) {
    const live = isUndo(edit) ? undefined : liveOf(edit.slot, table)
    if (live === undefined || live === edit.live || !isEditable(edit.slot, live)) continue
    if (factsOf(edit.slot, table, (facts) => Kinds.isOwn(edit.slot, facts)) === false) continue
    const { liftedAt: _, ...again } = edit
    if (live === edit.ours) known.delete(edit.slot)
    else known.set(edit.slot, { ...again, live, firstSeenAt: nowMs })
  }
  return {
    edits: [...known.values()].sort(TextOrder.by(({ slot }) => slot)),
    over: remembered.map(({ slot }) => slot).filter((slot) => !known.has(slot)),
    unsettled
  }
}

/** A write that a clock far ahead has dated says nothing for as long. */
const isUnsettled = ({ at }: NonNullable<SlotHistory["lastWritten"]>, nowMs: number): boolean =>
  nowMs - at < settledAfterMs && at <= nowMs + Days.clockMayErrMs

/** Counted from now where a clock that was ahead has seen an edit first: call it by a clock that agrees with the marketplace's alone. */
export const dated = (found: Found, nowMs: number): Found => ({
  ...found,
  edits: found.edits.map((edit) => (edit.firstSeenAt > nowMs ? { ...edit, firstSeenAt: nowMs } : edit))
})

/** What we never wrote has only its edit to be compared with. */
const isNeverOurs = (history: SlotHistory | undefined): boolean =>
  history?.lastWritten === undefined && history?.pendingSince === undefined

/**
 * What is known without a look at the marketplace: edits that no later write of ours ended, and what a person undid or called for. The
 * end of an overlay leaves the base as the person wanted it, so it ends no undo.
 */
export const standing = (
  slots: ReadonlyMap<string, SlotHistory>,
  remembered: ReadonlyArray<HumanEdit>
): Map<string, HumanEdit> => {
  const known = new Map(remembered.map((edit) => [edit.slot, edit]))
  for (const { lastEdge, lastWritten, pendingSince, slot } of slots.values()) {
    if (pendingSince !== undefined || lastWritten === undefined) continue
    const before = known.get(slot)
    if (before !== undefined && isSince(before, lastWritten.at)) continue
    known.delete(slot)
    const hasEnded = lastEdge?.on === false && lastEdge.at === lastWritten.at
    if (isPersons(slot, lastWritten.policy)) known.set(slot, undone(slot, lastWritten))
    else if (hasEnded && before !== undefined && isUndo(before) && before.liftedAt === undefined)
      known.set(slot, { ...undone(slot, lastWritten), firstSeenAt: before.firstSeenAt })
  }
  return known
}

/** Whether an edit is of a write of ours or later. What we wrote after it was seen ended it, whatever day a wrong clock gave the write before. */
const isSince = ({ firstSeenAt, writtenAt }: HumanEdit, at: number): boolean =>
  writtenAt === at || (writtenAt > at && firstSeenAt >= at)

/**
 * Campaigns that stand still though we or somebody else started them, and nobody has read whether they ran out of money,
 * which stops a campaign as a person would. Their budgets tell.
 */
export const doubtful = (
  slots: ReadonlyMap<string, SlotHistory>,
  table: (each: Each) => Table,
  remembered: ReadonlyArray<HumanEdit>,
  nowMs: number
): ReadonlyArray<CampaignId> => {
  const known = standing(slots, remembered)
  return [...slots.values()].flatMap(({ lastWritten, pendingSince, slot }) => {
    const setsItself = Kinds.ofSlot(slot)?.kind.setsItself
    const campaignId = Kinds.targetOf(slot)?.campaignId
    if (setsItself === undefined || campaignId === undefined) return []
    if (pendingSince !== undefined || lastWritten === undefined) return []
    if (isUnsettled(lastWritten, nowMs) || setsItself(known.get(slot)?.live ?? lastWritten.after)) return []
    const live = liveOf(slot, table)
    const isStill = live !== undefined && setsItself(live)
    return isStill && budgetOf(slot, table, new Map()) === undefined ? [campaignId] : []
  })
}

/** Money that a person paid in, or an end for good, is no value that rules would set otherwise. */
const isPersons = (slot: string, policy: string): boolean => {
  const { writeClass } = Kinds.ofSlot(slot)?.kind ?? {}
  return OperatorHold.isPersons(policy) && (writeClass === "A" || writeClass === "B")
}

const undone = (slot: string, { after, at }: NonNullable<SlotHistory["lastWritten"]>): HumanEdit => ({
  slot,
  ours: after,
  writtenAt: at,
  live: after,
  firstSeenAt: at
})

/** Somebody changed what a person had undone, and changed it back: the undo stands as before, lifted if that was. */
const undoneAgain = (
  slot: string,
  written: NonNullable<SlotHistory["lastWritten"]>,
  { liftedAt }: HumanEdit
): HumanEdit => ({ ...undone(slot, written), ...(liftedAt === undefined ? {} : { liftedAt }) })

/** True when a person undid or called for something, or set a stop back themselves: the value is ours, the decision is theirs. */
export const isUndo = ({ live, ours }: HumanEdit): boolean => live === ours

/** When the rules may have the slot again; undefined when they have it already. */
export const heldUntil = (edit: HumanEdit, forMs: number, nowMs: number): number | undefined => {
  const until = edit.firstSeenAt + forMs
  return edit.liftedAt !== undefined || until <= nowMs ? undefined : until
}

/** What stands in a slot by what was read; undefined where nobody can tell. */
export const liveOf = (slot: string, table: (each: Each) => Table): SlotValue | undefined =>
  factsOf(slot, table, (facts) => Kinds.liveOf(slot, facts))

/** What the facts of a slot's row say; undefined where it has none. */
const factsOf = <A>(slot: string, table: (each: Each) => Table, ask: (facts: Facts) => A): A | undefined => {
  const target = Kinds.targetOf(slot)
  if (target === undefined) return undefined
  return ask((id) => {
    const level = Vocabulary.byFactId(id)?.level
    if (level !== "campaign" && level !== "campaign_item" && level !== "cluster") return undefined
    const rows = table(level)
    const row = rows.indexOf(target)
    const cell = row === undefined ? undefined : rows.get(row, id)
    return cell?._tag === "Known" ? cell.value : undefined
  })
}

const isEditable = (slot: string, live: SlotValue): boolean =>
  Kinds.ofSlot(slot)?.kind.isSettable?.(live) !== false

/** Kopecks; undefined when nobody has read it. */
const budgetOf = (
  slot: string,
  table: (each: Each) => Table,
  budgets: ReadonlyMap<CampaignId, number>
): number | undefined => {
  const campaignId = Kinds.targetOf(slot)?.campaignId
  if (campaignId === undefined) return undefined
  const rows = table("campaign")
  const row = rows.indexOf({ campaignId })
  const cell = row === undefined ? undefined : rows.get(row, "campaign.budget")
  return cell?._tag === "Known" ? Number(cell.value) : budgets.get(campaignId)
}
