/** S02, E16, S06: conditions that can never hold together, that always hold, or that say nothing new. */
import type { Clause, Condition } from "../Policy.js"
import * as Boxes from "./Boxes.js"
import type { Finding } from "./Finding.js"
import { line } from "./Finding.js"

/** What is wrong with a list of clauses that mean "and". Nothing is said twice about one clause. */
export const among = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Finding> => {
  const asked = clauses.map((clause) => ({ clause, boxes: Boxes.of(clause.condition) }))
  const empty = asked.filter(({ boxes }) => boxes.length === 0)
  if (empty.length > 0) return empty.map(({ clause }) => never(clause))
  const core = conflict(asked)
  if (core !== undefined) return [together(core)]
  return [...clauses.flatMap(alternatives), ...always(clauses), ...repeated(asked)]
}

/** True only when it is proved that no row makes every clause true. */
export const isNever = (clauses: ReadonlyArray<Clause>): boolean => Boxes.ofClauses(clauses).length === 0

interface Asked {
  readonly clause: Clause
  readonly boxes: Boxes.Boxes
}

/** The fewest clauses that cannot hold together, in their order; a pair if there is one. */
const conflict = (asked: ReadonlyArray<Asked>): ReadonlyArray<Clause> | undefined => {
  const all = asked.map(({ clause }) => clause)
  // With a box each, what all leave possible every two leave possible.
  if (asked.every(({ boxes }) => boxes.length === 1) && !isNever(all)) return undefined
  for (const [j, b] of asked.entries()) {
    const a = asked.slice(0, j).find(({ boxes }) => Boxes.disjoint(boxes, b.boxes))
    if (a !== undefined) return [a.clause, b.clause]
  }
  if (!isNever(all)) return undefined
  return all.reduce((left, clause) => {
    const without = left.filter((one) => one !== clause)
    return isNever(without) ? without : left
  }, all)
}

const never = (clause: Clause): Finding => {
  const { _tag } = clause.condition
  const what = _tag === "And" ? "These can never both hold" : "This can never hold"
  return { code: "S02", severity: "error", span: clause.span, message: `${what}, so the rule never acts.` }
}

const together = (core: ReadonlyArray<Clause>): Finding => {
  const last = core.at(-1)!
  const others = core.slice(0, -1).map((clause) => `${clause.text} (${line(clause.span, last.span)})`)
  const what = core.length === 2 ? "These can never both hold" : "These can never all hold"
  const message = `${what}, so the rule never acts: ${others.join(", ")}, and ${last.text}.`
  return { code: "S02", severity: "error", span: last.span, message }
}

/** Parts of an `or` that can never hold. */
const alternatives = ({ condition, span }: Clause): ReadonlyArray<Finding> => {
  const dead = choices(condition).findIndex((part) => Boxes.of(part).length === 0)
  if (dead < 0) return []
  const message = `One side of this "or" can never hold (the ${ordinal(dead)}). Mend it or leave it out.`
  return [{ code: "S02", severity: "error", span, message }]
}

const choices = (condition: Condition): ReadonlyArray<Condition> => {
  switch (condition._tag) {
    case "Or":
      return condition.any
    case "And":
      return condition.all.flatMap(choices)
    default:
      return []
  }
}

const ordinal = (index: number): string => ["first", "second", "third"][index] ?? `${index + 1}th`

/** E16 for what takes more than one comparison to see. */
const always = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Finding> =>
  clauses
    .filter(({ condition }) => Boxes.of(condition, false).length === 0)
    .map(({ span }) => ({
      code: "E16",
      severity: "warning",
      span,
      message: "Always true wherever the value is known, so it rules nothing out. Leave it out, or mend it."
    }))

const repeated = (asked: ReadonlyArray<Asked>): ReadonlyArray<Finding> => {
  const outside = asked.map(({ clause }) => Boxes.of(clause.condition, false))
  const implies = (i: number, j: number) => Boxes.disjoint(asked[i]!.boxes, outside[j]!)
  return asked.flatMap(({ clause }, j): ReadonlyArray<Finding> => {
    if (outside[j]!.length === 0) return []
    const i = asked.findIndex((_, other) => {
      if (other === j || outside[other]!.length === 0 || !implies(other, j)) return false
      return other < j || !implies(j, other)
    })
    const by = asked[i]?.clause
    if (by === undefined) return []
    const message = `Says nothing new: ${by.text} (${line(by.span, clause.span)}) already means it. Leave one of them out.`
    return [{ code: "S06", severity: "warning", span: clause.span, message }]
  })
}
