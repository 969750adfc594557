/** What conditions mean, written down once more without columns, blocks or sharing: one row, one question at a time. */
import * as Reason from "../../src/domain/Reason.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Confidence from "../../src/engine/facts/Confidence.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Defined from "../../src/engine/facts/kernels/Defined.js"
import type { Level } from "../../src/engine/facts/Level.js"
import type { Table } from "../../src/engine/facts/Table.js"
import type { CompareOp, Condition, Expr } from "../../src/engine/language/Policy.js"
import * as Truth from "./Truth.js"

/** Every condition; what an expression is worth is written down in `value`. */
export const answer = (condition: Condition, table: Table, row: number): Kleene.Answer => {
  const cell = (expr: Expr) => value(expr, table, row)
  const inner = (one: Condition) => answer(one, table, row)
  switch (condition._tag) {
    case "Compare":
      return (
        atLeast(condition, table, row) ??
        test([cell(condition.left), cell(condition.right)], ([a, b]) =>
          holds(condition.op, ...asCompared([condition.left, condition.right], a!, b!))
        )
      )
    case "Between": {
      const { high, low, value: of } = condition
      return Truth.and(
        inner({ _tag: "Compare", op: "<=", left: low, right: of }),
        inner({ _tag: "Compare", op: "<=", left: of, right: high })
      )
    }
    case "In":
      return condition.options
        .map((option) =>
          test([cell(condition.value), cell(option)], ([a, b]) =>
            holds("=", ...asCompared([condition.value, option], a!, b!))
          )
        )
        .reduce(Truth.or, known(false))
    case "IsTrue":
      return test([cell(condition.value)], ([a]) => a === 1)
    case "Contains":
      return test([cell(condition.value)], ([a]) =>
        condition.words.some((word) => String(a).toLowerCase().includes(word.toLowerCase()))
      )
    case "HasLabel":
      return test([cell(condition.value)], ([a]) =>
        String(a)
          .split(",")
          .some((one) => condition.labels.includes(one.trim()))
      )
    case "Matches":
      return test([cell(condition.value)], ([a]) => pattern(condition.pattern).test(String(a)))
    case "And":
      return condition.all.map(inner).reduce(Truth.and, known(true))
    case "Or":
      return condition.any.map(inner).reduce(Truth.or, known(false))
    case "Not":
      return Truth.not(inner(condition.condition))
    case "IsKnown": {
      const found = cell(condition.value)
      if (found._tag === "Known") return known(true)
      return missing(found) ? known(false) : { truth: Kleene.Unknown, reason: Reason.code(found.reason) }
    }
    case "Confident":
      return test([condition.hits, condition.trials, condition.threshold].map(cell), ([hits, trials, rate]) =>
        Confidence.of(condition).holds(Number(hits), Number(trials), Number(rate))
      )
    case "Quantified": {
      const finer = table.view(condition.over)
      const parts = below(table, condition.over, row).map((one) => answer(condition.condition, finer, one))
      if (parts.length === 0) return { truth: Kleene.Unknown, reason: Reason.code("absent") }
      return condition.quantifier === "all"
        ? parts.reduce(Truth.and, known(true))
        : parts.reduce(Truth.or, known(false))
    }
  }
}

/** What an expression is worth on one row. */
export const value = (expr: Expr, table: Table, row: number): Cell => {
  const inner = (one: Expr) => value(one, table, row)
  switch (expr._tag) {
    case "Default": {
      const found = inner(expr.value)
      return found._tag === "Unknown" && missing(found) ? inner(expr.fallback) : found
    }
    case "Extreme": {
      const cells = expr.of.map(inner)
      const pick = expr.pick === "min" ? Math.min : Math.max
      return worst(cells) ?? Cells.known(pick(...cells.map(numberOf)))
    }
    case "Arithmetic":
      return worst([inner(expr.left), inner(expr.right)]) ?? Evaluate.value(expr, table, row)
    case "Figure":
      return worst(expr.of.map(inner)) ?? Evaluate.value(expr, table, row)
    case "Sum": {
      const owner = table.up(row, table.steps(expr.at) ?? 0)
      const cells = below(table.view(expr.at), expr.over, owner).flatMap((one): ReadonlyArray<Cell> => {
        const { reason, truth } =
          expr.where === undefined ? known(true) : answer(expr.where, table.view(expr.over), one)
        if (truth === Kleene.False) return []
        return truth === Kleene.True
          ? [value(expr.of, table.view(expr.over), one)]
          : [Cells.unknown(Reason.fromCode(reason)!)]
      })
      if (cells.length === 0) return Cells.unknown("absent")
      return worst(cells) ?? Cells.known(cells.map(numberOf).reduce((sum, one) => sum + one, 0))
    }
    case "Derived":
      return inner(expr.of)
    default:
      return Evaluate.value(expr, table, row)
  }
}

/** What could not be read says more than what does not exist. */
const worst = (cells: ReadonlyArray<Cell>): Cell | undefined => {
  const unknown = cells.filter((one) => one._tag === "Unknown")
  return unknown.find((one) => !missing(one)) ?? unknown[0]
}

/** A group's sum of nothing below zero: what is known of it may be enough. The tests give no amount below zero. */
const atLeast = (
  { left, op, right }: Extract<Condition, { readonly _tag: "Compare" }>,
  table: Table,
  row: number
): Kleene.Answer | undefined => {
  if (left._tag === "Literal" && right._tag === "Sum") {
    const turned = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!=" } as const
    return atLeast({ _tag: "Compare", op: turned[op], left: right, right: left }, table, row)
  }
  if (left._tag !== "Sum" || left.where === undefined || right._tag !== "Literal") return undefined
  const { of, over, where } = left
  const finer = table.view(over)
  const parts = finer.rows.flatMap((_, one) =>
    answer(where, finer, one).truth === Kleene.True ? [value(of, finer, one)] : []
  )
  const least = parts.reduce((sum, one) => sum + (one._tag === "Known" ? Number(one.value) : 0), 0)
  const bound = Number(right.value)
  if ((op === ">" || op === "<=") && least > bound) return known(op === ">")
  return (op === ">=" || op === "<") && least >= bound ? known(op === ">=") : undefined
}

/** Every row of a finer level is looked at, and asked to whom it belongs. */
const below = (table: Table, over: Level, row: number): ReadonlyArray<number> => {
  const finer = table.view(over)
  const steps = finer.steps(table.each)
  return finer.rows.flatMap((_, one) => (steps !== undefined && finer.up(one, steps) === row ? [one] : []))
}

const missing = (cell: Extract<Cell, { _tag: "Unknown" }>): boolean =>
  Reason.isMissing(Reason.code(cell.reason))

const numberOf = (cell: Cell): number => (cell._tag === "Known" ? Number(cell.value) : Number.NaN)

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

/** Two values as they are compared: what only the noise of a calculation keeps apart is the same. */
export const asCompared = (
  sides: ReadonlyArray<Expr>,
  a: number | string,
  b: number | string
): readonly [number | string, number | string] =>
  sides.some(Defined.isCalculated) && isNoise(Number(a), Number(b)) ? [a, a] : [a, b]

const isNoise = (a: number, b: number): boolean =>
  Number.isFinite(a) &&
  Number.isFinite(b) &&
  Math.abs(a - b) <= 1e-12 * Math.min(Math.abs(a), Math.abs(b)) + 1e-13

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
