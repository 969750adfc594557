/** Sets of numbers against a plain list of them. */
import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { expect } from "vitest"
import * as Ranges from "../../src/engine/language/analysis/Ranges.js"
import type { CompareOp } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"

const value = fc.integer({ min: -3, max: 6 })
const values = fc.array(value, { minLength: 1, maxLength: 6 })
const ops: ReadonlyArray<CompareOp> = ["<", "<=", ">", ">=", "=", "!="]

/** A set, and what it should hold. */
const set = fc.oneof(
  values.map((list) => ({ made: Ranges.only(list), holds: (n: number) => list.includes(n) })),
  values.map((list) => ({ made: Ranges.allBut(list), holds: (n: number) => !list.includes(n) })),
  fc.tuple(fc.constantFrom(...ops), value).map(([op, bound]) => ({
    made: Ranges.from(op, bound),
    holds: (n: number) => {
      const order = { "<": n < bound, "<=": n <= bound, ">": n > bound, ">=": n >= bound }
      return op === "=" ? n === bound : op === "!=" ? n !== bound : order[op]
    }
  }))
)
const asked = [...Array.from({ length: 27 }, (_, i) => -4 + i / 2), Number.POSITIVE_INFINITY]

describe("sets of numbers", () => {
  it("hold what they say, and together what all of them hold", () => {
    fc.assert(
      fc.property(fc.array(set, { minLength: 1, maxLength: 5 }), (sets) => {
        const all = sets.reduce((left, { made }) => Ranges.intersect(left, made), Ranges.everything)
        for (const n of asked) {
          for (const { holds, made } of sets) expect(Ranges.holds(made, n)).toBe(holds(n))
          expect(Ranges.holds(all, n)).toBe(sets.every(({ holds }) => holds(n)))
        }
      }),
      { numRuns: Depth.cases(400) }
    )
  })
})
