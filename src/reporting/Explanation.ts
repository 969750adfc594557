/** Why each rule did, or did not, act on a target: every condition with its value, the nearest miss first. */
import * as Target from "../domain/Target.js"
import type { Change, Plan, ReasonLine } from "../engine/decide/Plan.js"
import type { Table } from "../engine/facts/Table.js"
import * as Trace from "../engine/facts/Trace.js"
import type { Each, Policy } from "../engine/language/Policy.js"
import * as Wording from "./Wording.js"

export type Verdict = "acts" | "shown" | "held" | "unchanged" | "unknown" | "does not act" | "disabled"

/** One policy and one row. */
export interface Explained {
  readonly policy: string
  readonly name: string
  /** Of several rules, the one that acts, is unknown, or misses by least. */
  readonly rule?: string
  readonly target: string
  readonly verdict: Verdict
  /** What it does, or what keeps it from acting. */
  readonly why: string
  readonly conditions: ReadonlyArray<ReasonLine>
  readonly notes: ReadonlyArray<string>
}

/** What a target finer than this one would be asked for: rows of one policy, counted by verdict. */
export interface Crowd {
  readonly policy: string
  readonly name: string
  readonly rows: number
  readonly verdicts: Readonly<Record<string, number>>
  /** The rows that missed by least, at most three. */
  readonly nearest: ReadonlyArray<Explained>
}

export interface Explanation {
  readonly target: string
  readonly campaignName: string
  readonly policies: ReadonlyArray<Explained>
  readonly crowds: ReadonlyArray<Crowd>
}

export interface Input {
  readonly target: Target.Target
  readonly policies: ReadonlyArray<Policy>
  readonly table: (each: Each) => Table
  /** The plan those policies made of that table. */
  readonly plan: Plan
}

/** Levels of rows, coarse to fine. */
const levels: ReadonlyArray<Each> = ["campaign", "campaign_item", "cluster"]

/** The level of a target. */
export const levelOf = (target: Target.Target): Each =>
  target.itemId === undefined ? "campaign" : target.cluster === undefined ? "campaign_item" : "cluster"

export const make = (input: Input): Explanation => {
  const level = levels.indexOf(levelOf(input.target))
  const own = input.policies.filter((policy) => levels.indexOf(policy.each) <= level)
  const finer = input.policies.filter((policy) => levels.indexOf(policy.each) > level)
  const table = input.table("campaign")
  const at = table.rows.findIndex((row) => row.campaignId === input.target.campaignId)
  const name = at < 0 ? undefined : table.get(at, "campaign.name")
  return {
    target: Target.key(input.target),
    campaignName: name?._tag === "Known" ? String(name.value) : "",
    policies: own.map((policy) => ofTarget(input, policy)).sort(nearestFirst),
    crowds: finer.map((policy) => crowd(input, policy))
  }
}

const ofTarget = (input: Input, policy: Policy): Explained => {
  const wanted = Target.key(cut(input.target, policy.each))
  const row = input.table(policy.each).rows.findIndex((target) => Target.key(target) === wanted)
  if (row >= 0) return ofRow(input, policy, row)
  const missing = { policy: policy.id, name: policy.name, target: wanted, conditions: [], notes: [] }
  return { ...missing, verdict: "does not act", why: "the marketplace does not list this target" }
}

/** A target as rows of a coarser policy see it. */
const cut = ({ campaignId, cluster, itemId }: Target.Target, each: Each): Target.Target => ({
  campaignId,
  ...(each === "campaign" || itemId === undefined ? {} : { itemId }),
  ...(each !== "cluster" || cluster === undefined ? {} : { cluster })
})

const ofRow = (input: Input, policy: Policy, row: number): Explained => {
  const table = input.table(policy.each)
  const target = table.rows[row] ?? input.target
  const sign = Wording.sign(input.plan.currency)
  const where = Trace.lines(policy.where, table, row, sign)
  const rules = policy.rules.map(({ when }) => Trace.lines(when, table, row, sign))
  const at = ruleOf(rules)
  const conditions = [...where, ...rules[at]!]
  const about = {
    policy: policy.id,
    name: policy.name,
    ...(rules.length === 1 ? {} : { rule: policy.rules[at]!.name ?? `rule ${at + 1}` }),
    target: Target.key(target),
    conditions
  }
  return { ...about, ...decision(input.plan, policy, target, conditions) }
}

