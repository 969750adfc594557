/** Answers conditions and values over a table. Unknown is never true and never false. */
import * as Reason from "../../domain/Reason.js"
import type { Clause, Condition, Expr, SumExpr } from "../language/Policy.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import type { NumberKernel } from "./Column.js"
import type { WorstDay } from "./FactType.js"
import { False, True } from "./Kleene.js"
import * as BelowKernels from "./kernels/BelowKernels.js"
import * as Defined from "./kernels/Defined.js"
import * as Grounds from "./kernels/Ground.js"
import * as Kernel from "./kernels/Kernel.js"
import * as Numbers from "./kernels/Numbers.js"
import * as Sift from "./kernels/Sift.js"
import * as Source from "./kernels/Source.js"
import * as Unknowns from "./kernels/Unknowns.js"
import type { Said } from "./Spaces.js"
import { factKey, type Table } from "./Table.js"
import * as UnitEconomics from "./UnitEconomics.js"

/** One answer per asked row, in the order asked: a `Kleene.Truth` and, for unknown, its `domain/Reason` byte. */
export interface Answers {
  readonly truth: Uint8Array
  readonly reason: Uint8Array
}

export const condition = (
  asked: Condition,
  table: Table,
  rows: ReadonlyArray<number> | Int32Array
): Answers => {
  const truth = new Uint8Array(rows.length)
  const reason = new Uint8Array(rows.length)
  const block = Math.min(Grounds.blockRows, rows.length)
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

/** As `Sift.all`, for one list of clauses. */
export const sift = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  rows: ReadonlyArray<number> | Int32Array
): Sifted => {
  const [found] = Sift.all([clauses], table, rows)
  return listing(clauses, found!)
}

/** What was found, as lists. */
const listing = (clauses: ReadonlyArray<Clause>, { holds, undecided, ruledOut }: Sift.Found): Sifted => ({
  holds: Array.from(holds),
  undecided: listed(clauses, undecided),
  ruledOut
})

/** Undecided rows one by one. */
const listed = (
  clauses: ReadonlyArray<Clause>,
  { rows, clauses: indexes, reasons }: Sift.Undecided
): ReadonlyArray<UndecidedRow> =>
  Array.from(rows, (row, i) => ({ row, clause: clauses[indexes[i]!]!, reason: reasons[i]! }))

/** Values of an expression, one for each asked row; where a reason is not 0 (`domain/Reason`) there is none. */
export interface NumbersFound {
  readonly values: Float64Array
  readonly reasons: Uint8Array
}

/** Of a numeric expression. Why a value is unknown is asked only where it is. For tests: `isCompiled`. */
export const numbers = (expr: Expr, table: Table, rows: Int32Array, isCompiled?: boolean): NumbersFound => {
  const ground = Grounds.of(table, rows.length, isCompiled)
  const fast = ground.isCompiled ? Source.values(expr, ground) : undefined
  const values = new Float64Array(rows.length)
  const reasons = new Uint8Array(rows.length)
  const isKnown = Defined.isKnown(expr, table)
  const slow = once(() => Numbers.compile(expr, table, ground.block))
  const explain = explaining(
    ground,
    slow,
    once(() => Unknowns.ofValue(expr, ground))
  )
  for (let start = 0; start < rows.length; start += ground.block) {
    const some = rows.subarray(start, start + ground.block)
    const [into, why] = [values.subarray(start), reasons.subarray(start)]
    if (fast === undefined) slow()(some, some.length, into, why)
    else {
      fast(some, some.length, into)
      if (!isKnown) explain(some, into, why)
    }
  }
  return { values, reasons }
}

/** Tells why rows have no value: by their columns where those tell all, else by the kernel that keeps reasons. */
const explaining = (
  { block }: Grounds.Ground,
  slow: () => NumberKernel,
  byColumns: () => Source.Narrow | undefined
) => {
  const [places, open, told] = [new Int32Array(block), new Int32Array(block), new Int32Array(block)]
  const [values, why] = [new Float64Array(block), new Uint8Array(block)]
  return (rows: Int32Array, found: Float64Array, reasons: Uint8Array): void => {
    let left = 0
    for (let i = 0; i < rows.length; i++) {
      places[left] = i
      left += Number(Number.isNaN(found[i]!))
    }
    if (left === 0) return
    for (let k = 0; k < left; k++) open[k] = rows[places[k]!]!
    const explain = byColumns()
    if (explain === undefined) slow()(open, left, values, why)
    else explain(open, left, told)
    const from = explain === undefined ? why : told
    for (let k = 0; k < left; k++) reasons[places[k]!] = from[k]!
  }
}

