import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Windows from "../../src/services/Windows.js"

const day = fc.integer({ min: 20_000, max: 20_800 }).map((n) => Days.shift(Days.Day("1970-01-01"), n))
const range = fc
  .tuple(day, fc.integer({ min: 0, max: 400 }))
  .map(([from, more]) => ({ from, to: Days.shift(from, more) }))
const length = fc.integer({ min: 1, max: 60 })

describe("windows of a period", () => {
  test("hold every day once, in order, and none is longer than allowed", () => {
    fc.assert(
      fc.property(range, length, (days, most) => {
        const windows = Windows.cut(days, most)
        assert.strictEqual(windows[0]?.from, days.from)
        assert.strictEqual(windows.at(-1)?.to, days.to)
        for (const [nth, window] of windows.entries()) {
          const before = windows[nth - 1]
          assert.isAtLeast(Days.length(window), 1)
          assert.isAtMost(Days.length(window), most)
          if (before !== undefined) assert.strictEqual(window.from, Days.shift(before.to, 1))
        }
      })
    )
  })

  test("are as few as can be", () => {
    fc.assert(
      fc.property(range, length, (days, most) => {
        assert.lengthOf(Windows.cut(days, most), Math.ceil(Days.length(days) / most))
      })
    )
  })

  test("are none where the period ends before it begins", () => {
    assert.deepStrictEqual(Windows.cut({ from: Days.Day("2026-11-02"), to: Days.Day("2026-11-01") }, 7), [])
  })
})

describe("the overlap of two periods", () => {
  test("lies in both, and is absent only where they do not meet", () => {
    fc.assert(
      fc.property(range, range, (a, b) => {
        const common = Windows.overlap(a, b)
        const apart = a.to < b.from || b.to < a.from
        assert.strictEqual(common === undefined, apart)
        if (common !== undefined) {
          assert.isTrue(common.from >= a.from && common.to <= a.to)
          assert.isTrue(common.from >= b.from && common.to <= b.to)
          assert.isTrue(common.from === a.from || common.from === b.from)
          assert.isTrue(common.to === a.to || common.to === b.to)
        }
      })
    )
  })
})

test("the preceding span is as long and ends the day before", () => {
  fc.assert(
    fc.property(range, (days) => {
      const before = Windows.preceding(days)
      assert.strictEqual(Days.length(before), Days.length(days))
      assert.strictEqual(Days.shift(before.to, 1), days.from)
    })
  )
})

test("joined windows have each key once, the first row of it, in the order they came", () => {
  const row = fc.record({ id: fc.nat(5), value: fc.nat() })
  fc.assert(
    fc.property(fc.array(fc.array(row)), (windows) => {
      const joined = Windows.join<{ readonly id: number; readonly value: number }>(windows, ({ id }) => id)
      const all = windows.flat()
      const firsts = all.filter((one, nth) => all.findIndex(({ id }) => id === one.id) === nth)
      assert.deepStrictEqual(joined, firsts)
    })
  )
})
