/**
 * From the rows that match to a draft of a plan: every row becomes what its policy wants of it (an intent), of several
 * that want the same slot one stands (`Gate`), the rest is told with its reason. Limits come after, in a review of the
 * draft. Pure: what it must know of other days stands in `DecideInput`, and the same input gives the same bytes.
 */
import * as Groups from "../../domain/Groups.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Evaluate from "../facts/Evaluate.js"
import type { MatchedRow } from "../facts/Funnel.js"
import * as Funnel from "../facts/Funnel.js"
import * as Kleene from "../facts/Kleene.js"
import * as Print from "../facts/Print.js"
import { Reading } from "../facts/Reading.js"
import type { Table } from "../facts/Table.js"
import type { Change } from "../kinds/Change.js"
import * as ClusterBid from "../kinds/ClusterBid.js"
import * as Kinds from "../kinds/Kinds.js"
import type { SlotHistory, SlotValue } from "../kinds/SlotHistory.js"
import { acts } from "../language/Mode.js"
import type { Policy, RuleSet, TextPart } from "../language/Policy.js"
import { Board, whyOpen } from "./Board.js"
import * as Changes from "./Changes.js"
import * as Abandoned from "./intents/Abandoned.js"
import { Amounts } from "./intents/Amounts.js"
import * as BidIntent from "./intents/BidIntent.js"
import * as CampaignIntents from "./intents/CampaignIntents.js"
import * as EnrolIntent from "./intents/EnrolIntent.js"
import * as Gate from "./intents/Gate.js"
import * as Hold from "./intents/Hold.js"
import { type Ground, type Intent, settingOf, together } from "./intents/Intent.js"
import * as MinusIntent from "./intents/MinusIntent.js"
import * as OverlayIntent from "./intents/OverlayIntent.js"
import * as Overlays from "./intents/Overlays.js"
import type { Refusals } from "./intents/Refused.js"
import * as RevertIntent from "./intents/RevertIntent.js"
import * as Early from "./limits/Early.js"
import * as Unread from "./limits/Unread.js"
import * as Coming from "./optimise/Coming.js"
import { Resting } from "./optimise/Offer.js"
import * as Optimising from "./optimise/Optimising.js"
import * as Past from "./optimise/Past.js"
import * as Turns from "./optimise/Turns.js"
import type { Holds, Notice, Plan, PolicySummary, Undecided } from "./Plan.js"
import * as Summary from "./Summary.js"
import * as Enrolments from "./sets/Enrolments.js"
import type * as Watching from "./Watching.js"

/** One policy's rows after its conditions were answered; numbers are rows of `table`. */
export interface Gathered extends Funnel.Decided {
  readonly policy: Policy
  readonly table: Table
  /** Rows for which every `where` clause is true. */
  readonly scope: Int32Array
}

export interface DecideInput {
  readonly account: string
  /** ISO code, such as `RUB`. */
  readonly currency: string
  readonly nowMs: number
  /** IANA zone of the seller. */
  readonly zone: string
  readonly rules: RuleSet
  readonly gathered: ReadonlyArray<Gathered>
  readonly slots: ReadonlyMap<string, SlotHistory>
  /** What the marketplace refused lately; nothing when absent. */
  readonly refused?: Refusals
  /** What earlier runs counted for `hold_for`; nothing when absent. */
  readonly holds?: Holds
  /** What a second look at earlier changes says; nothing when absent. */
  readonly watched?: Watching.Judged
  /** What `optimise` must know of the days before; nothing when absent. */
  readonly past?: Past.Past
  /** What is known to be held before anything is decided; nothing when absent. */
  readonly known?: Early.Known
  /** Marketplace calls made for this plan, by operation. */
  readonly calls: Readonly<Record<string, number>>
  /** What else a person should know of the facts. */
  readonly notices?: ReadonlyArray<Notice>
}

export const plan = (input: DecideInput): Plan => Summary.seal(draft(input))

