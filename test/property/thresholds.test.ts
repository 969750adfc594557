/** Thresholds of calculated shares against exact fractions: what is exactly at a written bound is neither above nor below it. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Sift from "../../src/engine/facts/kernels/Sift.js"
import * as Table from "../../src/engine/facts/Table.js"
import type { CompareOp } from "../../src/engine/language/Policy.js"
import { clause, target } from "../decide/Example.js"
import * as Fractions from "../facts/Fractions.js"
import { condition } from "../language/Rules.js"
import * as Cases from "./Cases.js"

/** Each formula over clicks and views of two weeks, as it is written and as whole numbers say. */
type Exact = (now: Fractions.Fraction, before: Fractions.Fraction) => Fractions.Fraction

const hundred = Fractions.of(1n, 100n)
const formulas: ReadonlyArray<readonly [string, Exact]> = [
  ["change(ctr, 7d)", (now, before) => Fractions.over(Fractions.minus(now, before), before)],
  ["ctr[7d] - ctr[7d before 7d]", Fractions.minus],
  ["ctr[7d] + ctr[7d before 7d]", Fractions.plus],
  ["ctr[7d] / ctr[7d before 7d]", Fractions.over],
  ["ctr[7d] * 130%", (now) => Fractions.times(now, Fractions.times(Fractions.of(130n, 1n), hundred))],
  ["ctr[7d] + 0.2%", (now) => Fractions.plus(now, Fractions.of(2n, 1000n))]
]

const operators: Readonly<Record<CompareOp, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "=": (order) => order === 0,
  "!=": (order) => order !== 0
}

const orderOf = (a: Fractions.Fraction, b: Fractions.Fraction): number =>
  Fractions.isBelow(a, b) ? -1 : Fractions.isBelow(b, a) ? 1 : 0

const share = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(10, 30, 70, 100, 300, 1000, 4999))
  .map(([clicks, views]) => ({ clicks, views }))

/** In hundredths of a percent. */
const bound = fc.oneof(
  fc.integer({ min: -20, max: 300 }).map((percent) => percent * 100),
  fc.integer({ min: -9_999, max: 40_000 })
)

/** A quotient of shares is a number, all else a percentage. */
const written = (text: string, basisPoints: number) =>
  text.includes("] / ") ? (basisPoints / 10_000).toFixed(4) : `${(basisPoints / 100).toFixed(2)}%`

/** What the columns, the compiled loops and the kernels say of one row. */
const answers = (text: string, facts: Readonly<Record<string, number>>): ReadonlyArray<boolean> => {
  const asked = condition(text)
  const table = Table.make("cluster")
  const row = table.add(target(1, 1, "кеды"))
  for (const [key, value] of Object.entries(facts)) table.set(row, key, Cells.known(value))
  return [
    Evaluate.condition(asked, table, [row]).truth[0] === 1,
    ...[false, true].map(
      (isCompiled) => Sift.all([[clause(text, asked)]], table, undefined, isCompiled)[0]!.holds.length === 1
    )
  ]
}

const factsOf = (now: number, before: number) => ({ "cluster.ctr@7d": now, "cluster.ctr@7d-7d": before })

describe("a comparison of calculated shares", () => {
  it(
    "is what exact fractions say, at the bound and beside it",
    async () => {
      let exactly = 0
      await Cases.check(
        fc.property(
          share,
          share,
          fc.constantFrom(...formulas),
          bound,
          fc.boolean(),
          fc.constantFrom<CompareOp>("<", "<=", ">", ">=", "=", "!="),
          (now, before, [text, exact], drawn, atIt, op) => {
            const value = exact(
              Fractions.of(BigInt(now.clicks), BigInt(now.views)),
              Fractions.of(BigInt(before.clicks), BigInt(before.views))
            )
            // Half of the bounds are the nearest hundredth of a percent: often the value itself.
            const near = Number((value.above * 10_000n) / value.below)
            const basisPoints = atIt ? near : drawn
            fc.pre(basisPoints > -10_000 && (basisPoints >= 0 || /change|-/.test(text)))
            const order = orderOf(value, Fractions.of(BigInt(basisPoints), 10_000n))
            if (order === 0) exactly += 1
            const asked = `${text} ${op} ${written(text, basisPoints)}`
            const facts = factsOf(now.clicks / now.views, before.clicks / before.views)
            for (const holds of answers(asked, facts)) assert.strictEqual(holds, operators[op](order), asked)
          }
        ),
        1500
      )
      assert.isAbove(exactly, 20)
    },
    Cases.timeoutMs
  )

  it("does not act on a fall of exactly 20%", () => {
    const facts = factsOf(8 / 100, 10 / 100)
    assert.deepStrictEqual(answers("change(ctr, 7d) < -20%", facts), [false, false, false])
    assert.deepStrictEqual(answers("change(ctr, 7d) <= -20%", facts), [true, true, true])
    assert.deepStrictEqual(answers("change(ctr, 7d) between -20% and 0%", facts), [true, true, true])
  })

  it("takes 0.1 and 0.2 for 0.3", () => {
    const facts = { "cluster.avg_pos@7d": 0.1 }
    assert.deepStrictEqual(answers("avg_pos + 0.2 <= 0.3", facts), [true, true, true])
    assert.deepStrictEqual(answers("0.3 < avg_pos + 0.2", facts), [false, false, false])
  })

  it("compares the infinite as before", () => {
    const facts = factsOf(1, 0)
    assert.deepStrictEqual(answers("change(ctr, 7d) > 1000%", facts), [true, true, true])
    assert.deepStrictEqual(answers("change(ctr, 7d) <= 1000%", facts), [false, false, false])
  })
})
