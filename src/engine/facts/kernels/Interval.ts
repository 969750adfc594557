/** Comparisons with a constant as the numbers that pass them, so that one loop serves several operators. */
import type { CompareOp } from "../../language/Policy.js"

/** From `low` to `high`, both included; empty when `low` is above `high`. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** Numbers for which `value op limit` holds; undefined where they are no interval. */
export const of = (op: CompareOp, limit: number): Interval | undefined => {
  if (Number.isNaN(limit)) return undefined
  switch (op) {
    case "<":
      return limit === least ? nothing : { low: least, high: before(limit) }
    case "<=":
      return { low: least, high: limit }
    case ">":
      return limit === most ? nothing : { low: after(limit), high: most }
    case ">=":
      return { low: limit, high: most }
    case "=":
      return { low: limit, high: limit }
    case "!=":
      return undefined
  }
}

const least = Number.NEGATIVE_INFINITY
const most = Number.POSITIVE_INFINITY
const nothing: Interval = { low: most, high: least }

/** The next larger number that a double can hold; of infinity itself. */
const after = (value: number): number => {
  if (value === most) return value
  if (value === 0) return Number.MIN_VALUE
  const bits = new BigInt64Array(Float64Array.of(value).buffer)
  bits[0]! += value > 0 ? 1n : -1n
  return new Float64Array(bits.buffer)[0]!
}

const before = (value: number): number => -after(-value)
