/**
 * `watch:` of a policy: changes whose time has come for a second look, and what that look says. A condition that holds
 * takes the change back, one that does not lets it pass the mark, and one that nobody can answer does neither. Pure.
 */

import * as Reason from "../../domain/Reason.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as FactType from "../facts/FactType.js"
import type { Table } from "../facts/Table.js"
import * as Trace from "../facts/Trace.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Bids from "../kinds/Bids.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Past } from "../kinds/Past.js"
import * as Pasts from "../kinds/Past.js"
import type { SlotHistory } from "../kinds/SlotHistory.js"
import * as Meaning from "../language/Meaning.js"
import {
  type Clause,
  type Each,
  longestAfterMs,
  longestCooldownMs,
  type Policy,
  type Watch
} from "../language/Policy.js"
import * as Inverse from "./Inverse.js"
import type { Unchanged, Undecided, WatchMark } from "./Plan.js"
import type { UnchangedReason } from "./RowReason.js"

/** A change that stands and has passed marks at which nobody has looked at it. */
export interface Due {
  readonly policy: Policy
  readonly watch: Watch
  readonly past: Past
  /** Everything that was done to its slot, oldest first. */
  readonly slot: ReadonlyArray<Past>
  /** Milliseconds after the change, ascending; one look answers for all of them. */
  readonly marks: ReadonlyArray<number>
}

/** A change that is taken back: of which policy, and the row that says so. */
export interface RollBack {
  readonly policy: Policy
  readonly table: Table
  readonly row: number
  readonly change: Change
}

export interface Judged {
  readonly rollBacks: ReadonlyArray<RollBack>
  /** Marks that need no other look. */
  readonly passed: ReadonlyArray<WatchMark>
  readonly unknown: ReadonlyArray<Undecided>
  readonly unchanged: ReadonlyArray<Unchanged>
}

/** An answer that did not come in this long after the last mark is not asked for any more. */
const patienceMs = 7 * 86_400_000

/** For how long some policy may ask about a change of its own, or rest because its watch took one back, milliseconds. */
export const longestMs = Math.max(longestAfterMs + patienceMs, longestCooldownMs)

/** How far back changes of a policy are looked at, milliseconds; undefined when it does not watch. */
export const reachMs = ({ mode, watch }: Policy): number | undefined =>
  watch === undefined || mode === "disabled" ? undefined : longest(watch) + patienceMs

/** How long a policy leaves alone what its watch took back. */
export const restMs = ({ cooldownMs = 0, watch }: Policy): number =>
  Math.max(cooldownMs, watch === undefined ? 0 : longest(watch))

const longest = ({ afterMs }: Watch): number => Math.max(...afterMs)

/** `passed` are names of marks (`markName`) that were answered before. */
export const due = (
  policy: Policy,
  changes: ReadonlyArray<Past>,
  slotOf: (change: Change) => ReadonlyArray<Past>,
  passed: ReadonlySet<string>,
  nowMs: number
): ReadonlyArray<Due> => {
  const { watch } = policy
  if (watch === undefined) return []
  return changes.flatMap((past): ReadonlyArray<Due> => {
    const marks = open(policy, past, passed, nowMs)
    if (marks.length === 0) return []
    const slot = slotOf(past.change)
    const undone = Inverse.undoneBy(slot)
    const isOver = undone.has(Pasts.name(past)) || Inverse.overBy(past, slot, undone) !== undefined
    return isOver ? [] : [{ policy, watch, past, slot, marks }]
  })
}

/** Marks of a policy's own change that have come and were not answered, milliseconds after it, ascending. */
export const open = (
  { id, watch }: Policy,
  { at, change, runId }: Past,
  passed: ReadonlySet<string>,
  nowMs: number
): ReadonlyArray<number> => {
  const age = nowMs - at
  if (watch === undefined || change.origin.name !== id || change.undoes !== undefined) return []
  if (age > longest(watch) + patienceMs) return []
  const name = { runId, changeId: change.id }
  return watch.afterMs.filter((afterMs) => afterMs <= age && !passed.has(markName({ ...name, afterMs })))
}

export const markName = ({ afterMs, changeId, runId }: Omit<WatchMark, "policy">): string =>
  `${runId}/${changeId}/${afterMs}`

