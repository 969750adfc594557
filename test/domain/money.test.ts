import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { format, fromDecimal, Kopecks, Roubles, toKopecks, toRoubles } from "../../src/domain/Money.js"

const kopecks = (value: string | number) => Either.getOrElse(fromDecimal(value), (why) => why)

describe("money", () => {
  it("reads the wire's decimals digit by digit, as text or number, without a float's error", () => {
    fc.assert(
      fc.property(fc.integer({ min: -99_999_999, max: 99_999_999 }), (amount) => {
        const text = `${amount < 0 ? "-" : ""}${Math.floor(Math.abs(amount) / 100)}.${String(Math.abs(amount) % 100).padStart(2, "0")}`
        expect(kopecks(text)).toBe(amount === 0 ? (text.startsWith("-") ? -0 : 0) : amount)
        expect(kopecks(Number(text)) === amount || amount === 0).toBe(true)
      })
    )
    expect(kopecks(0.1 + 0.2)).toBe(30)
    expect(kopecks("12,5")).toBe(1250)
  })

  it("reads a number as its digits are read, however many it has", () => {
    const numbers = fc.oneof(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.tuple(fc.integer(), fc.integer({ min: 0, max: 4 })).map(([n, digits]) => n / 10 ** digits),
      fc.integer({ min: 1e10, max: 1e15 }).map((n) => n / 100)
    )
    fc.assert(
      fc.property(numbers, (value) => {
        expect(Number(kopecks(value)) + 0).toBe(Number(kopecks(value.toFixed(6))) + 0)
      }),
      { numRuns: 2000 }
    )
  })

  it("rounds what is finer than a kopeck half away from zero", () => {
    expect([kopecks("1.004"), kopecks("1.005"), kopecks("-1.005")]).toEqual([100, 101, -101])
  })

  it("refuses what is no amount", () => {
    for (const value of [
      "",
      "abc",
      "1.2.3",
      "1e9",
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "99999999999999999999"
    ])
      expect(Either.isLeft(fromDecimal(value))).toBe(true)
  })

  it("never holds a fraction, and narrows to roubles only without loss", () => {
    expect(() => Kopecks(1.5)).toThrow()
    expect(() => Roubles(0.1)).toThrow()
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (amount) => {
        expect(Either.getOrThrow(toRoubles(toKopecks(Roubles(amount))))).toBe(amount)
        expect(Either.isRight(toRoubles(Kopecks(amount)))).toBe(amount % 100 === 0)
      })
    )
  })

  it("is printed in base units, grouped by thousands", () => {
    expect([format(Kopecks(45_000)), format(Kopecks(1_250)), format(Kopecks(-1_234_567))]).toEqual([
      "450 ₽",
      "12.50 ₽",
      "-12 345.67 ₽"
    ])
  })
})
