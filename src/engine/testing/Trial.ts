/** One plan of one policy over the rows of a case, by the same steps as a real run: match, decide, review. Nobody keeps it, so it has no name. */

import * as Days from "../../domain/Days.js"
import * as Decide from "../decide/Decide.js"
import * as Hold from "../decide/intents/Hold.js"
import * as Memory from "../decide/intents/Memory.js"
import * as Deposits from "../decide/limits/Deposits.js"
import type { Holds } from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import type { Draft } from "../decide/Summary.js"
import * as Match from "../gather/Match.js"
import type { Change } from "../kinds/Change.js"
import type { Deposited } from "../kinds/Deposit.js"
import * as Kinds from "../kinds/Kinds.js"
import type { SlotHistory } from "../kinds/SlotHistory.js"
import * as Limits from "../language/check/Limits.js"
import type { AccountLimits, Policy, RuleSet } from "../language/Policy.js"
import * as PolicyParts from "./PolicyParts.js"
import type { Situation } from "./Situation.js"
import type { LimitWord } from "./TestFile.js"

/** What tests need of the rules: no hash, for nobody asks what a test's plan was made of. */
export type Rules = Pick<RuleSet, "policies" | "limits">

/** What tests are run in. */
export interface Around {
  readonly rules: Rules
  /** IANA zone of the account's business days. */
  readonly zone: string
  /** ISO code of the account's currency. */
  readonly currency: string
}

/** What earlier runs left behind for the gates. */
export interface Past {
  readonly slots: ReadonlyMap<string, SlotHistory>
  readonly holds: Holds
  readonly deposited: ReadonlyArray<Deposited>
}

export const nothingYet: Past = { slots: new Map(), holds: new Map(), deposited: [] }

export const plan = (
  situation: Situation,
  rules: RuleSet,
  past: Past,
  nowMs: number,
  { currency, zone }: Around
): Draft => {
  const draft = Decide.draft({
    account: "tests",
    currency,
    nowMs,
    zone,
    rules,
    gathered: Match.all(rules.policies, { table: (each) => situation.table.view(each) }),
    slots: past.slots,
    holds: past.holds,
    calls: {}
  })
  const ofToday = past.deposited.filter(({ at }) => Days.at(at, zone) === Days.at(nowMs, zone))
  const made = {
    dayStartMs: Math.min(nowMs, ...ofToday.map(({ at }) => at)),
    nowMs,
    deposited: past.deposited
  }
  return Review.within(draft, {
    rules,
    campaigns: situation.campaigns,
    campaignsUnread: 0,
    spentByCompleted: 0,
    zone,
    made
  })
}

/** The tested policy alone, turned on, under the limits that the case asks for. A kill switch stops no test. */
export const rulesFor = (policy: Policy, limits: LimitWord, all: Rules): RuleSet => {
  const on = PolicyParts.turnedOn(policy)
  return {
    policies: [limits === "counted" ? on : PolicyParts.uncounted(on)],
    fulfilment: [],
    limits: accountLimits(limits, all.limits),
    hash: "",
    hashes: { orders: "", others: "" }
  }
}

const accountLimits = (word: LimitWord, limits: AccountLimits): AccountLimits => {
  if (word === "none") return Limits.none
  if (word === "counted") return { ...limits, killSwitch: false }
  return {
    ...uncounted(limits),
    killSwitch: false,
    campaigns: limits.campaigns.map(({ changesPerRun: _, ...rest }) => rest)
  }
}

/** A handful of rows says nothing about how many changes an account may take. */
const uncounted = <
  L extends {
    readonly changesPerRun?: number
    readonly shareOfScopeBasisPoints?: number
    readonly spendPerDayKopecks?: number
  }
>({
  changesPerRun: _,
  shareOfScopeBasisPoints: __,
  spendPerDayKopecks: ___,
  ...rest
}: L) => rest

/** The history of the slots after more changes were made and became visible. */
export const history = (
  before: ReadonlyMap<string, SlotHistory>,
  changes: ReadonlyArray<Change>,
  atMs: number,
  zone: string
): ReadonlyMap<string, SlotHistory> => {
  const after = new Map(before)
  for (const change of changes) {
    const slot = Kinds.slotOf(change)
    const last = before.get(slot)
    after.set(slot, Memory.after(last, slot, change, atMs, isOfDay(last, atMs, zone)))
  }
  return after
}

/** Deposits after a plan that was applied. */
export const deposited = (
  before: ReadonlyArray<Deposited>,
  changes: ReadonlyArray<Change>,
  at: number
): ReadonlyArray<Deposited> => [
  ...before,
  ...changes.filter(Kinds.isPayment).map((change) => ({ ...Deposits.asDeposited(change), at }))
]

/** What `hold_for` counts after a plan: a match without new evidence keeps the instant of its last count. */
export const counted = (before: Holds, made: Draft, atMs: number): Holds =>
  new Map(
    (made.holds ?? []).flatMap(({ hash, policy, rows }) =>
      rows.map(({ fresh, row, rule, runs }) => {
        const key = Hold.key(policy, hash, row)
        return [key, { rule, runs, countedAt: fresh ? atMs : (before.get(key)?.countedAt ?? atMs) }] as const
      })
    )
  )

/** The history as a later day sees it: the first bid of a day is forgotten when the day is over. */
export const onDayOf = (
  slots: ReadonlyMap<string, SlotHistory>,
  atMs: number,
  zone: string
): ReadonlyMap<string, SlotHistory> =>
  new Map(
    [...slots].map(([key, slot]) => {
      return [key, isOfDay(slot, atMs, zone) ? slot : { ...slot, dayFirstBid: undefined }] as const
    })
  )

const isOfDay = (slot: SlotHistory | undefined, atMs: number, zone: string): boolean =>
  [slot?.lastAppliedAt, slot?.lastEdge?.at].some(
    (at) => at !== undefined && Days.at(at, zone) === Days.at(atMs, zone)
  )
