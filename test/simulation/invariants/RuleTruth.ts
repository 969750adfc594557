/** What a condition is worth by facts of the marketplace's own; undefined where they do not tell. */
import type { Condition, Expr } from "../../../src/engine/language/Policy.js"

export type Facts = Readonly<Record<string, number | string | boolean>>
type Value = number | string | boolean | undefined

export const of = (condition: Condition, facts: Facts): boolean | undefined => {
  switch (condition._tag) {
    case "Compare": {
      const [left, right] = [valueOf(condition.left, facts), valueOf(condition.right, facts)]
      return left === undefined || right === undefined ? undefined : compared(left, condition.op, right)
    }
    case "Between": {
      const [value, low, high] = [condition.value, condition.low, condition.high].map((one) =>
        valueOf(one, facts)
      )
      return value === undefined || low === undefined || high === undefined
        ? undefined
        : compared(value, ">=", low) && compared(value, "<=", high)
    }
    case "IsTrue": {
      const value = valueOf(condition.value, facts)
      return value === undefined ? undefined : value === true
    }
    case "Not": {
      const inner = of(condition.condition, facts)
      return inner === undefined ? undefined : !inner
    }
    case "And": {
      const all = condition.all.map((one) => of(one, facts))
      return all.includes(false) ? false : all.includes(undefined) ? undefined : true
    }
    case "Or": {
      const any = condition.any.map((one) => of(one, facts))
      return any.includes(true) ? true : any.includes(undefined) ? undefined : false
    }
    default:
      return undefined
  }
}

/** Whether a condition asks for a promotion that starts later than now. */
export const asksForLater = (condition: Condition): boolean => {
  switch (condition._tag) {
    case "Compare":
      return (
        isStart(condition.left) &&
        (condition.op === ">" || condition.op === ">=") &&
        Number(valueOf(condition.right, {})) >= 0
      )
    case "Between":
      return isStart(condition.value) && Number(valueOf(condition.low, {})) > 0
    case "And":
      return condition.all.some(asksForLater)
    default:
      return false
  }
}

const isStart = (value: Expr): boolean => value._tag === "Fact" && value.fact.id === "promotion.starts_in"

/** Amounts and shares are as near as whole numbers of the wire let them be. */
const compared = (left: Exclude<Value, undefined>, op: string, right: Exclude<Value, undefined>): boolean => {
  if (typeof left !== "number" || typeof right !== "number")
    return op === "=" ? left === right : left !== right
  const difference = left - right
  const isNear = Math.abs(difference) < 1e-9
  switch (op) {
    case "<":
      return !isNear && difference < 0
    case "<=":
      return isNear || difference < 0
    case ">":
      return !isNear && difference > 0
    case ">=":
      return isNear || difference > 0
    case "=":
      return isNear
    default:
      return !isNear
  }
}

const valueOf = (expr: Expr, facts: Facts): Value => {
  switch (expr._tag) {
    case "Literal":
      return expr.value
    case "Fact":
    case "Derived":
      return facts[expr.fact.id]
    case "Arithmetic": {
      const [left, right] = [valueOf(expr.left, facts), valueOf(expr.right, facts)]
      if (typeof left !== "number" || typeof right !== "number") return undefined
      return expr.op === "+"
        ? left + right
        : expr.op === "-"
          ? left - right
          : expr.op === "*"
            ? left * right
            : left / right
    }
    default:
      return undefined
  }
}
