/** What the program knows of a change by its kind. Whoever wants to know something of it asks here. */
import * as Arr from "effect/Array"
import type { Lane } from "../../domain/Lane.js"
import type { OutcomeReason, SeenReason } from "../../domain/OutcomeReason.js"
import type * as Target from "../../domain/Target.js"
import { all } from "./All.js"
import type { AdChange, Change, Part, Value } from "./Change.js"
import type { Facts, Kind, Payout, Place } from "./Kind.js"
import { kindNames, type MoneySource } from "./Parts.js"
import * as Seen from "./Seen.js"

export const of = ({ kind }: Pick<Change, "kind">): Kind => all[kind]

/** When a change leaves among those of its run: the smaller first. */
export const turnOf = (change: Change): number => of(change).turn?.(change) ?? of(change).order

/** The changes in groups of one kind and turn, those first that leave first. */
export const byTurn = (changes: ReadonlyArray<Change>): ReadonlyArray<Arr.NonEmptyReadonlyArray<Change>> =>
  Object.values(Arr.groupBy(changes, (change) => `${change.kind} ${turnOf(change)}`)).sort(
    ([a], [b]) => turnOf(a) - turnOf(b) || kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind)
  )

/** The lane that sends these changes, which all are of one; `ads` when there are none. */
export const laneOf = (changes: ReadonlyArray<Pick<Change, "kind">>): Lane => {
  const [lane = "ads", ...others] = new Set(changes.map((change) => of(change).lane))
  if (others.length > 0) throw new Error(`changes of ${[lane, ...others].join(" and ")} are no one run`)
  return lane
}

/** The one thing a change sets; at most one change per slot and run. */
export const slotOf = (change: Part<"kind" | "subject" | "details">): string => of(change).slotOf(change)

/** True for what statistics must follow and limits cut by spend: bids. */
export const isSteered = (change: Pick<Change, "kind">): boolean => of(change).isSteered

/** What is asked about to know whether anything of a change's campaign can be set; undefined where no kind tells. */
export const tellingOfCampaign = (by: AdChange): Change | undefined =>
  Object.values(all).flatMap((kind: Kind) => kind.tellsOfCampaign?.(by) ?? [])[0]

/** How a kind pays; undefined for those that do not. */
export const paysOf = (change: Pick<Change, "kind">): Payout | undefined => of(change).pays

/** Which money pays a change that pays. */
export const moneySourceOf = (change: Part<"kind" | "details">): MoneySource =>
  paysOf(change)?.source(change) ?? "balance"

export const isPayment = (change: Pick<Change, "kind">): boolean => of(change).pays !== undefined

/** Whether the change switches its campaign on or off; undefined when it does neither. */
export const switches = (change: Pick<Change, "kind" | "after">): "on" | "off" | undefined =>
  of(change).switches?.(change)

interface Slot {
  readonly kind: Kind
  /** Of the key, behind its prefix. */
  readonly rest: string
}

const byPrefix = new Map(Object.values(all).map((kind) => [kind.prefix, kind]))

/** A slot's key, read back; undefined for one that no kind writes. */
export const ofSlot = (slot: string): Slot | undefined => {
  const at = slot.indexOf(":")
  const kind = byPrefix.get(slot.slice(0, at))
  return kind === undefined ? undefined : { kind, rest: slot.slice(at + 1) }
}

/** What a slot is about; undefined for one that no kind writes. */
export const targetOf = (slot: string): Target.ChangeSubject | undefined => {
  const found = ofSlot(slot)
  return found?.kind.targetOf(found.rest)
}

/** What a slot is about and the fact that shows its value; undefined for slots that no fact shows alone. */
export const placeOf = (slot: string): Place | undefined => {
  const found = ofSlot(slot)
  const shown = found?.kind.shownBy?.(found.rest)
  const target = found?.kind.targetOf(found.rest)
  return shown === undefined || target === undefined ? undefined : { target, ...shown }
}

/** A slot's value by the facts of its row; undefined where nobody can tell. */
export const liveOf = (slot: string, facts: Facts): Value | undefined => {
  const found = ofSlot(slot)
  return found?.kind.live(facts, found.rest)
}

/** Whether a slot shows a value of its own, and not another slot's; undefined where nobody can tell. */
export const isOwn = (slot: string, facts: Facts): boolean | undefined => {
  const kind = ofSlot(slot)?.kind
  return kind?.isOwn === undefined ? true : kind.isOwn(facts)
}

/** A value of a change in the seller's words: `440 ₽`, `paused`, `in the minus list`. */
export const print = (change: Pick<Change, "kind">, value: Value): string => of(change).print(value, "₽")

/** What speaks against a change in its slot, for people. */
export const seenText = (change: Change, reason: SeenReason): string =>
  Seen.text(reason, (value) => print(change, value))

/** Why a change is not sent though its slot still holds what the plan saw; undefined when it may go. */
export const stale = (
  change: Change,
  live: Seen.Live | undefined,
  nowMs: number
): OutcomeReason | undefined => (live?._tag === "Value" ? of(change).stale?.(change, live, nowMs) : undefined)

/** Whether a change is made for another one alone. */
export const isMadeFor = (made: Change, other: Change): boolean => {
  const ref = of(made).madeFor?.(made)
  return ref !== undefined && of(other).into?.(other) === ref
}

/** The marketplace's id of what a change made, as the journal keeps it; undefined where it does not know. */
export const madeId = ({
  change,
  evidence
}: {
  readonly change: Pick<Change, "kind">
  readonly evidence?: string
}): string | undefined => (of(change).makes === undefined ? undefined : evidence)

/** What a change may be about removing. */
const removes: ReadonlySet<string> = new Set(["campaign", "supply"])

/** What the marketplace shows, for what a change wanted. A change that the reader does not mention was not read. */
export const compare = (change: Change, live: Seen.Live | undefined): Seen.Seen => {
  switch (live?._tag) {
    case undefined:
      return { _tag: "Silent", why: "the marketplace did not mention it" }
    case "Unreadable":
      return { _tag: "Silent", why: live.why }
    case "Gone":
      if (of(change).isDoneWhenGone === true && removes.has(live.what)) return { _tag: "After" }
      return { _tag: "Other", reason: { code: "gone", what: live.what }, isGone: true }
    case "Value":
      return of(change).compare?.(change, live) ?? Seen.compare(change, live)
  }
}
