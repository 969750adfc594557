/** `all(…)`, `any(…)` and `sum(…)`: what is asked of the rows one level below. */
import type { FactType } from "../facts/FactType.js"
import * as FactTypes from "../facts/FactType.js"
import * as Level from "../facts/Level.js"
import type { Condition, Each, Expr } from "./Policy.js"
import { Scope } from "./Scope.js"
import type { Ast } from "./Syntax.js"

type Quantified = Extract<Ast, { _tag: "Quantified" }>

/** The words inside mean what they mean on the rows below. Reports E21 where there are none. */
export const quantified = (
  ast: Quantified,
  scope: Scope,
  condition: (ast: Ast, scope: Scope) => Condition | undefined
): Condition | undefined => {
  const over = below(ast, `${ast.quantifier}(…) asks`, scope)
  if (over === undefined) return undefined
  const inner = condition(ast.condition, on(over, scope))
  return inner === undefined
    ? undefined
    : { _tag: "Quantified", quantifier: ast.quantifier, over, condition: inner }
}

/** The sum of a count, an amount or a number. */
export const sum = (
  ast: Extract<Ast, { _tag: "Sum" }>,
  scope: Scope,
  infer: (ast: Ast, scope: Scope) => Expr | undefined
): Expr | undefined => {
  const over = below(ast, "sum(…) adds up", scope)
  const of = over === undefined ? undefined : infer(ast.value, on(over, scope))
  if (over === undefined || of === undefined) return undefined
  if (!isSummable(of.type) || of._tag === "Literal") {
    const what = of._tag === "Literal" ? "a value of a field" : "a count, a number or money"
    return scope.error("E11", ast.value, `sum(…) adds up ${what}, such as sum(spend).`)
  }
  return { _tag: "Sum", type: of.type, at: scope.setting.each, over, of }
}

const isSummable = ({ _tag }: FactType): boolean =>
  _tag === FactTypes.count._tag || _tag === FactTypes.money._tag || _tag === FactTypes.number._tag

const below = (ast: Ast, asks: string, scope: Scope): Each | undefined => {
  const { each } = scope.setting
  const over = Level.below(each)
  if (over !== undefined) return over
  const inside = ast._tag === "Quantified" ? scope.part(ast.condition) : undefined
  return scope.error(
    "E21",
    ast,
    `${asks} the rows below: the items of a campaign, the campaigns of an item or of the account. Rows per ${each} have none.`,
    inside
  )
}

const on = (each: Each, scope: Scope): Scope =>
  new Scope({ ...scope.setting, each }, scope.node, scope.problems)
