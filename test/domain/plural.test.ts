/** Counts and their nouns, alone and in the lines that people read. */
import { expect, it } from "vitest"
import * as Reconciling from "../../src/cli/store/Reconciling.js"
import * as Plural from "../../src/domain/Plural.js"
import type { JournalRow } from "../../src/engine/door/Journal.js"
import * as History from "../../src/reporting/history/History.js"

it("counts say one thing of one, and several of none and of more", () => {
  expect([0, 1, 2].map((n) => Plural.of(n, "file"))).toEqual(["0 files", "1 file", "2 files"])
  expect([1, 2].map((n) => Plural.of(n, "policy", "policies"))).toEqual(["1 policy", "2 policies"])
  expect([0, 1, 2].map((n) => Plural.choose(n, "is", "are"))).toEqual(["are", "is", "are"])
})

it("one change is told as one by what is overdue and by a reconciliation", () => {
  const row = { runId: "run-1", state: "planned" } as JournalRow
  expect(History.overdue([row])).toMatch(/^1 change should have ended/)
  expect(History.overdue([row, row])).toMatch(/^2 changes should have ended/)
  const found = {
    settled: [row],
    compared: 1,
    moved: [{ slot: "777", why: "400" }],
    unread: [],
    over: 0,
    topUps: [],
    toHold: []
  }
  const [settled, compared] = Reconciling.print(found as never, "Europe/Moscow", "₽").split("\n")
  expect(settled).toMatch(/^1 open change read back/)
  expect(compared).toMatch(
    /^1 slot of the last \d+ days compared: 1 shows another value, 0 could not be read\.$/
  )
})
