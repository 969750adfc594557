/**
 * Rules over the facts of one past day, as if they had run then: at the snapshot's instant, with what they would have
 * done on earlier days in mind, and with nothing of later ones. What they would have changed is taken for accepted;
 * the recorded facts do not answer to it. Pure.
 */
import type { Coded } from "../../domain/Coded.js"
import * as Codes from "../../domain/Coded.js"
import * as Days from "../../domain/Days.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Window from "../../domain/Window.js"
import * as Decide from "../decide/Decide.js"
import * as Hold from "../decide/intents/Hold.js"
import * as Overlays from "../decide/intents/Overlays.js"
import * as Deposits from "../decide/limits/Deposits.js"
import type { Holds, Notice, Plan } from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import type { NoticeReason, UnchangedReason, UnknownReason } from "../decide/RowReason.js"
import * as ClockFacts from "../facts/ClockFacts.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Needs from "../facts/Needs.js"
import { factKey } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Match from "../gather/Match.js"
import type { Change, Part } from "../kinds/Change.js"
import type { HeldReason } from "../kinds/HeldReason.js"
import * as MaxBid from "../language/MaxBid.js"
import { acts } from "../language/Mode.js"
import type { AccountLimits, FactRef, Policy, RuleSet } from "../language/Policy.js"
import * as LocalTime from "../schedule/LocalTime.js"
import * as Timetable from "../schedule/Timetable.js"
import * as Trial from "../testing/Trial.js"
import type { Recalled } from "./Recall.js"

/** What earlier days of the backtest left behind for the gates. */
export interface Past extends Trial.Past {
  /** When each policy ran last, epoch milliseconds. */
  readonly ranAt: ReadonlyMap<string, number>
}

/** A backtest knows nothing of what was really done before its first day. */
export const nothingYet: Past = { ...Trial.nothingYet, ranAt: new Map() }

/** A change without its money: what it would have cost or earned is not known, and is not guessed. */
export type WouldChange = Part<Exclude<keyof Change, "moneyPerDayKopecks" | "spendPerDayKopecks">>

/** Rows with one reason. */
export interface Tally<R extends Coded> {
  readonly because: R
  readonly rows: number
  /** The first of them, see `Target.key`; absent when it is about the policy as a whole. */
  readonly such?: string
}

/** A message of a rule, in its words, or what was unknown. */
type NoticeCode = { readonly code: "said"; readonly said: string } | NoticeReason

export interface PolicyDay {
  readonly policy: string
  /** `notDue`: its schedule leaves the day out. `asleep`: the snapshot was taken outside of its `during:`. */
  readonly state: "ran" | "notDue" | "asleep"
  readonly rowsInScope: number
  readonly rowsMatched: number
  readonly changes: ReadonlyArray<WouldChange>
  readonly held: ReadonlyArray<Tally<HeldReason>>
  readonly unchanged: ReadonlyArray<Tally<UnchangedReason>>
  readonly unknown: ReadonlyArray<Tally<UnknownReason>>
  readonly notices: ReadonlyArray<Tally<NoticeCode>>
  /** Of the unknown rows, those for which the snapshot lacks a fact. */
  readonly rowsNotRecorded: number
  /** Facts that the policy asks and the snapshot lacks for all rows, whether or not a row needed them. */
  readonly missing: ReadonlyArray<string>
}

export interface BacktestDay {
  readonly day: Days.Day
  readonly atMs: number
  readonly zone: string
  readonly currency: string
  readonly policies: ReadonlyArray<PolicyDay>
}

/**
 * The rules as they are asked: without those that are disabled, with what the account's own limits do, and of these
 * only the policies named, if any are.
 */
export const prepare = (rules: RuleSet, named: ReadonlySet<string>): RuleSet => {
  const all = MaxBid.added(rules)
  const isAsked = ({ id, mode }: Policy) => mode !== "disabled" && (named.size === 0 || named.has(id))
  return { ...all, policies: all.policies.filter(isAsked) }
}

