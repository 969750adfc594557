/** Which values a fact can have at all, and the stable names of facts and expressions. */
import type { FactType } from "../../facts/FactType.js"
import { factKey } from "../../facts/Table.js"
import type { Expr } from "../Policy.js"
import * as Ranges from "./Ranges.js"

/** A fact, or anything computed from facts, that stands on one side of a comparison. */
export interface Operand {
  readonly key: string
  readonly expr: Expr
}

export const operand = (expr: Expr): Operand => ({ key: nameOf(expr), expr })

/** Shares of a whole; every other percentage is open above (`acos` without sales is infinite). */
const shares = /\.(ctr|cr)(@|$)/
/** Hours of a day. */
const hours = /^account\.hour(:|$)/
const neverNegative = /\.(acos|drr)(@|$)/

/** Numbers a fact can be; anything computed can be any number. */
export const numbers = ({ key, expr }: Operand): Ranges.Ranges => {
  if (expr._tag !== "Fact") return Ranges.everything
  switch (expr.type._tag) {
    case "Ratio":
      if (shares.test(key)) return [Ranges.interval(0, 1)]
      return neverNegative.test(key) ? fromZero : Ranges.everything
    case "Count":
      return hours.test(key) ? [Ranges.interval(0, 23)] : fromZero
    case "Money":
    case "Duration":
      return fromZero
    default:
      return Ranges.everything
  }
}

const fromZero: Ranges.Ranges = [Ranges.interval(0, Number.POSITIVE_INFINITY)]

export const isWhole = ({ expr }: Operand): boolean => expr._tag === "Fact" && expr.type._tag === "Count"
export const isText = (type: FactType): boolean =>
  type._tag === "Text" || type._tag === "Labels" || type._tag === "Enum"

const nameOf = (expr: Expr): string => {
  switch (expr._tag) {
    case "Literal":
      return JSON.stringify(expr.value)
    case "Fact":
      return factKey(expr.fact)
    default:
      return JSON.stringify(expr)
  }
}
