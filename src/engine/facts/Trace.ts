/** Why a clause held or not: its text with the values it saw. Explains decisions; nothing branches on it. */
import type { ReasonLine } from "../decide/Plan.js"
import type { Clause, Condition, Expr } from "../language/Policy.js"
import * as Evaluate from "./Evaluate.js"
import * as Kleene from "./Kleene.js"
import * as Print from "./Print.js"
import type { Table } from "./Table.js"

/** `sign` is the account's currency sign. */
export const line = (clause: Clause, table: Table, row: number, sign = "₽"): ReasonLine => ({
  condition: clause.text,
  value: values(clause.condition, table, row, sign),
  holds: Kleene.word(Evaluate.condition(clause.condition, table, [row]).truth[0] ?? Kleene.Unknown)
})

export const lines = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  row: number,
  sign = "₽"
): ReadonlyArray<ReasonLine> => clauses.map((clause) => line(clause, table, row, sign))

/** A value next to a literal is enough, since the condition's text shows the literal: `5`; else `80 ₽ < 120 ₽`. */
const values = (condition: Condition, table: Table, row: number, sign: string): string => {
  const show = (expr: Expr) => Print.cell(Evaluate.value(expr, table, row), expr.type, sign)
  const each = (parts: ReadonlyArray<Condition>, joint: string) =>
    parts.map((part) => values(part, table, row, sign)).join(joint)
  switch (condition._tag) {
    case "Compare":
      return condition.right._tag === "Literal"
        ? show(condition.left)
        : `${show(condition.left)} ${condition.op} ${show(condition.right)}`
    case "Between":
      return condition.low._tag === "Literal" && condition.high._tag === "Literal"
        ? show(condition.value)
        : `${show(condition.value)} between ${show(condition.low)} and ${show(condition.high)}`
    case "In":
    case "Matches":
    case "Contains":
    case "IsTrue":
      return show(condition.value)
    case "And":
      return each(condition.all, " and ")
    case "Or":
      return each(condition.any, " or ")
    case "Not":
      return values(condition.condition, table, row, sign)
  }
}
