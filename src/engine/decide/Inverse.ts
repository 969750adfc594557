/**
 * The way back from a change of the journal: the change that restores what was there before it, or why there is none.
 * Pure: it knows the journal, not the marketplace. Whether the slot still holds what we wrote is for whoever sends.
 */
import * as Hash from "../../domain/Hash.js"
import * as OperatorHold from "./OperatorHold.js"
import type { Change } from "./Plan.js"
import * as Slot from "./Slot.js"

/**
 * `open`: sent, outcome not known yet. `replaced`: sent, and something else was found in its place, so that nobody knows
 * whether it took effect before. `none`: it never took effect, whatever the reason.
 */
export type Standing = "applied" | "open" | "parked" | "replaced" | "none"

/** A change of an earlier run. `at`: when it left, epoch milliseconds. */
export interface Past {
  readonly runId: string
  readonly change: Change
  readonly standing: Standing
  readonly at: number
}

/**
 * `Done`: nothing of the change is left to take back. `Left`: something is, and it stays, because it cannot be taken
 * back (`irreversible`) or not now.
 */
export type Verdict =
  | { readonly _tag: "Possible"; readonly change: Change }
  | { readonly _tag: "Done"; readonly why: string }
  | { readonly _tag: "Left"; readonly why: string; readonly irreversible: boolean }

/** Whose change the inverse is, and the line of the rule it comes from (0 for a person's). */
export interface Asked {
  readonly account: string
  readonly policy: string
  readonly line: number
}

/** True for the changes that `bidhelm undo` makes, which stand under no policy of the rules. */
export const isByPerson = ({ policy, undoes }: Pick<Change, "policy" | "undoes">): boolean =>
  policy === OperatorHold.undoPolicy && undoes !== undefined

/** `slot`: everything that ever left for the past change's slot and was not refused, itself too, oldest first. */
export const of = (past: Past, slot: ReadonlyArray<Past>, asked: Asked): Verdict => {
  const forGood = irreversible(past.change)
  if (past.standing === "none") return { _tag: "Done", why: "it never took effect" }
  if (past.standing === "replaced")
    return left("something else was found in its place after it was sent; that is not ours to take back")
  if (forGood !== undefined) return left(forGood, true)
  if (past.standing !== "applied") return left("its outcome is still open; bidhelm apply reads it back first")
  const undone = undoneBy(slot)
  const by = undone.get(name(past))
  if (by !== undefined)
    return by.standing === "applied"
      ? { _tag: "Done", why: `taken back already by ${by.runId}` }
      : left(`${by.runId} is taking it back; its outcome is still open`)
  const later = overBy(past, slot, undone)
  if (later !== undefined)
    return left(`changed again by ${later.change.policy} in ${later.runId}; take that back first`)
  const made = inverse(asItStands(past, slot, undone), slot)
  return typeof made === "string" ? left(made) : { _tag: "Possible", change: sealed(past, made, asked) }
}

/** Why a change cannot be taken back at all; undefined when it can. */
export const irreversible = ({ before, unit }: Pick<Change, "before" | "unit">): string | undefined => {
  if (unit === "kopecks_deposit") return "money that was paid in stays in the campaign"
  if (unit === "placements" && before === "nowhere") return "no campaign can be set to be shown nowhere"
  return undefined
}

/** Why what was there before cannot come back exactly, though nearly; undefined when it can. */
export const inexact = ({ before, unit }: Pick<Change, "before" | "unit">): string | undefined =>
  unit === "status" && before === "ready"
    ? "a campaign that has run cannot become ready again; undo pauses it"
    : undefined

/** Of such a change nothing stands in its slot. */
const isNothing = ({ standing }: Past): boolean => standing === "none" || standing === "replaced"

/** Past changes by name, with the change that took them back and still stands. */
export const undoneBy = (slot: ReadonlyArray<Past>): ReadonlyMap<string, Past> => {
  const undone = new Map<string, Past>()
  for (const past of slot.toReversed()) {
    const { undoes } = past.change
    if (undoes === undefined || isNothing(past) || undone.has(name(past))) continue
    undone.set(key(undoes.runId, undoes.changeId), past)
  }
  return undone
}

