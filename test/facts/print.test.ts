import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Print from "../../src/engine/facts/Print.js"
import * as Depth from "../Depth.js"

const percent = (value: number) => Print.cell(Cells.known(value), FactType.ratio, "₽")

describe("a share as people read it", () => {
  it("is rounded down: what is below a bound is never shown as the bound", () => {
    expect([0.179999, 0.18, 0.102, 0.29, -0.05001, 0.9999999].map(percent)).toEqual([
      "17.99%",
      "18%",
      "10.2%",
      "29%",
      "-5.01%",
      "99.99%"
    ])
    expect([0, 0.000012, Number.NEGATIVE_INFINITY].map(percent)).toEqual(["0%", "0.0012%", "minus infinite"])
  })

  it("has as many digits as part it from a bound that it is told beside, and no noise", () => {
    const beside = (value: number, ...bounds: ReadonlyArray<number>) =>
      Print.beside(Cells.known(value), bounds.map(Cells.known), FactType.ratio, "₽")
    expect([beside(0.156626, 0.1566), beside(0.1566, 0.156626), beside(0.25004, 0.1, 0.25)]).toEqual([
      "15.662%",
      "15.66%",
      "25.004%"
    ])
    expect([beside(0.1 + 0.2, 0.3), beside(0.5, 0.25), beside(0.25, 0.25)]).toEqual(["30%", "50%", "25%"])
    expect(Print.beside(Cells.known(12_000.4), [Cells.known(12_000)], FactType.money, "₽")).toBe("120.004 ₽")
  })

  it("is itself where hundredths of a percent say it, and of millionths never more than it is", () => {
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 20_000 }), fc.integer({ min: 0, max: 99 }), (at, more) => {
        const shown = `${(at / 100).toFixed(2).replace(/\.?0+$/, "")}%`.replace(/^-0%/, "0%")
        expect(percent(at / 10_000)).toBe(shown)
        if (Math.abs(at) > 1) expect(percent((at * 100 + more) / 1_000_000)).toBe(shown)
      }),
      { numRuns: Depth.cases(1000) }
    )
  })
})
