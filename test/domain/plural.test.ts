/** Counts and their nouns, alone and in the lines that people read. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import * as Reconciling from "../../src/cli/store/Reconciling.js"
import * as Ids from "../../src/domain/Ids.js"
import * as Plural from "../../src/domain/Plural.js"
import type { JournalRow } from "../../src/engine/door/Journal.js"
import * as Scarce from "../../src/engine/gather/Scarce.js"
import * as History from "../../src/reporting/history/History.js"
import * as Asked from "../../src/services/areas/Asked.js"
import * as Found from "../cli/store/Found.js"

it("counts say one thing of one, and several of none and of more", () => {
  expect([0, 1, 2].map((n) => Plural.of(n, "file"))).toEqual(["0 files", "1 file", "2 files"])
  expect([1, 2].map((n) => Plural.of(n, "policy", "policies"))).toEqual(["1 policy", "2 policies"])
  expect([0, 1, 2].map((n) => Plural.choose(n, "is", "are"))).toEqual(["are", "is", "are"])
})

it("one change is told as one by what is overdue and by a reconciliation", () => {
  const row = { runId: "run-1", state: "planned" } as JournalRow
  expect(History.overdue([row])).toMatch(/^1 change should have ended/)
  expect(History.overdue([row, row])).toMatch(/^2 changes should have ended/)
  const found: Reconciling.Found = {
    ...Found.nothing,
    settled: [row],
    compared: 1,
    moved: [{ slot: "777", why: "400", change: row.change }]
  }
  const [settled, compared] = Reconciling.print(found, "Europe/Moscow", "₽", undefined).split("\n")
  expect(settled).toMatch(/^1 open change read back/)
  expect(compared).toMatch(
    /^1 slot of the last \d+ days compared: 1 shows another value, 0 could not be read\.$/
  )
})

it("one pair that a limit left out is told as one", () => {
  const { scarce } = Scarce.of(
    new Map([
      [
        "getRecommendedBids",
        { asked: 0, left: 1, remembered: new Map(), policies: new Map([["01", { wanted: 1, left: 1 }]]) }
      ]
    ])
  )
  expect(Scarce.notices(scarce, [], undefined).map(({ text }) => text)).toEqual([
    "0 of 1 pair looked at, by value; 1 not looked at (the limit of getRecommendedBids leaves 0 calls)"
  ])
})

it("one row that nobody asked for is told as one", async () => {
  const said: Array<unknown> = []
  const logger = Logger.make(({ message }) => said.push(...[message].flat()))
  const told = Effect.all([
    Asked.warn("getBids", 1),
    Asked.warnOfAnswer("setBids", 1, { campaignId: Ids.CampaignId.make(777) })
  ]).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  await Effect.runPromise(told)
  expect(said).toEqual([
    expect.stringContaining("getBids: 1 row is of no item that was asked for and was dropped."),
    expect.stringContaining("tells of 1 row that the request did not hold")
  ])
})
