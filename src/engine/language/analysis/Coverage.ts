/** Rules in the shadow of earlier ones, and the gap between doing and undoing. */
import type { Clause } from "../Policy.js"
import * as Boxes from "./Boxes.js"

/**
 * True only when it is proved that every row of `later` is one of an earlier list, so that a rule after them never
 * has its turn. An unknown earlier rule stops the funnel, so rows that are unknown there count as taken.
 */
export const isCovered = (
  later: ReadonlyArray<Clause>,
  earlier: ReadonlyArray<ReadonlyArray<Clause>>
): boolean => {
  let left = Boxes.ofClauses(later)
  for (const clauses of earlier) {
    if (left.length === 0) return true
    left = Boxes.and(left, Boxes.outside(clauses))
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
  revert: ReadonlyArray<Clause>
): "overlap" | "touching" | "gap" | "unknown" => {
  const doing = Boxes.ofClauses(when)
  const undoing = Boxes.ofClauses(revert)
  if (doing.length === 0 || undoing.length === 0) return "gap"
  const facts = new Set(doing.flatMap((box) => [...box.keys()]))
  if (!undoing.some((box) => [...box.keys()].some((key) => facts.has(key)))) return "unknown"
  if (Boxes.and(doing, undoing).length > 0) return "overlap"
  return Boxes.and(Boxes.outside(when), Boxes.outside(revert)).length === 0 ? "touching" : "gap"
}
