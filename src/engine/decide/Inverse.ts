/**
 * The way back from a change of the journal: the change that restores what was there before it, or why there is none.
 * Pure: it knows the journal, not the marketplace. Whether the slot still holds what we wrote is for whoever sends.
 */
import * as Schema from "effect/Schema"
import { coded } from "../../domain/Coded.js"
import * as Hash from "../../domain/Hash.js"
import { SeenReason } from "../../domain/OutcomeReason.js"
import * as When from "../../domain/When.js"
import * as Bids from "../kinds/Bids.js"
import type { Change, Origin, Part, PolicyOrigin } from "../kinds/Change.js"
import { type Made, note } from "../kinds/Kind.js"
import * as Kinds from "../kinds/Kinds.js"
import { kindNames } from "../kinds/Parts.js"
import type { Past } from "../kinds/Past.js"
import * as Pasts from "../kinds/Past.js"

const kind = Schema.Literal(...kindNames)
const said = { said: Schema.String }
const runId = { runId: Schema.String }

/**
 * Why a change is not taken back; `reporting/WayBackReasons` says it. `never_took_effect`, `taken_back` and `there_already`:
 * nothing of it is left to take back. `said` is the text of the change's kind, or of whoever read it or could not.
 */
export const LeftReason = Schema.Union(
  coded("never_took_effect", {}),
  coded("taken_back", runId),
  coded("there_already", {}),
  coded("replaced", {}),
  coded("irreversible", said),
  coded("no_way_back", said),
  coded("outcome_open", {}),
  coded("being_taken_back", runId),
  coded("changed_again", { ...runId, by: Schema.String }),
  coded("own_bid_removed", {}),
  coded("shows_other", { kind, seen: SeenReason }),
  coded("live_value_unread", said),
  /** It was read that nothing can be set there any more. */
  coded("closed", said),
  coded("start_needs_budget", {}),
  coded("into_closed_supply", { supply: Schema.String }),
  coded("below_minimum_bid", { kind, bid: Schema.Number, least: Schema.Number })
).annotations({ identifier: "LeftReason" })
export type LeftReason = typeof LeftReason.Type

/**
 * `Done`: nothing of the change is left to take back. `Left`: something is, and it stays, because it cannot be taken
 * back (`irreversible`) or not now.
 */
export type Verdict =
  | { readonly _tag: "Possible"; readonly change: Change }
  | { readonly _tag: "Done"; readonly because: LeftReason }
  | { readonly _tag: "Left"; readonly because: LeftReason; readonly irreversible: boolean }

/** Whose change the inverse is. */
export interface Asked {
  readonly account: string
  readonly origin: Origin
  /** Of the account, for the instant of the change. */
  readonly zone: string
}

/** True for what `revert_when` of a policy takes back of its own. */
export const isRevert = ({ origin }: Pick<Change, "origin">): boolean =>
  origin.by === "policy" && origin.takesBack === true

/** True for what takes an earlier change back, whoever asks for it. */
export const takesBack = (change: Pick<Change, "origin" | "undoes">): boolean =>
  isRevert(change) || change.undoes !== undefined

/** True for the changes that `bidhelm undo` makes, which stand under no policy of the rules. */
export const isByPerson = ({ origin, undoes }: Pick<Change, "origin" | "undoes">): boolean =>
  origin.by === "undo" && undoes !== undefined

/** `slot`: everything that ever left for the past change's slot and was not refused, itself too, oldest first. */
export const of = (past: Past, slot: ReadonlyArray<Past>, asked: Asked): Verdict => {
  const forGood = Kinds.of(past.change).irreversible?.(past.change)
  if (past.standing === "none") return { _tag: "Done", because: { code: "never_took_effect" } }
  if (past.standing === "replaced") return left({ code: "replaced" })
  if (forGood !== undefined) return left({ code: "irreversible", said: forGood }, true)
  if (past.standing !== "applied") return left({ code: "outcome_open" })
  const undone = undoneBy(slot)
  const by = undone.get(Pasts.name(past))
  if (by !== undefined)
    return by.standing === "applied"
      ? { _tag: "Done", because: { code: "taken_back", runId: by.runId } }
      : left({ code: "being_taken_back", runId: by.runId })
  const later = overBy(past, slot, undone)
  if (later !== undefined)
    return left({ code: "changed_again", by: later.change.origin.name, runId: later.runId })
  const made = Kinds.of(past.change).inverse(asItStands(past, slot, undone), slot)
  return typeof made === "string"
    ? left({ code: "no_way_back", said: made })
    : { _tag: "Possible", change: sealed(past, made, asked) }
}

