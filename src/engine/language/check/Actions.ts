/** `do:`: exactly one action with its options, fit for the rows of the policy. */
import * as FactType from "../../facts/FactType.js"
import * as Level from "../../facts/Level.js"
import type { Action, Each, Expr, Placement } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Suggest from "../problems/Suggest.js"
import * as Keys from "../shape/Keys.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import type { Entry, Node, ScalarNode } from "../yaml/Node.js"
import { entry, get, isEmpty } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as CampaignActions from "./CampaignActions.js"
import * as Enrol from "./Enrol.js"
import * as Messages from "./Messages.js"
import * as Optimise from "./Optimise.js"
import * as Overlays from "./Overlays.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"
import * as Values from "./Values.js"

/** The one action of a policy; undefined when something was reported. */
export const read = (
  doEntry: Entry | undefined,
  setting: Setting,
  problems: Problems
): Action | undefined => {
  const before = problems.count
  const chosen = doEntry === undefined ? undefined : choose(doEntry, problems)
  if (chosen === undefined) return undefined
  Shape.check(Schema.actions[chosen.key], chosen.options, chosen, problems)
  fits(chosen, setting, problems)
  const made = build(chosen, setting, problems)
  return problems.count === before ? made : undefined
}

interface Chosen {
  readonly key: Schema.ActionKey
  readonly range: Range
  readonly options: Node
}

const names = Object.keys(Schema.actions)
const isAction = (key: string): key is Schema.ActionKey => Object.hasOwn(Schema.actions, key)

const oneThing = "One policy does one thing. Put the second action into a file of its own."

const choose = ({ keyRange, value }: Entry, problems: Problems): Chosen | undefined => {
  if (isEmpty(value))
    return problems.error("K16", keyRange, `do: has no action. ${Suggest.sentence("", names)}`)
  if (value._tag === "List")
    return problems.error(
      "K16",
      keyRange,
      value.items.length > 1 ? oneThing : "do: holds one action, without a dash."
    )
  if (value._tag === "Scalar") return bare(value, problems)
  const known = value.entries.filter((e) => isAction(e.key))
  const [first] = known
  if (
    first !== undefined &&
    isEmpty(first.value) &&
    known.length === 1 &&
    shallow(first, value.entries, problems)
  ) {
    return undefined
  }
  const named = value.entries.find(({ key }) => /^(?:action|type)$/i.test(key))
  if (named?.value._tag === "Scalar" && isAction(named.value.text)) {
    const key = named.value.text
    const { hint } = Shape.spelled(Schema.actions[key].ast, key)
    const more = hint === "" ? ` The whole of do: is one line: do: ${key}` : hint
    return problems.error(
      "K02",
      named.keyRange,
      `An action is a key of its own below do:, or stands behind it.${more}`
    )
  }
  const others = value.entries.filter((e) => !isAction(e.key))
  for (const other of others) unknown(other.key, other.keyRange, problems)
  if (known.length > 1) {
    problems.error("K16", known[1]!.keyRange, oneThing)
  }
  const only = first ?? others[0]
  const key = only === undefined ? undefined : isAction(only.key) ? only.key : meant(only.key)
  if (only === undefined || key === undefined || value.entries.length > 1) return undefined
  const noOptions: Node = { _tag: "Map", entries: [], range: only.keyRange }
  return { key, range: only.keyRange, options: isEmpty(only.value) ? noOptions : only.value }
}

/** The action a misspelt one was meant to be, so that its options are checked all the same. */
const meant = (key: string): Schema.ActionKey | undefined =>
  Keys.laterActions.includes(key)
    ? undefined
    : Object.keys(Schema.actions)
        .filter(isAction)
        .find((name) => name === Suggest.nearest(key, names))

const bare = (node: ScalarNode, problems: Problems): Chosen | undefined => {
  const key = node.text.trim()
  if (!isAction(key)) {
    unknown(key, node.range, problems)
    return undefined
  }
  return { key, range: node.range, options: { _tag: "Map", entries: [], range: node.range } }
}

/** Options written at the level of their action: `raise_bid:` empty, `by:` beside it. */
const shallow = (action: Entry, entries: ReadonlyArray<Entry>, problems: Problems): boolean => {
  const option = entries.find((e) => e !== action && Keys.all.has(e.key))
  if (option === undefined) return false
  const message = `"${option.key}" belongs to ${action.key}: move it, and the options below it, two spaces right.`
  problems.error("Y04", option.keyRange, message)
  return true
}

