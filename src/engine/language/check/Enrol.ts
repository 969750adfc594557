/** `enrol` with its options, and what a policy with them must say. */
import * as FactType from "../../facts/FactType.js"
import type { Action, Reach, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import type { Node } from "../yaml/Node.js"
import { entry, get } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Overlays from "./Overlays.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"
import * as Values from "./Values.js"

interface Chosen {
  readonly range: Range
  readonly options: Node
}

/** What an item costs a day by joining, as the vocabulary calls it. */
const costWord = "join_cost"

/** `enrol` with its options; undefined when something was reported. */
export const read = (
  { options }: Chosen,
  setting: Setting,
  span: Action["span"],
  problems: Problems
): Action | undefined => {
  const before = problems.count
  const reach = reachOf(options, setting, problems)
  const mayOverlap = Amounts.keyed(options, "overlap") !== undefined
  return problems.count > before
    ? undefined
    : {
        _tag: "Enrol",
        ...(reach === undefined ? {} : { reach }),
        ...(mayOverlap ? { overlap: "allowed" } : {}),
        span
      }
}

/** `reach_tier:` with `at_most:`; undefined without it, or when something was reported. */
const reachOf = (options: Node, setting: Setting, problems: Problems): Reach | undefined => {
  const atMost = perDay(options, problems)
  const written = Amounts.keyed(options, "reach_tier")
  if (written === undefined) {
    const found = entry(options, "at_most")
    // What stands beside a reach_tier that is no word was reported with it.
    if (found !== undefined && get(options, "reach_tier") === undefined) {
      const message =
        "at_most: bounds what a set costs, and no set is asked for. Add reach_tier: next, or leave it out."
      problems.error("K39", found.keyRange, message, "reach_tier: next")
    }
    return undefined
  }
  // No other rows have promotions, and that was reported.
  if (setting.each !== "promotion_item") return undefined
  const { node } = written
  const ast = { _tag: "Word", name: costWord, start: 0, end: node.text.length } as const
  const cost = Values.value(ast, new Scope(setting, node, problems), FactType.money)
  return cost === undefined
    ? undefined
    : { tier: "next", cost, ...(atMost === undefined ? {} : { atMostKopecks: atMost }) }
}

/** `5000 ₽ per day`: what a set costs is paid again every day, so the amount says so. */
const perDay = (options: Node, problems: Problems) => {
  const written = Amounts.keyed(options, "at_most")
  if (written === undefined) return undefined
  const { key, node } = written
  const message = "at_most is money per day, such as 5000 ₽ per day."
  const bare = /^(\d+(?:\.\d+)?)(?:\s+(?:per|a)\s+day)?$/.exec(node.text.trim())?.[1]
  if (bare !== undefined) return problems.error("E04", node.range, message, `${bare} ₽ per day`)
  const amount = /^(.*\S)\s+(?:per|a)\s+day\s*$/.exec(node.text)?.[1]
  if (amount !== undefined) return Amounts.kopecks({ key, node: { ...node, text: amount } }, problems)
  const before = problems.count
  const kopecks = Amounts.kopecks(written, problems)
  if (kopecks === undefined || problems.count > before) return undefined
  return problems.error("K09", node.range, message, `${node.text.trim()} per day`)
}

/** K40: sets are chosen apart, so a second one would pay for the tier that the first one reaches. */
export const checkSets = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const sets = rules.filter(({ action }) => action._tag === "Enrol" && action.reach !== undefined)
  if (sets.length < 2) return
  const written = Overlays.actionsOf(root).filter(({ key }) => key === "enrol")
  const message =
    "Two rules of one policy reach for the same tier: each would pay for it. Let one rule match the items of both."
  problems.error("K40", written.at(-1)!.range, message)
}
