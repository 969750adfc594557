/** Kernels that look at the rows below a row: `all(…)`, `any(…)` and `sum(…)`. Rows below are asked block by block. */

import * as Reason from "../../../domain/Reason.js"
import type { Expr, QuantifiedCondition, SumExpr } from "../../language/Policy.js"
import type { Kernel, NumberKernel } from "../Column.js"
import { False, True, Unknown } from "../Kleene.js"
import type { Table } from "../Table.js"
import * as Vocabulary from "../Vocabulary.js"
import * as TextKernel from "./TextKernel.js"

const absent = Reason.code("absent")
const zeroOverZero = Reason.code("zeroOverZero")

/** Most rows below that are asked at once. */
const blockBelow = 512

/**
 * `all` is "and", `any` is "or" over the rows below; over none at all it is unknown (`absent`). Rows that may be missing
 * count as one more that is unknown.
 */
export const quantified = (
  { condition, over, quantifier }: QuantifiedCondition,
  table: Table,
  compile: (condition: QuantifiedCondition["condition"], table: Table, block: number) => Kernel
): Kernel => {
  const kernel = compile(condition, table.view(over), blockBelow)
  const below = table.below(table.each, over)
  const decisive = quantifier === "all" ? False : True
  const neutral = quantifier === "all" ? True : False
  const rows = new Int32Array(blockBelow)
  const owners = new Int32Array(blockBelow)
  const partTruth = new Uint8Array(blockBelow)
  const partReason = new Uint8Array(blockBelow)
  const fold = (filled: number, truth: Uint8Array, reason: Uint8Array) => {
    kernel(rows, filled, partTruth, partReason)
    for (let j = 0; j < filled; j++) {
      const i = owners[j]!
      if (partTruth[j] === decisive) {
        truth[i] = decisive
        reason[i] = Reason.known
      } else if (partTruth[j] === Unknown && truth[i] === neutral) {
        truth[i] = Unknown
        reason[i] = partReason[j]!
      }
    }
  }
  const leftOut = table.leftOut(table.each)
  return (asked, count, truth, reason) => {
    let filled = 0
    for (let i = 0; i < count; i++) {
      const under = below(asked[i]!)
      const size = under.length
      truth[i] = size === 0 ? Unknown : neutral
      reason[i] = size === 0 ? leftOut || absent : Reason.known
      for (let k = 0; k < size; k++) {
        if (filled === blockBelow) {
          fold(filled, truth, reason)
          filled = 0
        }
        rows[filled] = under[k]!
        owners[filled++] = i
      }
    }
    if (filled > 0) fold(filled, truth, reason)
    if (leftOut === Reason.known) return
    for (let i = 0; i < count; i++) {
      if (truth[i] !== neutral) continue
      truth[i] = Unknown
      reason[i] = leftOut
    }
  }
}

/**
 * Unknown as soon as one row is, or may be missing, with the worst reason (`Reason.worse`); over no rows at all absent. With
 * `known` only what is known is added up, and nothing is unknown: the least that the sum can be.
 */
export const sum = (
  { at, of, over, where }: SumExpr,
  table: Table,
  compile: (expr: Expr, table: Table, block: number) => NumberKernel,
  known = false
): NumberKernel => {
  const finer = table.view(over)
  const kernel = compile(of, finer, blockBelow)
  const member =
    where === undefined ? undefined : TextKernel.hasLabel(where.value, where.labels, finer, blockBelow)
  const below = table.below(at, over)
  const rows = new Int32Array(blockBelow)
  const values = new Float64Array(blockBelow)
  const reasons = new Uint8Array(blockBelow)
  const truth = new Uint8Array(blockBelow)
  const doubts = new Uint8Array(blockBelow)
  const leftOut = known ? Reason.known : table.leftOut(at)
  const ofOwner = (owner: number): Total => {
    const under = below(owner)
    const total = { value: 0, reason: leftOut, members: 0 }
    for (let from = 0; from < under.length; from += blockBelow) {
      const count = Math.min(blockBelow, under.length - from)
      for (let i = 0; i < count; i++) rows[i] = under[from + i]!
      kernel(rows, count, values, reasons)
      member?.(rows, count, truth, doubts)
      for (let i = 0; i < count; i++) {
        if (member !== undefined && truth[i] === False) continue
        total.members += 1
        const reason = member !== undefined && truth[i] === Unknown ? doubts[i]! : reasons[i]!
        const isKnown = reason === Reason.known
        if (isKnown) total.value += values[i]!
        else if (!known) total.reason = Reason.worse(total.reason, reason)
      }
    }
    if (known) return total
    if (total.members === 0 && total.reason === Reason.known) total.reason = absent
    if (total.reason === Reason.known && Number.isNaN(total.value)) total.reason = zeroOverZero
    if (total.reason !== Reason.known) total.value = Number.NaN
    return total
  }
  const steps = table.steps(at) ?? 0
  // Rows that share an owner share its sum; facts do not change while a kernel is asked.
  const sums: Array<Total | undefined> = []
  return (asked, count, into, why) => {
    for (let i = 0; i < count; i++) {
      const owner = table.up(asked[i]!, steps)
      const found = sums[owner] ?? ofOwner(owner)
      if (steps !== 0) sums[owner] = found
      into[i] = found.value
      why[i] = found.reason
    }
  }
}

interface Total {
  value: number
  reason: number
  members: number
}

/** Counts and money of the marketplace, and what is added to, multiplied or divided by them, are never below zero. */
export const isNeverNegative = (expr: Expr): boolean => {
  switch (expr._tag) {
    case "Literal":
      return typeof expr.value === "number" && expr.value >= 0
    case "Fact":
      return /^(Count|Money)$/.test(expr.type._tag) && Vocabulary.byFactId(expr.fact.id)?.source !== "own"
    case "Default":
      return isNeverNegative(expr.value) && isNeverNegative(expr.fallback)
    case "Arithmetic":
      return expr.op !== "-" && isNeverNegative(expr.left) && isNeverNegative(expr.right)
    case "Extreme":
      return expr.of.every(isNeverNegative)
    case "Figure":
      return false
    case "Sum":
    case "Derived":
      return isNeverNegative(expr.of)
  }
}