/**
 * A later change that stands, other than one that took something back: the slot is its by now. Overlays that came and
 * went and left the base that the change had set are no such change.
 */
export const overBy = (
  past: Past,
  slot: ReadonlyArray<Past>,
  undone: ReadonlyMap<string, Past>
): Past | undefined => {
  const later = after(past, slot, undone)
  return areOver(past, later) ? undefined : later.at(-1)
}

/** The past change as what it left: after overlays have come and gone over it that is the base alone. */
export const asItStands = (
  past: Past,
  slot: ReadonlyArray<Past>,
  undone: ReadonlyMap<string, Past> = undoneBy(slot)
): Past => {
  const { baseBeforeKopecks, baseKopecks, overlayBasisPoints, overlayPolicy, ...change } = past.change
  if (baseKopecks === undefined || !areOver(past, after(past, slot, undone))) return past
  return { ...past, change: { ...change, before: baseBeforeKopecks ?? change.before, after: baseKopecks } }
}

/** Changes after it that stand, oldest first. */
const after = (
  past: Past,
  slot: ReadonlyArray<Past>,
  undone: ReadonlyMap<string, Past>
): ReadonlyArray<Past> => {
  const at = slot.findIndex((other) => name(other) === name(past))
  return slot
    .slice(at + 1)
    .filter((other) => !isNothing(other) && other.change.undoes === undefined && !undone.has(name(other)))
}

/** Only overlays came later, and the last has ended at the base that the change had set. */
const areOver = ({ change }: Past, later: ReadonlyArray<Past>): boolean => {
  const last = later.at(-1)
  return (
    last?.standing === "applied" &&
    last.change.overlayBasisPoints === 0 &&
    last.change.after === (change.baseKopecks ?? change.after) &&
    change.action !== "adjust_bid" &&
    later.every((other) => other.change.action === "adjust_bid")
  )
}

/** Names a past change among others of its slot. */
export const name = ({ change, runId }: Pick<Past, "change" | "runId">): string => key(runId, change.id)

const key = (runId: string, changeId: string): string => `${runId}/${changeId}`

const left = (why: string, irreversible = false): Verdict => ({ _tag: "Left", why, irreversible })

/** What an inverse sets; the rest is the same for all. */
type Made = Pick<Change, "action" | "before" | "after"> &
  Partial<
    Pick<
      Change,
      "clears" | "inherited" | "overlayPolicy" | "overlayBasisPoints" | "baseBeforeKopecks" | "baseKopecks"
    >
  > & { readonly notes: Change["reason"] }

const inverse = (past: Past, slot: ReadonlyArray<Past>): Made | string => {
  const { after, before, unit } = past.change
  switch (unit) {
    case "status": {
      const back = before === "ready" ? "paused" : before
      const isStart = back === "active"
      const notes = isStart
        ? [note("starts spending again", "an active campaign spends money")]
        : before === "ready"
          ? [note("comes near to what was there", "it was ready, and cannot become so again: it is paused")]
          : []
      return { action: isStart ? "start" : "pause", before: after, after: back, notes }
    }
    case "minus_phrase":
      return {
        action: before === true ? "add_minus" : "remove_minus",
        before: after,
        after: before,
        notes: []
      }
    case "placements":
      return { action: "placements", before: after, after: before, notes: [] }
    case "kopecks_deposit":
      return "money that was paid in stays in the campaign"
    case "kopecks_per_1000_impressions":
    case "kopecks_per_click":
      return past.change.action === "adjust_bid" ? edge(past, slot) : bid(past.change)
  }
}