/** A plan without its name and counts, for whoever reviews it: a review counts and names anew. */
export const draft = (input: DecideInput): Summary.Draft => {
  const gathered = input.gathered
    .filter(({ policy }) => policy.mode !== "disabled")
    .sort(TextOrder.by(({ policy }) => policy.id))
    .map((one) => atItsTime(input, one))
  const standing = Overlays.byPolicy(input.slots)
  const board = new Board(input.account)
  const { beside, grounds, optimised, sets } = enterAll(input, gathered, standing, board)
  const { unknown, unchanged, ...entered } = board.sorted()
  const acting = new Set(input.rules.policies.filter(acts).map(({ id }): string => id))
  const follow = ClusterBid.beside(entered.changes, ({ after, origin }) =>
    acting.has(origin.name) ? Number(after) : undefined
  )
  const [changes, equals] = [entered.changes.map(follow), entered.equals.map(follow)]
  return {
    version: 2,
    account: input.account,
    currency: input.currency,
    createdAt: new Date(input.nowMs).toISOString(),
    rulesHash: input.rules.hashes.others,
    policies: gathered.flatMap((one, index) =>
      isWorthNaming(one) ? [summaryOf(one, grounds[index]!, unknown, optimised[index]!.rows)] : []
    ),
    changes,
    ...(equals.length === 0 ? {} : { equals }),
    held: [],
    unknown,
    unchanged,
    notices: [
      ...notices(gathered, unknown),
      ...beside,
      ...optimised.flatMap((one) => one.notices),
      ...grounds.flatMap(messagesOf),
      ...(input.notices ?? []),
      ...orphans(input, gathered, standing)
    ],
    ...(sets.length === 0 ? {} : { sets }),
    ...forecastsOf(optimised, [...changes, ...equals]),
    holds: gathered.flatMap(({ policy }, index) =>
      policy.holdForRuns === undefined ? [] : [Hold.counts(policy, grounds[index]!)]
    ),
    ...watchMarks(input),
    calls: { perOperation: Object.fromEntries(Object.entries(input.calls).sort(TextOrder.byKey)) }
  }
}

/** Has the board enter what every row comes to. The intents end here: half a million of them would stand beside the plan until it is kept. */
const enterAll = (
  input: DecideInput,
  gathered: ReadonlyArray<Gathered>,
  standing: ReturnType<typeof Overlays.byPolicy>,
  board: Board
) => {
  const grounds = gathered.map((one) => {
    const facts = new Reading(one.table)
    const amounts = one.rules.map(({ matched }) => new Amounts(facts, matched))
    return Funnel.matchedRows(one).map((match) => groundOf(input, one, match, amounts[match.rule]))
  })
  const backed = (input.watched?.rollBacks ?? []).map((one) => rollBack(input, one))
  const intended = grounds.map((own) => own.flatMap(intentOf))
  const coming = Coming.of([...intended.flat(), ...backed], input.slots, input.rules.policies)
  const optimised = gathered.map((one, index) =>
    Optimising.of(one.policy, grounds[index]!, besideOf(input, coming), unreadOf(one))
  )
  const steered = together(
    gathered.map((one, index) => {
      const wanted = together([intended[index]!, optimised[index]!.intents.map(passed)])
      const rest = standing.get(one.policy.id)
      return rest === undefined ? wanted : together([wanted, overlaysLeft(input, one, rest, wanted)])
    })
  )
  const {
    intents,
    notices: beside,
    sets
  } = Enrolments.settle(
    backed.length === 0 ? steered : steered.filter((intent) => !backed.some(isOfSame(intent))).concat(backed)
  )
  board.add(input.watched)
  for (const slot of bySlot(intents)) for (const verdict of Gate.slot(slot)) board.enter(verdict)
  for (const one of gathered) {
    const facts = new Reading(one.table)
    const amounts = one.rules.map(({ undecided }) => new Amounts(facts, undecided.rows))
    for (const row of Funnel.undecidedRows(one))
      board.leaveOpen(groundOf(input, one, row, amounts[row.rule]), row)
  }
  return {
    grounds,
    optimised: optimised.map(({ intents: _, ...made }) => made),
    beside,
    sets
  }
}

/** Of rules that optimise. */
const unreadOf = (one: Gathered): Optimising.Unread =>
  one.policy.rules.some(({ action }) => action._tag === "Optimise")
    ? new Map(
        Funnel.undecidedRows(one)
          .filter(({ reason }) => Unread.isTrouble(reason))
          .map((row) => [row.rule, whyOpen(row)] as const)
      )
    : new Map()

const besideOf = (
  { known, nowMs, past = Past.nothing, rules }: DecideInput,
  coming: Coming.Coming
): Optimising.Beside => ({
  past,
  coming,
  nowMs,
  pass: passed,
  known: known === undefined ? Early.unknown : Early.of(known, rules.limits, nowMs)
})

const forecastsOf = (
  made: ReadonlyArray<Omit<Optimising.Made, "intents">>,
  changes: ReadonlyArray<Change>
): Pick<Plan, "forecasts" | "found"> => {
  const forecasts = Turns.withUnmade(
    made.flatMap((one) => one.forecasts),
    made.flatMap((one) => one.wishes),
    changes
  )
  const found = made.flatMap((one) => one.found)
  return { ...(forecasts.length === 0 ? {} : { forecasts }), ...(found.length === 0 ? {} : { found }) }
}

/** A policy does not move what its own watch takes back in the same run. */
const isOfSame = (intent: Intent) => (back: Intent) =>
  back.slot === intent.slot && back.ground.policy.id === intent.ground.policy.id

