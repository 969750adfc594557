/** What the days of a backtest come to: counts by policy, rows that turned back, and what was never recorded. Pure. */
import type * as Arr from "effect/Array"
import type * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Kinds from "../kinds/Kinds.js"
import type { BacktestDay, PolicyDay, WouldChange } from "./Backtest.js"

export interface PolicyTotal {
  readonly policy: string
  /** Days on which it ran, and those of them with a change. */
  readonly daysRun: number
  readonly daysWithChanges: number
  /** Sums over the days: a row that matches every day counts every day. */
  readonly rowsMatched: number
  readonly rowsHeld: number
  readonly rowsUnknown: number
  readonly byAction: Readonly<Record<string, number>>
}

/** A slot whose changes went one way and then back. */
export interface Flapping {
  readonly subject: Target.ChangeSubject
  /** See `Slot.key`. */
  readonly slot: string
  readonly turns: number
  readonly policies: ReadonlyArray<string>
  /** The last two ways: `raise_bid on 2026-11-03, lower_bid on 2026-11-04`. */
  readonly last: string
}

export interface Gap {
  /** As rules write it: `ctr[14d]`. */
  readonly fact: string
  /** Days on which rows could not be decided without it. */
  readonly days: ReadonlyArray<Days.Day>
  /** The first day that has it, if all days before it lack it and none after it does. */
  readonly recordedFrom?: Days.Day
}

export class Totals {
  private readonly policies = new Map<string, PolicyTotal>()
  private readonly slots = new Map<string, Trail>()
  /** By fact: days whose snapshots lack it, and those of them on which rows needed it. */
  private readonly lacking = new Map<string, Arr.NonEmptyArray<Days.Day>>()
  private readonly missed = new Map<string, Arr.NonEmptyArray<Days.Day>>()
  private readonly seen: Array<Days.Day> = []

  add({ day, policies }: BacktestDay): void {
    this.seen.push(day)
    for (const policy of policies) {
      this.policies.set(policy.policy, plus(this.policies.get(policy.policy), policy))
      for (const change of policy.changes) this.follow(change, day)
    }
    note(this.lacking, policies, day)
    note(
      this.missed,
      policies.filter(({ rowsNotRecorded }) => rowsNotRecorded > 0),
      day
    )
  }

  get byPolicy(): ReadonlyArray<PolicyTotal> {
    return [...this.policies.values()].sort(TextOrder.by(({ policy }) => policy))
  }

  get flapping(): ReadonlyArray<Flapping> {
    return [...this.slots]
      .filter(([, { turns }]) => turns > 0)
      .map(([slot, { last, policies, subject: target, turns }]) => {
        return { subject: target, slot, turns, policies: [...policies].sort(), last }
      })
      .sort((a, b) => Target.compare(a.subject, b.subject) || TextOrder.compare(a.slot, b.slot))
  }

  get gaps(): ReadonlyArray<Gap> {
    return [...this.missed].sort(TextOrder.byKey).map(([fact, days]) => {
      const lacking = this.lacking.get(fact) ?? []
      const next = this.seen[lacking.length]
      const isFirst = lacking.every((day, at) => day === this.seen[at])
      return { fact, days, ...(isFirst && next !== undefined ? { recordedFrom: next } : {}) }
    })
  }

  private follow(change: WouldChange, day: Days.Day): void {
    const way = wayOf(change)
    if (way === 0) return
    const slot = Kinds.slotOf(change)
    const before = this.slots.get(slot)
    const step = `${change.action} on ${day}`
    const turned = before !== undefined && before.way !== way
    this.slots.set(slot, {
      subject: change.subject,
      way,
      step,
      turns: (before?.turns ?? 0) + (turned ? 1 : 0),
      policies: new Set([...(before?.policies ?? []), change.origin.name]),
      last: turned ? `${before.step}, ${step}` : (before?.last ?? "")
    })
  }
}

const note = (
  into: Map<string, Arr.NonEmptyArray<Days.Day>>,
  policies: ReadonlyArray<PolicyDay>,
  day: Days.Day
): void => {
  for (const fact of new Set(policies.flatMap(({ missing }) => missing))) Groups.add(into, fact, day)
}

interface Trail {
  readonly subject: Target.ChangeSubject
  readonly way: 1 | -1
  readonly step: string
  readonly turns: number
  readonly policies: ReadonlySet<string>
  readonly last: string
}

/** Up, down or neither: an overlay comes and goes by the clock, a deposit has no way back, and no rule assembles orders. */
const wayOf = ({ action, after, before }: WouldChange): 1 | -1 | 0 => {
  switch (action) {
    case "raise_bid":
    case "lower_bid":
    case "set_bid":
      return Number(after) > Number(before) ? 1 : -1
    case "start":
    case "remove_minus":
    case "add_item":
      return 1
    case "pause":
    case "add_minus":
    case "remove_item":
      return -1
    case "adjust_bid":
    case "deposit":
    case "placements":
    case "rename":
    case "enrol":
    case "stop":
    case "delete":
    case "create_supply":
    case "put_in_supply":
    case "set_mark":
    case "delete_mark":
    case "add_units":
    case "deliver":
    case "cancel":
    case "delete_supply":
    case "book_pass":
      return 0
  }
}

const plus = (sum: PolicyTotal | undefined, one: PolicyDay): PolicyTotal => {
  const byAction: Record<string, number> = { ...sum?.byAction }
  for (const { action } of one.changes) byAction[action] = (byAction[action] ?? 0) + 1
  const rows = (tallies: ReadonlyArray<{ readonly rows: number }>) =>
    tallies.reduce((count, tally) => count + tally.rows, 0)
  return {
    policy: one.policy,
    daysRun: (sum?.daysRun ?? 0) + (one.state === "ran" ? 1 : 0),
    daysWithChanges: (sum?.daysWithChanges ?? 0) + (one.changes.length > 0 ? 1 : 0),
    rowsMatched: (sum?.rowsMatched ?? 0) + one.rowsMatched,
    rowsHeld: (sum?.rowsHeld ?? 0) + rows(one.held),
    rowsUnknown: (sum?.rowsUnknown ?? 0) + rows(one.unknown),
    byAction
  }
}
