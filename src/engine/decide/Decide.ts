/**
 * From matched rows to a plan: what each policy wants, who wins each slot, and everything that stays as it is and
 * why. A function of its input: no clock, no chance, no order of files or rows.
 */
import * as Hash from "../../domain/Hash.js"
import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import type { MatchedRow, UndecidedRow } from "../facts/Funnel.js"
import * as Print from "../facts/Print.js"
import type { Table } from "../facts/Table.js"
import * as Trace from "../facts/Trace.js"
import type { Action, Policy, RuleSet } from "../language/Policy.js"
import * as BidIntent from "./BidIntent.js"
import * as Gate from "./Gate.js"
import * as Hold from "./Hold.js"
import type { Ground, Intent, Setting } from "./Intent.js"
import * as Minused from "./Minused.js"
import * as MinusIntent from "./MinusIntent.js"
import * as Money from "./Money.js"
import * as Notices from "./Notices.js"
import type { ActionName, Change, Plan, PolicySummary, Unchanged, Undecided } from "./Plan.js"
import * as PlanContract from "./Plan.js"
import * as Resolve from "./Resolve.js"
import type { SlotHistory } from "./SlotHistory.js"
import * as StatusIntent from "./StatusIntent.js"
import * as Summary from "./Summary.js"
import * as Unread from "./Unread.js"

/** One policy's rows after its conditions were answered; numbers are rows of `table`. */
export interface Gathered {
  readonly policy: Policy
  readonly table: Table
  /** Rows for which every `where` clause is true. */
  readonly scope: ReadonlyArray<number>
  readonly matched: ReadonlyArray<MatchedRow>
  readonly undecided: ReadonlyArray<UndecidedRow>
}

export interface DecideInput {
  readonly account: string
  /** ISO code, such as `RUB`. */
  readonly currency: string
  readonly nowMs: number
  /** IANA zone of the account's business days; Moscow when absent (field note A05). */
  readonly zone?: string
  readonly rules: RuleSet
  readonly gathered: ReadonlyArray<Gathered>
  readonly slots: ReadonlyMap<string, SlotHistory>
  /** What earlier runs counted for `hold_for`; nothing when absent. */
  readonly holds?: Hold.Holds
  /** Marketplace calls made for this plan, by operation. */
  readonly calls: Readonly<Record<string, number>>
}

export const plan = (input: DecideInput): Plan => {
  const gathered = input.gathered
    .filter(({ policy }) => policy.mode !== "disabled")
    .sort((a, b) => text(a.policy.id, b.policy.id))
  const board = new Board(input)
  const grounds = gathered.map((one) => one.matched.map((match) => groundOf(input, one, match)))
  const intents = grounds.flat().map(intentOf)
  for (const slot of bySlot(intents)) for (const verdict of Resolve.slot(slot)) board.enter(verdict)
  for (const one of gathered) {
    for (const row of one.undecided) board.leaveOpen(groundOf(input, one, row), row)
  }
  const { changes, unknown, unchanged } = board.sorted()
  return Summary.seal({
    version: PlanContract.version,
    account: input.account,
    currency: input.currency,
    createdAt: new Date(input.nowMs).toISOString(),
    rulesHash: input.rules.hash,
    policies: gathered.map((one) => summaryOf(one, unknown)),
    changes,
    held: [],
    unknown,
    unchanged,
    notices: Notices.of(gathered, unknown),
    holds: gathered.flatMap(({ policy }, index) =>
      policy.holdForRuns === undefined ? [] : [Hold.counts(policy, grounds[index]!)]
    ),
    calls: { perOperation: Object.fromEntries(Object.entries(input.calls).sort(([a], [b]) => text(a, b))) }
  })
}

const groundOf = (input: DecideInput, one: Gathered, { row, rule }: MatchedRow): Ground => {
  const target = one.table.rows[row]
  if (target === undefined) throw new RangeError(`${one.policy.id} matched row ${row}, which its table lacks`)
  return {
    policy: one.policy,
    rule: one.policy.rules[rule]!,
    ruleIndex: rule,
    table: one.table,
    row,
    target,
    rules: input.rules,
    slots: input.slots,
    holds: input.holds ?? new Map(),
    nowMs: input.nowMs,
    zone: input.zone ?? "Europe/Moscow",
    currency: input.currency,
    sign: Print.currencySign(input.currency)
  }
}

const intentOf = (ground: Ground): Intent => {
  const wanted = wantedBy(ground)
  return { ...wanted, outcome: Hold.pass({ ...wanted, outcome: Gate.pass(wanted) }) }
}

const wantedBy = (ground: Ground): Intent => {
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
      return StatusIntent.of(ground, action._tag)
  }
}

