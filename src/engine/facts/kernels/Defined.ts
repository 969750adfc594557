/** Expressions that have a value on every row. */
import type { Expr } from "../../language/Policy.js"
import { factKey, type Table } from "../Table.js"
import * as BelowKernels from "./BelowKernels.js"

/** Known of every row of a table. */
export const isKnown = (expr: Expr, table: Table): boolean => isDefined(expr) && areKnown(expr, table)

const areKnown = (expr: Expr, table: Table): boolean => {
  switch (expr._tag) {
    case "Literal":
      return typeof expr.value !== "string"
    case "Fact": {
      const place = table.place(factKey(expr.fact))
      return place !== undefined && place.column.kind !== "text" && place.column.knownCount >= place.size
    }
    case "Arithmetic":
      return areKnown(expr.left, table) && areKnown(expr.right, table)
    case "Default":
      return areKnown(expr.value, table)
    case "Extreme":
      return expr.of.every((one) => areKnown(one, table))
    case "Sum":
    case "Figure":
      return false
    case "Derived":
      return areKnown(expr.of, table)
  }
}

/** Known wherever all of its facts are. Something over nothing is endless, so a difference or a quotient may be nothing. */
export const isDefined = (expr: Expr): boolean => {
  switch (expr._tag) {
    case "Arithmetic": {
      const { left, op, right } = expr
      if (!isDefined(left) || !isDefined(right)) return false
      if (op === "*") return isFactor(left) || isFactor(right)
      if (op === "/") return isFactor(right)
      return op === "+" && [left, right].every(BelowKernels.isNeverNegative)
    }
    case "Figure":
      return false
    case "Extreme":
      return expr.of.every(isDefined)
    case "Default":
      return isDefined(expr.value) && isDefined(expr.fallback)
    case "Derived":
      return isDefined(expr.of)
    default:
      return true
  }
}

/** Made of several values, so that it carries the noise of binary fractions: compared by `Numbers.isBelow` and its like. */
export const isCalculated = (expr: Expr): boolean => {
  switch (expr._tag) {
    case "Literal":
    case "Fact":
      return false
    case "Arithmetic":
    case "Figure":
      return true
    case "Default":
      return isCalculated(expr.value) || isCalculated(expr.fallback)
    case "Extreme":
      return expr.of.some(isCalculated)
    case "Sum":
    case "Derived":
      return isCalculated(expr.of)
  }
}

const isFactor = (expr: Expr): boolean =>
  expr._tag === "Literal" && Number(expr.value) > 0 && Number.isFinite(Number(expr.value))