const watchMarks = ({ watched }: DecideInput): Pick<Plan, "watched"> =>
  watched === undefined || watched.passed.length === 0 ? {} : { watched: watched.passed }

const rollBack = (input: DecideInput, back: Watching.RollBack): Intent => {
  const { change, policy, row, table } = back
  const { watch } = policy
  const when = watch?.rollBackWhen ?? []
  const action = { _tag: "Revert" as const, span: watch?.span ?? policy.rules[0]!.action.span }
  const asked = { policy: { ...policy, where: [], rules: [{ name: "watch", when, action }] }, table }
  const ground = groundOf(input, asked, { row, rule: 0 })
  const { subject: target } = change
  const setting = { ...settingOf(change), takesBack: true }
  const dearer = Kinds.of(change).isDearer(change)
  return {
    ground,
    target,
    slot: Kinds.slotOf(change),
    outcome: { _tag: "Move", dearer, setting },
    change: { ...change, reason: [...change.reason, ...Changes.reasonOf(ground)] }
  }
}

const groundOf = (
  input: DecideInput,
  one: Pick<Gathered, "policy" | "table">,
  { row, rule }: MatchedRow,
  amounts?: Amounts
): Ground => {
  const target = one.table.target(row)
  return {
    policy: one.policy,
    rule: one.policy.rules[rule]!,
    ruleIndex: rule,
    table: one.table,
    row,
    amounts,
    target,
    rules: input.rules,
    slots: input.slots,
    refused: input.refused ?? new Map(),
    holds: input.holds ?? new Map(),
    nowMs: input.nowMs,
    zone: input.zone,
    currency: input.currency,
    sign: Print.currencySign(input.currency)
  }
}

/** Outside of its `during:` a policy asks nothing. */
const atItsTime = (input: DecideInput, one: Gathered): Gathered =>
  Overlays.isAwake(one.policy, input.nowMs, input.zone) ? one : { ...one, rules: [] }

const overlaysLeft = (
  input: DecideInput,
  one: Gathered,
  standing: ReadonlyArray<SlotHistory>,
  intents: ReadonlyArray<Intent>
): ReadonlyArray<Intent> => {
  const asked = {
    wanted: new Set(intents.map(({ slot }) => slot)),
    undecided: one.rules.flatMap(({ undecided }) => [...undecided.rows])
  }
  return Overlays.rest(one.policy, one.table, standing, asked, (row) =>
    groundOf(input, one, { row, rule: 0 })
  )
}

const orphans = (
  input: DecideInput,
  gathered: ReadonlyArray<Gathered>,
  standing: ReturnType<typeof Overlays.byPolicy>
) => {
  const liveOf = (slot: string): SlotValue | undefined => {
    const asked = Kinds.placeOf(slot)
    if (asked === undefined) return undefined
    for (const one of gathered) {
      const table = one.table.view(asked.each)
      const row = table.indexOf(asked.target)
      const cell = row === undefined ? undefined : table.get(row, asked.fact)
      if (cell?._tag === "Known") return cell.value
    }
    return undefined
  }
  const bidOf = (slot: string): number | undefined => {
    const live = liveOf(slot)
    return live === undefined ? undefined : Number(live)
  }
  return [
    ...Overlays.orphans(standing, input.rules, bidOf, Print.currencySign(input.currency)),
    ...Abandoned.notices(input.slots, input.rules, { liveOf, isLeftOut: isLeftOut(gathered) })
  ]
}

/** By the facts that were read for any of the policies. */
const isLeftOut =
  (gathered: ReadonlyArray<Gathered>): Abandoned.Around["isLeftOut"] =>
  ({ each, where }, target) =>
    gathered.some((one) => {
      const table = one.table.view(each)
      const row = table.indexOf(target)
      return (
        row !== undefined &&
        where.some(({ condition }) => Evaluate.condition(condition, table, [row]).truth[0] === Kleene.False)
      )
    })

/** None where a policy has nothing of its own to take back. */
const intentOf = (ground: Ground): ReadonlyArray<Intent> => {
  const wanted = wantedBy(ground)
  return wanted === undefined ? [] : [passed(wanted)]
}

const passed = (wanted: Intent): Intent => {
  // Most of a large account is left, and stays as it is.
  if (wanted.outcome._tag !== "Move") return wanted
  return { ...wanted, outcome: Hold.pass({ ...wanted, outcome: Gate.pass(wanted) }) }
}

