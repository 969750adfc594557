/** What keeps a rule from acting on a row, turned round: the values that would make its conditions true. */
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import * as Confidence from "../../engine/facts/Confidence.js"
import * as Evaluate from "../../engine/facts/Evaluate.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Kleene from "../../engine/facts/Kleene.js"
import * as Level from "../../engine/facts/Level.js"
import * as Print from "../../engine/facts/Print.js"
import { factKey, type Table } from "../../engine/facts/Table.js"
import * as Trace from "../../engine/facts/Trace.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type {
  Clause,
  CompareOp,
  Condition,
  ConfidentCondition,
  Expr,
  QuantifiedCondition
} from "../../engine/language/Policy.js"
import { mirrored, opposite } from "../../engine/language/syntax/Syntax.js"

type Op = CompareOp | "between" | "not between" | "in" | "not in"

/** A value of one fact of one row; money in kopecks, ratios as shares of one. */
export interface Value {
  readonly _tag: "Value"
  readonly text: string
  /** As the rule writes it. */
  readonly fact: string
  /** Column of the fact, where it is one fact and no formula. */
  readonly key?: string
  readonly row: string
  readonly op: Op
  readonly values: ReadonlyArray<number | string | boolean>
}

/** What would make something true; `more` counts rows that are not named. */
export type Wish =
  | Value
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "All" | "Any"; readonly of: ReadonlyArray<Wish>; readonly more: number }

/** One wish per clause that is false. */
export const of = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  row: number,
  sign: string
): ReadonlyArray<Wish> =>
  clauses.flatMap((clause): ReadonlyArray<Wish> => {
    const at: At = { table, row, sign, text: clause.text }
    if (truthOf(clause.condition, at) !== Kleene.False) return []
    const wish = turned(clause.condition, true, at)
    if (wish !== undefined) return [wish]
    const { value } = Trace.line(clause, table, row, sign)
    return [{ _tag: "Words", text: `${clause.text} (${value} now)` }]
  })

/** `orders >= 3 (2 now)`, parts joined by "and" or "or". */
export const text = (wish: Wish): string => {
  if (wish._tag === "Value" || wish._tag === "Words") return wish.text
  const joint = wish._tag === "All" ? " and " : " or "
  const parts = wish.of.map((part) =>
    (part._tag === "All" || part._tag === "Any") && part.of.length > 1 ? `(${text(part)})` : text(part)
  )
  return [...parts, ...(wish.more === 0 ? [] : [`${wish.more} more`])].join(joint)
}

interface At {
  readonly table: Table
  readonly row: number
  readonly sign: string
  /** The clause as written. */
  readonly text: string
  /** True for rows below the one that is asked about. */
  readonly below?: true
}

/** Rows below that are named. */
const mostNamed = 3

/** Undefined where nothing can be said. */
const turned = (condition: Condition, wanted: boolean, at: At): Wish | undefined => {
  switch (condition._tag) {
    case "Compare": {
      const op = wanted ? condition.op : opposite[condition.op]
      return (
        said(condition.left, op, [condition.right], at) ??
        said(condition.right, mirrored[op], [condition.left], at)
      )
    }
    case "Between":
      return said(condition.value, wanted ? "between" : "not between", [condition.low, condition.high], at)
    case "In":
      return said(condition.value, wanted ? "in" : "not in", condition.options, at)
    case "IsTrue":
      return worded(condition.value, wanted ? "= yes" : "= no", at)
    case "IsKnown":
      return worded(condition.value, wanted ? "is known" : "is not known", at)
    case "Matches":
      return worded(condition.value, `${wanted ? "matches" : "does not match"} "${condition.pattern}"`, at)
    case "Contains": {
      const words = condition.words.map((word) => `"${word}"`).join(", ")
      return worded(condition.value, `contains ${wanted ? "any" : "none"} of ${words}`, at)
    }
    case "HasLabel": {
      const labels = condition.labels.map((label) => `"${label}"`).join(", ")
      return worded(condition.value, `contains ${wanted ? "any" : "none"} of ${labels}`, at)
    }
    case "Confident":
      return wanted ? enough(condition, at) : undefined
    case "Quantified":
      return below(condition, wanted, at)
    case "And":
      return joined(condition.all, wanted, wanted ? "All" : "Any", at)
    case "Or":
      return joined(condition.any, wanted, wanted ? "Any" : "All", at)
    case "Not":
      return turned(condition.condition, !wanted, at)
  }
}

/** Of parts that all must be so, those that are not; of parts of which one must be so, all that can be said. */
const joined = (
  parts: ReadonlyArray<Condition>,
  wanted: boolean,
  tag: "All" | "Any",
  at: At
): Wish | undefined => {
  const goal = wanted ? Kleene.True : Kleene.False
  const wishes = parts.filter((part) => truthOf(part, at) !== goal).map((part) => turned(part, wanted, at))
  const sayable = wishes.filter((wish) => wish !== undefined)
  if (sayable.length === 0 || (tag === "All" && sayable.length < wishes.length)) return undefined
  return sayable.length === 1 ? sayable[0] : { _tag: tag, of: sayable, more: 0 }
}