/** What must be read for the second look: a policy that asks the conditions of the campaigns concerned. */
export const question = (due: readonly [Due, ...ReadonlyArray<Due>]): Policy => {
  const { policy, watch } = due[0]
  const campaigns = [...new Set(due.flatMap(({ past }) => past.change.subject.campaignId ?? []))].sort(
    (a, b) => a - b
  )
  const campaign = Vocabulary.byFactId("campaign.id")
  const which: Clause = {
    text: "campaign.id of changes under watch",
    span: watch.span,
    condition: {
      _tag: "In",
      value: { _tag: "Fact", type: campaign?.type ?? FactType.number, fact: { id: "campaign.id" } },
      options: campaigns.map((value) => ({ _tag: "Literal", type: FactType.number, value }))
    }
  }
  const { hash: _, holdForRuns: __, during: ___, ...rest } = policy
  return Meaning.named({
    ...rest,
    where: [which],
    rules: [{ name: "watch", when: watch.rollBackWhen, action: { _tag: "Revert", span: watch.span } }]
  })
}

/** Answers the conditions of every change that is due. */
export const judge = (
  whose: Pick<Inverse.Asked, "account" | "zone">,
  all: ReadonlyArray<Due>,
  table: (each: Each) => Table,
  slots: ReadonlyMap<string, SlotHistory>
): Judged => {
  const judged = all.map((due) => one(whose, due, table, slots))
  return {
    rollBacks: judged.flatMap(({ rollBacks }) => rollBacks),
    passed: judged.flatMap(({ passed }) => passed),
    unknown: judged.flatMap(({ unknown }) => unknown),
    unchanged: judged.flatMap(({ unchanged }) => unchanged)
  }
}

const nothing: Judged = { rollBacks: [], passed: [], unknown: [], unchanged: [] }

const one = (
  whose: Pick<Inverse.Asked, "account" | "zone">,
  due: Due,
  table: (each: Each) => Table,
  slots: ReadonlyMap<string, SlotHistory>
): Judged => {
  const { marks, past, policy, watch } = due
  const { campaignName, subject: target } = past.change
  // In flight: who knows what is there.
  if (slots.get(Kinds.slotOf(past.change))?.pendingSince !== undefined) return nothing
  const row = { policy: policy.id, subject: target, campaignName }
  const rows = table(policy.each)
  const at = rows.indexOf(target)
  const mark = { hours: Math.round(marks.at(-1)! / 3_600_000), runId: past.runId }
  if (at === undefined) {
    return { ...nothing, unknown: [{ ...row, reason: [], because: { code: "watch_row_unread", ...mark } }] }
  }
  const found = Evaluate.sift(watch.rollBackWhen, rows, [at])
  const [open] = found.undecided
  if (open !== undefined) {
    const reason = Reason.fromCode(open.reason)
    const because = {
      code: "watch_condition_unknown",
      ...mark,
      condition: open.clause.text,
      ...(reason === undefined ? {} : { reason })
    } as const
    return { ...nothing, unknown: [{ ...row, reason: Trace.lines(watch.rollBackWhen, rows, at), because }] }
  }
  const passed = marks.map((afterMs) => ({
    policy: policy.id,
    runId: past.runId,
    changeId: past.change.id,
    afterMs
  }))
  if (found.holds.length === 0) return { ...nothing, passed }
  const stays = (because: Extract<UnchangedReason, { readonly code: "watch_keeps" }>["because"]): Judged => ({
    ...nothing,
    passed,
    unchanged: [{ ...row, because: { code: "watch_keeps", ...mark, because } }]
  })
  if (isForeign(Inverse.asItStands(past, due.slot).change, table)) return stays({ code: "changed_since" })
  const verdict = Inverse.of(past, due.slot, {
    ...whose,
    origin: { by: "policy", name: policy.id, line: watch.span.line }
  })
  if (verdict._tag !== "Possible") return stays(verdict.because)
  const bid = rows.get(at, "campaign_item.bid")
  const change = Bids.following(verdict.change, bid._tag === "Known" ? Number(bid.value) : undefined)
  if (change === undefined)
    return { ...nothing, unknown: [{ ...row, reason: [], because: { code: "watch_row_unread", ...mark } }] }
  return { ...nothing, rollBacks: [{ policy, table: rows, row: at, change }] }
}

/** True when the slot's value was read and is not what the change wrote. */
const isForeign = (change: Change, table: (each: Each) => Table): boolean => {
  const place = Kinds.placeOf(Kinds.slotOf(change))
  if (place === undefined) return false
  const rows = table(place.each)
  const row = rows.indexOf(place.target)
  const cell = row === undefined ? undefined : rows.get(row, place.fact)
  return (
    cell?._tag === "Known" &&
    (typeof cell.value === "number" && typeof change.after === "boolean"
      ? (cell.value === 1) !== change.after
      : cell.value !== change.after)
  )
}
