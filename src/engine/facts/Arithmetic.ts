/** The four operations on fact values. */
import type { ArithmeticOp } from "../language/Policy.js"

/**
 * NaN means that nothing is left to say (0/0, infinity minus infinity): the caller makes it unknown
 * (`zeroOverZero`). Something over nothing is infinite. An amount of money that is whole but for the binary
 * fraction of a percentage is made whole, so that 7% of 100 kopecks is not above 7 kopecks.
 */
export const apply = (op: ArithmeticOp, left: number, right: number, isMoney: boolean): number => {
  const result = plain(op, left, right)
  if (!isMoney || Number.isInteger(result)) return result
  const whole = Math.round(result)
  return Math.abs(result - whole) < 1e-6 ? whole : result
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
      // A negative zero below the line must not turn the sign of the infinity.
      return left / (right === 0 ? 0 : right)
  }
}
