/** Numeric expressions compiled to loops over columns. */
import * as Reason from "../../domain/Reason.js"
import type { Expr } from "../language/Policy.js"
import * as Arithmetic from "./Arithmetic.js"
import { factKey, type Table } from "./Table.js"

/** Fills the first `count` values; a value with a reason other than 0 is unknown and must not be read. */
export type NumberKernel = (
  rows: Int32Array,
  count: number,
  values: Float64Array,
  reasons: Uint8Array
) => void

const absent = Reason.code("absent")
const notFetched = Reason.code("notFetched")
const zeroOverZero = Reason.code("zeroOverZero")

/** `block` is the most rows that one call will ask about. Text has no number: it is unknown (`absent`). */
export const compile = (expr: Expr, table: Table, block: number): NumberKernel => {
  switch (expr._tag) {
    case "Literal":
      return typeof expr.value === "string" ? never(absent) : constant(Number(expr.value))
    case "Fact":
      return column(factKey(expr.fact), table)
    case "Arithmetic":
      return arithmetic(expr, table, block)
  }
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

const column = (key: string, table: Table): NumberKernel => {
  const place = table.place(key)
  if (place === undefined) return never(notFetched)
  if (place.column.kind === "text") return never(absent)
  const { values: from, reasons: fromReasons } = place.column
  const steps = place.steps
  return (rows, count, values, reasons) => {
    for (let i = 0; i < count; i++) {
      const number = steps === 0 ? rows[i]! : table.up(rows[i]!, steps)
      values[i] = from[number]!
      reasons[i] = fromReasons[number]!
    }
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
    for (let i = 0; i < count; i++) {
      if (reasons[i] === Reason.known) reasons[i] = rightReasons[i]!
      if (reasons[i] !== Reason.known) continue
      const result = Arithmetic.apply(expr.op, values[i]!, rightValues[i]!, isMoney)
      values[i] = result
      if (Number.isNaN(result)) reasons[i] = zeroOverZero
    }
  }
}
