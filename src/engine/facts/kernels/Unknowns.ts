/**
 * Why a condition is unknown, for rows that it does not rule out. Most conditions are unknown as soon as one of their
 * values is: then the reasons of their columns are read, the first value's last, so that it has the last word. Within a value
 * those that mean "could not be read" are read once more (`Reason.worse`). Others are asked with their opposite: a row that
 * neither rules out is unknown, and only it is asked by the kernel that keeps reasons.
 */
import * as Reason from "../../../domain/Reason.js"
import type { Condition, Expr } from "../../language/Policy.js"
import { Unknown } from "../Kleene.js"
import { factKey, type Table } from "../Table.js"
import * as Defined from "./Defined.js"
import type { Ground } from "./Ground.js"
import * as Kernel from "./Kernel.js"
import * as Source from "./Source.js"
import * as TextKernel from "./TextKernel.js"

export interface Unknowns {
  readonly explain: Explain
  /** No row has a reason. */
  readonly certain: boolean
  /** Exactly where one of these tells a reason the condition is unknown; undefined where they do not tell all. */
  readonly columns?: ReadonlyArray<Source.Reasons>
}

/** Where something is unknown for a row, puts `mark(step, reason)` at the row's place, over what stands there. */
export type Explain = (rows: Int32Array, count: number, step: number, marks: Int32Array) => void

// A step and a reason's byte in one number; 0 where nothing is unknown.

const bits = 4
const mask = (1 << bits) - 1
export const mark = (step: number, reason: number): number => (step << bits) | reason
export const stepOf = (mark: number): number => mark >> bits
export const reasonOf = (mark: number): number => mark & mask
/** Of two marks that of the earlier step; 0 is none. */
export const earlier = (a: number, b: number): number => (a === 0 || (b !== 0 && b < a) ? b : a)

/** `narrow` asks the condition, or its opposite where it is told so. */
export const of = (
  condition: Condition,
  ground: Ground,
  narrow: (wanted: boolean) => Source.Narrow
): Unknowns =>
  ground.isCompiled
    ? (byColumns(condition, ground) ?? byOpposite(condition, ground, narrow))
    : byKernel(condition, ground)

const byKernel = (condition: Condition, { block, table }: Ground): Unknowns => {
  const kernel = Kernel.compile(condition, table, block)
  const truth = new Uint8Array(block)
  const reason = new Uint8Array(block)
  return {
    certain: false,
    explain: (rows, count, step, marks) => {
      kernel(rows, count, truth, reason)
      for (let i = 0; i < count; i++) if (truth[i] === Unknown) marks[i] = mark(step, reason[i]!)
    }
  }
}

// By the columns of the values that are asked; undefined where a condition is unknown by more than its columns tell.

const byColumns = (condition: Condition, ground: Ground): Unknowns | undefined => {
  const asked = valuesOf(condition)
  return asked === undefined ? undefined : ofValues(asked, ground)
}

/** Of a number that has a loop of its own; undefined where only its kernel knows. */
export const ofValue = (expr: Expr, ground: Ground): Explain | undefined =>
  TextKernel.isText(expr) ? undefined : ofValues([expr], ground)?.explain

const ofValues = (asked: ReadonlyArray<Expr>, ground: Ground): Unknowns | undefined => {
  const open: Array<Column> = []
  for (const expr of asked.toReversed()) {
    const columns = columnsOfExpr(expr, ground)
    if (columns === undefined) return undefined
    open.push(...inTurn(columns.filter(({ certain }) => !certain).reverse()))
  }
  const last = asked.findLast(({ _tag }) => _tag !== "Literal")
  const voids = asked.filter((expr) => !TextKernel.isText(expr) && !Defined.isDefined(expr))
  if (voids.some((expr) => expr !== last || !isVoidAtLast(expr))) return undefined
  const value = voids[0] === undefined ? undefined : Source.values(voids[0], ground)
  if (voids.length > 0 && value === undefined) return undefined
  const empty = value === undefined ? undefined : nothingToSay(value, ground)
  const above = new Int32Array(ground.block)
  return {
    certain: open.length === 0 && empty === undefined,
    ...(empty === undefined ? { columns: open } : {}),
    explain: (rows, count, step, marks) => {
      // Before the columns: a value may also be nothing because one of them is unknown.
      empty?.(rows, count, step, marks)
      for (const { orMissing, reasons, steps } of open) {
        if (steps > 0) ground.table.climb(rows, count, steps, above)
        const at = steps > 0 ? above : rows
        if (orMissing) ofRead(reasons, at, count, step, marks)
        else ofAll(reasons, at, count, step, marks)
      }
    }
  }
}

/** Of one value, the first column last: of several, those again that could not be read. */
const inTurn = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> =>
  columns.length < 2
    ? columns
    : [
        ...columns.filter(({ orMissing }) => !orMissing),
        ...columns.map((one) => ({ ...one, orMissing: true }))
      ]

/** Values that make a condition unknown as soon as one of them is, in the order asked; undefined for other conditions. */
const valuesOf = (condition: Condition): ReadonlyArray<Expr> | undefined => {
  switch (condition._tag) {
    case "Not":
      return valuesOf(condition.condition)
    case "Compare": {
      const both = [condition.left, condition.right]
      // A group's sum may be enough though a part of it is unknown.
      return both.some((one) => one._tag === "Sum" && one.where !== undefined) ? undefined : both
    }
    case "In":
      return condition.options.every(({ _tag }) => _tag === "Literal") ? [condition.value] : undefined
    case "Confident":
      return [condition.hits, condition.trials, condition.threshold]
    case "Matches":
    case "Contains":
    case "HasLabel":
    case "IsTrue":
      return [condition.value]
    default:
      return undefined
  }
}

