import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Confidence from "../../src/engine/facts/Confidence.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import type { ConfidentCondition } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import { fact, literal, week } from "../decide/Example.js"

const asked = (
  op: ConfidentCondition["op"],
  threshold: number,
  level: Confidence.Level,
  more: Partial<ConfidentCondition> = {}
): ConfidentCondition => ({
  _tag: "Confident",
  op,
  value: fact("cluster.ctr", week),
  hits: fact("cluster.clicks", week),
  trials: fact("cluster.views", week),
  threshold: literal(threshold, FactType.ratio),
  level,
  ...more
})
const decisive = (op: ConfidentCondition["op"], threshold: number, level: Confidence.Level, hits: number) =>
  Confidence.of(asked(op, threshold, level)).decisive(hits, threshold)

/** Probability of exactly k of n, as a sum of logarithms: another way than the one under test. */
const exactly = (k: number, n: number, p: number): number => {
  let log = (n - k) * Math.log1p(-p)
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i) + Math.log(p)
  return Math.exp(log)
}
const atMost = (k: number, n: number, p: number): number => {
  let sum = 0
  for (let i = 0; i <= Math.min(k, n); i++) sum += exactly(i, n, p)
  return sum
}
const atLeast = (k: number, n: number, p: number): number => {
  let sum = 0
  for (let i = k; i <= n; i++) sum += exactly(i, n, p)
  return sum
}

describe("a rate below a threshold", () => {
  it("needs the views of the textbook at 1%", () => {
    expect([0, 1, 2, 3].map((clicks) => decisive("<", 0.01, 95, clicks))).toEqual([299, 473, 628, 773])
    expect([0, 1].map((clicks) => decisive("<", 0.01, 99, clicks))).toEqual([459, 662])
  })

  it("holds from exactly the needed views on", () => {
    const { holds } = Confidence.of(asked("<", 0.01, 95))
    expect([298, 299, 10_000].map((views) => holds(0, views, 0.01))).toEqual([false, true, true])
    expect(holds(0, 0, 0.01)).toBe(false)
  })

  it("reads <= as <: a rate hits no bound exactly", () => {
    expect(decisive("<=", 0.01, 95, 7)).toBe(decisive("<", 0.01, 95, 7))
  })
})

describe("a rate above a threshold", () => {
  it("is not shown by no click at all, nor by few", () => {
    const { holds } = Confidence.of(asked(">", 0.05, 95))
    expect([1, 2, 100].map((views) => holds(0, views, 0.05))).toEqual([false, false, false])
    // 1 of 1 has a probability of 5% when the rate is 5%: just enough.
    expect([1, 2].map((views) => holds(1, views, 0.05))).toEqual([true, false])
    expect(Confidence.of(asked(">", 0.05, 99)).holds(1, 1, 0.05)).toBe(false)
  })

  it("takes more orders than clicks as no more than one order per click", () => {
    const { holds } = Confidence.of(asked(">", 0.3, 95))
    expect(holds(2, 1, 0.3)).toBe(holds(2, 2, 0.3))
    expect(holds(3, 1, 0.3)).toBe(true)
    expect(Confidence.of(asked("<", 0.3, 95)).holds(3, 1, 0.3)).toBe(false)
  })
})

const level = fc.constantFrom(95 as const, 99 as const)
const threshold = fc.integer({ min: 5, max: 9_000 }).map((points) => points / 10_000)
const slack = 1 + 1e-9

describe("never more mistakes than promised", () => {
  it("below: the tail at the needed views is within the level, and one view fewer is not", () => {
    fc.assert(
      fc.property(level, threshold, fc.integer({ min: 0, max: 60 }), (at, p, clicks) => {
        const views = decisive("<", p, at, clicks)!
        const most = 1 - at / 100
        expect(atMost(clicks, views, p)).toBeLessThanOrEqual(most * slack)
        expect(atMost(clicks, views - 1, p)).toBeGreaterThan(most / slack)
      }),
      { numRuns: Depth.cases(300) }
    )
  })

  it("above: the tail at the most views is within the level, and one view more is not", () => {
    fc.assert(
      fc.property(level, threshold, fc.integer({ min: 1, max: 40 }), (at, p, clicks) => {
        const views = decisive(">", p, at, clicks)!
        const most = 1 - at / 100
        const upper = (n: number) => (n > 400 ? 1 - atMost(clicks - 1, n, p) : atLeast(clicks, n, p))
        if (views >= clicks) expect(upper(views)).toBeLessThanOrEqual(most * (1 + 1e-7))
        expect(upper(Math.max(clicks, views + 1))).toBeGreaterThan(most * (1 - 1e-7))
      }),
      { numRuns: Depth.cases(300) }
    )
  })

  it("beyond the table: never, and within a fiftieth of the exact number of views", () => {
    const tails = { "<": "below", ">": "above" } as const
    fc.assert(
      fc.property(
        level,
        threshold,
        fc.integer({ min: 2001, max: 20_000 }),
        fc.constantFrom("<" as const, ">" as const),
        (at, p, hits, op) => {
          const views = decisive(op, p, at, hits)!
          const most = 1 - at / 100
          if (views < hits) return
          expect(Confidence.tail(tails[op], hits, views, p)).toBeLessThanOrEqual(most)
          const nearer = op === "<" ? Math.floor(views / 1.02) : Math.ceil(views * 1.02)
          if (nearer > hits) expect(Confidence.tail(tails[op], hits, nearer, p)).toBeGreaterThan(most)
        }
      ),
      { numRuns: Depth.cases(200) }
    )
  })

  it("tests a computed threshold like a written one", () => {
    const computed = { threshold: fact("campaign.ctr", week) }
    const op = fc.constantFrom("<" as const, ">" as const)
    const counts = fc.integer({ min: 0, max: 200 })
    fc.assert(
      fc.property(
        level,
        threshold,
        op,
        counts,
        fc.integer({ min: 0, max: 5000 }),
        (at, p, o, hits, trials) => {
          const written = Confidence.of(asked(o, p, at)).holds(hits, trials, p)
          expect(Confidence.of(asked(o, p, at, computed)).holds(hits, trials, p)).toBe(written)
        }
      )
    )
  })

  it("proves nothing about a threshold that is no rate", () => {
    const { holds } = Confidence.of(asked("<", 0.01, 95, { threshold: fact("campaign.ctr", week) }))
    expect([0, 1, 2, Number.POSITIVE_INFINITY].map((p) => holds(0, 1_000_000, p))).toEqual(
      Array(4).fill(false)
    )
  })
})

it("fills a whole table in well under a second, for rare clicks too", () => {
  for (const p of [0.00001, 0.01, 0.5]) {
    const { decisive: at } = Confidence.of(asked("<", p, 99))
    for (let hits = 1; hits <= Confidence.tableHits; hits++) {
      expect(at(hits, p)!).toBeGreaterThan(at(hits - 1, p)!)
    }
  }
}, 3000)