const unknown = (key: string, range: Range, problems: Problems): undefined => {
  const latin = Suggest.latin(key)
  if (latin !== undefined && names.includes(latin)) {
    problems.error(
      "E12",
      range,
      `${Suggest.cyrillicLetter(key)} of "${key}" is Cyrillic. Did you mean ${latin}?`,
      latin
    )
  } else if (/[“”„«»]/.test(key)) {
    problems.error("Y17", range, "Use straight quotes, or none.", key.replace(/[“”„«»]/g, ""))
  } else if (Keys.laterActions.includes(key)) {
    problems.error("K02", range, `${key} is not available in this version. Possible: ${names.join(", ")}.`)
  } else {
    const named = names.filter(isAction).find((name) => key.startsWith(`${name} `))
    if (named !== undefined) {
      const { fix, hint } = Shape.spelled(Schema.actions[named].ast, named, key.slice(named.length).trim())
      return problems.error(
        "K02",
        range,
        `What is behind ${named} stands in braces after a colon, or not at all.${hint}`,
        fix === undefined ? undefined : `do: {${fix}}`
      )
    }
    const brought = ForeignWords.action(key, names)
    const hint = brought === undefined ? Suggest.sentence(key, names) : `Here it is ${brought}.`
    problems.error("K02", range, `Unknown action "${key}". ${hint}`, brought ?? Suggest.nearest(key, names))
  }
}

/** Which rows each action works on. */
export const targets: Readonly<Record<Schema.ActionKey, ReadonlyArray<Each>>> = {
  raise_bid: ["cluster", "campaign_item"],
  lower_bid: ["cluster", "campaign_item"],
  set_bid: ["cluster", "campaign_item"],
  adjust_bid: ["campaign_item", "cluster"],
  add_minus: ["cluster"],
  remove_minus: ["cluster"],
  pause: ["campaign"],
  start: ["campaign"],
  deposit: ["campaign"],
  placements: ["campaign"],
  enrol: ["promotion_item"],
  optimise: ["campaign"],
  notify: Level.order
}

const fits = (chosen: Chosen, { each, isLevelUnsure, suits }: Setting, problems: Problems): void => {
  if (isLevelUnsure === true) return
  const possible = targets[chosen.key]
  if (!possible.includes(each)) {
    const message = `${chosen.key} works per ${possible.join(" or per ")}; the rows here are per ${each}.`
    const better = suits?.(possible)
    problems.error("K15", chosen.range, message, better === undefined ? undefined : `each: ${better}`)
  }
  const placement = entry(chosen.options, "placement")
  if (placement !== undefined && each === "cluster") {
    problems.error(
      "K15",
      placement.keyRange,
      "placement is for each: campaign_item; a cluster has one bid, in search."
    )
  }
}

const build = (chosen: Chosen, setting: Setting, problems: Problems): Action | undefined => {
  const { key, options } = chosen
  const span = Source.spanAtHome(problems.source, chosen.range)
  const bound = (name: string) => money(options, name, setting, problems)
  const placed: Placement =
    entryText(options, "placement") === "recommendations" ? "recommendations" : "search"
  switch (key) {
    case "pause":
      return { _tag: "Pause", span }
    case "start":
      return { _tag: "Start", span }
    case "enrol":
      return Enrol.read(chosen, setting, span, problems)
    case "remove_minus":
      return { _tag: "RemoveMinus", span }
    case "add_minus": {
      const maxTotal = Amounts.whole(Amounts.keyed(options, "max_total"), 1, 1000, problems)
      return { _tag: "AddMinus", maxTotal: maxTotal ?? 900, span }
    }
    case "raise_bid":
    case "lower_bid": {
      const by = relative(chosen, setting, problems)
      const toward = bound("toward")
      const limit = bound(key === "raise_bid" ? "cap" : "floor")
      if (by === undefined || limit === undefined) return undefined
      const shared = { by, placement: placed, span, ...(toward === undefined ? {} : { toward }) }
      return key === "raise_bid"
        ? { _tag: "RaiseBid", cap: limit, ...shared }
        : { _tag: "LowerBid", floor: limit, ...shared }
    }
    case "set_bid":
      return setBid(options, bound, placed, span, problems)
    case "adjust_bid":
      return Overlays.adjustBid(chosen, bound, placed, span, problems)
    case "deposit":
      return CampaignActions.deposit(chosen, span, problems)
    case "placements":
      return CampaignActions.placements(chosen, span, problems)
    case "optimise":
      return Optimise.read(chosen, setting, span, problems)
    case "notify":
      return Messages.notify(chosen, setting, span, problems)
  }
}

