/** Comparisons whose answer is known beforehand: a slip of the pen that would fire on everything, or on nothing. */

import type { CompareOp, Expr } from "../Policy.js"
import { mirrored } from "../syntax/CompareOps.js"

/** Shares of a whole, so never above 100%; `acos` may be. */
const shares = /\.(ctr|cr)$/

/** Sentence for a comparison that is always or never true; undefined for a real question. */
export const ofComparison = (op: CompareOp, left: Expr, right: Expr): string | undefined => {
  if (left._tag === "Literal" && right._tag === "Literal") return "This compares two values, and no field."
  if (left._tag === "Literal") return ofComparison(mirrored[op], right, left)
  if (left._tag !== "Fact" || (right._tag !== "Fact" && right._tag !== "Literal")) return undefined
  if (right._tag === "Fact") {
    return same(left, right) ? "This compares a field with itself." : undefined
  }
  if (typeof right.value !== "number") return undefined
  if (right.value === 0 && op === "<") return "Never true: nothing here is below zero."
  if (right.value === 0 && op === ">=") return "Always true: nothing here is below zero."
  return shares.test(left.fact.id) ? ofShare(op, right.value) : undefined
}

const ofShare = (op: CompareOp, bound: number): string | undefined => {
  if (bound < 1) return undefined
  if (op === "<" || op === "<=") return "Always true: this is never above 100%. Probably 1% was meant."
  if (op === ">" || bound > 1)
    return op === "!=" ? "Always true: this is never above 100%." : "Never true: this is never above 100%."
  return undefined
}

const same = (a: Extract<Expr, { _tag: "Fact" }>, b: Extract<Expr, { _tag: "Fact" }>): boolean =>
  a.fact.id === b.fact.id && JSON.stringify(a.fact.window) === JSON.stringify(b.fact.window)
