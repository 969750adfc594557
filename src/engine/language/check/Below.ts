/** `all(…)`, `any(…)` and `sum(…)`: what is asked of the rows one level below. */
import type { FactType } from "../../facts/FactType.js"
import * as FactTypes from "../../facts/FactType.js"
import * as Level from "../../facts/Level.js"
import * as Texts from "../../facts/Texts.js"
import type { Condition, Each, Expr, SumExpr } from "../Policy.js"
import type { Ast } from "../syntax/Syntax.js"
import * as Syntax from "../syntax/Syntax.js"
import { Scope } from "./Scope.js"
import * as Words from "./Words.js"

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
  ast: Sum,
  scope: Scope,
  infer: (ast: Ast, scope: Scope) => Expr | undefined
): Expr | undefined => {
  const place = ast.group === undefined ? belowRow(ast, scope) : ofGroup(ast.group, scope)
  const of = place === undefined ? undefined : infer(ast.value, on(place.over, scope))
  if (place === undefined || of === undefined) return undefined
  if (!isSummable(of.type) || of._tag === "Literal") {
    const what = of._tag === "Literal" ? "a value of a field" : "a count, a number or money"
    return scope.error("E11", ast.value, `sum(…) adds up ${what}, such as sum(spend).`)
  }
  return { _tag: "Sum", type: of.type, ...place, of }
}

type Sum = Extract<Ast, { _tag: "Sum" }>
type Place = Pick<SumExpr, "at" | "over" | "where">

const belowRow = (ast: Sum, scope: Scope): Place | undefined => {
  const over = below(ast, "sum(…) adds up", scope)
  return over === undefined ? undefined : { at: scope.setting.each, over }
}

/** The account's campaigns with a label of the seller's, from whatever row one looks. */
const ofGroup = (group: Ast, scope: Scope): Place | undefined => {
  if (group._tag === "Unread") return undefined
  const labels = on("campaign", scope).lookup(groupWord)
  const label = Syntax.wording(group) ?? ""
  if (label.trim() === "") {
    return scope.error("E11", group, 'A group is a label in quotes: group = "season"')
  }
  if (Words.isNoLabel(label))
    return scope.error("E11", group, `A group is one label; none has a comma, semicolon or bar: "${label}"`)
  if (labels?.type._tag !== "Labels") {
    const message = `A group is a label of campaigns, and no table of yours says ${groupWord}. Add one: kind: facts, join: campaign.id = id.`
    return scope.error("E02", group, message)
  }
  const value: Expr = { _tag: "Fact", type: labels.type, fact: { id: labels.id } }
  return {
    at: "account",
    over: "campaign",
    where: { _tag: "HasLabel", value, labels: [Texts.label(label)] }
  }
}

/** The field whose labels are the names of groups. */
const groupWord = "campaign.labels"

const isSummable = ({ _tag }: FactType): boolean =>
  _tag === FactTypes.count._tag || _tag === FactTypes.money._tag || _tag === FactTypes.number._tag

const below = (ast: Ast, asks: string, scope: Scope): Each | undefined => {
  const { each } = scope.setting
  const over = Level.below(each) ?? (scope.setting.isLevelUnsure === true ? each : undefined)
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