/** Why a change cannot be taken back at all, or not exactly; undefined when it can. */
export const keptBy = (change: Part<"before" | "details" | "kind">): string | undefined =>
  Kinds.of(change).irreversible?.(change) ?? Kinds.of(change).inexact?.(change)

/** Of such a change nothing stands in its slot. */
const isNothing = ({ standing }: Past): boolean => standing === "none" || standing === "replaced"

/** Past changes by name, with the change that took them back and still stands. */
export const undoneBy = (slot: ReadonlyArray<Past>): ReadonlyMap<string, Past> => {
  const undone = new Map<string, Past>()
  for (const past of slot.toReversed()) {
    const { undoes } = past.change
    if (undoes === undefined || isNothing(past) || undone.has(Pasts.name(past))) continue
    undone.set(Pasts.key(undoes.runId, undoes.changeId), past)
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
  const overlay = Bids.overlayOf(past.change)
  if (overlay === undefined || !areOver(past, after(past, slot, undone))) return past
  const { baseBeforeKopecks, baseKopecks } = overlay
  return {
    ...past,
    change: { ...Bids.withoutOverlay(past.change), before: baseBeforeKopecks, after: baseKopecks }
  }
}

/** Changes after it that stand, oldest first. */
const after = (
  past: Past,
  slot: ReadonlyArray<Past>,
  undone: ReadonlyMap<string, Past>
): ReadonlyArray<Past> => {
  const at = slot.findIndex((other) => Pasts.name(other) === Pasts.name(past))
  return slot
    .slice(at + 1)
    .filter(
      (other) => !isNothing(other) && other.change.undoes === undefined && !undone.has(Pasts.name(other))
    )
}

/** Only overlays came later, and the last has ended at the base that the change had set. */
const areOver = ({ change }: Past, later: ReadonlyArray<Past>): boolean => {
  const last = later.at(-1)
  return (
    last?.standing === "applied" &&
    Bids.endsOverlay(last.change) &&
    last.change.after === (Bids.overlayOf(change)?.baseKopecks ?? change.after) &&
    !Bids.isEdge(change) &&
    later.every((other) => Bids.isEdge(other.change))
  )
}

const left = (because: LeftReason, irreversible = false): Verdict => ({ _tag: "Left", because, irreversible })

const sealed = (past: Past, { notes, ...made }: Made, { account, origin, zone }: Asked): Change => {
  const { change, runId } = past
  const { campaignName, kind, moneyPerDayKopecks, spendPerDayKopecks, subject } = change
  const undoes = { runId, changeId: change.id, policy: change.undoes?.policy ?? change.origin.name }
  const { action, after, before } = made
  const slot = Kinds.slotOf(change)
  // The details are those that the change's own kind made.
  const inverse = {
    id: Hash.of({ account, slot, action, before, after, undoes }).slice(0, 32),
    kind,
    origin,
    subject,
    campaignName,
    ...made,
    reason: [
      note(
        `undo of ${runId}`,
        `${change.action} by ${change.origin.name}, ${When.text(past.at, zone)} ${zone}`
      ),
      ...notes
    ],
    clamps: [],
    overruled: [],
    reversible: true,
    undoes,
    moneyPerDayKopecks:
      typeof moneyPerDayKopecks === "number"
        ? 0 + Math.round(moneyPerDayKopecks * wayBack(change, made))
        : moneyPerDayKopecks,
    ...(spendPerDayKopecks === undefined ? {} : { spendPerDayKopecks })
  } as Change
  return { ...inverse, origin: earlier(past, inverse, origin) }
}

/** How far it goes back, of what the change moved: an overlay over another's goes back to the base, not to the other. */
const wayBack = (change: Change, made: Pick<Made, "after" | "before">): number => {
  const [moved, back] = [
    Number(change.after) - Number(change.before),
    Number(made.after) - Number(made.before)
  ]
  return Number.isFinite(back / moved) ? back / moved : -1
}

/** A policy that takes back its own last change still has those before it to answer for. */
const earlier = ({ change }: Past, inverse: Change, origin: Origin): Origin => {
  const { revertsInherited, revertsTo } = change.origin as Partial<PolicyOrigin>
  const isOver =
    revertsTo === undefined || revertsTo === (Bids.overlayOf(inverse)?.baseKopecks ?? inverse.after)
  return isOver || origin.by !== "policy" || change.origin.name !== origin.name
    ? origin
    : { ...origin, revertsTo, ...(revertsInherited === true ? { revertsInherited } : {}) }
}
