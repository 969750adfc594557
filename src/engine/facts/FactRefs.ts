/** Which facts conditions, expressions and actions name. */
import * as Window from "../../domain/Window.js"
import type { Action, Clause, Condition, Expr, FactRef, Policy, SumExpr } from "../language/Policy.js"

export const ofExpr = (expr: Expr): ReadonlyArray<FactRef> => {
  switch (expr._tag) {
    case "Literal":
      return []
    case "Fact":
      return [expr.fact]
    case "Arithmetic":
      return [...ofExpr(expr.left), ...ofExpr(expr.right)]
    case "Default":
      return [...ofExpr(expr.value), ...ofExpr(expr.fallback)]
    case "Extreme":
    case "Figure":
      return expr.of.flatMap(ofExpr)
    case "Sum":
      return [...ofExpr(expr.of), ...(expr.where === undefined ? [] : ofCondition(expr.where))]
    case "Derived":
      return ofExpr(expr.of)
  }
}

export const ofCondition = (condition: Condition): ReadonlyArray<FactRef> => {
  switch (condition._tag) {
    case "Compare":
      return [...ofExpr(condition.left), ...ofExpr(condition.right)]
    case "Between":
      return [...ofExpr(condition.value), ...ofExpr(condition.low), ...ofExpr(condition.high)]
    case "In":
      return [...ofExpr(condition.value), ...ofOptions(condition.options)]
    case "Matches":
    case "Contains":
    case "HasLabel":
    case "IsTrue":
    case "IsKnown":
      return ofExpr(condition.value)
    case "Confident":
      return [condition.hits, condition.trials, condition.threshold].flatMap(ofExpr)
    case "And":
      return condition.all.flatMap(ofCondition)
    case "Or":
      return condition.any.flatMap(ofCondition)
    case "Not":
    case "Quantified":
      return ofCondition(condition.condition)
  }
}

/** Many rules may share a list of thousands of values, and are asked often. */
const ofOptions = (options: ReadonlyArray<Expr>): ReadonlyArray<FactRef> => {
  const known = optionRefs.get(options)
  if (known !== undefined) return known
  const refs = options.flatMap(ofExpr)
  optionRefs.set(options, refs)
  return refs
}

const optionRefs = new WeakMap<object, ReadonlyArray<FactRef>>()

export const ofClauses = (clauses: ReadonlyArray<Clause>): ReadonlyArray<FactRef> =>
  clauses.flatMap((clause) => ofCondition(clause.condition))

/**
 * The days of `optimise`: all of them, and ever fewer of the newest, since bids that moved tell by how much views follow. They
 * end on the same day.
 */
export const optimiseWindows = (window: Window.Window): ReadonlyArray<Window.Window> =>
  window._tag === "Today"
    ? [window]
    : [
        window,
        ...[7, 2].flatMap((days) => (days < window.days ? [Window.last(days, window.settleDays)] : []))
      ]

/** Statistics that `optimise` looks at, whatever its options name. */
const optimised = ["views", "clicks", "orders", "spend", "carts"].flatMap((word) => [
  `cluster.${word}`,
  `campaign_item.${word}`
])

/** Facts of the bounds that the policy wrote itself, and statistics that its action decides by. */
export const ofAction = (action: Action): ReadonlyArray<FactRef> => {
  switch (action._tag) {
    case "RaiseBid":
      return [action.cap, ...present(action.toward)].flatMap(ofExpr)
    case "LowerBid":
      return [action.floor, ...present(action.toward)].flatMap(ofExpr)
    case "SetBid":
      return [action.to, action.cap, ...present(action.floor)].flatMap(ofExpr)
    case "AdjustBid":
      return [...present(action.cap), ...present(action.floor)].flatMap(ofExpr)
    case "Enrol":
      return action.reach === undefined ? [] : ofExpr(action.reach.cost)
    case "Optimise":
      return [
        ...[action.margin, action.budget].flatMap(ofExpr),
        ...(action.leave === undefined ? [] : ofClauses([action.leave])),
        ...optimiseWindows(action.window).flatMap((window) => optimised.map((id) => ({ id, window })))
      ]
    case "Notify":
      return action.text.flatMap((part) => (part._tag === "Value" ? ofExpr(part.value) : []))
    case "AddMinus":
    case "RemoveMinus":
    case "Pause":
    case "Start":
    case "Deposit":
    case "Placements":
    case "Revert":
      return []
  }
}

/** Everything a policy reads by name: its conditions' facts and its bounds'. */
export const ofPolicy = (policy: Policy): ReadonlyArray<FactRef> => ofRules(policy, policy.rules.length)

/** What the first `count` rules of a policy read: whether one of them acts depends on all that come before it. */
export const ofRules = (policy: Policy, count: number): ReadonlyArray<FactRef> => [
  ...ofClauses(policy.where),
  ...policy.rules.slice(0, count).flatMap(({ action, when }) => [...ofClauses(when), ...ofAction(action)])
]

const present = (expr: Expr | undefined): ReadonlyArray<Expr> => (expr === undefined ? [] : [expr])

/**
 * Sums of a policy that look beyond the campaign of its row: over the account's campaigns, or over those of an item that
 * is advertised in several.
 */
export const sumsBeyond = ({
  each,
  rules,
  where
}: Pick<Policy, "each" | "rules" | "where">): ReadonlyArray<SumExpr> =>
  each === "account"
    ? []
    : sumsIn([where, rules]).filter(
        ({ at }) => at === "account" || (at === "item" && each !== "item" && each !== "promotion_item")
      )

/** Sums anywhere in a part of a policy: in its conditions, its expressions, its actions. */
export const sumsIn = (node: unknown): ReadonlyArray<SumExpr> => {
  if (typeof node !== "object" || node === null) return []
  return [...(isSum(node) ? [node] : []), ...Object.values(node).flatMap(sumsIn)]
}

const isSum = (node: object): node is SumExpr => "_tag" in node && node._tag === "Sum"
