/**
 * Conditions compiled to loops over columns. A kernel answers for a block of rows at once; `and` and `or` hand
 * only the rows that are still open to their next part.
 */

import * as Reason from "../../../domain/Reason.js"
import type { CompareOp, Condition, Expr } from "../../language/Policy.js"
import { mirrored } from "../../language/syntax/Syntax.js"
import type { Kernel, NumberKernel } from "../Column.js"
import { False, True, Unknown } from "../Kleene.js"
import type { Table } from "../Table.js"
import * as BelowKernels from "./BelowKernels.js"
import * as ChoiceKernels from "./ChoiceKernels.js"
import * as Defined from "./Defined.js"
import * as Numbers from "./Numbers.js"
import * as TextKernel from "./TextKernel.js"

/** `block` is the most rows that one call will ask about. */
export const compile = (condition: Condition, table: Table, block: number): Kernel => {
  switch (condition._tag) {
    case "Compare":
      return compare(condition.op, condition.left, condition.right, table, block)
    case "Between":
      return junction(False, block, [
        compare("<=", condition.low, condition.value, table, block),
        compare("<=", condition.value, condition.high, table, block)
      ])
    case "In":
      return (
        TextKernel.oneOf(condition.value, condition.options, table, block) ??
        junction(
          True,
          block,
          condition.options.map((option) => compare("=", condition.value, option, table, block))
        )
      )
    case "Matches":
      return TextKernel.matches(condition.value, condition.pattern, table, block)
    case "Contains":
      return TextKernel.contains(condition.value, condition.words, table, block)
    case "HasLabel":
      return TextKernel.hasLabel(condition.value, condition.labels, table, block)
    case "IsTrue":
      return isTrue(condition.value, table, block)
    case "IsKnown":
      return ChoiceKernels.isKnown(
        TextKernel.isText(condition.value)
          ? TextKernel.known(condition.value, table, block)
          : ChoiceKernels.known(Numbers.compile(condition.value, table, block), block)
      )
    case "Confident":
      return ChoiceKernels.confident(condition, (expr) => Numbers.compile(expr, table, block), block)
    case "Quantified":
      return BelowKernels.quantified(condition, table, compile)
    case "And":
      return junction(
        False,
        block,
        condition.all.map((part) => compile(part, table, block))
      )
    case "Or":
      return junction(
        True,
        block,
        condition.any.map((part) => compile(part, table, block))
      )
    case "Not":
      return not(compile(condition.condition, table, block))
  }
}

/** `and` when `decisive` is false, `or` when it is true: the answer that no other part can change. */
const junction = (
  decisive: typeof False | typeof True,
  block: number,
  parts: ReadonlyArray<Kernel>
): Kernel => {
  const neutral = decisive === False ? True : False
  const open = new Int32Array(block)
  const positions = new Int32Array(block)
  const partTruth = new Uint8Array(block)
  const partReason = new Uint8Array(block)
  return (rows, count, truth, reason) => {
    truth.fill(neutral, 0, count)
    reason.fill(0, 0, count)
    for (const part of parts) {
      let left = 0
      for (let i = 0; i < count; i++) {
        if (truth[i] === decisive) continue
        positions[left] = i
        open[left++] = rows[i]!
      }
      if (left === 0) return
      part(open, left, partTruth, partReason)
      for (let j = 0; j < left; j++) {
        const i = positions[j]!
        if (partTruth[j] === decisive) {
          truth[i] = decisive
          reason[i] = 0
        } else if (partTruth[j] === Unknown && truth[i] === neutral) {
          truth[i] = Unknown
          reason[i] = partReason[j]!
        }
      }
    }
  }
}

const not =
  (kernel: Kernel): Kernel =>
  (rows, count, truth, reason) => {
    kernel(rows, count, truth, reason)
    for (let i = 0; i < count; i++) if (truth[i] !== Unknown) truth[i] = truth[i] === True ? False : True
  }

const isTrue = (value: Expr, table: Table, block: number): Kernel =>
  compareNumbers("!=", Numbers.compile(value, table, block), Numbers.constant(0), block)

const compare = (op: CompareOp, left: Expr, right: Expr, table: Table, block: number): Kernel =>
  TextKernel.isText(left) || TextKernel.isText(right)
    ? TextKernel.compare(op, left, right, table, block)
    : compareSums(op, left, right, table, block)

