/** Why a clause held or not: its text with the values it saw. Explains decisions; nothing branches on it. */
import * as Reason from "../../domain/Reason.js"
import type { ReasonLine } from "../kinds/Change.js"
import type { Clause, Condition, ConfidentCondition, Expr, QuantifiedCondition } from "../language/Policy.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import * as Confidence from "./Confidence.js"
import * as Evaluate from "./Evaluate.js"
import * as Kleene from "./Kleene.js"
import * as Level from "./Level.js"
import * as Print from "./Print.js"
import type { Table } from "./Table.js"

/** What is known of a table's rows; whoever tells of many asks about all of them at once. */
export interface Seen {
  readonly truth: (condition: Condition, row: number) => Kleene.Truth
  readonly value: (expr: Expr, row: number) => Cell
}

/** `sign` is the account's currency sign. */
export const line = (
  { condition, text }: Clause,
  table: Table,
  row: number,
  sign = "₽",
  seen = oneByOne(table)
): ReasonLine => ({
  condition: text,
  value: values(condition, table, row, sign, text.includes("$"), seen),
  holds: Kleene.word(seen.truth(condition, row))
})

export const lines = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  row: number,
  sign?: string,
  seen?: Seen
): ReadonlyArray<ReasonLine> => clauses.map((clause) => line(clause, table, row, sign, seen))

/** Why a fact of a row was not asked for that nobody needs: dear conditions are answered only where all others hold. */
export const unasked = "another condition does not hold"

/** Of all conditions of a rule: where one does not hold, no limit kept what was not asked for the others. */
export const needed = (lines: ReadonlyArray<ReasonLine>): ReadonlyArray<ReasonLine> =>
  lines.some(({ holds }) => holds === "false") ? notAsked(lines, unasked) : lines

/** Conditions of what nobody asked for: no limit left it out. */
export const notAsked = <L extends ReasonLine>(lines: ReadonlyArray<L>, why: string): ReadonlyArray<L> =>
  lines.map((one) => ({
    ...one,
    value: one.value.replaceAll(Reason.explain.notFetched, `not asked, for ${why}`)
  }))

const oneByOne = (table: Table): Seen => ({
  truth: (condition, row) =>
    (Evaluate.condition(condition, table, [row]).truth[0] ?? Kleene.Unknown) as Kleene.Truth,
  value: (expr, row) => Evaluate.value(expr, table, row)
})

/**
 * A value next to a literal is enough, since the condition's text shows the literal: `5`; else `80 ₽ < 120 ₽`, also
 * where the text names a variable instead (`full`).
 */
const values = (
  condition: Condition,
  table: Table,
  row: number,
  sign: string,
  full: boolean,
  seen = oneByOne(table)
): string => {
  const show = (expr: Expr, ...bounds: ReadonlyArray<Expr>): string => {
    const cell = seen.value(expr, row)
    const least =
      cell._tag === "Unknown" && expr._tag === "Sum" ? Evaluate.atLeast(expr, table, row) : undefined
    const beside = bounds.map((bound) => seen.value(bound, row))
    const shown = Print.beside(cell, beside, expr.type, sign)
    return least === undefined || least === 0
      ? shown
      : `at least ${Print.cell(Cells.known(least), expr.type, sign)}, the rest ${shown}`
  }
  const each = (parts: ReadonlyArray<Condition>, joint: string) =>
    parts.map((part) => values(part, table, row, sign, full, seen)).join(joint)
  switch (condition._tag) {
    case "Compare":
      return condition.right._tag === "Literal" && !full
        ? show(condition.left, condition.right)
        : `${show(condition.left, condition.right)} ${condition.op} ${show(condition.right, condition.left)}`
    case "Between": {
      const { high, low, value } = condition
      const shown = show(value, low, high)
      return low._tag === "Literal" && high._tag === "Literal" && !full
        ? shown
        : `${shown} between ${show(low, value)} and ${show(high, value)}`
    }
    case "In":
    case "Matches":
    case "Contains":
    case "HasLabel":
    case "IsTrue":
    case "IsKnown":
      return show(condition.value)
    case "Confident":
      return confident(condition, table, row, sign)
    case "Quantified":
      return below(condition, table, row, (inner, finer, one) => values(inner, finer, one, sign, full))
    case "And":
      return each(condition.all, " and ")
    case "Or":
      return each(condition.any, " or ")
    case "Not":
      return values(condition.condition, table, row, sign, full, seen)
  }
}

/** `2 of 3 items, such as item 1001: 2.5`: how many hold, and one that decides. */
const below = (
  { condition, over, quantifier }: QuantifiedCondition,
  table: Table,
  row: number,
  show: (condition: Condition, finer: Table, row: number) => string
): string => {
  const finer = table.view(over)
  const under = table.below(table.each, over)(row)
  const noun = Level.several[table.each === "item" ? "campaign" : over]
  if (under.length === 0) return `no ${noun}`
  const { truth } = Evaluate.condition(condition, finer, under)
  const holding = truth.filter((one) => one === Kleene.True).length
  const wanted = quantifier === "all" ? [Kleene.False, Kleene.Unknown] : [Kleene.True, Kleene.Unknown]
  const at = Math.max(0, wanted.map((one) => truth.indexOf(one)).find((index) => index >= 0) ?? 0)
  const { campaignId, itemId } = finer.target(under[at]!)
  const named = noun === "campaigns" ? `campaign ${campaignId}` : `item ${itemId}`
  return `${holding} of ${under.length} ${noun}, such as ${named}: ${show(condition, finer, under[at]!)}`
}

/** `0.4% (2 clicks of 500 views; needs 628)`. */
const confident = (condition: ConfidentCondition, table: Table, row: number, sign: string): string => {
  const at = (expr: Expr) => Evaluate.value(expr, table, row)
  // From the counts, since only they are read.
  const ratio: Expr = {
    _tag: "Arithmetic",
    type: condition.value.type,
    op: "/",
    left: condition.hits,
    right: condition.trials
  }
  const [hits, trials, threshold] = [condition.hits, condition.trials, condition.threshold].map(at)
  const rate = Print.beside(at(ratio), [threshold!], ratio.type, sign)
  const counts = `${counted(condition.hits, hits!)} of ${counted(condition.trials, trials!)}`
  const known = hits?._tag === "Known" && threshold?._tag === "Known"
  const decisive = known
    ? Confidence.of(condition).decisive(Number(hits.value), Number(threshold.value))
    : undefined
  if (decisive === undefined) return `${rate} (${counts})`
  const below = condition.op === "<" || condition.op === "<="
  return `${rate} (${counts}; needs ${below ? "" : "at most "}${decisive})`
}

const counted = (expr: Expr, cell: Cell): string => {
  const unit = expr._tag === "Fact" ? (expr.fact.id.split(".").at(-1) ?? "") : ""
  return `${Print.cell(cell, expr.type, "")} ${unit}`
}
