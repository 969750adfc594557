/** Which facts conditions, expressions and actions name. */
import type { Action, Clause, Condition, Expr, FactRef, Policy } from "../language/Policy.js"

export const ofExpr = (expr: Expr): ReadonlyArray<FactRef> => {
  switch (expr._tag) {
    case "Literal":
      return []
    case "Fact":
      return [expr.fact]
    case "Arithmetic":
      return [...ofExpr(expr.left), ...ofExpr(expr.right)]
  }
}

export const ofCondition = (condition: Condition): ReadonlyArray<FactRef> => {
  switch (condition._tag) {
    case "Compare":
      return [...ofExpr(condition.left), ...ofExpr(condition.right)]
    case "Between":
      return [...ofExpr(condition.value), ...ofExpr(condition.low), ...ofExpr(condition.high)]
    case "In":
      return [...ofExpr(condition.value), ...condition.options.flatMap(ofExpr)]
    case "Matches":
    case "Contains":
    case "IsTrue":
      return ofExpr(condition.value)
    case "And":
      return condition.all.flatMap(ofCondition)
    case "Or":
      return condition.any.flatMap(ofCondition)
    case "Not":
      return ofCondition(condition.condition)
  }
}

export const ofClauses = (clauses: ReadonlyArray<Clause>): ReadonlyArray<FactRef> =>
  clauses.flatMap((clause) => ofCondition(clause.condition))

/** Facts of the bounds that the policy wrote itself. */
export const ofAction = (action: Action): ReadonlyArray<FactRef> => {
  switch (action._tag) {
    case "RaiseBid":
      return [action.cap, ...present(action.toward)].flatMap(ofExpr)
    case "LowerBid":
      return [action.floor, ...present(action.toward)].flatMap(ofExpr)
    case "SetBid":
      return [action.to, action.cap, ...present(action.floor)].flatMap(ofExpr)
    case "AddMinus":
    case "RemoveMinus":
    case "Pause":
    case "Start":
      return []
  }
}

/** Everything a policy reads by name: its conditions' facts and its bounds'. */
export const ofPolicy = (policy: Policy): ReadonlyArray<FactRef> => [
  ...ofClauses([...policy.where, ...policy.when]),
  ...ofAction(policy.action)
]

const present = (expr: Expr | undefined): ReadonlyArray<Expr> => (expr === undefined ? [] : [expr])
