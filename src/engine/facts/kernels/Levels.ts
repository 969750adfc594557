/** Conditions that are only about coarser levels than the rows: what all rows of a key answer alike. */
import type { Condition, Expr } from "../../language/Policy.js"
import * as Level from "../Level.js"
import * as Vocabulary from "../Vocabulary.js"
import type { Ground } from "./Ground.js"

/** A level, and the keys at which its answers are looked up. */
export interface Coarse {
  readonly level: Level.Level
  /** From a row to the key that has the answer: of `level`, or of a finer one to which the answers are handed down. */
  readonly steps: number
  readonly at: Level.Level
}

/**
 * Undefined where the condition asks about the row itself, and where most keys would be asked for no row. The answers of a
 * campaign or an item are handed down to the items in campaigns: so all questions of a cluster about coarser levels look at
 * the same key, which is near.
 */
export const coarse = (condition: Condition, { table, total }: Ground): Coarse | undefined => {
  const level = levelOf(condition, table.each)
  if (level === undefined || level === table.each || table.view(level).size > 4 * total) return undefined
  const near = table.each === "cluster" && table.view("campaign_item").size <= 4 * total
  const at = near ? "campaign_item" : level
  const steps = table.steps(at)
  return steps === undefined ? undefined : { level, at, steps }
}

/** The coarsest level that knows all that is asked; undefined where it looks at rows below. */
const levelOf = (condition: Condition, each: Level.Level): Level.Level | undefined => {
  const asked = levelsOf(condition)
  return asked === undefined || asked.length === 0
    ? undefined
    : Level.order.find(
        (level) => Level.reaches(each, level) && asked.every((one) => Level.reaches(level, one))
      )
}

const levelsOf = (condition: Condition): ReadonlyArray<Level.Level> | undefined => {
  switch (condition._tag) {
    case "Compare":
      return ofExprs([condition.left, condition.right])
    case "Between":
      return ofExprs([condition.value, condition.low, condition.high])
    case "In":
      return ofExprs([condition.value, ...condition.options])
    case "Confident":
      return ofExprs([condition.hits, condition.trials, condition.threshold])
    case "And":
      return all(condition.all.map(levelsOf))
    case "Or":
      return all(condition.any.map(levelsOf))
    case "Not":
      return levelsOf(condition.condition)
    case "Quantified":
      return undefined
    default:
      return ofExprs([condition.value])
  }
}

const all = (
  parts: ReadonlyArray<ReadonlyArray<Level.Level> | undefined>
): ReadonlyArray<Level.Level> | undefined =>
  parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? [])

const ofExprs = (exprs: ReadonlyArray<Expr>): ReadonlyArray<Level.Level> | undefined => all(exprs.map(ofExpr))

const ofExpr = (expr: Expr): ReadonlyArray<Level.Level> | undefined => {
  switch (expr._tag) {
    case "Literal":
      return []
    case "Fact": {
      const level = Vocabulary.byFactId(expr.fact.id)?.level
      return level === undefined ? undefined : [level]
    }
    case "Arithmetic":
      return ofExprs([expr.left, expr.right])
    case "Default":
      return ofExprs([expr.value, expr.fallback])
    case "Extreme":
    case "Figure":
      return ofExprs(expr.of)
    case "Sum":
      return [expr.at]
    case "Derived":
      return ofExpr(expr.of)
  }
}
