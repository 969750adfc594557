/** Conditions as unions of boxes, negations pushed to the leaves: true is all that counts, unknown never is. */
import * as Numbers from "../../facts/kernels/Numbers.js"
import type { Clause, CompareOp, Condition, Expr } from "../Policy.js"
import { mirrored, opposite } from "../syntax/Syntax.js"
import * as Box from "./Box.js"
import * as Domain from "./Domain.js"
import * as Ranges from "./Ranges.js"

/** No box means that no row can make the condition true. */
export type Boxes = ReadonlyArray<Box.Box>

/** More boxes than this are not looked at: the condition then counts as possible everywhere. */
export const most = 256
/** Pairs of boxes that are tried for one `and`. */
const mostPairs = 4096

const everything: Boxes = [Box.everything]

/** What may still be gone through: where it is spent, more counts as possible than is, and less is said. */
export interface Work {
  left: number
}

/** For all pairs of rules together: beyond it nothing more is said. */
export const workOfPairs = (): Work => ({ left: 1_000_000 })

const unbounded = (): Work => ({ left: Number.POSITIVE_INFINITY })

/** Where every clause is true. */
export const ofClauses = (clauses: ReadonlyArray<Clause>, work = unbounded()): Boxes =>
  remembered(lists, clauses, () =>
    clauses.reduce<Boxes>((boxes, clause) => and(boxes, of(clause.condition), work), everything)
  )

/** Where at least one clause is false. */
export const outside = (clauses: ReadonlyArray<Clause>): Boxes =>
  capped(clauses.flatMap((clause) => of(clause.condition, false)))

const and = (a: Boxes, b: Boxes, work: Work): Boxes => {
  if (a.length === 0 || b.length === 0) return []
  const fewer = a.length <= b.length ? a : b
  if (work.left <= 0 || a.length * b.length > mostPairs) return fewer
  const weights = b.map(Box.weight)
  const met: Array<Box.Box> = []
  for (const x of a) {
    const weight = Box.weight(x)
    for (const [at, y] of b.entries()) {
      work.left -= weight + weights[at]!
      if (work.left <= 0) return fewer
      const both = Box.intersect(x, y)
      if (both !== undefined) met.push(both)
    }
  }
  return met.length > most ? fewer : met
}

/** Whether it is proved that no row is in a box of both; the same as that `and` leaves none. */
export const disjoint = (a: Boxes, b: Boxes, work = unbounded()): boolean => {
  work.left--
  if (a.length === 1 && b.length === 1 && Box.isApart(a[0]!, b[0]!)) return false
  return and(a, b, work).length === 0
}

/** Where a condition is true, or where it is false. Many checks ask, so it is remembered as long as the condition. */
export const of = (condition: Condition, yes = true): Boxes =>
  remembered(yes ? truths : lies, condition, () => made(condition, yes))

const truths = new WeakMap<object, Boxes>()
const lies = new WeakMap<object, Boxes>()
const lists = new WeakMap<object, Boxes>()

const remembered = (memory: WeakMap<object, Boxes>, of: object, make: () => Boxes): Boxes => {
  const known = memory.get(of)
  if (known !== undefined) return known
  const boxes = make()
  memory.set(of, boxes)
  return boxes
}

const made = (condition: Condition, yes: boolean): Boxes => {
  switch (condition._tag) {
    case "And":
      return yes ? all(condition.all, yes) : any(condition.all, yes)
    case "Or":
      return yes ? any(condition.any, yes) : all(condition.any, yes)
    case "Not":
      return of(condition.condition, !yes)
    case "Compare":
      return compare(condition.op, condition.left, condition.right, yes)
    case "Between": {
      const { high, low, value } = condition
      const ends = [compare(">=", value, low, yes), compare("<=", value, high, yes)] as const
      return yes ? and(...ends, unbounded()) : capped(ends.flat())
    }
    case "In":
      return membership(condition, yes)
    case "IsTrue":
      if (condition.value._tag !== "Fact") break
      return words(Domain.operand(condition.value), Domain.only([String(yes)]))
    case "Matches":
    case "Contains":
    case "HasLabel":
      if (condition.value._tag !== "Fact") break
      return boxes({ _tag: "Question", of: Domain.operand(condition.value).key, asked: condition, yes })
    default:
      break
  }
  return boxes({ _tag: "Question", of: JSON.stringify(condition), asked: condition, yes })
}

const all = (parts: ReadonlyArray<Condition>, yes: boolean): Boxes =>
  joint(parts.map((part) => of(part, yes)))

const joint = (parts: ReadonlyArray<Boxes>): Boxes =>
  parts.reduce((boxes, part) => and(boxes, part, unbounded()), everything)

const any = (parts: ReadonlyArray<Condition>, yes: boolean): Boxes =>
  capped(parts.flatMap((part) => of(part, yes)))

const capped = (boxes: Boxes): Boxes => (boxes.length > most ? everything : boxes)

const boxes = (side: Box.Side): Boxes => {
  const box = Box.of(side)
  return box === undefined ? [] : [box]
}

