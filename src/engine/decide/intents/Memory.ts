/** What a slot's history keeps of a change: enough to take it back, to end an overlay, and to see it before it shows. */
import * as Bids from "../../kinds/Bids.js"
import type { Change } from "../../kinds/Change.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import type { TierAbove } from "../../kinds/Parts.js"
import type { RolledBack, SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"

/** Plain data that the store keeps as JSON. Of a bid under an overlay `before` and `base` are the base. */
export interface Memory {
  readonly before: SlotValue
  readonly after: SlotValue
  readonly base?: number
  readonly overlay?: { readonly policy: string; readonly basisPoints: number; readonly inherited?: true }
  readonly revertsTo?: SlotValue
  /** What it would return to is the item's bid, for the cluster had none of its own. */
  readonly inherited?: true
  readonly takesBack?: boolean
  /** A cluster's own bid was removed: from then on it shows its item's, whatever that is. */
  readonly clears?: boolean
  /** `optimise` meant to try the cluster again. */
  readonly parked?: true
  /** Of a pause by a policy of a tier that goes first. */
  readonly tier?: TierAbove
  /** Who took an earlier change back by this one: a person (`bidhelm undo`), or the policy's own `watch:`. */
  readonly undone?: "person" | "watch"
}

export const of = (change: Change): Memory => ({
  ...valuesOf(change),
  ...revertOf(change.origin),
  ...inheritedOf(change),
  ...(Bids.detailsOf(change).clears === true ? { clears: true } : {}),
  ...(change.kind === MinusPhrase.name && change.details.optimised?.verb === "park" ? { parked: true } : {}),
  ...(change.kind === Status.name && change.details.tier !== undefined ? { tier: change.details.tier } : {}),
  ...(change.undoes === undefined
    ? {}
    : { undone: change.origin.name === OperatorHold.undoPolicy ? "person" : "watch" })
})

const valuesOf = (change: Change): Pick<Memory, "before" | "after" | "base" | "overlay"> => {
  const { after, before } = change
  const overlay = Bids.overlayOf(change)
  if (overlay === undefined) return { before, after }
  const { baseBeforeKopecks, baseKopecks, inheritedBefore: _, ...laid } = overlay
  return { before: baseBeforeKopecks, after, base: baseKopecks, overlay: laid }
}

const revertOf = (origin: Change["origin"]): Pick<Memory, "revertsTo" | "takesBack"> =>
  origin.by !== "policy"
    ? {}
    : {
        ...(origin.revertsTo === undefined ? {} : { revertsTo: origin.revertsTo }),
        ...(origin.takesBack === true ? { takesBack: true } : {})
      }

const inheritedOf = (change: Change): Pick<Memory, "inherited"> => {
  const { origin } = change
  const isInherited =
    origin.by === "policy" && origin.revertsTo !== undefined
      ? origin.revertsInherited
      : Bids.detailsOf(change).inherited
  return isInherited === true ? { inherited: true } : {}
}

/** Of the last applied change that is no overlay's edge. */
export const ours = (policy: string, memory: Memory): Pick<SlotHistory, "ours"> =>
  memory.takesBack === true ||
  memory.undone === "person" ||
  (memory.undone === "watch" && memory.revertsTo === undefined)
    ? {}
    : {
        ours: {
          policy,
          before: memory.revertsTo ?? memory.before,
          after: memory.base ?? memory.after,
          ...(memory.inherited === true ? { inherited: true } : {}),
          ...(memory.revertsTo === undefined ? {} : { returns: true }),
          ...(memory.parked === true ? { parked: true } : {}),
          ...(memory.tier === undefined ? {} : { tier: memory.tier })
        }
      }

/** Of the last applied change, whatever it was. */
export const overlay = ({ after, base, overlay }: Memory): Pick<SlotHistory, "overlay"> =>
  overlay === undefined || overlay.basisPoints === 0 || base === undefined || typeof after !== "number"
    ? {}
    : { overlay: { ...overlay, baseKopecks: base, afterKopecks: after } }

/** Of the last applied change, whatever it was: whose, what it left, and when it was sent. */
export const lastWritten = (
  policy: string,
  at: number,
  { after, clears }: Memory
): Pick<SlotHistory, "lastWritten"> => ({
  lastWritten: { policy, after, at, ...(clears === true ? { clears: true } : {}) }
})

/** Of each policy whose own `watch:` took a change back, the last time. */
export const rolledBack = (all: ReadonlyArray<RolledBack>): Pick<SlotHistory, "rolledBack"> =>
  all.length === 0 ? {} : { rolledBack: all }

/** Of the last applied edge. */
export const lastEdge = (policy: string, at: number, memory: Memory): Pick<SlotHistory, "lastEdge"> => ({
  lastEdge: { policy, at, on: (memory.overlay?.basisPoints ?? 0) !== 0 }
})

/** The history after one more change was applied and became visible. `isSameDay` as the last one of the slot. */
export const after = (
  last: SlotHistory | undefined,
  slot: string,
  change: Change,
  at: number,
  isSameDay: boolean
): SlotHistory => {
  const memory = of(change)
  const edge = Bids.isEdge(change)
  const first =
    Bids.detailsOf(change).dayFirstKopecks ?? (typeof memory.before === "number" ? memory.before : undefined)
  const kept = last?.lastEdge === undefined ? {} : { lastEdge: last.lastEdge }
  return {
    slot,
    lastPolicy: change.origin.name,
    lastAppliedAt: edge ? last?.lastAppliedAt : at,
    pendingSince: undefined,
    dayFirstBid: isSameDay ? (last?.dayFirstBid ?? first) : first,
    ...(edge ? (last?.ours === undefined ? {} : { ours: last.ours }) : ours(change.origin.name, memory)),
    ...overlay(memory),
    ...lastWritten(change.origin.name, at, memory),
    ...rolledBack([
      ...(last?.rolledBack ?? []).filter(
        ({ policy }) => memory.undone !== "watch" || policy !== change.origin.name
      ),
      ...(memory.undone === "watch" ? [{ policy: change.origin.name, at }] : [])
    ]),
    ...(edge ? lastEdge(change.origin.name, at, memory) : kept)
  }
}
