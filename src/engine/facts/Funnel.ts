/**
 * The rules of a policy as a funnel: a row belongs to its first rule that is true, and an unknown rule stops it, for
 * nobody knows whether the rules below were meant for it.
 */
import type { Clause, Policy } from "../language/Policy.js"
import * as Evaluate from "./Evaluate.js"
import type * as Sift from "./kernels/Sift.js"
import * as Needs from "./Needs.js"
import type { Table } from "./Table.js"

/** Clauses of a rule; `complete` unless more of them will be answered later. */
export interface Step {
  readonly clauses: ReadonlyArray<Clause>
  readonly complete: boolean
}

/** What became of the rows that are a rule's; all lists ascend. */
export interface RuleFound {
  readonly clauses: ReadonlyArray<Clause>
  /** Rows for which all of its clauses are true. */
  readonly matched: Int32Array
  /** Rows that it stops: the first of its clauses that is unknown, and the byte of its `domain/Reason`. */
  readonly undecided: Sift.Undecided
}

export interface Decided {
  /** In the order of the policy. A row is in one of their lists at most. */
  readonly rules: ReadonlyArray<RuleFound>
}

/** Numbers of `rule` count from 0 in the order of the policy. */
export interface MatchedRow {
  readonly row: number
  readonly rule: number
}
export type UndecidedRow = Evaluate.UndecidedRow & MatchedRow

/** Of each rule the clauses in the order of their price, so the first unknown is the first missing fact. */
export const of = (policy: Policy): ReadonlyArray<ReadonlyArray<Clause>> => {
  const rungs = Needs.rungsOf(policy)
  return policy.rules.map(({ when }, rule) =>
    rungs.flatMap((rung) => [
      ...rung.where.map((i) => policy.where[i]!),
      ...rung.rules[rule]!.map((i) => when[i]!)
    ])
  )
}

/**
 * Gives each row to its first rule. `found` has what was found for each rule's clauses, over the same rows; `seen` is room
 * for a mark per row, all 0, and is left so.
 */
export const decide = (
  clauses: ReadonlyArray<ReadonlyArray<Clause>>,
  found: ReadonlyArray<Sift.Found>,
  seen: Uint8Array
): Decided => {
  if (found.length === 1) return { rules: [{ clauses: clauses[0]!, ...listsOf(found[0]!) }] }
  const rules = found.map((one, rule) => ({
    clauses: clauses[rule]!,
    matched: picked(one.holds, unseen(one.holds, seen)),
    undecided: undecidedAt(one.undecided, unseen(one.undecided.rows, seen))
  }))
  for (const { matched, undecided } of rules) {
    for (let i = 0; i < matched.length; i++) seen[matched[i]!] = 0
    for (let i = 0; i < undecided.rows.length; i++) seen[undecided.rows[i]!] = 0
  }
  return { rules }
}

const listsOf = ({ holds, undecided }: Sift.Found) => ({ matched: holds, undecided })

/** Places in `rows` of those that no rule has taken; takes them. */
const unseen = (rows: Int32Array, seen: Uint8Array): Int32Array => {
  const places = new Int32Array(rows.length)
  let n = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    places[n] = i
    n += 1 - seen[row]!
    seen[row] = 1
  }
  return places.subarray(0, n)
}

const picked = <A extends Int32Array | Uint16Array | Uint8Array>(from: A, places: Int32Array): A => {
  if (places.length === from.length) return from
  const kept = from.slice(0, places.length) as A
  for (let i = 0; i < places.length; i++) kept[i] = from[places[i]!]!
  return kept
}

const undecidedAt = ({ clauses, reasons, rows }: Sift.Undecided, places: Int32Array): Sift.Undecided => ({
  rows: picked(rows, places),
  clauses: picked(clauses, places),
  reasons: picked(reasons, places)
})

/** One by one, ascending. */
export const matchedRows = ({ rules }: Decided): ReadonlyArray<MatchedRow> =>
  byRow(rules.flatMap(({ matched }, rule) => Array.from(matched, (row) => ({ row, rule }))))

/** One by one, ascending. */
export const undecidedRows = ({ rules }: Decided): ReadonlyArray<UndecidedRow> =>
  byRow(
    rules.flatMap(({ clauses: all, undecided: { clauses, reasons, rows } }, rule) =>
      Array.from(rows, (row, i) => ({ row, rule, clause: all[clauses[i]!]!, reason: reasons[i]! }))
    )
  )

const byRow = <R extends { readonly row: number }>(rows: Array<R>): ReadonlyArray<R> =>
  rows.sort((a, b) => a.row - b.row)

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

const ascending = (a: number, b: number): number => a - b
