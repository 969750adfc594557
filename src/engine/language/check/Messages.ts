/** The text of `notify`: words with values in braces, such as `{campaign.name}: {spend} spent`; `{{` is a brace. */
import type { Action, Rule, TextPart } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import { entry, get, offsetsIn, rangeIn } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Overlays from "./Overlays.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"
import * as Values from "./Values.js"

/** `notify` with its text; undefined when something was reported. */
export const notify = (
  chosen: { readonly range: Range; readonly options: Node },
  setting: Setting,
  span: Action["span"],
  problems: Problems
): Action | undefined => {
  const { options } = chosen
  const node = options._tag === "Scalar" ? options : get(options, "text")
  // A missing text was reported by the check of shapes.
  if (node?._tag !== "Scalar" || node.text.trim() === "") return undefined
  const text = parts(node, setting, problems)
  return text === undefined ? undefined : { _tag: "Notify", text, span }
}

const parts = (
  node: ScalarNode,
  setting: Setting,
  problems: Problems
): ReadonlyArray<TextPart> | undefined => {
  const before = problems.count
  const found: Array<TextPart> = []
  const { text } = node
  let words = ""
  let at = 0
  const flush = () => {
    if (words !== "") found.push({ _tag: "Words", text: words })
    words = ""
  }
  while (at < text.length) {
    const sign = text[at]!
    if ((sign === "{" || sign === "}") && text[at + 1] === sign) {
      words += sign
      at += 2
    } else if (sign === "{") {
      const end = endOf(text, at)
      if (end === undefined) {
        const message = 'This "{" is not closed. A brace itself is written {{'
        problems.error("E22", rangeIn(node, at, at + 1), message)
        at += 1
        continue
      }
      const value = expression(node, at + 1, end, setting, problems)
      flush()
      if (value !== undefined) found.push({ _tag: "Value", value })
      at = end + 1
    } else if (sign === "}") {
      const message = 'This "}" has no "{" before it. A brace itself is written }}'
      problems.error("E22", rangeIn(node, at, at + 1), message)
      at += 1
    } else {
      words += sign
      at += 1
    }
  }
  flush()
  return problems.count > before ? undefined : found
}

/** What stands between the braces of a text, as far as each is closed. */
export const inBraces = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (sign !== "{" && sign !== "}") continue
    if (text[at + 1] === sign) {
      at++
      continue
    }
    const end = sign === "{" ? endOf(text, at) : undefined
    if (end === undefined) return found
    found.push({ start: at + 1, end })
    at = end
  }
  return found
}

/** Where the value that begins at a brace ends; quotes may hold braces. */
const endOf = (text: string, start: number): number | undefined => {
  let quoted = false
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted
    else if (text[at] === "}" && !quoted) return at
    else if (text[at] === "{" && !quoted) return undefined
  }
  return undefined
}

const expression = (node: ScalarNode, start: number, end: number, setting: Setting, problems: Problems) => {
  const text = node.text.slice(start, end)
  if (text.trim() === "") {
    return problems.error(
      "E22",
      rangeIn(node, start - 1, end + 1),
      "Between the braces stands a field, such as {spend}."
    )
  }
  const part: ScalarNode = {
    ...node,
    text,
    range: rangeIn(node, start, end),
    offsets: offsetsIn(node, start, end)
  }
  const ast = Values.parsed(part, problems)
  const scope = new Scope(setting, part, problems)
  return Values.finished(Values.infer(ast, scope), ast, scope)
}

/** K34: a cooldown counts from a change, and a message is none. */
export const checkCooldown = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const cooldown = entry(root, "cooldown")
  const [first] = Overlays.actionsOf(root)
  if (cooldown === undefined || first === undefined || rules.length === 0) return
  if (rules.some(({ action }) => action._tag !== "Notify")) return
  const message =
    "cooldown: counts from a change, and notify makes none: it is said in each run that matches. Remove it."
  problems.warning("K34", cooldown.keyRange, message)
}