/** Slots in the order of their targets, the intents of each in the order of their policies. */
const bySlot = (intents: ReadonlyArray<Intent>): ReadonlyArray<ReadonlyArray<Intent>> => {
  const ordered = [...intents].sort(
    (a, b) =>
      Target.compare(a.ground.target, b.ground.target) ||
      text(a.slot, b.slot) ||
      text(a.ground.policy.id, b.ground.policy.id)
  )
  const slots = new Map<string, Array<Intent>>()
  for (const intent of ordered) {
    const others = slots.get(intent.slot)
    if (others === undefined) slots.set(intent.slot, [intent])
    else others.push(intent)
  }
  return [...slots.values()]
}

/** Collects the plan's lists. */
class Board {
  private readonly changes: Array<Change> = []
  private readonly unknown: Array<Undecided> = []
  private readonly unchanged: Array<Unchanged> = []
  private readonly lists = new MinusIntent.Lists()

  constructor(private readonly input: DecideInput) {}

  enter(verdict: Resolve.Verdict): void {
    const { ground, target } = verdict.intent
    const { action } = ground.rule
    const outcome =
      verdict.outcome._tag === "Move" && action._tag === "AddMinus"
        ? (this.lists.take(ground, action.maxTotal) ?? verdict.outcome)
        : verdict.outcome
    const row = { policy: ground.policy.id, target, campaignName: campaignName(ground) }
    if (outcome._tag === "Move") {
      this.changes.push(changeOf(this.input.account, verdict.intent, outcome.setting, verdict.overruled))
    } else if (outcome._tag === "Stay") this.unchanged.push({ ...row, why: outcome.why })
    else this.unknown.push({ ...row, reason: reasonOf(ground), why: outcome.why })
  }

  leaveOpen(ground: Ground, row: UndecidedRow): void {
    const reason = Reason.fromCode(row.reason)
    this.unknown.push({
      policy: ground.policy.id,
      target: ground.target,
      campaignName: campaignName(ground),
      reason: reasonOf(ground),
      why: `${row.clause.text}: ${reason === undefined ? "unknown" : Reason.explain[reason]}`
    })
  }

  sorted() {
    const { changes, overtaken } = Minused.part(this.changes, this.input.rules.policies)
    return {
      changes: [...changes].sort(byTarget),
      unknown: this.unknown.sort(byTarget),
      unchanged: [...this.unchanged, ...overtaken].sort(byTarget)
    }
  }
}

const changeOf = (
  account: string,
  intent: Intent,
  setting: Setting,
  overruled: ReadonlyArray<string>
): Change => {
  const { ground, target, slot } = intent
  const { action } = ground.rule
  const named = actionNames[action._tag]
  return {
    id: Hash.of({ account, slot, action: named, before: setting.before, after: setting.after }).slice(0, 32),
    policy: ground.policy.id,
    ...calledBy(ground),
    policyLine: action.span.line,
    target,
    campaignName: campaignName(ground),
    action: named,
    ...setting,
    reason: reasonOf(ground),
    overruled,
    ...Money.estimate(ground, setting)
  }
}

/** Only where there is something to tell apart. */
const calledBy = ({ policy, rule, ruleIndex }: Ground): Pick<Change, "rule"> =>
  rule.name === undefined && policy.rules.length === 1 ? {} : { rule: rule.name ?? `rule ${ruleIndex + 1}` }

const actionNames: Readonly<Record<Action["_tag"], ActionName>> = {
  RaiseBid: "raise_bid",
  LowerBid: "lower_bid",
  SetBid: "set_bid",
  AddMinus: "add_minus",
  RemoveMinus: "remove_minus",
  Pause: "pause",
  Start: "start"
}

const reasonOf = ({ policy, rule, table, row, sign }: Ground) =>
  Trace.lines([...policy.where, ...rule.when], table, row, sign)

/** Empty when the name was not reported. */
const campaignName = ({ table, row }: Ground): string => {
  const name = table.get(row, "campaign.name")
  return name._tag === "Known" ? String(name.value) : ""
}

const summaryOf = (one: Gathered, unknown: ReadonlyArray<Undecided>): PolicySummary => ({
  id: one.policy.id,
  name: one.policy.name,
  mode: one.policy.mode,
  hash: one.policy.hash,
  rowsInScope: one.scope.length,
  rowsMatched: one.matched.length,
  rowsUnknown: unknown.filter((row) => row.policy === one.policy.id).length,
  unread: Unread.of(one.scope, one.undecided),
  changes: 0
})

const byTarget = (
  a: { readonly target: Target.Target; readonly policy: string },
  b: { readonly target: Target.Target; readonly policy: string }
): number => Target.compare(a.target, b.target) || text(a.policy, b.policy)

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
