/** Kernels that choose: a fallback for a missing value, the smallest and largest, what is known, what is proved. */

import * as Reason from "../../../domain/Reason.js"
import type { ConfidentCondition, Expr } from "../../language/Policy.js"
import type { Kernel, NumberKernel } from "../Column.js"
import * as Confidence from "../Confidence.js"
import { False, True, Unknown } from "../Kleene.js"

/** `value default fallback`. */
export const otherwise = (value: NumberKernel, fallback: NumberKernel, block: number): NumberKernel => {
  const open = new Int32Array(block)
  const positions = new Int32Array(block)
  const otherValues = new Float64Array(block)
  const otherReasons = new Uint8Array(block)
  return (rows, count, values, reasons) => {
    value(rows, count, values, reasons)
    const missing = collect(rows, count, reasons, open, positions)
    if (missing === 0) return
    fallback(open, missing, otherValues, otherReasons)
    for (let j = 0; j < missing; j++) {
      values[positions[j]!] = otherValues[j]!
      reasons[positions[j]!] = otherReasons[j]!
    }
  }
}

/** As `otherwise`, for an answer about a text: the second kernel asks the same of the fallback. */
export const instead = (asked: Kernel, fallback: Kernel, block: number): Kernel => {
  const open = new Int32Array(block)
  const positions = new Int32Array(block)
  const otherTruth = new Uint8Array(block)
  const otherReasons = new Uint8Array(block)
  return (rows, count, truth, reasons) => {
    asked(rows, count, truth, reasons)
    const missing = collect(rows, count, reasons, open, positions)
    if (missing === 0) return
    fallback(open, missing, otherTruth, otherReasons)
    for (let j = 0; j < missing; j++) {
      truth[positions[j]!] = otherTruth[j]!
      reasons[positions[j]!] = otherReasons[j]!
    }
  }
}

/** Gathers the rows whose value the marketplace does not have; answers how many. */
const collect = (
  rows: Int32Array,
  count: number,
  reasons: Uint8Array,
  open: Int32Array,
  positions: Int32Array
): number => {
  let missing = 0
  for (let i = 0; i < count; i++) {
    if (!Reason.isMissing(reasons[i]!)) continue
    positions[missing] = i
    open[missing++] = rows[i]!
  }
  return missing
}

/** The smallest or largest; an unknown one makes it unknown (`Reason.worse`). */
export const extreme = (
  pick: "min" | "max",
  parts: ReadonlyArray<NumberKernel>,
  block: number
): NumberKernel => {
  const [first, ...others] = parts
  if (first === undefined) throw new RangeError("min and max need at least one value")
  const partValues = new Float64Array(block)
  const partReasons = new Uint8Array(block)
  return (rows, count, values, reasons) => {
    first(rows, count, values, reasons)
    for (const part of others) {
      part(rows, count, partValues, partReasons)
      for (let i = 0; i < count; i++) {
        reasons[i] = Reason.worse(reasons[i]!, partReasons[i]!)
        const better = pick === "min" ? partValues[i]! < values[i]! : partValues[i]! > values[i]!
        if (better) values[i] = partValues[i]!
      }
    }
  }
}

/** True for every known number. */
export const known = (value: NumberKernel, block: number): Kernel => {
  const values = new Float64Array(block)
  return (rows, count, truth, reasons) => {
    value(rows, count, values, reasons)
    for (let i = 0; i < count; i++) truth[i] = reasons[i] === Reason.known ? True : Unknown
  }
}

/** `is known`: makes what the marketplace does not have false, and leaves unknown what could not be read. */
export const isKnown =
  (whereKnown: Kernel): Kernel =>
  (rows, count, truth, reasons) => {
    whereKnown(rows, count, truth, reasons)
    for (let i = 0; i < count; i++) {
      if (!Reason.isMissing(reasons[i]!)) continue
      truth[i] = False
      reasons[i] = Reason.known
    }
  }

/** `with … confidence`. Unknown when the hits, the trials or a computed threshold are. */
export const confident = (
  condition: ConfidentCondition,
  compile: (expr: Expr) => NumberKernel,
  block: number
): Kernel => {
  const proof = Confidence.of(condition)
  const parts = [condition.hits, condition.trials, condition.threshold].map((expr) => ({
    kernel: compile(expr),
    values: new Float64Array(block),
    reasons: new Uint8Array(block)
  }))
  const [hits, trials, threshold] = parts.map(({ values }) => values)
  return (rows, count, truth, reasons) => {
    for (const part of parts) part.kernel(rows, count, part.values, part.reasons)
    for (let i = 0; i < count; i++) {
      const unknown = parts.find((part) => part.reasons[i] !== Reason.known)
      reasons[i] = unknown?.reasons[i] ?? Reason.known
      if (unknown !== undefined) truth[i] = Unknown
      else truth[i] = proof.holds(hits![i]!, trials![i]!, threshold![i]!) ? True : False
    }
  }
}