/** One day of prepared rules. Days must come in their order, each with what the one before it left. */
export const day = (
  all: RuleSet,
  facts: Recalled,
  before: Past
): { readonly told: BacktestDay; readonly after: Past } => {
  const { account, campaignsUnread, currency, nowMs, spentByCompleted, table, zone } = facts
  const due = all.policies.filter((policy) => isDue(policy, nowMs, before.ranAt.get(policy.id)))
  // The account's switch stops every write of today; it says nothing about another day.
  const limits = { ...all.limits, killSwitch: false }
  const rules: RuleSet = { ...all, policies: due, limits }
  const slots = Trial.onDayOf(before.slots, nowMs, zone)
  table("account").setAll("account", ClockFacts.readings(due.flatMap(FactRefs.ofPolicy), nowMs))
  const draft = Decide.draft({
    account,
    currency,
    nowMs,
    zone,
    rules,
    gathered: Match.all(due, { table }),
    slots,
    holds: before.holds,
    calls: {}
  })
  // One run a day: the day's own deposits are this plan's.
  const made = { dayStartMs: nowMs, nowMs, deposited: before.deposited }
  const { plan } = Review.review(draft, {
    rules,
    campaigns: table("campaign"),
    campaignsUnread,
    spentByCompleted,
    zone,
    made
  })
  // As in a plan: the account's own limits are spoken of only where they do something.
  const spoken = new Set<string>(plan.policies.map(({ id }) => id))
  const policies = all.policies
    .filter(({ id, isOfLimits }) => isOfLimits !== true || spoken.has(id))
    .map((policy) => (due.includes(policy) ? told(policy, plan, rules, facts) : silent(policy.id, "notDue")))
  return {
    told: { day: Days.at(nowMs, zone), atMs: nowMs, zone, currency, policies },
    after: {
      slots: Trial.history(slots, appliedLast(plan, due), nowMs, zone),
      holds: new Map([...waiting(before.holds, due), ...Trial.counted(before.holds, plan, nowMs)]),
      deposited: Trial.deposited(before.deposited, plan.changes, nowMs).filter(
        ({ at }) => at > nowMs - Deposits.settlingMs
      ),
      ranAt: new Map([...before.ranAt, ...due.map(({ id }) => [id, nowMs] as const)])
    }
  }
}

/** Where a slot is changed by a policy in apply and shown by one in preview, the first is what is remembered. */
const appliedLast = (plan: Plan, policies: ReadonlyArray<Policy>): ReadonlyArray<Change> => {
  const applying = new Set<string>(policies.filter(acts).map(({ id }) => id))
  const isApplied = ({ origin: { name: policy } }: Change) => applying.has(policy)
  return [...plan.changes.filter((change) => !isApplied(change)), ...plan.changes.filter(isApplied)]
}

/** A policy that did not run counts on; of one that ran, rows that did not match start anew. */
const waiting = (holds: Holds, ran: ReadonlyArray<Policy>): Holds =>
  new Map([...holds].filter(([key]) => !ran.some(({ hash, id }) => key.startsWith(Hold.key(id, hash, "")))))

const silent = (policy: string, state: PolicyDay["state"]): PolicyDay => ({
  policy,
  state,
  rowsInScope: 0,
  rowsMatched: 0,
  changes: [],
  held: [],
  unchanged: [],
  unknown: [],
  notices: [],
  rowsNotRecorded: 0,
  missing: []
})

