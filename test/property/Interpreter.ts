/** What conditions mean, written down once more without columns, blocks or sharing: one row, one question at a time. */
import * as Reason from "../../src/domain/Reason.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import type { Table } from "../../src/engine/facts/Table.js"
import type { CompareOp, Condition, Expr } from "../../src/engine/language/Policy.js"

/** The conditions of the small language; `IsKnown` and `Confident` have properties of their own. */
export const answer = (condition: Condition, table: Table, row: number): Kleene.Answer => {
  const cell = (expr: Expr) => Evaluate.value(expr, table, row)
  const inner = (one: Condition) => answer(one, table, row)
  switch (condition._tag) {
    case "Compare":
      return test([cell(condition.left), cell(condition.right)], ([a, b]) => holds(condition.op, a!, b!))
    case "Between": {
      const low = test([cell(condition.low), cell(condition.value)], ([a, b]) => a! <= b!)
      return Kleene.and(
        low,
        test([cell(condition.value), cell(condition.high)], ([a, b]) => a! <= b!)
      )
    }
    case "In":
      return condition.options
        .map((option) => test([cell(condition.value), cell(option)], ([a, b]) => a === b))
        .reduce(Kleene.or, known(false))
    case "IsTrue":
      return test([cell(condition.value)], ([a]) => a === 1)
    case "Contains":
      return test([cell(condition.value)], ([a]) =>
        condition.words.some((word) => String(a).toLowerCase().includes(word.toLowerCase()))
      )
    case "Matches":
      return test([cell(condition.value)], ([a]) => pattern(condition.pattern).test(String(a)))
    case "And":
      return condition.all.map(inner).reduce(Kleene.and, known(true))
    case "Or":
      return condition.any.map(inner).reduce(Kleene.or, known(false))
    case "Not":
      return Kleene.not(inner(condition.condition))
    default:
      throw new Error(`${condition._tag} is not interpreted here`)
  }
}

const known = (truth: boolean): Kleene.Answer => ({ truth: truth ? Kleene.True : Kleene.False, reason: 0 })

const test = (
  cells: ReadonlyArray<Cell>,
  question: (values: ReadonlyArray<number | string>) => boolean
): Kleene.Answer => {
  const values: Array<number | string> = []
  for (const cell of cells) {
    if (cell._tag === "Unknown") return { truth: Kleene.Unknown, reason: Reason.code(cell.reason) }
    values.push(typeof cell.value === "boolean" ? Number(cell.value) : cell.value)
  }
  return known(question(values))
}

const holds = (op: CompareOp, a: number | string, b: number | string): boolean =>
  ({ "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a === b, "!=": a !== b })[op]

const pattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "iu"
  )