/**
 * A group's sum that is not known is still no less than its known parts: that may be enough to be above a bound, or not below
 * it. So a limit on what campaigns spend together holds while one of them cannot be read.
 */
const compareSums = (op: CompareOp, left: Expr, right: Expr, table: Table, block: number): Kernel => {
  const isCalculated = Defined.isCalculated(left) || Defined.isCalculated(right)
  const sides = [Numbers.compile(left, table, block), Numbers.compile(right, table, block)] as const
  const plain = isCalculated ? compareCalculated(op, ...sides, block) : compareNumbers(op, ...sides, block)
  const [sum, bound, asked] = right._tag === "Literal" ? [left, right, op] : [right, left, mirrored[op]]
  const least = bound._tag === "Literal" ? Numbers.least(sum, table) : undefined
  if (least === undefined || bound._tag !== "Literal" || asked === "=" || asked === "!=") return plain
  const limit = Number(bound.value)
  const isAbove = asked === ">" || asked === ">="
  const isStrict = asked === ">" || asked === "<="
  const values = new Float64Array(block)
  const reasons = new Uint8Array(block)
  return (rows, count, truth, reason) => {
    plain(rows, count, truth, reason)
    if (!truth.subarray(0, count).includes(Unknown)) return
    least(rows, count, values, reasons)
    for (let i = 0; i < count; i++) {
      const value = values[i]!
      if (truth[i] !== Unknown || !(isStrict ? value > limit : value >= limit)) continue
      if (isCalculated && isStrict && Numbers.isNear(value, limit)) continue
      truth[i] = isAbove ? True : False
      reason[i] = Reason.known
    }
  }
}

/** One loop per operator: a closure per row would cost more than the comparison. The left side's reason comes first. */
const compareNumbers = (op: CompareOp, left: NumberKernel, right: NumberKernel, block: number): Kernel => {
  const a = new Float64Array(block)
  const b = new Float64Array(block)
  const rightReason = new Uint8Array(block)
  return (rows, count, truth, reason) => {
    left(rows, count, a, reason)
    right(rows, count, b, rightReason)
    // `Number` of a comparison is `True` or `False`, without a branch.
    if (op === "<") for (let i = 0; i < count; i++) truth[i] = Number(a[i]! < b[i]!)
    else if (op === "<=") for (let i = 0; i < count; i++) truth[i] = Number(a[i]! <= b[i]!)
    else if (op === ">") for (let i = 0; i < count; i++) truth[i] = Number(a[i]! > b[i]!)
    else if (op === ">=") for (let i = 0; i < count; i++) truth[i] = Number(a[i]! >= b[i]!)
    else if (op === "=") for (let i = 0; i < count; i++) truth[i] = Number(a[i]! === b[i]!)
    else for (let i = 0; i < count; i++) truth[i] = Number(a[i]! !== b[i]!)
    for (let i = 0; i < count; i++) {
      if (reason[i] === Reason.known) reason[i] = rightReason[i]!
      if (reason[i] !== Reason.known) truth[i] = Unknown
    }
  }
}

/** As `compareNumbers`, without the noise of binary fractions. */
const compareCalculated = (op: CompareOp, left: NumberKernel, right: NumberKernel, block: number): Kernel => {
  const a = new Float64Array(block)
  const b = new Float64Array(block)
  const rightReason = new Uint8Array(block)
  const holds = calculated[op]
  return (rows, count, truth, reason) => {
    left(rows, count, a, reason)
    right(rows, count, b, rightReason)
    for (let i = 0; i < count; i++) {
      if (reason[i] === Reason.known) reason[i] = rightReason[i]!
      truth[i] = reason[i] === Reason.known ? Number(holds(a[i]!, b[i]!)) : Unknown
    }
  }
}

const calculated: Readonly<Record<CompareOp, (a: number, b: number) => boolean>> = {
  "<": Numbers.isBelow,
  "<=": Numbers.isAtMost,
  ">": (a, b) => Numbers.isBelow(b, a),
  ">=": (a, b) => Numbers.isAtMost(b, a),
  "=": (a, b) => !Numbers.isOther(a, b),
  "!=": Numbers.isOther
}
