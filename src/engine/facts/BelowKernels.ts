/** Kernels that look at the rows below a row: `all(…)`, `any(…)` and `sum(…)`. Rows below are asked block by block. */
import * as Reason from "../../domain/Reason.js"
import type { QuantifiedCondition, SumExpr } from "../language/Policy.js"
import type { Kernel } from "./Kernel.js"
import { False, True, Unknown } from "./Kleene.js"
import type { NumberKernel } from "./Numbers.js"
import type { Table } from "./Table.js"

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

/** Unknown as soon as one row is, or may be missing, with the reason of the first; over no rows at all absent. */
export const sum = (
  { at, of, over }: SumExpr,
  table: Table,
  compile: (expr: SumExpr["of"], table: Table, block: number) => NumberKernel
): NumberKernel => {
  const kernel = compile(of, table.view(over), blockBelow)
  const below = table.below(at, over)
  const steps = table.steps(at) ?? 0
  const rows = new Int32Array(blockBelow)
  const owners = new Int32Array(blockBelow)
  const partValues = new Float64Array(blockBelow)
  const partReasons = new Uint8Array(blockBelow)
  const fold = (filled: number, values: Float64Array, reasons: Uint8Array) => {
    kernel(rows, filled, partValues, partReasons)
    for (let j = 0; j < filled; j++) {
      const i = owners[j]!
      values[i]! += partValues[j]!
      if (reasons[i] === Reason.known) reasons[i] = partReasons[j]!
    }
  }
  const leftOut = table.leftOut(at)
  return (asked, count, values, reasons) => {
    let filled = 0
    for (let i = 0; i < count; i++) {
      const under = below(table.up(asked[i]!, steps))
      const size = under.length
      values[i] = 0
      reasons[i] = leftOut || (size === 0 ? absent : Reason.known)
      for (let k = 0; k < size; k++) {
        if (filled === blockBelow) {
          fold(filled, values, reasons)
          filled = 0
        }
        rows[filled] = under[k]!
        owners[filled++] = i
      }
    }
    if (filled > 0) fold(filled, values, reasons)
    for (let i = 0; i < count; i++) {
      if (reasons[i] !== Reason.known) values[i] = Number.NaN
      else if (Number.isNaN(values[i]!)) reasons[i] = zeroOverZero
    }
  }
}