/** A column as `explain` reads it. */
interface Column extends Source.Reasons {
  /** Every value is known. */
  readonly certain: boolean
}

const columnsOf = (asked: ReadonlyArray<Expr>, ground: Ground): ReadonlyArray<Column> | undefined => {
  const found: Array<Column> = []
  for (const expr of asked) {
    const some = columnsOfExpr(expr, ground)
    if (some === undefined) return undefined
    found.push(...some)
  }
  return found
}

const columnsOfExpr = (expr: Expr, ground: Ground): ReadonlyArray<Column> | undefined => {
  switch (expr._tag) {
    case "Literal":
      return []
    case "Fact": {
      const column = columnOf(expr, ground.table)
      return column === undefined ? undefined : [column]
    }
    case "Arithmetic":
      return columnsOf([expr.left, expr.right], ground)
    case "Figure":
      // On days ahead its terms may be others than the columns tell.
      return expr.ahead !== undefined && ground.table.hasAhead ? undefined : columnsOf(expr.of, ground)
    case "Extreme":
      return columnsOf(expr.of, ground)
    case "Derived":
      return columnsOfExpr(expr.of, ground)
    case "Default": {
      const column = expr.fallback._tag === "Literal" ? columnOf(expr.value, ground.table) : undefined
      return column === undefined ? undefined : [{ ...column, orMissing: true }]
    }
    case "Sum": {
      const sums = Source.sums(expr, ground)
      return sums === undefined ? undefined : [{ ...sums, orMissing: false }]
    }
  }
}

const columnOf = (expr: Expr, table: Table): Column | undefined => {
  const place = expr._tag === "Fact" ? table.place(factKey(expr.fact)) : undefined
  if (place === undefined || (place.column.kind === "text") !== TextKernel.isText(expr)) return undefined
  const { column, size, steps } = place
  return { steps, reasons: column.reasons, certain: column.knownCount >= size, orMissing: false }
}

const ofAll = (reasons: Uint8Array, at: Int32Array, count: number, step: number, marks: Int32Array): void => {
  const first = mark(step, 0)
  for (let i = 0; i < count; i++) {
    const reason = reasons[at[i]!]!
    const kept = -Number(reason === 0)
    marks[i] = (marks[i]! & kept) | ((first | reason) & ~kept)
  }
}

const ofRead = (
  reasons: Uint8Array,
  at: Int32Array,
  count: number,
  step: number,
  marks: Int32Array
): void => {
  for (let i = 0; i < count; i++) {
    const reason = reasons[at[i]!]!
    if (reason !== Reason.known && !Reason.isMissing(reason)) marks[i] = mark(step, reason)
  }
}

/** Nothing is left to say (0/0, endless less endless) though all is known: see `Numbers.apply`. */
const nothingToSay = (ask: Source.Values, { block }: Ground) => {
  const values = new Float64Array(block)
  const reason = Reason.code("zeroOverZero")
  return (rows: Int32Array, count: number, step: number, marks: Int32Array): void => {
    ask(rows, count, values)
    for (let i = 0; i < count; i++) if (Number.isNaN(values[i]!)) marks[i] = mark(step, reason)
  }
}

/** What is nothing is so only by its last operation, after all of its facts have been read. */
const isVoidAtLast = (expr: Expr): boolean =>
  expr._tag === "Derived"
    ? isVoidAtLast(expr.of)
    : expr._tag === "Arithmetic" && Defined.isDefined(expr.left) && Defined.isDefined(expr.right)

// By the opposite.

const byOpposite = (
  condition: Condition,
  ground: Ground,
  narrow: (wanted: boolean) => Source.Narrow
): Unknowns => {
  const { block, table } = ground
  let made: Asker | undefined
  return {
    certain: isCertain(condition, ground),
    explain: (rows, count, step, marks) => {
      made ??= {
        opposite: narrow(false),
        kernel: Kernel.compile(condition, table, block),
        open: new Int32Array(block + 1),
        truth: new Uint8Array(block),
        reason: new Uint8Array(block)
      }
      const { kernel, open, opposite, reason, truth } = made
      const left = opposite(rows, count, open)
      if (left === 0) return
      kernel(open, left, truth, reason)
      open[left] = -1
      let k = 0
      for (let i = 0; i < count; i++) {
        if (open[k] !== rows[i]) continue
        marks[i] = mark(step, reason[k]!)
        k++
      }
    }
  }
}

/** Made when first asked. */
interface Asker {
  readonly opposite: Source.Narrow
  readonly kernel: ReturnType<typeof Kernel.compile>
  readonly open: Int32Array
  readonly truth: Uint8Array
  readonly reason: Uint8Array
}

/** Of joined conditions: all that is asked is known of every row. */
const isCertain = (condition: Condition, ground: Ground): boolean => {
  switch (condition._tag) {
    case "And":
      return condition.all.every((one) => isCertain(one, ground))
    case "Or":
      return condition.any.every((one) => isCertain(one, ground))
    case "Not":
      return isCertain(condition.condition, ground)
    case "Between":
      return Source.between(condition).every((one) => isCertain(one, ground))
    case "IsKnown":
      return columnsOf([condition.value], ground)?.every(({ certain }) => certain) === true
    case "Quantified":
      return false
    default:
      return byColumns(condition, ground)?.certain === true
  }
}
