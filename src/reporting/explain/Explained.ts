/** One policy and one row: what it does, or what keeps it from acting. The data of `bidhelm explain --json`. */
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as Changes from "../../engine/decide/Changes.js"
import * as Daytime from "../../engine/decide/intents/Daytime.js"
import * as Gate from "../../engine/decide/intents/Gate.js"
import * as Risk from "../../engine/decide/limits/Risk.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Level from "../../engine/facts/Level.js"
import { factKey, type Table } from "../../engine/facts/Table.js"
import * as Trace from "../../engine/facts/Trace.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { Change, ReasonLine } from "../../engine/kinds/Change.js"
import * as ClusterBid from "../../engine/kinds/ClusterBid.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import * as ItemBid from "../../engine/kinds/ItemBid.js"
import * as MinusPhrase from "../../engine/kinds/MinusPhrase.js"
import * as Placements from "../../engine/kinds/Placements.js"
import type { SlotHistory } from "../../engine/kinds/SlotHistory.js"
import * as Status from "../../engine/kinds/Status.js"
import type { Action, Clause, Each, FactRef, Policy } from "../../engine/language/Policy.js"
import * as Policies from "../../engine/language/Policy.js"
import * as HeldReasons from "../HeldReasons.js"
import * as Wording from "../Wording.js"
import type * as Entry from "./Entry.js"
import * as Missing from "./Missing.js"
import * as MoveSteps from "./MoveSteps.js"
import * as NearMiss from "./NearMiss.js"
import * as ReadFrom from "./ReadFrom.js"
import * as Waiting from "./Waiting.js"

export type Verdict =
  | "acts"
  | "shown"
  | "tells"
  | "held"
  | "unchanged"
  | "unknown"
  | "does not act"
  | "disabled"

/** A condition with the value it saw and where that was read. */
export type Line = ReasonLine & { readonly sources: ReadonlyArray<ReadFrom.Origin> }

/** Another rule of the policy. */
export interface OtherRule {
  readonly rule: string
  readonly holds: ReasonLine["holds"]
  /** What keeps it from acting, in words. */
  readonly why: string
  readonly wouldActWith: ReadonlyArray<string>
}

export interface Explained {
  readonly policy: string
  readonly name: string
  /** Of several rules, the one that acts, is unknown, or misses by least. */
  readonly rule?: string
  readonly target: string
  readonly verdict: Verdict
  /** What it does, or what keeps it from acting. */
  readonly why: string
  /** One text per condition that is false: `orders >= 3 (2 now)`. */
  readonly wouldActWith: ReadonlyArray<string>
  /** The same for programs. */
  readonly wishes: ReadonlyArray<NearMiss.Wish>
  readonly missing: ReadonlyArray<Missing.Missing>
  readonly conditions: ReadonlyArray<Line>
  /** How the new value came about. */
  readonly move: ReadonlyArray<string>
  /** Policies whose wish for the same thing lost, and what each of them wanted. */
  readonly overruled: ReadonlyArray<{ readonly policy: string; readonly wanted: string }>
  /** Of a change: policies that want the very same. */
  readonly agreed: ReadonlyArray<string>
  /** The earliest next move; absent when nothing but the conditions stands in its way. */
  readonly nextMove?: Waiting.Waiting
  readonly otherRules: ReadonlyArray<OtherRule>
  readonly notes: ReadonlyArray<string>
}

export interface Input extends Omit<ReadFrom.Readings, "nowMs"> {
  readonly target: Target.Subject
  readonly policies: ReadonlyArray<Policy>
  readonly table: (each: Each) => Table
  /** The plan those policies made of that table. */
  readonly plan: Plan
  /** What became of every slot before. */
  readonly slots: ReadonlyMap<string, SlotHistory>
  /** By policy, what the plan says of its rows. */
  readonly entries: ReadonlyMap<string, Entry.Entries>
  /** By policy that did not get its way, what the plan says that it would have made alone. */
  readonly alone: ReadonlyMap<string, Entry.Entries>
}

/** A policy whose row the marketplace does not list. */
export const unlisted = (policy: Policy, target: string): Explained => ({
  ...nothing,
  policy: policy.id,
  name: policy.name,
  target,
  verdict: "does not act",
  why: "the marketplace does not list this target"
})

const nothing = {
  wouldActWith: [],
  wishes: [],
  missing: [],
  conditions: [],
  move: [],
  overruled: [],
  agreed: [],
  otherRules: [],
  notes: []
} satisfies Partial<Explained>

