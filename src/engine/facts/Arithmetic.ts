/** The four operations on fact values. */
import type { ArithmeticOp } from "../language/Policy.js"

/**
 * NaN means that nothing is left to say (0/0, infinity minus infinity): the caller makes it unknown
 * (`zeroOverZero`). Something over nothing is infinite. An amount of money that is whole but for the binary
 * fraction of a percentage is made whole, so that 7% of 100 kopecks is not above 7 kopecks.
 */
export const apply = (op: ArithmeticOp, left: number, right: number, isMoney: boolean): number => {
  const result = plain(op, left, right)
  return isMoney ? whole(result) : result
}

/** As `apply`, for `count` pairs at once; the results replace the left sides. NaN on either side stays NaN. */
export const applyAll = (
  op: ArithmeticOp,
  left: Float64Array,
  right: Float64Array,
  count: number,
  isMoney: boolean
): void => {
  if (op === "+") for (let i = 0; i < count; i++) left[i] = left[i]! + right[i]!
  else if (op === "-") for (let i = 0; i < count; i++) left[i] = left[i]! - right[i]!
  else if (op === "*") for (let i = 0; i < count; i++) left[i] = left[i]! * right[i]!
  else for (let i = 0; i < count; i++) left[i] = left[i]! / positive(right[i]!)
  if (isMoney) for (let i = 0; i < count; i++) left[i] = whole(left[i]!)
}

const plain = (op: ArithmeticOp, left: number, right: number): number => {
  switch (op) {
    case "+":
      return left + right
    case "-":
      return left - right
    case "*":
      return left * right
    case "/":
      return left / positive(right)
  }
}

/** A negative zero below the line must not turn the sign of the infinity. */
const positive = (divisor: number): number => (divisor === 0 ? 0 : divisor)

const whole = (amount: number): number => {
  const nearest = Math.round(amount)
  return Math.abs(amount - nearest) < 1e-6 ? nearest : amount
}
