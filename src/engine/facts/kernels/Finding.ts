/** What is found for one list of clauses, block by block: lists that grow, nothing made per row. */
import type { Clause, Condition } from "../../language/Policy.js"
import type { Filter } from "./Filter.js"

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
interface Ground {
  /** Room for one block's first unknown steps, and their reasons. */
  readonly steps: Uint16Array
  readonly reasons: Uint8Array
  /** Of all rows, those asked about when the block is done: above 0, 1 at the end. */
  share: number
}

export class Finding {
  readonly steps: ReadonlyArray<Step>
  /** Filter of each step, for the reasons. */
  private filters: ReadonlyArray<Filter> = []
  private holds = new Int32Array(0)
  private held = 0
  private rows = new Int32Array(0)
  private clauses = new Uint16Array(0)
  private reasons = new Uint8Array(0)
  private left = 0

  constructor(
    clauses: ReadonlyArray<Clause>,
    private readonly ground: Ground
  ) {
    this.steps = clauses.flatMap(({ condition }, clause) =>
      parts(condition).map((part) => ({ clause, condition: part }))
    )
  }

  askWith(filters: ReadonlyArray<Filter>): void {
    this.filters = filters
  }

  /** Rows that no step has ruled out. */
  take(rows: Int32Array, count: number): void {
    if (this.filters.every((filter) => filter.certain)) {
      this.takeHolds(rows, count)
      return
    }
    const { reasons, steps } = this.ground
    reasons.fill(0, 0, count)
    // Backwards, so that the first unknown step has the last word.
    for (let step = this.filters.length - 1; step >= 0; step--) {
      const filter = this.filters[step]!
      if (!filter.certain) filter.explain(rows, count, step, reasons, steps)
    }
    this.split(rows, count)
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
    const { held, holds } = this
    for (let i = 0; i < count; i++) holds[held + i] = rows[i]!
    this.held = held + count
  }

  /** Every row is written to both lists, and only one of them moves on: cheaper than to ask which. */
  private split(rows: Int32Array, count: number): void {
    this.makeRoom(count, count)
    const { clauses, holds, reasons, rows: unknown } = this
    const { reasons: why, steps } = this.ground
    let { held, left } = this
    for (let i = 0; i < count; i++) {
      const row = rows[i]!
      const reason = why[i]!
      holds[held] = row
      unknown[left] = row
      clauses[left] = steps[i]!
      reasons[left] = reason
      const isUnknown = Number(reason !== 0)
      held += 1 - isUnknown
      left += isUnknown
    }
    this.held = held
    this.left = left
  }

  private makeRoom(holds: number, unknown: number): void {
    const { share } = this.ground
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
      ? [
          { _tag: "Compare", op: "<=", left: condition.low, right: condition.value },
          { _tag: "Compare", op: "<=", left: condition.value, right: condition.high }
        ]
      : [condition]
