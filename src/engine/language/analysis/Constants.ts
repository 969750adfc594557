/** Calculations of nothing but literals, worked out: `$daily * 50%` is 1500 ₽, so that thresholds can be compared. */
import type { Clause, Condition, Expr } from "../Policy.js"

export const inClauses = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Clause> =>
  clauses.map((clause) => ({ ...clause, condition: inCondition(clause.condition) }))

const inCondition = (condition: Condition): Condition => {
  switch (condition._tag) {
    case "Compare":
      return { ...condition, left: inExpr(condition.left), right: inExpr(condition.right) }
    case "Between":
      return {
        ...condition,
        value: inExpr(condition.value),
        low: inExpr(condition.low),
        high: inExpr(condition.high)
      }
    case "And":
      return { ...condition, all: condition.all.map(inCondition) }
    case "Or":
      return { ...condition, any: condition.any.map(inCondition) }
    case "Not":
      return { ...condition, condition: inCondition(condition.condition) }
    default:
      return condition
  }
}

const inExpr = (expr: Expr): Expr => {
  if (expr._tag !== "Arithmetic") return expr
  const left = inExpr(expr.left)
  const right = inExpr(expr.right)
  const value =
    left._tag === "Literal" && right._tag === "Literal" ? worked(expr.op, left.value, right.value) : undefined
  return value === undefined ? expr : { _tag: "Literal", type: expr.type, value }
}

/** Undefined where there is no plain number: then the calculation stays. */
const worked = (op: string, left: unknown, right: unknown): number | undefined => {
  const [a, b] = [Number(left), Number(right)]
  const value = op === "+" ? a + b : op === "-" ? a - b : op === "*" ? a * b : a / b
  return Number.isFinite(value) ? value : undefined
}
