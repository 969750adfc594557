/** What one policy wants of one row's slot, before it is weighed against other policies. */

import * as Days from "../../../domain/Days.js"
import * as Target from "../../../domain/Target.js"
import * as FactRefs from "../../facts/FactRefs.js"
import type { Facts } from "../../facts/Reading.js"
import * as SpendCurve from "../../facts/SpendCurve.js"
import type { Table } from "../../facts/Table.js"
import type { Change, Part } from "../../kinds/Change.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import type { FactRef, Policy, Rule, RuleSet } from "../../language/Policy.js"
import type { Holds } from "../Plan.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import * as RowReason from "../RowReason.js"
import type { Amounts } from "./Amounts.js"
import type { Refusals } from "./Refused.js"

/** A matched row with everything a decision may look at. */
export interface Ground {
  readonly policy: Policy
  /** The rule that the row matches, and its number among the policy's. */
  readonly rule: Rule
  readonly ruleIndex: number
  readonly table: Table
  readonly row: number
  /** What expressions are worth and conditions say, where many such rows are asked about. */
  readonly amounts?: Amounts | undefined
  /** What the row is; only those in a campaign can change. */
  readonly target: Target.Subject
  readonly rules: RuleSet
  readonly slots: ReadonlyMap<string, SlotHistory>
  /** What the marketplace refused lately. */
  readonly refused: Refusals
  /** What earlier runs counted for `hold_for`. */
  readonly holds: Holds
  readonly nowMs: number
  /** Zone of the account's business days. */
  readonly zone: string
  /** Currency code and the sign for messages. */
  readonly currency: string
  readonly sign: string
}

/** What the row's facts are asked of. */
export const factsOf = ({ amounts, table }: Ground): Facts => amounts?.facts ?? table

/** The row as what a change is about. Throws for an item as such and the account: no action that changes fits them. */
export const targetOf = ({ policy, target }: Ground): Target.Target => {
  const found = Target.ofSubject(target)
  if (found === undefined) throw new RangeError(`${policy.id}: ${Target.key(target)} is in no campaign`)
  return found
}

/** The day of the marketplace whose running figures are among what the rule asks, by its own conditions and `where`; undefined for none. */
export const dayAsked = ({ nowMs, policy, rule }: Ground): Days.Day | undefined =>
  FactRefs.ofClauses([...policy.where, ...rule.when]).some(isOfToday) ? Days.ofMarket(nowMs) : undefined

const isOfToday = ({ id, window }: FactRef): boolean => window?._tag === "Today" || id === SpendCurve.fact

/** What a change sets and how; the rest of the change is the row's. */
export type Setting = Part<"kind" | "before" | "after" | "details" | "clamps" | "reversible"> & {
  /** True when it takes back what the policy did before. */
  readonly takesBack?: boolean
}

export const settingOf = ({ after, before, clamps, details, kind, reversible }: Change): Setting =>
  // One change's own kind and details belong together.
  ({ kind, before, after, details, clamps, reversible }) as Setting

/**
 * `Stay` and `Undecided` change nothing. One that `votes` also keeps other policies from a dearer outcome in the
 * slot: a satisfied "lower" would otherwise be undone by a "raise", and the two would swing forever.
 */
export type Outcome =
  | { readonly _tag: "Move"; readonly setting: Setting; readonly dearer: boolean }
  | {
      readonly _tag: "Stay"
      readonly because: UnchangedReason
      readonly votes: boolean
    }
  | { readonly _tag: "Undecided"; readonly because: UnknownReason; readonly votes: boolean }

export type Still = Exclude<Outcome, { readonly _tag: "Move" }>

export interface Intent {
  readonly ground: Ground
  /** What the change is about: the row, or its campaign when the slot is the campaign's. */
  readonly target: Target.ChangeSubject
  readonly slot: string
  readonly outcome: Outcome
  /** Absent for steering, which moves the base; an overlay is laid over it, or is `ending`. */
  readonly layer?: "overlay" | "ending"
  /** The change as it will stand in the plan, where it is the way back from an earlier one. */
  readonly change?: Change
}

/** Of several lists one; one that is alone stays itself. Lists that grow are copied time and again, and these may hold half a million. */
export const together = (lists: ReadonlyArray<ReadonlyArray<Intent>>): ReadonlyArray<Intent> => {
  const [only = none, ...others] = lists.filter(({ length }) => length > 0)
  return others.length === 0 ? only : only.concat(...others)
}

const none: ReadonlyArray<Intent> = []

/** About the row itself. */
export const ofRow = (ground: Ground, slot: string, outcome: Outcome): Intent => ({
  ground,
  target: targetOf(ground),
  slot,
  outcome
})

export const stay = (because: UnchangedReason, votes: boolean): Still => ({ _tag: "Stay", because, votes })
export const undecided = (because: UnknownReason, votes: boolean): Still => ({
  _tag: "Undecided",
  because,
  votes
})

/** Why nothing is changed, whichever of the two it is. */
export const unmoved = (because: UnchangedReason | UnknownReason, votes: boolean): Still =>
  RowReason.isUnknown(because) ? undecided(because, votes) : stay(because, votes)

/** True for actions whose satisfied or undecidable match keeps a slot from becoming dearer. */
export const restrains = ({ rule }: Pick<Ground, "rule">): boolean => {
  switch (rule.action._tag) {
    case "LowerBid":
    case "SetBid":
    case "AdjustBid":
    case "AddMinus":
    case "RemoveMinus":
    case "Pause":
    case "Optimise":
      return true
    case "RaiseBid":
    case "Start":
    case "Deposit":
    case "Enrol":
    case "Notify":
    case "Revert":
      return false
    case "Placements":
      return rule.action.search === false || rule.action.recommendations === false
  }
}
