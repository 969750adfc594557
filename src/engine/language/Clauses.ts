/** `where:` and `when:`: one condition, or a list of conditions that must all hold. */
import * as Conditions from "./Conditions.js"
import type { Problems } from "./Diagnostic.js"
import type { Node, ScalarNode } from "./Node.js"
import { rangeIn, scalars } from "./Node.js"
import * as Parser from "./Parser.js"
import type { Clause } from "./Policy.js"
import type { Setting } from "./Scope.js"
import { Scope } from "./Scope.js"
import * as Source from "./Source.js"

/** The clauses that could be read; the others have been reported. */
export const read = (node: Node | undefined, setting: Setting, problems: Problems): ReadonlyArray<Clause> =>
  scalars(node).flatMap((scalar) => {
    const clause = one(scalar, setting, problems)
    return clause === undefined ? [] : [clause]
  })

const one = (node: ScalarNode, setting: Setting, problems: Problems): Clause | undefined => {
  if (node.text.trim() === "") return undefined
  const ast = Parser.condition(node.text, node.vars)
  if (Parser.isFault(ast)) {
    problems.error(ast.code, rangeIn(node, ast.start, ast.end), ast.message, ast.fix)
    return undefined
  }
  const condition = Conditions.condition(ast, new Scope(setting, node, problems))
  if (condition === undefined) return undefined
  const text = node.text.trim().replace(/\s+/g, " ")
  return { text, condition, span: Source.span(problems.source, rangeIn(node, ast.start, ast.end)) }
}
