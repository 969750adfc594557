/**
 * A plan arranged for reading: campaign → item → change, then what is held, unknown and unchanged. Formats
 * (`TextPreview`, `MarkdownPreview`, `HtmlPreview`) only print it.
 */
import * as Target from "../domain/Target.js"
import * as Inverse from "../engine/decide/Inverse.js"
import type { Change, Notice, Plan, ReasonLine } from "../engine/decide/Plan.js"
import * as Stakes from "../engine/decide/Stakes.js"
import { cleanLine } from "./Clean.js"
import * as Plural from "./Plural.js"
import * as Wording from "./Wording.js"

export interface Row {
  readonly symbol: "+" | "~" | "-"
  readonly subject: string
  readonly effect: string
  readonly stake: string
  /** Policy and line; for what a person takes back, whose change it was. */
  readonly rule: string
  readonly conditions: ReadonlyArray<ReasonLine>
  /** Clamps, inheritance, overruled policies, irreversibility. */
  readonly notes: ReadonlyArray<string>
}

export interface ItemGroup {
  /** Absent for changes of the campaign itself. */
  readonly itemId: number | undefined
  readonly rows: ReadonlyArray<Row>
}

export interface CampaignGroup {
  readonly campaignId: number
  readonly name: string
  readonly items: ReadonlyArray<ItemGroup>
}

/** Rows with one reason, counted; `targets` are sorted and complete. */
export interface Tally {
  readonly policy: string
  readonly why: string
  readonly targets: ReadonlyArray<string>
}

export interface HeldGroup {
  readonly limit: string
  readonly rows: ReadonlyArray<{ readonly target: string; readonly effect: string; readonly over: string }>
}

export interface Preview {
  readonly planId: string
  readonly account: string
  readonly createdAt: string
  readonly summary: ReadonlyArray<string>
  /** What policies want a person to know. */
  readonly notices: ReadonlyArray<Tally>
  readonly policies: ReadonlyArray<string>
  readonly campaigns: ReadonlyArray<CampaignGroup>
  readonly held: ReadonlyArray<HeldGroup>
  readonly unknown: ReadonlyArray<Tally>
  readonly unchanged: ReadonlyArray<Tally>
  readonly calls: ReadonlyArray<string>
}

/** Arranges a plan. Equal plans give equal previews. */
export const make = (plan: Plan): Preview => ({
  planId: plan.id,
  account: plan.account,
  createdAt: plan.createdAt,
  summary: Wording.summary(plan),
  notices: notices(plan.notices ?? []),
  policies: plan.policies.map(policyLine),
  campaigns: campaigns(plan),
  held: held(plan),
  unknown: tallies(plan.unknown),
  unchanged: tallies(plan.unchanged),
  calls: sortedBy(Object.entries(plan.calls.perOperation), ([operation]) => operation)
    .filter(([, n]) => n > 0)
    .map(([operation, n]) => `${operation} ${n}`)
})

const policyLine = (policy: Plan["policies"][number]): string => {
  const rows = `${policy.rowsMatched} of ${Plural.of(policy.rowsInScope, "row")} match`
  const unknown = policy.rowsUnknown === 0 ? "" : `, ${policy.rowsUnknown} unknown`
  return `${policy.id} (${policy.mode}): ${policy.name}: ${rows}${unknown}, ${Plural.of(policy.changes, "change")}`
}

const campaigns = (plan: Plan): ReadonlyArray<CampaignGroup> => {
  const stake = Stakes.judge(plan)
  const sorted = [...plan.changes].sort((a, b) => Wording.byTarget(a, b) || order(a.id, b.id))
  return groups(sorted, (change) => `${change.target.campaignId}`).map((own) => ({
    campaignId: own[0].target.campaignId,
    name: cleanLine(own[0].campaignName),
    items: groups(own, (change) => `${change.target.itemId}`).map((changes) => ({
      itemId: changes[0].target.itemId,
      rows: changes.map((change) => row(change, stake(change), plan.currency))
    }))
  }))
}

