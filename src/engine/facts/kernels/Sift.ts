/**
 * Many policies' clauses over one table, block by block. A clause looks only at rows that none before it has ruled
 * out; policies whose first clauses are the same share their work. Since "and" asks in any order, the clauses that rule
 * out most for the least work come first; only the reason of an unknown row follows the order in which they were given.
 * Nothing is made for rows that drop out.
 */
import type { Clause, Condition } from "../../language/Policy.js"
import type { Table } from "../Table.js"
import * as Filter from "./Filter.js"
import type { Ground } from "./Ground.js"
import * as Grounds from "./Ground.js"
import * as Source from "./Source.js"
import * as Unknowns from "./Unknowns.js"

/** One answer per list of clauses, in their order; over all rows of the table unless told which. For tests: `isCompiled`. */
export const all = (
  asks: ReadonlyArray<ReadonlyArray<Clause>>,
  table: Table,
  rows?: ReadonlyArray<number> | Int32Array,
  isCompiled?: boolean
): ReadonlyArray<Found> => {
  const total = rows === undefined ? table.size : rows.length
  const ground = Grounds.of(table, total, isCompiled)
  const { block } = ground
  const lists = () => new Int32Array(block)
  const shared = { ground, marks: lists(), open: lists(), first: lists(), share: 0 }
  const found = asks.map((clauses) => new Finding(clauses, shared))
  const root = plan(found, ground, rows)
  const levels = Array.from({ length: depthOf(root) }, () => new Int32Array(block))
  const first = levels[0]!
  for (let start = 0; start < total; start += block) {
    const count = Math.min(block, total - start)
    shared.share = (start + count) / total
    if (rows === undefined) {
      for (let i = 0; i < count; i++) first[i] = start + i
    } else for (let i = 0; i < count; i++) first[i] = rows[start + i]!
    visit(root, levels, 0, count)
  }
  return found.map((one) => one.result(total))
}

/** Equal conditions have one name. It is kept, for each plan and each case of a test asks again. */
export const nameOf = (condition: Condition): string => {
  const name = names.get(condition) ?? JSON.stringify(condition)
  names.set(condition, name)
  return name
}

const names = new WeakMap<Condition, string>()

/** A step that all policies below it have in common. */
interface Node {
  readonly next: Map<Filter.Filter, Node>
  /** Policies that end here. */
  readonly ends: Array<Finding>
}

const plan = (
  found: ReadonlyArray<Finding>,
  ground: Ground,
  rows: ReadonlyArray<number> | Int32Array | undefined
): Node => {
  const filters = new Map<string, Filter.Filter>()
  const asked = found.map((one) =>
    one.steps.map(({ condition }, at) => {
      // Alone, there is nothing to share: then a name would only cost time.
      const name = found.length === 1 ? String(at) : nameOf(condition)
      const filter = filters.get(name) ?? Filter.compile(condition, ground)
      filters.set(name, filter)
      return filter
    })
  )
  const ranks = rank(asked, ground, rows)
  const root: Node = { next: new Map(), ends: [] }
  for (const [at, one] of found.entries()) {
    let node = root
    for (const filter of ordered(asked[at]!, ranks)) {
      const below = node.next.get(filter) ?? { next: new Map(), ends: [] }
      node.next.set(filter, below)
      node = below
    }
    node.ends.push(one)
  }
  return joined(root, ground)
}

/** Steps that nobody parts between are one where they can be. */
const joined = (node: Node, ground: Ground): Node => {
  const next = new Map<Filter.Filter, Node>()
  for (let [filter, below] of node.next) {
    while (below.ends.length === 0 && below.next.size === 1) {
      const [step] = below.next
      const both = step === undefined ? undefined : Filter.both(filter, step[0], ground)
      if (step === undefined || both === undefined) break
      filter = both
      below = step[1]
    }
    next.set(filter, joined(below, ground))
  }
  return { next, ends: node.ends }
}

/** Each filter once. A stable sort, and one rank for all policies: what they share stays in front alike. */
const ordered = (
  filters: ReadonlyArray<Filter.Filter>,
  ranks: ReadonlyMap<Filter.Filter, number>
): ReadonlyArray<Filter.Filter> =>
  [...new Set(filters)].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))

const mostSampled = 1024

/** Work per row ruled out, tried on rows from all over the table; the policies that share a filter share its work. */
const rank = (
  asked: ReadonlyArray<ReadonlyArray<Filter.Filter>>,
  { block, total }: Ground,
  rows: ReadonlyArray<number> | Int32Array | undefined
): ReadonlyMap<Filter.Filter, number> => {
  const ranks = new Map<Filter.Filter, number>()
  const size = Math.min(mostSampled, block, total >> 4)
  if (size < 4) return ranks
  const sharers = new Map<Filter.Filter, number>()
  for (const filters of asked)
    for (const filter of new Set(filters)) sharers.set(filter, (sharers.get(filter) ?? 0) + 1)
  const sample = Int32Array.from({ length: size }, (_, i) => {
    const at = Math.floor((i * total) / size)
    return rows === undefined ? at : rows[at]!
  })
  const left = new Int32Array(size)
  for (const [filter, policies] of sharers) {
    const ruledOut = 1 - filter.narrow(sample, size, left) / size
    ranks.set(filter, filter.cost / policies / (ruledOut + 1 / size))
  }
  return ranks
}

const depthOf = (node: Node): number =>
  1 + [...node.next.values()].reduce((deepest, below) => Math.max(deepest, depthOf(below)), 0)

