/** Spans of time laid together. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Past from "../../src/engine/decide/optimise/Past.js"
import * as Depth from "../Depth.js"

const dayMs = 86_400_000

const spans = fc
  .array(fc.record({ from: fc.nat(20), days: fc.integer({ min: 1, max: 8 }) }), { maxLength: 6 })
  .map((some) => some.map(({ days, from }) => ({ fromMs: from * dayMs, toMs: (from + days) * dayMs })))

it("a day that several lists of spans cover counts once, and one that any of them covers counts", () =>
  fc.assert(
    fc.property(fc.array(spans, { maxLength: 3 }), fc.nat(20), fc.nat(20), (drawn, first, length) => {
      // What one list covers it covers once: rests of one cluster, or pauses of one campaign.
      const lists = drawn.map((one) => Past.joined(one.map((span) => [span])))
      const asked = { fromMs: first * dayMs, toMs: (first + length) * dayMs }
      const covered = Array.from({ length }, (_, at) => (first + at) * dayMs).filter((day) =>
        drawn.flat().some(({ fromMs, toMs }) => fromMs <= day && day < toMs)
      )
      expect(Past.overlapDays(Past.joined(lists), asked)).toBe(covered.length)
    }),
    { numRuns: Depth.cases(400) }
  ))
