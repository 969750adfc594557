/** Answers conditions and values over a table. Unknown is never true and never false. */
import type { Clause, Condition, Expr } from "../language/Policy.js"
import * as Arithmetic from "./Arithmetic.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import * as Kernel from "./Kernel.js"
import { False, True } from "./Kleene.js"
import { factKey, type Table } from "./Table.js"

/** One answer per asked row, in the order asked: a `Kleene.Truth` and, for unknown, its `domain/Reason` byte. */
export interface Answers {
  readonly truth: Uint8Array
  readonly reason: Uint8Array
}

/** Rows per kernel call: small enough that a block's columns stay in the processor's cache. */
const blockRows = 2048

export const condition = (
  asked: Condition,
  table: Table,
  rows: ReadonlyArray<number> | Int32Array
): Answers => {
  const truth = new Uint8Array(rows.length)
  const reason = new Uint8Array(rows.length)
  const block = Math.min(blockRows, rows.length)
  const kernel = Kernel.compile(asked, table, block)
  const chunk = new Int32Array(block)
  for (let start = 0; start < rows.length; start += block) {
    const count = Math.min(block, rows.length - start)
    for (let i = 0; i < count; i++) chunk[i] = rows[start + i]!
    kernel(chunk, count, truth.subarray(start, start + count), reason.subarray(start, start + count))
  }
  return { truth, reason }
}

/** A row whose clauses are neither all true nor one of them false, and the first clause that is unknown. */
export interface UndecidedRow {
  readonly row: number
  readonly clause: Clause
  /** Byte of `domain/Reason`. */
  readonly reason: number
}

/** Rows by their answer to a list of clauses joined by "and". */
export interface Sifted {
  readonly holds: ReadonlyArray<number>
  readonly undecided: ReadonlyArray<UndecidedRow>
  /** Rows that a clause ruled out. */
  readonly ruledOut: number
}

/** Asks each clause only about the rows that no clause before it has ruled out. */
export const sift = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  rows: ReadonlyArray<number> | Int32Array
): Sifted => {
  let open: ReadonlyArray<number> | Int32Array = rows
  const unknown = new Map<number, UndecidedRow>()
  for (const clause of clauses) {
    const { truth, reason } = condition(clause.condition, table, open)
    const left: Array<number> = []
    for (let i = 0; i < open.length; i++) {
      const row = open[i]!
      if (truth[i] === False) {
        unknown.delete(row)
        continue
      }
      left.push(row)
      if (truth[i] !== True && !unknown.has(row)) unknown.set(row, { row, clause, reason: reason[i]! })
    }
    open = left
  }
  const holds = [...open].filter((row) => !unknown.has(row))
  const undecided = [...open].flatMap((row) => unknown.get(row) ?? [])
  return { holds, undecided, ruledOut: rows.length - open.length }
}

/** Value of an expression for one row. Something over nothing is infinite; 0/0 is unknown (`zeroOverZero`). */
export const value = (expr: Expr, table: Table, row: number): Cell => {
  switch (expr._tag) {
    case "Literal":
      return Cells.known(expr.value)
    case "Fact":
      return table.get(row, factKey(expr.fact))
    case "Arithmetic": {
      const left = value(expr.left, table, row)
      if (left._tag === "Unknown") return left
      const right = value(expr.right, table, row)
      if (right._tag === "Unknown") return right
      if (typeof left.value === "string" || typeof right.value === "string") return Cells.unknown("absent")
      const isMoney = expr.type._tag === "Money"
      const result = Arithmetic.apply(expr.op, Number(left.value), Number(right.value), isMoney)
      return Number.isNaN(result) ? Cells.unknown("zeroOverZero") : Cells.known(result)
    }
  }
}
