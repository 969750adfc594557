/** `optimise` with its options: what an order leaves, what may be spent, and how far it may go. */
import * as Window from "../../../domain/Window.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as FactType from "../../facts/FactType.js"
import type { Action, Expr, Optimise, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import type { Node } from "../yaml/Node.js"
import { entry, get } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Clauses from "./Clauses.js"
import * as Overlays from "./Overlays.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"
import * as Values from "./Values.js"

interface Chosen {
  readonly range: Range
  readonly options: Node
}

/** Days whose statistics are looked at where `window:` says nothing. */
const usualWindow = Window.last(28)

/** `optimise` with its options; undefined when something was reported. */
export const read = (
  chosen: Chosen,
  setting: Setting,
  span: Action["span"],
  problems: Problems
): Optimise | undefined => {
  const { options } = chosen
  const before = problems.count
  const margin = marginOf(options, setting, problems)
  const budget = moneyOf(options, "budget", setting, problems)
  const cap = capOf(options, problems)
  const share = (key: string, low: number, high: number) =>
    Amounts.basisPoints(Amounts.keyed(options, key), low, high, problems)
  const drr = share("drr", 1, 10_000)
  const move = share("move", 100, 10_000)
  const deadband = share("deadband", 0, 5_000)
  const explore = share("explore", 0, 2_000)
  const leave = Clauses.read(get(options, "leave"), { ...setting, each: "cluster" }, problems)[0]
  const window = setting.window?.value ?? usualWindow
  if (margin === undefined || budget === undefined || window._tag !== "Last" || problems.count > before)
    return undefined
  const minus = minusOf(text(options, "minus"))
  return {
    _tag: "Optimise",
    goal: (text(options, "goal") ?? "profit") as Optimise["goal"],
    margin,
    budget,
    budgetOf: (text(options, "budget_of") ?? "campaign") as Optimise["budgetOf"],
    ...(drr === undefined ? {} : { drrBasisPoints: drr }),
    cap,
    moveBasisPoints: move ?? 3_000,
    deadbandBasisPoints: deadband ?? 500,
    exploreBasisPoints: explore ?? 300,
    ...(minus === undefined ? {} : { minus }),
    park: !/^(no|off|false)$/.test(text(options, "park") ?? "yes"),
    ...(leave === undefined ? {} : { leave }),
    window,
    span
  }
}

/** K16: rows of `hold_for` are those of the policy, and what `optimise` changes are the bids below them. */
export const checkHold = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const found = entry(root, "hold_for")
  if (found === undefined || !rules.some(({ action }) => action._tag === "Optimise")) return
  const message =
    "hold_for: counts rows that match, and optimise weighs its evidence by itself. Remove hold_for:"
  problems.error("K16", found.keyRange, message)
}

/** K48: rules plan apart, so each would spend the whole of a budget that all campaigns share. */
export const checkBudgets = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const shared = rules.filter(({ action }) => action._tag === "Optimise" && action.budgetOf === "account")
  if (shared.length < 2) return
  const written = Overlays.actionsOf(root).filter(({ key }) => key === "optimise")
  const message =
    "Two rules of one policy share the account's budget: each would spend it whole. Let one rule match the campaigns of both, or write budget_of: campaign."
  problems.error("K48", written.at(-1)!.range, message)
}

const text = (options: Node, key: string): string | undefined => Amounts.keyed(options, key)?.node.text.trim()

const minusOf = (written: string | undefined): Optimise["minus"] => {
  if (written === "no" || written === "false") return undefined
  return written === "with 95% confidence" ? 95 : 99
}

/** Money that was spent on ads, or what is made of it. */
const ofAdvertising = /\.(spend|ad_spend|cpo|cpc|cpm|acos)$/

/** A share of the item's price, or money an order leaves: on rows of items in campaigns, whatever the policy's rows are. */
const marginOf = (options: Node, setting: Setting, problems: Problems): Expr | undefined => {
  const found = Amounts.keyed(options, "margin")
  if (found === undefined) return undefined
  const { node } = found
  const ast = Values.parsed(node, problems)
  if (ast._tag === "Number" && ast.unit === "none")
    return problems.error(
      "E03",
      node.range,
      "margin is a share or money, such as 25%.",
      Amounts.percent(ast.digits)
    )
  const scope = new Scope({ ...setting, each: "campaign_item" }, node, problems)
  const before = problems.count
  const made = Values.finished(Values.infer(ast, scope), ast, scope)
  if (made === undefined || problems.count > before) return undefined
  if (FactRefs.ofExpr(made).some(({ id }) => ofAdvertising.test(id))) {
    const message = `${node.text.trim()} has the advertising of the last days in it already, which optimise would count twice. profit_per_order is before advertising.`
    return problems.error("K45", node.range, message, "profit_per_order")
  }
  if (made.type._tag === "Ratio" || made.type._tag === "Money") {
    const tooMuch = made._tag === "Literal" && made.type._tag === "Ratio" && Number(made.value) > 1
    if (tooMuch) return problems.error("K14", node.range, "margin is at most 100% of the price.")
    if (made._tag === "Literal" && made.value === 0)
      return problems.error("K14", node.range, "margin must be more than nothing: without it nothing pays.")
    return made
  }
  return problems.error(
    "K09",
    node.range,
    `margin is a share of the price or money, and this is ${FactType.describe(made.type)}.`
  )
}

const moneyOf = (options: Node, key: string, setting: Setting, problems: Problems): Expr | undefined => {
  const found = Amounts.keyed(options, key)
  if (found === undefined) return undefined
  const { node } = found
  const ast = Values.moneyParsed(found, problems)
  if (ast === undefined) return undefined
  const made = Values.value(ast, new Scope(setting, node, problems), FactType.money)
  return made?._tag === "Literal" && made.value === 0
    ? problems.error("K14", node.range, `${key} must be more than 0 ₽.`)
    : made
}

const capOf = (options: Node, problems: Problems): Optimise["cap"] => {
  const node = get(options, "cap")
  const cpm = Amounts.kopecks(Amounts.keyed(node, "cpm"), problems)
  const cpc = Amounts.kopecks(Amounts.keyed(node, "cpc"), problems)
  const found = entry(options, "cap")
  if (found?.value._tag === "Map" && get(node, "cpm") === undefined && get(node, "cpc") === undefined)
    problems.error(
      "K14",
      found.keyRange,
      `cap has no amount, so nothing could move.${Suggest.forExample("cap: {cpm: 450 ₽}")}`
    )
  return { ...(cpm === undefined ? {} : { cpm }), ...(cpc === undefined ? {} : { cpc }) }
}

/**
 * Whole days that are over: half of today beside the bids of a whole day would look like a weak day. What is none is reported, and the
 * rest of the file is read as if the usual days stood there.
 */
export const checkWindow = (root: Node, window: Setting["window"], problems: Problems): Setting["window"] => {
  if (window === undefined || Overlays.actionsOf(root).every(({ key }) => key !== "optimise")) return window
  const { node, value } = window
  const isPast = value._tag === "Last"
  if (isPast && value.days >= 3 && value.days <= 30) return window
  const message = isPast
    ? "optimise looks at 3 to 30 days; 28d is usual."
    : "optimise looks at whole days that are over, such as 28d."
  problems.error("K46", node.range, message, "28d")
  return { node, value: usualWindow }
}