const wantedBy = (ground: Ground): Intent | undefined => {
  const { action } = ground.rule
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return BidIntent.of(ground, action)
    case "AddMinus":
    case "RemoveMinus":
      return MinusIntent.of(ground, action._tag)
    case "Pause":
    case "Start":
      return CampaignIntents.status(ground, action._tag)
    case "AdjustBid":
      return OverlayIntent.begin(ground, action)
    case "Deposit":
      return CampaignIntents.deposit(ground, action)
    case "Placements":
      return CampaignIntents.placements(ground, action)
    case "Enrol":
      return EnrolIntent.of(ground)
    case "Notify":
    case "Optimise":
      return undefined
    case "Revert":
      return RevertIntent.of(ground)
  }
}

/**
 * Slots in the order of their targets, the intents of each in the order of their policies. One campaign after another, for no slot is
 * in two: what half a million intents are about is never there all at once.
 */
function* bySlot(intents: ReadonlyArray<Intent>): Generator<ReadonlyArray<Intent>, void> {
  const campaignOf = (intent: Intent) =>
    (intent instanceof Resting ? intent.campaignId : intent.target.campaignId) ?? 0
  const byCampaign = Groups.by(intents, campaignOf)
  for (const [, own] of [...byCampaign].sort(TextOrder.byKey)) {
    const ordered = own
      .map((intent) => (intent instanceof Resting ? intent.whole() : intent))
      .sort(
        (a, b) =>
          Target.compare(a.ground.target, b.ground.target) ||
          TextOrder.compare(a.slot, b.slot) ||
          TextOrder.compare(a.ground.policy.id, b.ground.policy.id)
      )
    yield* Groups.by(ordered, ({ slot }) => slot).values()
  }
}

/** Policies that the limits made are named when they find something. */
const isWorthNaming = ({ policy, rules }: Gathered): boolean =>
  policy.isOfLimits !== true || rules.some(({ matched }) => matched.length > 0)

const summaryOf = (
  one: Gathered,
  grounds: ReadonlyArray<Ground>,
  unknown: ReadonlyArray<Undecided>,
  optimisedRows: number
): PolicySummary => ({
  id: one.policy.id,
  name: one.policy.name,
  mode: one.policy.mode,
  hash: one.policy.hash,
  // What changes are the bids below the rows that match.
  rowsInScope: Math.max(one.scope.length, optimisedRows),
  // What a policy could take back, had it done anything, is no match.
  rowsMatched: grounds.filter((ground) => ground.rule.action._tag !== "Revert" || RevertIntent.isOurs(ground))
    .length,
  rowsUnknown: unknown.filter((row) => row.policy === one.policy.id).length,
  unread: Unread.of(one.scope, one.rules),
  changes: 0
})

// What `notify` says of the rows that match. A message changes nothing, so it stands in no slot and has no cooldown.

/** One notice per row, in the order of the targets; those that `hold_for` keeps waiting say nothing. */
const messagesOf = (grounds: ReadonlyArray<Ground>): ReadonlyArray<Notice> =>
  grounds
    .flatMap((ground): ReadonlyArray<Notice & { readonly subject: Target.Subject }> => {
      const { action } = ground.rule
      if (action._tag !== "Notify" || !Hold.isRipe(ground)) return []
      const { policy, target } = ground
      return [
        {
          policy: policy.id,
          subject: target,
          campaignName: Changes.campaignName(ground),
          text: messageText(action.text, ground)
        }
      ]
    })
    .sort((a, b) => Target.compare(a.subject, b.subject))

const messageText = (parts: ReadonlyArray<TextPart>, ground: Ground): string =>
  parts.map((part) => (part._tag === "Words" ? part.text : shown(part.value, ground))).join("")

/** Texts as they are; everything else with its unit. */
const shown = (value: Extract<TextPart, { readonly _tag: "Value" }>["value"], ground: Ground): string => {
  const cell = Evaluate.value(value, ground.table, ground.row)
  return cell._tag === "Known" && typeof cell.value === "string"
    ? cell.value
    : Print.cell(cell, value.type, ground.sign)
}

// What stands on top of a plan: rows that a policy wants to be told of, and policies that hold as a whole.

/** In the order of the policies and of `unknown`. */
const notices = (asked: ReadonlyArray<Gathered>, unknown: ReadonlyArray<Undecided>): ReadonlyArray<Notice> =>
  asked.flatMap(({ policy, rules, scope }) => {
    const because = Unread.over(policy, Unread.of(scope, rules))
    const whole: ReadonlyArray<Notice> =
      because === undefined ? [] : [{ policy: policy.id, campaignName: "", because }]
    if (policy.ifUnknown === "skip") return whole
    const rows = unknown.filter((row) => row.policy === policy.id)
    return [
      ...whole,
      ...rows.map(({ because, campaignName, subject }) => ({
        policy: policy.id,
        subject,
        campaignName,
        because
      }))
    ]
  })
