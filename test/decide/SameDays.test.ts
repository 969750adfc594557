import { describe, expect, it } from "vitest"
import type * as Plausibility from "../../src/engine/decide/limits/Plausibility.js"
import * as Plausible from "../../src/engine/planning/Plausible.js"

const nowMs = Date.parse("2026-09-10T09:00:00Z")
const hour = 3_600_000
const run = { nowMs, rules: "a" }
const figure = (total: number, rows = 4, fact = "cluster.views@7d") => ({
  fact,
  rows,
  active: rows,
  total,
  rowsHash: "r"
})
const seen = (total: number, more: Partial<Plausibility.Seen> = {}): Plausibility.Seen => ({
  ...figure(total),
  at: nowMs - 2 * hour,
  rules: "a",
  rowsHash: "",
  ...more
})
const vanished = (now: number, ...earlier: ReadonlyArray<Plausibility.Seen>) =>
  Plausible.vanishedDays([figure(now)], earlier, run)

describe("views of days that are over", () => {
  it("cannot have vanished since an earlier run of the day saw them", () => {
    expect(vanished(0, seen(5310))).toEqual([
      "cluster.views@7d is 0 in all, earlier today it was 5310 for the same days"
    ])
    expect(vanished(531, seen(5310))).toHaveLength(1)
  })

  it("stay in doubt when a run between saw nothing too", () => {
    expect(vanished(0, seen(5310), seen(0, { at: nowMs - hour }))).toHaveLength(1)
  })

  it("may be corrected, grow, or be few", () => {
    expect([vanished(532, seen(5310)), vanished(9000, seen(10)), vanished(0, seen(99))]).toEqual([[], [], []])
  })

  it("were other days yesterday, by the account's clock", () => {
    expect(vanished(0, seen(5310, { at: nowMs - 12 * hour - 60_000 }))).toEqual([])
    expect(vanished(0, seen(5310, { at: nowMs - 12 * hour }))).toHaveLength(1)
  })

  it("are held against what other rules saw of the same rows, and of no others", () => {
    const others = { rules: "b", rowsHash: "r" }
    expect(vanished(0, seen(5310, others))).toHaveLength(1)
    expect(vanished(0, seen(5310, { ...others, rows: 5 }))).toEqual([])
    expect(vanished(0, seen(5310, { ...others, rowsHash: "s" }))).toEqual([])
  })

  it("are not held against other rules, many more or fewer rows, today, or money", () => {
    expect(vanished(0, seen(5310, { rules: "b" }))).toEqual([])
    expect(vanished(0, seen(5310, { rows: 6 }))).toEqual([])
    for (const fact of ["campaign.views@today", "cluster.spend@7d"])
      expect(Plausible.vanishedDays([figure(0, 4, fact)], [seen(5310, { fact })], run)).toEqual([])
  })
})
