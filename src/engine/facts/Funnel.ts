/**
 * The rules of a policy as a funnel: a row belongs to its first rule that is true, and an unknown rule stops it, for
 * nobody knows whether the rules below were meant for it.
 */
import type { Clause, Policy } from "../language/Policy.js"
import * as Evaluate from "./Evaluate.js"
import type * as Sift from "./kernels/Sift.js"
import type { Needs } from "./Needs.js"
import type { Table } from "./Table.js"

/** Clauses of a rule; `complete` unless more of them will be answered later. */
export interface Step {
  readonly clauses: ReadonlyArray<Clause>
  readonly complete: boolean
}

/** Numbers of `rule` count from 0 in the order of the policy. */
export interface MatchedRow {
  readonly row: number
  readonly rule: number
}
export type UndecidedRow = Evaluate.UndecidedRow & MatchedRow

export interface Decided {
  readonly matched: ReadonlyArray<MatchedRow>
  readonly undecided: ReadonlyArray<UndecidedRow>
}

/** A policy's rules with every fact there. */
export interface Funnel {
  readonly steps: ReadonlyArray<Step>
  /** What is asked of all rows at first: of one rule its clauses, of several their common scope. */
  readonly first: ReadonlyArray<Clause>
}

/** Clauses are asked in the order of their price, so the first unknown is the first missing fact. */
export const of = (policy: Policy, { stages }: Needs): Funnel => {
  const steps = policy.rules.map(({ when }, rule) => ({
    complete: true,
    clauses: stages.flatMap((stage) => [
      ...stage.where.map((i) => policy.where[i]!),
      ...stage.rules[rule]!.map((i) => when[i]!)
    ])
  }))
  return { steps, first: steps.length === 1 ? steps[0]!.clauses : policy.where }
}

/** Answers all rules; `found` has the rows of `first`. Rows outside the scope would fall through every rule. */
export const decide = ({ first, steps }: Funnel, table: Table, found: Sift.Found): Decided => {
  const matched: Array<MatchedRow> = []
  const undecided: Array<UndecidedRow> = []
  const take = (rule: number, { holds, undecided: open }: Evaluate.Sifted) => {
    for (const row of holds) matched.push({ row, rule })
    for (const row of open) undecided.push({ ...row, rule })
  }
  if (steps.length === 1) take(0, Evaluate.listing(first, found))
  else pour(steps, table, either(found), take)
  return { matched: byRow(matched), undecided: byRow(undecided) }
}

/** Rows in scope, or possibly so, ascending. */
const either = ({ holds, undecided }: Sift.Found): ReadonlyArray<number> =>
  undecided.rows.length === 0 ? Array.from(holds) : [...holds, ...undecided.rows].sort(ascending)

/** Of rows asked before every fact is there: whose rule is found, and who may still belong to one. */
export const sift = (
  steps: ReadonlyArray<Step>,
  table: Table,
  rows: ReadonlyArray<number>
): { readonly settled: ReadonlyArray<number>; readonly open: ReadonlyArray<number> } => {
  const settled: Array<number> = []
  const open: Array<number> = []
  pour(steps, table, rows, (rule, { holds, undecided }) => {
    const { complete } = steps[rule]!
    for (const row of holds) (complete ? settled : open).push(row)
    // What is unknown may still turn out false, and the row then belong to a later rule.
    if (!complete && rule + 1 < steps.length) for (const { row } of undecided) open.push(row)
  })
  return { settled, open: open.sort(ascending) }
}

/** Asks the rules one after another; what a rule lets through, or cannot answer, never reaches the next. */
const pour = (
  steps: ReadonlyArray<Step>,
  table: Table,
  rows: ReadonlyArray<number>,
  take: (rule: number, found: Evaluate.Sifted) => void
): void => {
  let left = rows
  for (const [rule, { clauses }] of steps.entries()) {
    if (left.length === 0) return
    const found = Evaluate.sift(clauses, table, left)
    take(rule, found)
    if (rule + 1 === steps.length) return
    const stopped = new Set([...found.holds, ...found.undecided.map(({ row }) => row)])
    left = stopped.size === 0 ? left : left.filter((row) => !stopped.has(row))
  }
}

const byRow = <R extends { readonly row: number }>(rows: Array<R>): ReadonlyArray<R> =>
  rows.sort((a, b) => a.row - b.row)

const ascending = (a: number, b: number): number => a - b