const told = (policy: Policy, plan: Plan, { limits }: RuleSet, facts: Recalled): PolicyDay => {
  const isOwn = (one: { readonly policy: string }) => one.policy === policy.id
  const isOurs = ({ origin }: Change): boolean => origin.name === policy.id
  const summary = plan.policies.find(({ id }) => id === policy.id)
  const unknown = plan.unknown.filter(isOwn)
  const rowsNotRecorded = unknown.filter(({ because }) => isNotRecorded(because)).length
  return {
    policy: policy.id,
    state: Overlays.isAwake(policy, facts.nowMs, facts.zone) ? "ran" : "asleep",
    rowsInScope: summary?.rowsInScope ?? 0,
    rowsMatched: summary?.rowsMatched ?? 0,
    changes: plan.changes.filter(isOurs).map(withoutMoney),
    held: tallies(
      plan.held
        .filter(({ change }) => isOurs(change))
        .map(({ because, change }) => ({ subject: change.subject, because }))
    ),
    unchanged: tallies(plan.unchanged.filter(isOwn)),
    unknown: tallies(unknown),
    notices: tallies((plan.notices ?? []).filter(isOwn).map(noticed)),
    rowsNotRecorded,
    missing: unrecorded(policy, limits, facts.facts)
  }
}

const withoutMoney = ({ moneyPerDayKopecks: _, spendPerDayKopecks: __, ...change }: Change): WouldChange =>
  change

/** What a live run leaves out for want of calls, a past one never asked. */
const isNotRecorded = (because: UnknownReason): boolean =>
  "reason" in because && because.reason === "notFetched"

const noticed = ({ because, subject, text = "" }: Notice): Reasoned<NoticeCode> => ({
  ...(subject === undefined ? {} : { subject }),
  because: because ?? { code: "said", said: text }
})

interface Reasoned<R extends Coded> {
  readonly subject?: Target.Subject | undefined
  readonly because: R
}

/** The most frequent reason first. */
const tallies = <R extends Coded>(rows: ReadonlyArray<Reasoned<R>>): ReadonlyArray<Tally<R>> => {
  const counts = new Map<string, Tally<R>>()
  for (const { because, subject: target } of rows) {
    const key = Codes.key(because)
    const before = counts.get(key)
    const such = before === undefined && target !== undefined ? { such: Target.key(target) } : before
    counts.set(key, { ...such, because, rows: (before?.rows ?? 0) + 1 })
  }
  return [...counts]
    .sort(([a, one], [b, other]) => other.rows - one.rows || TextOrder.compare(a, b))
    .map(([, tally]) => tally)
}

// Whether a policy's schedule has it run at all on a day; a backtest runs it then once, at the snapshot's instant.

/**
 * `lastMs` is when it ran last, epoch milliseconds. A policy of every few days is caught up with on the next day that
 * was recorded, as a program that was not running would.
 */
const isDue = ({ schedule }: Policy, nowMs: number, lastMs: number | undefined): boolean => {
  if (schedule === undefined) return true
  const { every = Days.dayMs, tz } = schedule
  const today = Date.parse(`${Days.at(nowMs, tz)}T00:00:00Z`) / Days.dayMs
  const [beginMs, endMs] = [LocalTime.instantOf(today, 0, tz), LocalTime.instantOf(today + 1, 0, tz)]
  const sinceMs = every > Days.dayMs ? (lastMs ?? beginMs - every) : beginMs - 1
  return Timetable.latest(schedule, sinceMs, endMs - 1) !== undefined
}

// What a policy asks and a day's snapshot does not have: no plan of that day read it.

/** The facts that no row of the snapshot has, as rules write them: `ctr[14d]`; sorted. */
const unrecorded = (
  policy: Policy,
  limits: AccountLimits,
  recorded: ReadonlySet<string>
): ReadonlyArray<string> => {
  const missing = Needs.factsOf(policy, limits).filter(
    (ref) => !recorded.has(factKey(ref)) && Vocabulary.byFactId(ref.id)?.source !== "clock"
  )
  return [...new Set(missing.map(word))].sort()
}

const word = ({ id, window }: FactRef): string => {
  const written = Vocabulary.byFactId(id)?.word ?? id
  return window === undefined ? written : `${written}[${Window.key(window)}]`
}
