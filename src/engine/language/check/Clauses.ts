/** `where:` and `when:`: one condition, or a list of conditions that must all hold. */
import * as Window from "../../../domain/Window.js"
import type { Clause, Condition } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Parser from "../syntax/Parser.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import { rangeIn, scalars } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import * as Conditions from "./Conditions.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"

/** The clauses that could be read; the others have been reported. */
export const read = (node: Node | undefined, setting: Setting, problems: Problems): ReadonlyArray<Clause> =>
  scalars(node).flatMap((scalar) => {
    const clause = one(scalar, setting, problems)
    return clause === undefined ? [] : [clause]
  })

/** A condition that was read without a problem, and where in its text it stands. */
interface Known extends Range {
  readonly condition: Condition
}

/** Of the rule sets being checked: policies often ask the same, which then is read, analysed and named once. */
const memories = new WeakMap<object, Map<string, Known>>()

const one = (node: ScalarNode, setting: Setting, problems: Problems): Clause | undefined => {
  if (node.text.trim() === "") return undefined
  const memory = node.vars === undefined && setting.own !== undefined ? memoryOf(setting.own) : undefined
  const name = memory === undefined ? "" : nameOf(node, setting)
  const before = problems.reports
  const known = memory?.get(name) ?? expression(node, setting, problems)
  if (known === undefined) return undefined
  if (problems.reports === before) memory?.set(name, known)
  const text = node.text.trim().replace(/\s+/g, " ")
  const span = Source.span(problems.source, rangeIn(node, known.start, known.end))
  return { text, condition: known.condition, span }
}

const memoryOf = (words: object): Map<string, Known> => {
  const existing = memories.get(words)
  if (existing !== undefined) return existing
  const made = new Map<string, Known>()
  memories.set(words, made)
  return made
}

/** All that decides what a text means. */
const nameOf = ({ text }: ScalarNode, { allowed, each, payment, window, zone }: Setting): string =>
  `${each} ${allowed} ${payment} ${zone} ${window === undefined ? "" : Window.key(window.value)}\n${text}`

const expression = (node: ScalarNode, setting: Setting, problems: Problems): Known | undefined => {
  const ast = Parser.condition(node.text, node.vars)
  if (Parser.isFault(ast)) {
    problems.error(ast.code, rangeIn(node, ast.start, ast.end), ast.message, ast.fix)
    return undefined
  }
  const condition = Conditions.condition(ast, new Scope(setting, node, problems))
  return condition === undefined ? undefined : { condition, start: ast.start, end: ast.end }
}