const row = (change: Change, stake: Stakes.Stake, currency: string): Row => ({
  symbol: Wording.symbol(change),
  subject: cleanLine(Wording.subject(change)),
  effect: Wording.effect(change, currency),
  stake: Wording.stake(stake, currency),
  ...reasonOf(change),
  notes: [
    ...change.clamps.map((bound) => Wording.clamp(bound, currency)),
    ...(change.inherited === true
      ? ["has no bid of its own yet: the item's bid in search held until now"]
      : []),
    ...(change.takesBack === true ? ["takes back what this policy did before, and nothing else"] : []),
    ...change.overruled.map((policy) => `overrules ${policy}`),
    ...(change.undoes === undefined || Inverse.isByPerson(change)
      ? []
      : [`takes back what ${change.undoes.policy} did`]),
    ...(change.reversible
      ? []
      : [`irreversible${change.irreversible === undefined ? "" : `: ${change.irreversible}`}`])
  ]
})

/** What a person takes back is one sentence, whose run stands in the plan; all else has its rule and conditions. */
const reasonOf = (change: Change): Pick<Row, "rule" | "conditions"> => {
  const conditions = change.reason.map((line) => ({ ...line, value: cleanLine(line.value) }))
  const [origin, ...others] = conditions
  return Inverse.isByPerson(change) && origin !== undefined
    ? { rule: `takes back ${origin.value}`, conditions: others }
    : { rule: `${Wording.ruleOf(change)}: ${change.action}`, conditions }
}

const held = (plan: Plan): ReadonlyArray<HeldGroup> => {
  const sorted = sortedBy(plan.held, (h) => `${h.by}\u0000${h.limit}`)
  return groups(sorted, (h) => `${h.by}\u0000${h.limit}`).map((own) => ({
    limit: `${own[0].by}: ${own[0].limit}`,
    rows: own
      .toSorted((a, b) => Wording.byTarget(a.change, b.change))
      .map((h) => ({
        target: cleanLine(Target.key(h.change.target)),
        effect: Wording.effect(h.change, plan.currency),
        over: h.over
      }))
  }))
}

interface Reasoned {
  readonly policy: string
  readonly why: string
  readonly target: Target.Subject
}

/** Most frequent reason first, so that a long list opens with what matters. */
const tallies = (rows: ReadonlyArray<Reasoned>): ReadonlyArray<Tally> =>
  groups(
    sortedBy(rows, (r) => `${r.policy}\u0000${r.why}`),
    (r) => `${r.policy}\u0000${r.why}`
  )
    .map((own) => ({
      policy: own[0].policy,
      why: own[0].why,
      targets: own.toSorted(Wording.byTarget).map((r) => cleanLine(Wording.rowName(r.target)))
    }))
    .sort((a, b) => b.targets.length - a.targets.length || order(a.policy, b.policy) || order(a.why, b.why))

/** Those about a whole policy first; they have no targets. */
const notices = (all: ReadonlyArray<Notice>): ReadonlyArray<Tally> => [
  ...all.flatMap(({ policy, target, text }) =>
    target === undefined ? [{ policy, why: text, targets: [] }] : []
  ),
  ...tallies(
    all.flatMap(({ policy, target, text }) => (target === undefined ? [] : [{ policy, target, why: text }]))
  )
]

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sortedBy = <T>(rows: ReadonlyArray<T>, key: (row: T) => string): ReadonlyArray<T> =>
  rows.toSorted((a, b) => order(key(a), key(b)))

/** Neighbours with one key, in their order. */
const groups = <T>(
  rows: ReadonlyArray<T>,
  key: (row: T) => string
): ReadonlyArray<readonly [T, ...Array<T>]> => {
  const found = new Map<string, [T, ...Array<T>]>()
  for (const row of rows) {
    const group = found.get(key(row))
    if (group === undefined) found.set(key(row), [row])
    else group.push(row)
  }
  return [...found.values()]
}