const once = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Value of an expression for one row. Something over nothing is infinite; 0/0 is unknown (`zeroOverZero`). `said` stands over the
 * table.
 */
export const value = (expr: Expr, table: Table, row: number, said?: Said): Cell => {
  switch (expr._tag) {
    case "Literal":
      return Cells.known(expr.value)
    case "Fact":
      return said?.get(expr.fact.id) ?? table.get(row, factKey(expr.fact))
    case "Arithmetic": {
      const left = value(expr.left, table, row, said)
      const right = value(expr.right, table, row, said)
      if (left._tag === "Unknown" || right._tag === "Unknown")
        return Cells.worst([left, right]) ?? Cells.unknown("absent")
      if (typeof left.value === "string" || typeof right.value === "string") return Cells.unknown("absent")
      const isMoney = expr.type._tag === "Money"
      const result = Numbers.apply(expr.op, Number(left.value), Number(right.value), isMoney)
      return Number.isNaN(result) ? Cells.unknown("zeroOverZero") : Cells.known(result)
    }
    case "Default": {
      const found = value(expr.value, table, row, said)
      const replaced = found._tag === "Unknown" && Reason.isMissing(Reason.code(found.reason))
      return replaced ? value(expr.fallback, table, row, said) : found
    }
    case "Extreme": {
      const cells = expr.of.map((one) => value(one, table, row, said))
      const numbers = cells.map((one) => (one._tag === "Known" ? Number(one.value) : Number.NaN))
      const unknown = Cells.worst(cells)
      return unknown ?? Cells.known(expr.pick === "min" ? Math.min(...numbers) : Math.max(...numbers))
    }
    case "Figure": {
      const ahead = expr.ahead !== undefined && said === undefined ? table.ahead(row) : undefined
      if (ahead !== undefined)
        return worst(
          ahead.map((one) => value(expr, table, row, one.said)),
          expr.ahead
        )
      const cells = expr.of.map((one) => value(one, table, row, said))
      const unknown = Cells.worst(cells)
      if (unknown !== undefined) return unknown
      const terms = cells.map((one) => (one._tag === "Known" ? Number(one.value) : Number.NaN))
      const made = UnitEconomics.figure(expr.name, terms)
      return Number.isNaN(made) ? Cells.unknown("zeroOverZero") : Cells.known(made)
    }
    case "Sum":
      return sum(expr, table, row)
    case "Derived":
      return value(expr.of, table, row, said)
  }
}

const worst = (cells: ReadonlyArray<Cell>, day: WorstDay | undefined): Cell => {
  const numbers = cells.map((one) => (one._tag === "Known" ? Number(one.value) : Number.NaN))
  return Cells.worst(cells) ?? Cells.known(day === "most" ? Math.max(...numbers) : Math.min(...numbers))
}

const sum = (expr: SumExpr, table: Table, row: number): Cell => {
  const leftOut = Reason.fromCode(table.leftOut(expr.at))
  if (leftOut !== undefined) return Cells.unknown(leftOut)
  const cells = summands(expr, table, row)
  const unknown = Cells.worst(cells)
  if (unknown !== undefined || cells.length === 0) return unknown ?? Cells.unknown("absent")
  const total = cells.reduce((so, one) => so + (one._tag === "Known" ? Number(one.value) : 0), 0)
  return Number.isNaN(total) ? Cells.unknown("zeroOverZero") : Cells.known(total)
}

/** Of a group's sum that is not known: what its known parts come to, where no part can be below zero. */
export const atLeast = (expr: SumExpr, table: Table, row: number): number | undefined => {
  if (expr.where === undefined || !BelowKernels.isNeverNegative(expr.of)) return undefined
  return summands(expr, table, row).reduce(
    (so, one) => so + (one._tag === "Known" ? Number(one.value) : 0),
    0
  )
}

/** What is added up; a row of which nobody knows whether it belongs to them is an unknown one. */
const summands = ({ at, of, over, where }: SumExpr, table: Table, row: number): ReadonlyArray<Cell> => {
  const finer = table.view(over)
  const under = table.below(at, over)(table.up(row, table.steps(at) ?? 0))
  return under.flatMap((one) => {
    if (where === undefined) return [value(of, finer, one)]
    const { reason, truth } = condition(where, finer, [one])
    if (truth[0] === False) return []
    return [
      truth[0] === True ? value(of, finer, one) : Cells.unknown(Reason.fromCode(reason[0]!) ?? "absent")
    ]
  })
}