/** `isOneOfMany`: of such rows a policy asks no more than in a plan, so what stands behind a false condition is unknown. */
export const ofRow = (input: Input, policy: Policy, row: number, isOneOfMany = false): Explained => {
  const table = input.table(policy.each)
  const target = table.rows[row]!
  const sign = Wording.sign(input.plan.currency)
  const nowMs = Date.parse(input.plan.createdAt)
  const readings = { ...input, nowMs }
  const asked = Policies.optimises(policy) ? input.target : target
  const entries = input.entries.get(policy.id)!
  const entry = Policies.optimises(policy) ? entries.below : entries.of(Target.key(target))
  const where = Trace.lines(policy.where, table, row, sign)
  const rules = policy.rules.map(({ when }) => Trace.lines(when, table, row, sign))
  const at = ruleOf(policy, rules, entry)
  const rule = policy.rules[at]!
  const clauses = [...policy.where, ...rule.when]
  const during = Changes.duringLine({ policy, nowMs, zone: input.zone })
  const sourced = (line: ReasonLine, clause: Clause): Line => ({
    ...line,
    sources: ReadFrom.of(FactRefs.ofClauses([clause]), target, readings, (ref) => isUnread(table, row, ref))
  })
  const seen = [
    ...during.map((line) => ({ ...line, sources: [] })),
    ...[...where, ...rules[at]!].map((line, i) => sourced(line, clauses[i]!))
  ]
  const why = unasked(policy, seen, isOneOfMany)
  const conditions = why === undefined ? seen : Trace.notAsked(seen, why)
  const change = entry._tag === "Change" || entry._tag === "Held" ? entry.change : undefined
  const wishes = change === undefined ? NearMiss.of(clauses, table, row, sign) : []
  const unsure = clauses.filter((_, i) => conditions[during.length + i]?.holds === "unknown")
  const missing = Missing.of(unsure, table, row, readings, why)
  const nextMove = nextMoves(input, policy, at, target, change)
  return {
    policy: policy.id,
    name: policy.name,
    ...calledBy(policy, at),
    target: Target.key(asked),
    ...verdictOf(input, policy, entry, conditions, missing),
    wouldActWith: wishes.map(NearMiss.text),
    wishes,
    missing,
    conditions,
    move:
      change === undefined
        ? []
        : MoveSteps.of({ change, policy, action: rule.action, table, row, currency: input.plan.currency }),
    overruled: (change?.overruled ?? []).map((loser) => ({
      policy: loser,
      wanted: aloneIn(input, loser, asked)
    })),
    agreed: change?.agreed ?? [],
    ...(nextMove === undefined ? {} : { nextMove }),
    otherRules: policy.rules.flatMap((other, i): ReadonlyArray<OtherRule> => {
      if (i === at) return []
      const holds = truthOf([...where, ...rules[i]!])
      const wish = NearMiss.of([...policy.where, ...other.when], table, row, sign).map(NearMiss.text)
      return [{ rule: nameOf(policy, i), holds, why: whyNot(policy, i, holds), wouldActWith: wish }]
    }),
    notes: notesOf(input, policy, entries, entry, target)
  }
}

const unasked = (policy: Policy, lines: ReadonlyArray<ReasonLine>, isOneOfMany: boolean) => {
  if (policy.mode === "disabled") return "the policy is disabled"
  return isOneOfMany && truthOf(lines) === "false" ? Trace.unasked : undefined
}

/** The run asked, or would have asked, and got no answer. */
const isUnread = (table: Table, row: number, ref: FactRef): boolean => {
  const level = Vocabulary.byFactId(ref.id)?.level
  if (level === undefined || !Level.reaches(table.each, level)) return false
  const cell = table.get(row, factKey(ref))
  return cell._tag === "Unknown" && (cell.reason === "notFetched" || cell.reason === "failed")
}

const nameOf = (policy: Policy, rule: number): string => policy.rules[rule]?.name ?? `rule ${rule + 1}`

/** Only where there is something to tell apart; what takes back has a key of its own. */
const calledBy = (policy: Policy, rule: number): Pick<Explained, "rule"> => {
  const doing = policy.rules.filter(({ action }) => action._tag !== "Revert").length
  const isBack = policy.rules[rule]?.action._tag === "Revert"
  return doing > 1 || isBack || policy.rules[rule]?.name !== undefined ? { rule: nameOf(policy, rule) } : {}
}

