import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Filter from "../../src/engine/facts/kernels/Filter.js"
import type { CompareOp } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE, Infinity, -Infinity),
  fc.double({ noNaN: true })
)
const holds: Readonly<Record<Exclude<CompareOp, "!=">, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b
}
const ops = ["<", "<=", ">", ">=", "="] as const

describe("a comparison with a constant as an interval", () => {
  it("holds for the same numbers, next to the constant and at both infinities", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ops), number, number, fc.boolean(), (op, limit, other, isSame) => {
        const value = isSame ? limit : other
        const { high, low } = Filter.intervalOf(op, limit)!
        assert.strictEqual(low <= value && value <= high, holds[op](value, limit))
      }),
      { numRuns: Depth.cases(5000) }
    )
  })

  it("is none for what is no interval", () => {
    assert.isUndefined(Filter.intervalOf("!=", 1))
    assert.isUndefined(Filter.intervalOf("<", Number.NaN))
  })
})