/** Where the search for a rule ends: the first that is not false, else the one that misses by least. */
const ruleOf = (rules: ReadonlyArray<ReadonlyArray<ReasonLine>>): number => {
  const falseOnes = rules.map((lines) => lines.filter(({ holds }) => holds === "false").length)
  const first = falseOnes.indexOf(0)
  return first >= 0 ? first : falseOnes.indexOf(Math.min(...falseOnes))
}

const decision = (
  plan: Plan,
  policy: Policy,
  target: Target.Target,
  conditions: ReadonlyArray<ReasonLine>
): Pick<Explained, "verdict" | "why" | "notes"> => {
  const key = Target.key(target)
  const mine = (row: { readonly policy: string; readonly target: Target.Target }): boolean =>
    row.policy === policy.id && Target.key(row.target) === key
  if (policy.mode === "disabled") return { verdict: "disabled", why: "the policy is disabled", notes: [] }
  const change = plan.changes.find(mine)
  if (change !== undefined) {
    const shown = policy.mode === "preview"
    const why = `${Wording.effect(change, plan.currency)}${shown ? " (mode preview: shown, not applied)" : ""}`
    return { verdict: shown ? "shown" : "acts", why, notes: notes(change, plan.currency) }
  }
  const held = plan.held.find((row) => mine(row.change))
  if (held !== undefined) {
    const why = `${Wording.effect(held.change, plan.currency)} is held by ${held.by}: ${held.limit} (${held.over})`
    return { verdict: "held", why, notes: notes(held.change, plan.currency) }
  }
  const winner = plan.changes.find((c) => c.overruled.includes(policy.id) && Target.key(c.target) === key)
  if (winner !== undefined) return { verdict: "unchanged", why: `overruled by ${winner.policy}`, notes: [] }
  const unchanged = plan.unchanged.find(mine)
  if (unchanged !== undefined) return { verdict: "unchanged", why: unchanged.why, notes: [] }
  const failing = conditions.filter((line) => line.holds === "false").length
  if (failing > 0) {
    const why = `${failing} of ${Wording.counted(conditions.length, "condition")} ${failing === 1 ? "does" : "do"} not hold`
    return { verdict: "does not act", why, notes: [] }
  }
  const unknown = plan.unknown.find(mine)
  return { verdict: "unknown", why: unknown?.why ?? "a fact is missing", notes: [] }
}

const notes = (change: Change, currency: string): ReadonlyArray<string> => [
  ...change.clamps.map((bound) => Wording.clamp(bound, currency)),
  ...change.overruled.map((policy) => `overrules ${policy}`)
]

const crowd = (input: Input, policy: Policy): Crowd => {
  const { campaignId, itemId } = input.target
  const rows = input
    .table(policy.each)
    .rows.flatMap((target, row) =>
      target.campaignId === campaignId && (itemId === undefined || target.itemId === itemId) ? [row] : []
    )
    .map((row) => ofRow(input, policy, row))
  const verdicts: Record<string, number> = {}
  for (const { verdict } of rows) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
  const missed = rows.filter((row) => row.verdict === "does not act" || row.verdict === "unknown")
  return {
    policy: policy.id,
    name: policy.name,
    rows: rows.length,
    verdicts: Object.fromEntries(Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1))),
    nearest: missed.sort(nearestFirst).slice(0, 3)
  }
}

const rank: Readonly<Record<Verdict, number>> = {
  acts: 0,
  shown: 1,
  held: 2,
  unchanged: 3,
  unknown: 4,
  "does not act": 4,
  disabled: 5
}

/** Acting rules first, then those that missed by the fewest conditions; a false one weighs more than an unknown one. */
const nearestFirst = (a: Explained, b: Explained): number =>
  rank[a.verdict] - rank[b.verdict] ||
  distance(a) - distance(b) ||
  order(a.policy, b.policy) ||
  order(a.target, b.target)

const distance = ({ conditions }: Explained): number =>
  conditions.length === 0
    ? Number.MAX_SAFE_INTEGER
    : conditions.reduce((sum, { holds }) => sum + (holds === "false" ? 2 : holds === "unknown" ? 1 : 0), 0)

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