const setBid = (
  options: Node,
  bound: (name: string) => Expr | undefined,
  placement: Placement,
  span: Action["span"],
  problems: Problems
): Action | undefined => {
  const to = bound("to")
  const floor = bound("floor")
  const cap = bound("cap")
  const maxStep = Amounts.basisPoints(Amounts.keyed(options, "max_step"), 1, 10_000, problems)
  const deadband = Amounts.basisPoints(Amounts.keyed(options, "deadband"), 1, 5_000, problems)
  if (floor?._tag === "Literal" && cap?._tag === "Literal" && floor.value > cap.value) {
    const shown = (name: string) => entryText(options, name)?.trim()
    const message = `Floor ${shown("floor")} is above cap ${shown("cap")}: nothing can move.`
    problems.error("K10", entry(options, "floor")!.keyRange, message)
  }
  if (to === undefined || cap === undefined) return undefined
  return {
    _tag: "SetBid",
    to,
    ...(maxStep === undefined ? {} : { maxStepBasisPoints: maxStep }),
    ...(deadband === undefined ? {} : { deadbandBasisPoints: deadband }),
    ...(floor === undefined ? {} : { floor }),
    cap,
    placement,
    span
  }
}

const entryText = (map: Node, key: string): string | undefined => {
  const found = get(map, key)
  return found?._tag === "Scalar" ? found.text : undefined
}

/** `by:`. A raise may double a bid at most, a cut leaves at least a tenth of it. */
const relative = (chosen: Chosen, setting: Setting, problems: Problems) => {
  const by = Amounts.keyed(chosen.options, "by")
  const made = Amounts.move(by, chosen.key === "raise_bid" ? 10_000 : 9_000, problems)
  if (by !== undefined && made?._tag === "Amount") paymentOpen(by.node, setting, problems)
  return made
}

/** A bound of an action: an expression of money. Amounts are ambiguous while the payment type is open. */
const money = (options: Node, key: string, setting: Setting, problems: Problems): Expr | undefined => {
  const found = Amounts.keyed(options, key)
  if (found === undefined) return undefined
  const { node } = found
  if (/^[-+]?\.(inf|nan)$/i.test(node.text.trim()))
    return problems.error("K14", node.range, `${key} needs a bound; ${node.text} is none.`)
  const more = /^\+\s*(\d+)\s*%$/.exec(node.text.trim())?.[1]
  if (more !== undefined) {
    // A cap that moves with the bid bounds nothing.
    const fix = key === "to" ? `to: bid * ${100 + Number(more)}%` : undefined
    return problems.error("K09", node.range, `${key} is money, such as 450 ₽.`, fix)
  }
  const ast = Values.moneyParsed(found, problems)
  if (ast === undefined) return undefined
  if (ast._tag === "Number" && ast.unit !== "money")
    return problems.error("K09", node.range, `${key} is money, such as 450 ₽.`)
  const made = Values.value(ast, new Scope(setting, node, problems), FactType.money)
  if (made?._tag === "Literal" && made.value === 0)
    problems.error("K14", node.range, `${key} must be more than 0 ₽.`)
  if (made !== undefined && holdsAmount(made)) paymentOpen(node, setting, problems)
  return made
}

const holdsAmount = (expr: Expr): boolean => {
  switch (expr._tag) {
    case "Literal":
      return expr.type._tag === "Money"
    case "Fact":
    case "Figure":
      return false
    case "Arithmetic":
      return holdsAmount(expr.left) || holdsAmount(expr.right)
    case "Default":
      return holdsAmount(expr.value) || holdsAmount(expr.fallback)
    case "Extreme":
      return expr.of.some(holdsAmount)
    case "Sum":
      return holdsAmount(expr.of)
    case "Derived":
      return false
  }
}

/** K11: an amount of bid money means per 1000 views in cpm, and per click in cpc. */
export const paymentOpen = (node: ScalarNode, setting: Setting, problems: Problems): void => {
  if (setting.payment !== undefined || setting.paymentUnsure === true) return
  const message = `${node.text.trim()} means per 1000 views in cpm, per click in cpc. Add campaign.payment = cpm, or campaign.payment = cpc, to where:`
  problems.error("K11", node.range, message)
}