const masks: Readonly<Record<CompareOp, number>> = {
  "<": Box.less,
  "<=": Box.less | Box.equal,
  ">": Box.greater,
  ">=": Box.greater | Box.equal,
  "=": Box.equal,
  "!=": Box.less | Box.greater
}

const compare = (asked: CompareOp, unsettledLeft: Expr, unsettledRight: Expr, yes: boolean): Boxes => {
  const op = yes ? asked : opposite[asked]
  const [left, right] = [settled(unsettledLeft), settled(unsettledRight)]
  if (left._tag === "Literal" && right._tag !== "Literal") return compare(mirrored[op], right, left, true)
  if (right._tag === "Literal" && left._tag !== "Literal") {
    const of = Domain.operand(left)
    if (typeof right.value === "number") return numbers(of, Ranges.from(op, right.value))
    if (typeof right.value === "string" && op === "=") return words(of, Domain.only([right.value]))
    if (typeof right.value === "string" && op === "!=") return words(of, Domain.allBut([right.value]))
  }
  const [a, b] = [Domain.operand(left), Domain.operand(right)]
  return a.key <= b.key
    ? boxes({ _tag: "Relation", left: a, right: b, mask: masks[op] & (a.key === b.key ? Box.equal : 7) })
    : boxes({ _tag: "Relation", left: b, right: a, mask: masks[mirrored[op]] })
}

/** `$daily * 50%` as the number that it is on every row: else nothing would be known of a fact that is held against it. */
const settled = (expr: Expr): Expr => {
  if (expr._tag !== "Arithmetic") return expr
  const [left, right] = [settled(expr.left), settled(expr.right)]
  if (left._tag !== "Literal" || right._tag !== "Literal") return expr
  const value = Numbers.apply(expr.op, Number(left.value), Number(right.value), expr.type._tag === "Money")
  return Number.isFinite(value) ? { _tag: "Literal", type: expr.type, value } : expr
}

const numbers = (of: Domain.Operand, ranges: Ranges.Ranges): Boxes => {
  const possible = Ranges.intersect(Domain.numbers(of), ranges)
  return boxes({ _tag: "Numbers", of, ranges: Domain.isWhole(of) ? Ranges.whole(possible) : possible })
}

const words = (of: Domain.Operand, wanted: Domain.Words): Boxes => {
  const { type } = of.expr
  const possible = type._tag === "Enum" ? Domain.only(type.words) : Domain.allBut([])
  return boxes({ _tag: "Words", of, words: Domain.intersect(possible, wanted) })
}

const membership = ({ options, value }: Extract<Condition, { _tag: "In" }>, yes: boolean): Boxes => {
  const literals = options.flatMap((option) => (option._tag === "Literal" ? [option.value] : []))
  const texts = literals.filter((literal) => typeof literal === "string")
  if (texts.length === options.length && value._tag !== "Literal")
    return words(Domain.operand(value), yes ? Domain.only(texts) : Domain.allBut(texts))
  const values = literals.filter((literal) => typeof literal === "number")
  const asked = settled(value)
  if (values.length === options.length && asked._tag !== "Literal")
    return numbers(Domain.operand(asked), yes ? Ranges.only(values) : Ranges.allBut(values))
  const parts = options.map((option) => compare("=", value, option, yes))
  return yes ? capped(parts.flat()) : joint(parts)
}

// Rules in the shadow of earlier ones, and the gap between doing and undoing.

/**
 * True only when it is proved that every row of `later` is one of an earlier list, so that a rule after them never
 * has its turn. An unknown earlier rule stops the funnel, so rows that are unknown there count as taken.
 */
export const isCovered = (
  later: ReadonlyArray<Clause>,
  earlier: ReadonlyArray<ReadonlyArray<Clause>>,
  work = unbounded()
): boolean => {
  let left = ofClauses(later, work)
  for (const clauses of earlier) {
    if (left.length === 0) return true
    if (work.left <= 0) return false
    left = and(left, outside(clauses), work)
  }
  return left.length === 0
}

/**
 * How `when` and `revert_when` stand to each other. `overlap`: a row can ask for both at once. `touching`: never both,
 * but every row asks for one of them, so a value at the border would flap. `gap`: rows between them are left alone.
 * `unknown`: they are about different things, or too much to look at.
 */
export const gapBetween = (
  when: ReadonlyArray<Clause>,
  revert: ReadonlyArray<Clause>,
  work = unbounded()
): "overlap" | "touching" | "gap" | "unknown" => {
  const doing = ofClauses(when, work)
  const undoing = ofClauses(revert, work)
  if (doing.length === 0 || undoing.length === 0) return "gap"
  const facts = new Set(doing.flatMap((box) => [...box.keys()]))
  if (!undoing.some((box) => [...box.keys()].some((key) => facts.has(key)))) return "unknown"
  const isOverlap = and(doing, undoing, work).length > 0
  if (work.left <= 0) return "unknown"
  if (isOverlap) return "overlap"
  return and(outside(when), outside(revert), work).length === 0 ? "touching" : "gap"
}
