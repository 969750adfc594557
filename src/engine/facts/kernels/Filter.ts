/**
 * Conditions as filters over the rows of a block: only what is false drops out. Why a row is unknown is asked at the end, for
 * the few rows that no condition has ruled out (`Unknowns`).
 */
import type { Condition, Expr } from "../../language/Policy.js"
import { False, True } from "../Kleene.js"
import type { Ground } from "./Ground.js"
import * as Grounds from "./Ground.js"
import * as Kernel from "./Kernel.js"
import * as Levels from "./Levels.js"
import * as Source from "./Source.js"

export interface Filter {
  readonly narrow: Source.Narrow
  /** What asking about one row takes, over what comparing one number does. */
  readonly cost: number
  /** Of a question that all rows of a key share. */
  readonly marks?: Marks
}

/** Answers by key: 1 for a key whose rows are not ruled out. */
interface Marks {
  /** From a row to its key. */
  readonly steps: number
  readonly kept: Uint8Array
}

export const compile = (condition: Condition, ground: Ground): Filter => {
  const coarse = ground.isCompiled ? Levels.coarse(condition, ground) : undefined
  if (coarse === undefined) return { narrow: narrow(condition, ground), cost: costOf(condition) }
  const marks = { steps: coarse.steps, kept: marksOf(ground)(condition, true, coarse) }
  return marked(marks, ground)
}

/** One filter for two that are asked right after one another; undefined where that saves nothing. */
export const both = (first: Filter, second: Filter, ground: Ground): Filter | undefined => {
  const [a, b] = [first.marks, second.marks]
  if (a === undefined || b === undefined || a.steps !== b.steps) return undefined
  const kept = a.kept.map((mark, key) => mark & b.kept[key]!)
  return { ...first, ...marked({ steps: a.steps, kept }, ground) }
}

const narrow = (condition: Condition, ground: Ground, wanted = true): Source.Narrow =>
  (ground.isCompiled ? Source.narrow(condition, wanted, ground, marksOf(ground)) : undefined) ??
  answered(condition, wanted, ground)

/** By the kernel that keeps reasons. */
const answered = (condition: Condition, wanted: boolean, { block, table }: Ground): Source.Narrow => {
  const kernel = Kernel.compile(condition, table, block)
  const truth = new Uint8Array(block)
  const reason = new Uint8Array(block)
  const dropped = wanted ? False : True
  return (rows, count, out) => {
    kernel(rows, count, truth, reason)
    let n = 0
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(truth[i] !== dropped)
    }
    return n
  }
}

// Questions about keys of coarser levels.

const marked = (marks: Marks, { table }: Ground): Pick<Filter, "narrow" | "marks" | "cost"> => {
  const { kept, steps } = marks
  const [parents] = table.way(steps)
  return {
    marks,
    cost: 1.5,
    narrow:
      parents === undefined || table.way(steps).length > 1
        ? (rows, count, out) => {
            let n = 0
            for (let i = 0; i < count; i++) {
              const row = rows[i]!
              out[n] = row
              n += kept[table.up(row, steps)]!
            }
            return n
          }
        : (rows, count, out) => ofParents(kept, parents, rows, count, out)
  }
}

/** Eight rows at a turn, which is nearly twice as fast. */
const ofParents = (
  kept: Uint8Array,
  parents: Int32Array,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  let i = 0
  for (; i + 8 <= count; i += 8) {
    const a = rows[i]!
    const b = rows[i + 1]!
    const c = rows[i + 2]!
    const d = rows[i + 3]!
    const e = rows[i + 4]!
    const f = rows[i + 5]!
    const g = rows[i + 6]!
    const h = rows[i + 7]!
    out[n] = a
    n += kept[parents[a]!]!
    out[n] = b
    n += kept[parents[b]!]!
    out[n] = c
    n += kept[parents[c]!]!
    out[n] = d
    n += kept[parents[d]!]!
    out[n] = e
    n += kept[parents[e]!]!
    out[n] = f
    n += kept[parents[f]!]!
    out[n] = g
    n += kept[parents[g]!]!
    out[n] = h
    n += kept[parents[h]!]!
  }
  for (; i < count; i++) {
    const row = rows[i]!
    out[n] = row
    n += kept[parents[row]!]!
  }
  return n
}

/** Each key is asked once. */
export const marksOf =
  (ground: Ground): Source.MarksOf =>
  (condition, wanted, coarse) =>
    Grounds.answered(ground, JSON.stringify([condition, wanted]), () =>
      marksAt(condition, wanted, coarse, ground)
    )

const marksAt = (
  condition: Condition,
  wanted: boolean,
  { at, level }: Levels.Coarse,
  { isCompiled, sums, table }: Ground
): Uint8Array => {
  const keys = table.view(level)
  const own = tested(narrow(condition, Grounds.of(keys, keys.size, isCompiled, sums), wanted), keys.size)
  if (at === level) return own
  const below = table.view(at)
  const steps = below.steps(level) ?? 0
  const kept = new Uint8Array(below.size)
  const above = new Int32Array(below.size)
  for (let key = 0; key < above.length; key++) above[key] = key
  below.climb(above, above.length, steps, above)
  for (let key = 0; key < kept.length; key++) kept[key] = own[above[key]!]!
  return kept
}

const tested = (ask: Source.Narrow, size: number): Uint8Array => {
  const rows = new Int32Array(Math.min(Grounds.blockRows, size))
  const kept = new Uint8Array(size)
  for (let start = 0; start < size; start += rows.length) {
    const count = Math.min(rows.length, size - start)
    for (let i = 0; i < count; i++) rows[i] = start + i
    const left = ask(rows, count, rows)
    for (let i = 0; i < left; i++) kept[rows[i]!] = 1
  }
  return kept
}

// What asking takes.

const costOf = (condition: Condition): number => {
  switch (condition._tag) {
    case "Compare":
      return 0.5 + ofExpr(condition.left) + ofExpr(condition.right)
    case "Between":
      return 1 + ofExpr(condition.value) + ofExpr(condition.low) + ofExpr(condition.high)
    case "Confident":
      return 8
    case "And":
      return condition.all.reduce((sum, one) => sum + costOf(one), 0)
    case "Or":
      return condition.any.reduce((sum, one) => sum + 2 * costOf(one), 0)
    case "Not":
      return costOf(condition.condition)
    case "Quantified":
      return 20
    default:
      return 2
  }
}

const ofExpr = (expr: Expr): number => {
  switch (expr._tag) {
    case "Literal":
      return 0
    case "Arithmetic":
      return 1 + ofExpr(expr.left) + ofExpr(expr.right)
    case "Extreme":
      return expr.of.reduce((sum, one) => sum + 1 + ofExpr(one), 0)
    case "Figure":
      return expr.of.reduce((sum, one) => sum + ofExpr(one), 20)
    case "Default":
      return 1 + ofExpr(expr.value)
    case "Derived":
      return ofExpr(expr.of)
    default:
      return 0.5
  }
}
