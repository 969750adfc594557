/**
 * Many policies' clauses over one table, block by block. Policies whose first clauses are the same share their work;
 * a clause looks only at rows that no clause before it has ruled out. Nothing is made for rows that drop out.
 */
import type { Clause, Condition } from "../language/Policy.js"
import * as Filter from "./Filter.js"
import type { Table } from "./Table.js"

/** Rows by their answer to clauses joined by "and", in the order asked. */
export interface Found {
  /** Rows for which every clause is true. */
  readonly holds: Int32Array
  /** Rows that no clause rules out and some clause cannot be answered for. */
  readonly undecided: Undecided
  /** How many rows a clause ruled out. */
  readonly ruledOut: number
}

/** Side by side: the row, the index of its first clause that is unknown, and the byte of the `domain/Reason`. */
export interface Undecided {
  readonly rows: Int32Array
  readonly clauses: Uint16Array
  readonly reasons: Uint8Array
}

/** Rows per step: small enough that a block's columns stay in the processor's cache. */
const blockRows = 2048

/** One answer per list of clauses, in their order; over all rows of the table unless told which. */
export const all = (
  asks: ReadonlyArray<ReadonlyArray<Clause>>,
  table: Table,
  rows?: ReadonlyArray<number> | Int32Array
): ReadonlyArray<Found> => {
  const total = rows === undefined ? table.size : rows.length
  const block = Math.min(blockRows, total)
  const scratch = {
    firstStep: new Int32Array(block),
    why: new Uint8Array(block),
    reason: new Uint8Array(block)
  }
  const found = asks.map((clauses) => new Collector(clauses, scratch))
  const root = plan(found, table, block)
  const levels = Array.from({ length: depthOf(root) }, () => new Int32Array(block))
  const first = levels[0]!
  for (let start = 0; start < total; start += block) {
    const count = Math.min(block, total - start)
    if (rows === undefined) for (let i = 0; i < count; i++) first[i] = start + i
    else for (let i = 0; i < count; i++) first[i] = rows[start + i]!
    visit(root, levels, 0, count)
  }
  return found.map((one) => one.result(total))
}

/** A step that all policies below it have in common. */
interface Node {
  readonly next: Array<{ readonly filter: Filter.Filter; readonly node: Node }>
  /** Policies that end here. */
  readonly ends: Array<Collector>
}

const plan = (found: ReadonlyArray<Collector>, table: Table, block: number): Node => {
  const root: Node = { next: [], ends: [] }
  const filters = new Map<string, Filter.Filter>()
  for (const one of found) {
    let node = root
    for (const { condition } of one.steps) {
      // Alone, there is nothing to share: then a name would only cost time.
      const name = found.length === 1 ? String(one.filters.length) : JSON.stringify(condition)
      const filter = filters.get(name) ?? Filter.compile(condition, table, block)
      filters.set(name, filter)
      one.filters.push(filter)
      const shared = node.next.find((step) => step.filter === filter)
      if (shared === undefined) node.next.push({ filter, node: { next: [], ends: [] } })
      node = (shared ?? node.next[node.next.length - 1]!).node
    }
    node.ends.push(one)
  }
  return root
}

const depthOf = (node: Node): number => 1 + Math.max(0, ...node.next.map((step) => depthOf(step.node)))

/** Every level has its own room, so what siblings share stays as it is while one of them is followed down. */
const visit = (node: Node, levels: ReadonlyArray<Int32Array>, depth: number, count: number): void => {
  const rows = levels[depth]!
  for (const one of node.ends) one.take(rows, count)
  for (const { filter, node: below } of node.next) {
    const left = filter.narrow(rows, count, levels[depth + 1]!)
    if (left > 0) visit(below, levels, depth + 1, left)
  }
}

interface Step {
  readonly clause: number
  readonly condition: Condition
}

/** Room for one block's first unknown steps, and their reasons. */
interface Scratch {
  readonly firstStep: Int32Array
  readonly why: Uint8Array
  readonly reason: Uint8Array
}

/** What is found for one policy. */
class Collector {
  readonly steps: ReadonlyArray<Step>
  readonly filters: Array<Filter.Filter> = []
  private holds = new Int32Array(64)
  private held = 0
  private rows = new Int32Array(64)
  private clauses = new Uint16Array(64)
  private reasons = new Uint8Array(64)
  private left = 0

  constructor(
    clauses: ReadonlyArray<Clause>,
    private readonly scratch: Scratch
  ) {
    this.steps = clauses.flatMap(({ condition }, clause) =>
      parts(condition).map((part) => ({ clause, condition: part }))
    )
  }

  /** Rows that no step has ruled out. */
  take(rows: Int32Array, count: number): void {
    this.reserve(count)
    const { firstStep, why, reason } = this.scratch
    firstStep.fill(-1, 0, count)
    for (const [step, filter] of this.filters.entries()) {
      if (filter.certain) continue
      filter.reasons(rows, count, reason)
      for (let i = 0; i < count; i++) {
        if (reason[i] === 0 || firstStep[i]! >= 0) continue
        firstStep[i] = step
        why[i] = reason[i]!
      }
    }
    for (let i = 0; i < count; i++) {
      const step = firstStep[i]!
      if (step < 0) this.holds[this.held++] = rows[i]!
      else {
        this.rows[this.left] = rows[i]!
        this.clauses[this.left] = this.steps[step]!.clause
        this.reasons[this.left++] = why[i]!
      }
    }
  }

  result(total: number): Found {
    return {
      holds: this.holds.slice(0, this.held),
      undecided: {
        rows: this.rows.slice(0, this.left),
        clauses: this.clauses.slice(0, this.left),
        reasons: this.reasons.slice(0, this.left)
      },
      ruledOut: total - this.held - this.left
    }
  }

  private reserve(more: number): void {
    if (this.held + more > this.holds.length)
      this.holds = grown(this.holds, new Int32Array(room(this.held + more)))
    if (this.left + more <= this.rows.length) return
    const size = room(this.left + more)
    this.rows = grown(this.rows, new Int32Array(size))
    this.clauses = grown(this.clauses, new Uint16Array(size))
    this.reasons = grown(this.reasons, new Uint8Array(size))
  }
}

const room = (size: number): number => Math.ceil(size * 1.5)

const grown = <A extends Int32Array | Uint16Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

/** A clause joined by "and" is as many steps. */
const parts = (condition: Condition): ReadonlyArray<Condition> =>
  condition._tag === "And"
    ? condition.all.flatMap(parts)
    : condition._tag === "Between"
      ? [
          { _tag: "Compare", op: "<=", left: condition.low, right: condition.value },
          { _tag: "Compare", op: "<=", left: condition.value, right: condition.high }
        ]
      : [condition]
