import { assert, describe, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Hold from "../../src/engine/decide/intents/Hold.js"
import type { Counted, Holds } from "../../src/engine/decide/Plan.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"
import { lowerBid, policy, raiseBid } from "./Example.js"

const day = 86_400_000
const two = policy("02", lowerBid(), { holdForRuns: 2 })
const row = "777/1001/женские кеды"
const counted = (more: Partial<Counted> = {}, hash: string = two.hash): Holds =>
  new Map([[Hold.key("02", hash, row), { rule: 0, runs: 1, countedAt: Example.now - day, ...more }]])
const plan = (holds: Holds, situation: Partial<Example.Situation> = {}) =>
  Decide.plan({ ...Example.input({ policies: [two], ...situation }), holds })
const held = (made: ReturnType<typeof plan>) => [
  made.changes.length,
  made.unchanged.map(Said.why),
  made.holds?.[0]?.rows.map(({ runs, fresh }) => [runs, fresh])
]
const waits = [0, ["hold_for: matched in 1 of 2 runs"], [[1, true]]]

describe("hold_for", () => {
  it("waits in the first run and acts in the second with newer statistics", () => {
    assert.deepStrictEqual(held(plan(new Map())), waits)
    assert.deepStrictEqual(held(plan(counted())), [1, [], [[2, true]]])
  })

  it("does not count a run that reads the same statistics again", () => {
    const again = plan(counted({ countedAt: Example.now - 3_600_000 }))
    assert.deepStrictEqual(held(again), [0, ["hold_for: matched in 1 of 2 runs"], [[1, false]]])
  })

  it("counts every run when no statistic decides", () => {
    const bare = policy("02", lowerBid(), { holdForRuns: 2, when: [] })
    const made = plan(counted({ countedAt: Example.now - 60_000 }), { policies: [bare] })
    assert.deepStrictEqual(held(made), [1, [], [[2, true]]])
  })

  it("starts anew for another rule, another meaning, and after a gap", () => {
    assert.deepStrictEqual(held(plan(counted({ rule: 1 }))), waits)
    assert.deepStrictEqual(held(plan(counted({}, "another meaning"))), waits)
    for (const orders of [0, undefined]) {
      const gap = plan(counted(), {
        rows: [{ ...Example.oneRow[0]!, facts: { "cluster.orders@7d": orders } }]
      })
      assert.deepStrictEqual(gap.holds, [{ policy: "02", hash: two.hash, rows: [] }])
    }
  })

  it("starts anew where a clock that was ahead has counted", () => {
    assert.deepStrictEqual(held(plan(counted({ runs: 2, countedAt: Example.now + 365 * day }))), waits)
  })

  it("still keeps the bid from rising while it waits to lower it", () => {
    const made = plan(new Map(), { policies: [two, policy("01", raiseBid())] })
    assert.deepStrictEqual(made.changes, [])
  })
})

describe("max_unknown", () => {
  const failed = Cells.unknown("failed")
  const notices = (
    unread: number,
    all: number,
    more: Parameters<typeof policy>[2] = {},
    cell: typeof failed = failed
  ) => {
    const rows = Array.from({ length: all }, (_, index) => ({
      target: Example.target(1, 1, `кеды ${index}`),
      facts: index < unread ? { "cluster.orders@7d": cell } : {}
    }))
    return Decide.plan(Example.input({ rows, policies: [policy("01", raiseBid(), more)] })).notices?.map(
      Said.notice
    )
  }

  it("holds above a fifth of the rows, and not at a fifth", () => {
    assert.deepStrictEqual(notices(5, 25), [])
    assert.deepStrictEqual(notices(6, 25), [
      "holds: 6 of 25 rows could not be read (could not be fetched: 6), 5 may (rules/01.yaml max_unknown 20%)"
    ])
  })

  it("names every reason with its rows, those of the most rows first", () => {
    const cells = ["stale", "failed", "stale", "stale", "failed", "unreadable"] as const
    const rows = cells.map((reason, index) => ({
      target: Example.target(1, 1, `кеды ${index}`),
      facts: { "cluster.orders@7d": Cells.unknown(reason) }
    }))
    const made = Decide.plan(Example.input({ rows, policies: [policy("01", raiseBid())] }))
    assert.deepStrictEqual(made.notices?.map(Said.notice), [
      "holds: 6 of 6 rows could not be read (too old to decide on: 3; could not be fetched: 2; what your own table says of it cannot be read: 1), 1 may (rules/01.yaml max_unknown 20%)"
    ])
  })

  it("is never reached by fewer than five rows, unless it is 0%", () => {
    assert.deepStrictEqual(notices(4, 4), [])
    assert.deepStrictEqual(notices(5, 5)?.length, 1)
    assert.deepStrictEqual(notices(1, 100, { maxUnknownBasisPoints: 0 })?.length, 1)
  })

  it("does not count what the marketplace does not have, or what the call limit left out", () => {
    for (const reason of ["absent", "zeroOverZero", "notFetched"] as const) {
      assert.deepStrictEqual(notices(20, 20, {}, Cells.unknown(reason)), [])
    }
    assert.deepStrictEqual(notices(20, 20, {}, Cells.unknown("stale"))?.length, 1)
  })
})