const bid = (change: Change): Made => {
  const { after, baseBeforeKopecks, baseKopecks, before, clears, inherited } = change
  const moved = { before: after, after: before }
  if (clears === true) return { action: "set_bid", ...moved, inherited: true, notes: [] }
  if (inherited === true) {
    const notes = [note("no bid of its own again", "the item's bid in search holds, as before")]
    return { action: "set_bid", ...moved, clears: true, notes }
  }
  const base =
    baseKopecks === undefined || baseBeforeKopecks === undefined
      ? {}
      : { ...overlayOf(change), baseBeforeKopecks: baseKopecks, baseKopecks: baseBeforeKopecks }
  return { action: Number(before) > Number(after) ? "raise_bid" : "lower_bid", ...moved, ...base, notes: [] }
}

/** An overlay that began is ended. One that ended is not begun again, unless it was an undo that ended it. */
const edge = ({ change }: Past, slot: ReadonlyArray<Past>): Made | string => {
  const { after, baseBeforeKopecks, baseKopecks, before, overlayBasisPoints, undoes } = change
  if (baseBeforeKopecks === undefined || baseKopecks === undefined)
    return "nothing says what the bid was without its overlay"
  if (overlayBasisPoints === 0) {
    const first =
      undoes === undefined
        ? undefined
        : slot.find((other) => name(other) === key(undoes.runId, undoes.changeId))?.change
    if (first === undefined)
      return "the overlay ended because its time was over; it begins again when its time comes"
    return {
      action: "adjust_bid",
      before: after,
      after: before,
      ...overlayOf(first),
      baseBeforeKopecks: baseKopecks,
      baseKopecks: baseBeforeKopecks,
      notes: []
    }
  }
  if (before !== baseBeforeKopecks) return "it took the place of another overlay, which is over"
  const { overlayPolicy } = overlayOf(change)
  return {
    action: "adjust_bid",
    before: after,
    after: before,
    ...(overlayPolicy === undefined ? {} : { overlayPolicy }),
    overlayBasisPoints: 0,
    baseBeforeKopecks: baseKopecks,
    baseKopecks: baseBeforeKopecks,
    notes: []
  }
}

const overlayOf = ({ overlayBasisPoints, overlayPolicy }: Change) => ({
  ...(overlayPolicy === undefined ? {} : { overlayPolicy }),
  ...(overlayBasisPoints === undefined ? {} : { overlayBasisPoints })
})

const sealed = (past: Past, { notes, ...made }: Made, { account, line, policy }: Asked): Change => {
  const { change, runId } = past
  const { campaignName, moneyPerDayKopecks, placement, spendPerDayKopecks, target, unit } = change
  const undoes = { runId, changeId: change.id, policy: change.undoes?.policy ?? change.policy }
  const { action, after, before } = made
  const slot = Slot.key(change)
  return {
    id: Hash.of({ account, slot, action, before, after, undoes }).slice(0, 32),
    policy,
    policyLine: line,
    target,
    campaignName,
    ...(placement === undefined ? {} : { placement }),
    ...made,
    ...earlier(past, made, policy),
    unit,
    reason: [note(`undo of ${runId}`, `${change.action} by ${change.policy}, ${instant(past.at)}`), ...notes],
    clamps: [],
    overruled: [],
    reversible: true,
    undoes,
    moneyPerDayKopecks: typeof moneyPerDayKopecks === "number" ? 0 - moneyPerDayKopecks : moneyPerDayKopecks,
    ...(spendPerDayKopecks === undefined ? {} : { spendPerDayKopecks })
  }
}

/** A policy that takes back its own last change still has those before it to answer for. */
const earlier = (
  { change: { policy, revertsTo } }: Past,
  { after, baseKopecks }: Pick<Made, "after" | "baseKopecks">,
  by: string
): Pick<Change, "revertsTo"> =>
  policy !== by || revertsTo === undefined || revertsTo === (baseKopecks ?? after) ? {} : { revertsTo }

const note = (condition: string, value: string): Change["reason"][number] => ({
  condition,
  value,
  holds: "true"
})

const instant = (epochMs: number): string =>
  new Date(epochMs).toISOString().slice(0, 16).replace("T", " ").concat(" UTC")
