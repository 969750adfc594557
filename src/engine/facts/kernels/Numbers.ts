/** Numeric expressions compiled to loops over columns. */

import * as Reason from "../../../domain/Reason.js"
import type { ArithmeticOp, Expr } from "../../language/Policy.js"
import type { NumberKernel, Values } from "../Column.js"
import { factKey, type Table } from "../Table.js"
import * as AheadKernel from "./AheadKernel.js"
import * as BelowKernels from "./BelowKernels.js"
import * as ChoiceKernels from "./ChoiceKernels.js"
import * as FigureKernel from "./FigureKernel.js"

const absent = Reason.code("absent")
const notFetched = Reason.code("notFetched")
const zeroOverZero = Reason.code("zeroOverZero")

/** `block` is the most rows that one call will ask about. Text has no number: it is unknown (`absent`). */
export const compile = (expr: Expr, table: Table, block: number): NumberKernel => {
  switch (expr._tag) {
    case "Literal":
      return typeof expr.value === "string" ? never(absent) : constant(Number(expr.value))
    case "Fact":
      return column(factKey(expr.fact), table, block)
    case "Arithmetic":
      return arithmetic(expr, table, block)
    case "Default":
      return ChoiceKernels.otherwise(
        compile(expr.value, table, block),
        compile(expr.fallback, table, block),
        block
      )
    case "Extreme":
      return ChoiceKernels.extreme(
        expr.pick,
        expr.of.map((one) => compile(one, table, block)),
        block
      )
    case "Figure":
      return FigureKernel.compile(
        expr.name,
        expr.of.map((one) => compile(one, table, block)),
        block,
        expr.ahead !== undefined && table.hasAhead
          ? { table, worst: AheadKernel.of(expr, (one) => compile(one, table, 1)) }
          : undefined
      )
    case "Sum":
      return BelowKernels.sum(expr, table, compile)
    case "Derived":
      return compile(expr.of, table, block)
  }
}

/** The least that a group's sum can be where it is not known; undefined for what is none, or may fall below zero. */
export const least = (expr: Expr, table: Table): NumberKernel | undefined => {
  if (expr._tag !== "Sum" || expr.where === undefined || !BelowKernels.isNeverNegative(expr.of))
    return undefined
  return BelowKernels.sum(expr, table, compile, true)
}

export const constant =
  (value: number): NumberKernel =>
  (_rows, count, values, reasons) => {
    values.fill(value, 0, count)
    reasons.fill(Reason.known, 0, count)
  }

const never =
  (reason: number): NumberKernel =>
  (_rows, count, values, reasons) => {
    values.fill(Number.NaN, 0, count)
    reasons.fill(reason, 0, count)
  }

const column = (key: string, table: Table, block: number): NumberKernel => {
  const place = table.place(key)
  if (place === undefined) return never(notFetched)
  if (place.column.kind === "text") return never(absent)
  const { values: from, reasons: fromReasons } = place.column
  const steps = place.steps
  if (steps === 0)
    return (rows, count, values, reasons) => read(from, fromReasons, rows, count, values, reasons)
  const at = new Int32Array(block)
  return (rows, count, values, reasons) => {
    table.climb(rows, count, steps, at)
    read(from, fromReasons, at, count, values, reasons)
  }
}

const read = (
  from: Values,
  fromReasons: Uint8Array,
  at: Int32Array,
  count: number,
  values: Float64Array,
  reasons: Uint8Array
): void => {
  for (let i = 0; i < count; i++) {
    const number = at[i]!
    values[i] = from[number]!
    reasons[i] = fromReasons[number]!
  }
}

const arithmetic = (
  expr: Extract<Expr, { readonly _tag: "Arithmetic" }>,
  table: Table,
  block: number
): NumberKernel => {
  const left = compile(expr.left, table, block)
  const right = compile(expr.right, table, block)
  const isMoney = expr.type._tag === "Money"
  const rightValues = new Float64Array(block)
  const rightReasons = new Uint8Array(block)
  return (rows, count, values, reasons) => {
    left(rows, count, values, reasons)
    right(rows, count, rightValues, rightReasons)
    applyAll(expr.op, values, rightValues, count, isMoney)
    for (let i = 0; i < count; i++) {
      reasons[i] = Reason.worse(reasons[i]!, rightReasons[i]!)
      if (reasons[i] === Reason.known && Number.isNaN(values[i]!)) reasons[i] = zeroOverZero
    }
  }
}

// The four operations on fact values.

/**
 * NaN means that nothing is left to say (0/0, infinity minus infinity): the caller makes it unknown
 * (`zeroOverZero`). Something over nothing is infinite. An amount of money that is whole but for the binary
 * fraction of a percentage is made whole, so that 7% of 100 kopecks is not above 7 kopecks.
 */
export const apply = (op: ArithmeticOp, left: number, right: number, isMoney: boolean): number => {
  const result = plain(op, left, right)
  return isMoney ? whole(result) : result
}

/** As `apply`, for `count` pairs at once; the results replace the left sides. NaN on either side stays NaN. */
const applyAll = (
  op: ArithmeticOp,
  left: Float64Array,
  right: Float64Array,
  count: number,
  isMoney: boolean
): void => {
  if (op === "+") for (let i = 0; i < count; i++) left[i] = left[i]! + right[i]!
  else if (op === "-") for (let i = 0; i < count; i++) left[i] = left[i]! - right[i]!
  else if (op === "*") for (let i = 0; i < count; i++) left[i] = left[i]! * right[i]!
  else for (let i = 0; i < count; i++) left[i] = left[i]! / positive(right[i]!)
  if (isMoney) for (let i = 0; i < count; i++) left[i] = whole(left[i]!)
}

const plain = (op: ArithmeticOp, left: number, right: number): number => {
  switch (op) {
    case "+":
      return left + right
    case "-":
      return left - right
    case "*":
      return left * right
    case "/":
      return left / positive(right)
  }
}

/** A negative zero below the line must not turn the sign of the infinity. */
const positive = (divisor: number): number => (divisor === 0 ? 0 : divisor)

const whole = (amount: number): number => {
  const nearest = Math.round(amount)
  return Math.abs(amount - nearest) < 1e-6 ? nearest : amount
}

// Comparisons of what was calculated.

/**
 * Alike but for the noise of binary fractions: (0.08 - 0.1) / 0.1 is -20%, and 0.1 + 0.2 is 0.3. Far less than any two counts or
 * amounts can make different; infinite is near to nothing, and least of all to minus infinite.
 */
export const isNear = (a: number, b: number): boolean => {
  const apart = Math.abs(a - b)
  return apart <= 1e-12 * Math.min(Math.abs(a), Math.abs(b)) + 1e-13 && apart < Number.POSITIVE_INFINITY
}

/** False where a side is NaN, as of `<`. */
export const isBelow = (a: number, b: number): boolean => a < b && !isNear(a, b)

/** False where a side is NaN, as of `<=`. */
export const isAtMost = (a: number, b: number): boolean => a <= b || isNear(a, b)

/** True where a side is NaN, as of `!==`. */
export const isOther = (a: number, b: number): boolean => a !== b && !isNear(a, b)