/** Rows below: `all` is made true by every row that breaks it, `any` by one. */
const below = (asked: QuantifiedCondition, wanted: boolean, at: At): Wish | undefined => {
  const { condition, over, quantifier } = asked
  const finer = at.table.view(over)
  const under = at.table.below(at.table.each, over)(at.row)
  const goal = wanted ? Kleene.True : Kleene.False
  const { truth } = Evaluate.condition(condition, finer, under)
  const against = under.filter((_, i) => truth[i] !== goal)
  const named = against
    .slice(0, mostNamed)
    .map((row) => turned(condition, wanted, { ...at, table: finer, row, below: true }))
  const sayable = named.filter((wish) => wish !== undefined)
  if (sayable.length === 0 || sayable.length < named.length) return undefined
  const tag = (quantifier === "all") === wanted ? "All" : "Any"
  return { _tag: tag, of: sayable, more: against.length - named.length }
}

/** Only of a fact: of a calculation no single value would turn it, nor where the goal moves with the fact. */
const said = (expr: Expr, op: Op, goals: ReadonlyArray<Expr>, at: At): Wish | undefined => {
  const fact = factOf(expr)
  const cells = goals.map((goal) => Evaluate.value(goal, at.table, at.row))
  const values = cells.flatMap((cell) => (cell._tag === "Known" ? [cell.value] : []))
  const isFinite = values.every((value) => typeof value !== "number" || Number.isFinite(value))
  if (fact === undefined || !isFinite || values.length < cells.length) return undefined
  const own = new Set(FactRefs.ofExpr(expr).map(factKey))
  if (goals.some((goal) => FactRefs.ofExpr(goal).some((ref) => own.has(factKey(ref))))) return undefined
  const shown = goals.map((goal) => print(goal, at, expr))
  const goal = op.endsWith("between")
    ? shown.join(" and ")
    : op.endsWith("in")
      ? `[${shown.join(", ")}]`
      : shown[0]
  return {
    _tag: "Value",
    text: `${nameOf(fact, at)} ${op} ${goal} (${print(expr, at, ...goals)} now)`,
    fact: writtenAs(fact, at),
    ...(fact._tag === "Fact" ? { key: factKey(fact.fact) } : {}),
    row: Target.key(at.table.rows[at.row] ?? {}),
    op,
    values
  }
}

const worded = (expr: Expr, goal: string, at: At): Wish | undefined => {
  const fact = factOf(expr)
  if (fact === undefined) return undefined
  return { _tag: "Words", text: `${nameOf(fact, at)} ${goal} (${print(expr, at)} now)` }
}

type Named = Extract<Expr, { readonly _tag: "Fact" | "Derived" }>

const factOf = (expr: Expr): Named | undefined => {
  if (expr._tag === "Default") return factOf(expr.value)
  return expr._tag === "Fact" || expr._tag === "Derived" ? expr : undefined
}

/** Rows below are named in front of their facts. */
const nameOf = (expr: Named, at: At): string => {
  if (at.below === undefined) return writtenAs(expr, at)
  const { campaignId, itemId } = at.table.rows[at.row] ?? {}
  return `${itemId === undefined ? `campaign ${campaignId}` : `item ${itemId}`}: ${writtenAs(expr, at)}`
}

/** The word by which the clause writes the fact; with its window where the clause names one. */
const writtenAs = ({ fact }: Named, at: At): string => {
  const known = Vocabulary.byFactId(fact.id)
  if (known === undefined) return fact.id
  const prefixed = `${known.level === "campaign" ? "campaign" : "item"}.${known.word}`
  const isCoarser = Level.order.indexOf(known.level) < Level.order.indexOf(at.table.each)
  const word = isCoarser && at.text.includes(prefixed) ? prefixed : known.word
  return fact.window !== undefined && at.text.includes(`${word}[`)
    ? `${word}[${Window.key(fact.window)}]`
    : word
}

/** Of a rate that is on the right side already, how many more trials would prove it. */
const enough = (condition: ConfidentCondition, at: At): Wish | undefined => {
  const [hits, trials, threshold] = [condition.hits, condition.trials, condition.threshold].map((expr) =>
    Evaluate.value(expr, at.table, at.row)
  )
  if (hits?._tag !== "Known" || trials?._tag !== "Known" || threshold?._tag !== "Known") return undefined
  const decisive = Confidence.of(condition).decisive(Number(hits.value), Number(threshold.value))
  const isBelow = condition.op === "<" || condition.op === "<="
  const [of, counted] = [factOf(condition.trials), factOf(condition.hits)]
  if (decisive === undefined || !isBelow || of === undefined || counted === undefined) return undefined
  const least = Print.cell({ _tag: "Known", value: decisive }, condition.trials.type, at.sign)
  const same = `${print(condition.hits, at)} ${writtenAs(counted, at)}`
  return {
    _tag: "Words",
    text: `${nameOf(of, at)} >= ${least} with ${same} (${print(condition.trials, at)} now)`
  }
}

const truthOf = (condition: Condition, { row, table }: At): number =>
  Evaluate.condition(condition, table, [row]).truth[0] ?? Kleene.Unknown

const print = (expr: Expr, { row, sign, table }: At, ...bounds: ReadonlyArray<Expr>): string => {
  const [shown, ...beside] = [expr, ...bounds].map((one) => Evaluate.value(one, table, row))
  return Print.beside(shown!, beside, expr.type, sign)
}