const whyNot = (policy: Policy, rule: number, holds: ReasonLine["holds"]): string => {
  if (holds === "false") return "its conditions do not hold"
  if (holds === "unknown") return "unknown"
  return policy.rules[rule]?.action._tag === "Revert"
    ? "its conditions hold; nothing that the policy did itself is there to take back"
    : "its conditions hold, and an earlier rule decides"
}

/**
 * The rule that made the change; else where the search for a rule ends: the first that is not false, else the one that
 * misses by least. What takes back speaks only when there is something of its own to take back.
 */
const ruleOf = (
  policy: Policy,
  rules: ReadonlyArray<ReadonlyArray<ReasonLine>>,
  entry: Entry.Entry
): number => {
  if (entry._tag === "Change" || entry._tag === "Held") {
    const { origin } = entry.change
    const made = policy.rules.findIndex(
      ({ action, name }, i) =>
        origin.by === "policy" &&
        action.span.line === origin.line &&
        (origin.rule ?? name ?? `rule ${i + 1}`) === (name ?? `rule ${i + 1}`)
    )
    if (made >= 0) return made
  }
  const truths = rules.map(truthOf)
  const first = truths.findIndex((truth) => truth !== "false")
  const isBack = (i: number): boolean => policy.rules[i]?.action._tag === "Revert"
  if (first >= 0 && (!isBack(first) || entry._tag !== "Nothing")) return first
  const misses = rules.map((lines, i) =>
    isBack(i) ? Number.POSITIVE_INFINITY : lines.filter(({ holds }) => holds === "false").length
  )
  return Math.max(0, misses.indexOf(Math.min(...misses)))
}

const truthOf = (lines: ReadonlyArray<ReasonLine>): ReasonLine["holds"] =>
  lines.some(({ holds }) => holds === "false")
    ? "false"
    : lines.some(({ holds }) => holds === "unknown")
      ? "unknown"
      : "true"

const modeNote = (mode: Policy["mode"], change: Change): string => {
  if (mode === "preview") return " (mode preview: shown, not applied)"
  return mode === "approve" ? ` (mode approve: ${asked(change)})` : ""
}

const asked = (change: Change): string =>
  Risk.isForGood(change) ? "a person is asked" : "a person is asked, unless auto_approve covers it"

const verdictOf = (
  { plan }: Input,
  policy: Policy,
  entry: Entry.Entry,
  conditions: ReadonlyArray<ReasonLine>,
  missing: ReadonlyArray<Missing.Missing>
): Pick<Explained, "verdict" | "why"> => {
  if (policy.mode === "disabled") return { verdict: "disabled", why: "the policy is disabled" }
  const shown = policy.mode === "preview"
  switch (entry._tag) {
    case "Change": {
      const why = `${Wording.effect(entry.change, plan.currency)}${modeNote(policy.mode, entry.change)}`
      return { verdict: shown ? "shown" : "acts", why }
    }
    case "Held": {
      const { by, change } = entry
      return {
        verdict: "held",
        why: `${Wording.effect(change, plan.currency)} is held by ${by}: ${HeldReasons.text(entry, plan)}`
      }
    }
    case "Overruled":
      return { verdict: "unchanged", why: `overruled by ${entry.by}` }
    case "Agreed":
      return { verdict: "unchanged", why: agreedText(entry, plan) }
    case "Unchanged":
      return { verdict: "unchanged", why: entry.why }
    case "Told":
      return { verdict: "tells", why: entry.text }
    case "Below":
      return {
        verdict: entry.changes > 0 ? (shown ? "shown" : "acts") : entry.held > 0 ? "held" : "unchanged",
        why: entry.why
      }
    case "Unknown":
    case "Nothing":
      break
  }
  const failing = conditions.filter((line) => line.holds === "false").length
  if (failing > 0) {
    const why = `${failing} of ${Plural.of(conditions.length, "condition")} ${failing === 1 ? "does" : "do"} not hold`
    return { verdict: "does not act", why }
  }
  if (entry._tag === "Unknown") return { verdict: "unknown", why: entry.why }
  return truthOf(conditions) === "unknown"
    ? { verdict: "unknown", why: missing[0]?.why ?? "a fact is missing" }
    : { verdict: "unchanged", why: "every condition holds, and there is nothing for it to change" }
}