/** Every level has its own room, so what siblings share stays as it is while one of them is followed down. */
const visit = (node: Node, levels: ReadonlyArray<Int32Array>, depth: number, count: number): void => {
  const rows = levels[depth]!
  for (const one of node.ends) one.take(rows, count)
  for (const [filter, below] of node.next) {
    const left = filter.narrow(rows, count, levels[depth + 1]!)
    if (left > 0) visit(below, levels, depth + 1, left)
  }
}

// What is found for one list of clauses, block by block: lists that grow, nothing made per row.

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

/** A part of a clause that can be asked by itself. */
interface Step {
  readonly clause: number
  readonly condition: Condition
}

/** What the findings of one sifting share. */
interface Shared {
  readonly ground: Ground
  /** Room for one block's first unknown steps with their reasons, by kernels: see `Unknowns`. */
  readonly marks: Int32Array
  /** For the rows of a block that some step cannot be answered for, and their marks. */
  readonly open: Int32Array
  readonly first: Int32Array
  /** Of all rows, those asked about when the block is done: above 0, 1 at the end. */
  share: number
}

class Finding {
  readonly steps: ReadonlyArray<Step>
  private readonly unknowns: Unknowns.Unknowns
  private holds = new Int32Array(0)
  private held = 0
  private rows = new Int32Array(0)
  private clauses = new Uint16Array(0)
  private reasons = new Uint8Array(0)
  private left = 0

  constructor(
    clauses: ReadonlyArray<Clause>,
    private readonly shared: Shared
  ) {
    this.steps = clauses.flatMap(({ condition }, clause) =>
      parts(condition).map((part) => ({ clause, condition: part }))
    )
    const { ground } = shared
    const conditions = this.steps.map(({ condition }) => condition)
    this.unknowns = Unknowns.of(conditions, shared, ground, Filter.marksOf(ground))
  }

  /** Rows that no step has ruled out. */
  take(rows: Int32Array, count: number): void {
    const { byKernels, parting } = this.unknowns
    if (byKernels.length > 0) {
      this.shared.marks.fill(0, 0, count)
      for (const explain of byKernels) explain(rows, count, this.shared.marks)
    }
    if (parting !== undefined) this.takeParted(parting, rows, count)
    else if (byKernels.length > 0) this.split(rows, count)
    else this.takeHolds(rows, count)
  }

  /** Only for rows of which something is unknown it is asked which step comes first. */
  private takeParted({ mark, part }: Unknowns.Parting, rows: Int32Array, count: number): void {
    this.makeRoom(count, 0)
    const { first, marks, open } = this.shared
    const left = part(rows, count, this.holds.subarray(this.held))
    this.held += count - left
    if (left === 0) return
    mark(open, left, first)
    if (this.unknowns.byKernels.length > 0)
      for (let i = 0; i < left; i++) first[i] = Unknowns.earlier(first[i]!, marks[i]!)
    this.makeRoom(0, left)
    const { clauses, left: before, reasons, rows: unknown } = this
    for (let i = 0; i < left; i++) {
      unknown[before + i] = open[i]!
      clauses[before + i] = Unknowns.stepOf(first[i]!)
      reasons[before + i] = Unknowns.reasonOf(first[i]!)
    }
    this.left = before + left
  }

  /** Asked for once, at the end. */
  result(total: number): Found {
    const clauses = this.clauses.subarray(0, this.left)
    for (let i = 0; i < clauses.length; i++) clauses[i] = this.steps[clauses[i]!]!.clause
    return {
      holds: this.holds.subarray(0, this.held),
      undecided: {
        rows: this.rows.subarray(0, this.left),
        clauses,
        reasons: this.reasons.subarray(0, this.left)
      },
      ruledOut: total - this.held - this.left
    }
  }

  private takeHolds(rows: Int32Array, count: number): void {
    this.makeRoom(count, 0)
    this.holds.set(rows.subarray(0, count), this.held)
    this.held += count
  }

  /** Every row is written to both lists, and only one of them moves on: cheaper than to ask which. */
  private split(rows: Int32Array, count: number): void {
    this.makeRoom(count, count)
    const { clauses, holds, reasons, rows: unknown } = this
    const { marks } = this.shared
    let { held, left } = this
    for (let i = 0; i < count; i++) {
      const row = rows[i]!
      const mark = marks[i]!
      holds[held] = row
      unknown[left] = row
      clauses[left] = Unknowns.stepOf(mark)
      reasons[left] = Unknowns.reasonOf(mark)
      const isUnknown = Number(mark !== 0)
      held += 1 - isUnknown
      left += isUnknown
    }
    this.held = held
    this.left = left
  }

  private makeRoom(holds: number, unknown: number): void {
    const { share } = this.shared
    if (this.held + holds > this.holds.length)
      this.holds = grown(this.holds, new Int32Array(room(this.held + holds, share)))
    if (this.left + unknown <= this.rows.length) return
    const size = room(this.left + unknown, share)
    this.rows = grown(this.rows, new Int32Array(size))
    this.clauses = grown(this.clauses, new Uint16Array(size))
    this.reasons = grown(this.reasons, new Uint8Array(size))
  }
}

/** For all rows, if they go on like this: every array that is left behind, or half empty, must be collected. */
const room = (size: number, share: number): number =>
  Math.ceil(size * Math.min(8, Math.max(1.25, 1.1 / share)))

const grown = <A extends Int32Array | Uint16Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

/** A clause joined by "and" is as many steps. */
const parts = (condition: Condition): ReadonlyArray<Condition> =>
  condition._tag === "And"
    ? condition.all.flatMap(parts)
    : condition._tag === "Between"
      ? Source.between(condition)
      : [condition]
