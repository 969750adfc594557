/** `… with 99% confidence`: which counts prove a comparison of a rate. */
import * as FactType from "../../facts/FactType.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { CompareOp, Condition, ConfidentCondition, Expr, FactRef } from "../Policy.js"
import type { Ast } from "../syntax/Syntax.js"
import type { Scope } from "./Scope.js"

/** By the last word of the rate: hits, and the trials they are of. */
const counts: Readonly<Record<string, readonly [hits: string, trials: string]>> = {
  ctr: ["clicks", "views"],
  cr: ["orders", "clicks"]
}

const flipped = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const
type Op = ConfidentCondition["op"]

/** The condition with its counts, over the window of the rate; `made` is its comparison. Reports E14 and E16. */
export const of = (
  ast: Extract<Ast, { _tag: "Confidence" }>,
  made: Condition,
  scope: Scope
): Condition | undefined => {
  const { comparison } = ast
  if (made._tag !== "Compare" || comparison._tag !== "Compare" || !isOrder(made.op)) {
    return scope.error("E14", comparison, "Confidence goes with < or >: ctr < 1% with 99% confidence")
  }
  const left = ratePart(made.left)
  const part = left ?? ratePart(made.right)
  const at = left === undefined && made.left._tag === "Literal" ? comparison.right : comparison.left
  if (part === undefined) {
    return scope.error("E14", at, "Confidence is for ctr and cr only. Require orders >= 5 instead.")
  }
  const value = left === undefined ? made.right : made.left
  const threshold = left === undefined ? made.left : made.right
  if (threshold._tag === "Literal" && (Number(threshold.value) <= 0 || Number(threshold.value) >= 1)) {
    const where = left === undefined ? comparison.left : comparison.right
    return scope.error("E16", where, "Nothing to prove: write a rate between 0% and 100%.")
  }
  const { level, hits, trials } = part
  return {
    _tag: "Confident",
    op: left === undefined ? flipped[made.op] : made.op,
    value,
    hits: count(`${level}.${hits}`, part.fact),
    trials: count(`${level}.${trials}`, part.fact),
    threshold,
    level: ast.level
  }
}

const isOrder = (op: CompareOp): op is Op => Object.hasOwn(flipped, op)

const ratePart = (expr: Expr) => {
  const fact = expr._tag === "Fact" ? Vocabulary.byFactId(expr.fact.id) : undefined
  const pair = fact === undefined ? undefined : counts[fact.word]
  if (expr._tag !== "Fact" || fact === undefined || pair === undefined) return undefined
  return { fact: expr.fact, level: fact.level, hits: pair[0], trials: pair[1] }
}

const count = (id: string, { window }: FactRef): Expr => ({
  _tag: "Fact",
  type: FactType.count,
  fact: window === undefined ? { id } : { id, window }
})