const agreedText = (
  { by, change, held, mode }: Extract<Entry.Entry, { readonly _tag: "Agreed" }>,
  plan: Plan
): string => {
  const what =
    held !== undefined
      ? `it is held by ${held.by}: ${HeldReasons.text(held, plan)}`
      : mode === "approve"
        ? asked(change)
        : mode === "preview"
          ? "it is shown"
          : "it is changed"
  return `wants the same as ${by}, in whose name ${what}`
}

const notesOf = (
  input: Input,
  policy: Policy,
  { runs: counted, whole }: Entry.Entries,
  entry: Entry.Entry,
  target: Target.Subject
): ReadonlyArray<string> => {
  const wanted = aloneIn(input, policy.id, target)
  const lost = (entry._tag === "Overruled" || entry._tag === "Unchanged") && input.alone.has(policy.id)
  const runs = counted(Target.key(target))
  return [
    ...(lost && wanted !== "something else" ? [`alone it would: ${wanted}`] : []),
    ...(runs === undefined || policy.holdForRuns === undefined
      ? []
      : [
          `hold_for: matched in ${runs.runs} of ${policy.holdForRuns} runs${runs.fresh ? "" : "; this one brought no new statistics and does not count"}`
        ]),
    ...(entry._tag === "Below" ? entry.told : []),
    ...overlayNote(policy, entry),
    ...whole
  ]
}

/** When an overlay that begins, or stands, ends. */
const overlayNote = (policy: Policy, entry: Entry.Entry): ReadonlyArray<string> => {
  const begins = entry._tag === "Change" && (Bids.overlayOf(entry.change)?.basisPoints ?? 0) !== 0
  return policy.during === undefined || !begins
    ? []
    : [`the base returns after ${Daytime.text(policy.during)}`]
}

// What a plan says of one policy and one row.

/** What a policy that did not get its way would do if it were alone. */
const aloneIn = (
  { alone, plan }: Pick<Input, "alone" | "plan">,
  policy: string,
  target: Target.Subject
): string => {
  const entry = alone.get(policy)?.of(Target.key(target))
  return entry?._tag === "Change" || entry?._tag === "Held"
    ? Wording.effect(entry.change, plan.currency)
    : "something else"
}

// The earliest next move of what a rule would change: after the change of the plan, or after the last one made.

interface Known {
  readonly zone: string
  readonly plan: { readonly createdAt: string }
  readonly slots: ReadonlyMap<string, SlotHistory>
}

/** Undefined when nothing but the conditions stands in its way, and for overlays, whose time alone counts. */
const nextMoves = (
  { plan, slots, zone }: Known,
  policy: Policy,
  rule: number,
  row: Target.Subject,
  change: Change | undefined
): Waiting.Waiting | undefined => {
  const action = policy.rules[rule]?.action
  const target = Target.ofSubject(row)
  if (
    action === undefined ||
    target === undefined ||
    action._tag === "AdjustBid" ||
    action._tag === "Revert"
  ) {
    return undefined
  }
  const nowMs = Date.parse(plan.createdAt)
  const last = change === undefined ? lastAppliedAt(slotsOf(action, target, policy), slots, nowMs) : nowMs
  if (last === undefined) return undefined
  return Waiting.of(Gate.nextMove(policy, rule, last, isBid(action)), nowMs, zone)
}

const lastAppliedAt = (
  keys: ReadonlyArray<string>,
  slots: ReadonlyMap<string, SlotHistory>,
  nowMs: number
): number | undefined => {
  const instants = keys.flatMap((key) => Gate.doneAt(slots.get(key)?.lastAppliedAt, nowMs) ?? [])
  return instants.length === 0 ? undefined : Math.max(...instants)
}

const isBid = ({ _tag }: Action): boolean => _tag === "RaiseBid" || _tag === "LowerBid" || _tag === "SetBid"

/** Which bid of an item it is, the campaign says; only one of these has a history with a rule. */
const slotsOf = (action: Action, target: Target.Target, { each }: Policy): ReadonlyArray<string> => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return each === "cluster"
        ? [ClusterBid.slot(target)]
        : [ItemBid.slot(target, "combined"), ItemBid.slot(target, action.placement)]
    case "AddMinus":
    case "RemoveMinus":
      return [MinusPhrase.slot(target)]
    case "Pause":
    case "Start":
      return [Status.slot(target)]
    case "Deposit":
      return [Deposit.slot(target)]
    case "Placements":
      return [Placements.slot(target)]
    case "AdjustBid":
    case "Enrol":
    case "Optimise":
    case "Notify":
    case "Revert":
      return []
  }
}
