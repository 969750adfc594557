/** A sandbox that runs for months keeps to a size. */
import { expect, test } from "vitest"
import * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import { firstItemId } from "../../src/sandbox/market/Blueprint.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Advertising from "../../src/sandbox/shop/Advertising.js"
import * as Memo from "../../src/sandbox/shop/Memo.js"
import * as Sales from "../../src/sandbox/shop/Sales.js"
import { originMs } from "./Real.js"

const dayMs = 86_400_000

const entry = (at: number): Omit<Ledger.Entry, "seq"> => ({
  at,
  operation: "setItemBids",
  seller: "seller",
  slot: "bid",
  target: { campaignId: 1 },
  before: 0,
  after: at,
  effectiveAt: at
})

test("the ledger keeps the latest writes and goes on counting them", () => {
  const ledger = Ledger.make(80)
  for (let n = 1; n <= 1000; n++) Ledger.append(ledger, entry(n))
  expect(ledger.entries.length).toBeLessThanOrEqual(90)
  expect(ledger.entries.length).toBeGreaterThanOrEqual(80)
  expect(ledger.entries.at(-1)).toMatchObject({ seq: 1000, after: 1000 })
  expect(ledger.entries[0]?.seq).toBe(ledger.forgotten + 1)
})

test("who asks for the writes after a number gets those, or the oldest that are kept", () => {
  const ledger = Ledger.make(80)
  for (let n = 1; n <= 1000; n++) Ledger.append(ledger, entry(n))
  expect(Ledger.report(ledger, 998).entries.map(({ seq }) => seq)).toEqual([999, 1000])
  const { entries, forgotten } = Ledger.report(ledger, 0)
  expect(entries[0]?.seq).toBe(forgotten + 1)
  expect(forgotten).toBeGreaterThan(900)
})

test("without a bound the ledger keeps every write", () => {
  const ledger = Ledger.make()
  for (let n = 1; n <= 1000; n++) Ledger.append(ledger, entry(n))
  expect(Ledger.report(ledger, 0)).toMatchObject({ forgotten: 0 })
  expect(ledger.entries).toHaveLength(1000)
})

test("of an item's days only so many are remembered", () => {
  const days = new Map(Array.from({ length: 1000 }, (_, day) => [day, day]))
  Memo.shorten(days)
  expect(days.size).toBe(500)
  expect(days.has(999)).toBe(true)
})

test("a day that was forgotten is worked out again as it was", () => {
  const world = World.make({ seller: "seller", seed: 1, scale: Scale.demo, originMs, firstId: 1_000_001 })
  const origin = Moscow.dayOf(originMs)
  const nowMs = originMs + 600 * dayMs
  const of = (from: number, to: number) => Sales.ofItem(world, firstItemId, { from, to }, nowMs)
  const soon = { from: origin, to: origin + 9 }
  const [sales, counts] = [
    of(soon.from, soon.to),
    [...Advertising.counts(world, firstItemId, soon, nowMs)].slice(0, 10)
  ]
  expect(sales.length).toBeGreaterThan(0)
  // Years of other days push them out.
  for (let day = origin + 10; day < origin + 600; day += 10) of(day, day + 9)
  for (let day = origin - 700; day < origin; day += 350) of(day, day + 349)
  Advertising.counts(world, firstItemId, { from: origin - 700, to: origin - 1 }, nowMs)
  expect(of(soon.from, soon.to)).toEqual(sales)
  const again = Advertising.counts(world, firstItemId, soon, nowMs)
  for (const [day, count] of counts) expect(again.get(day)).toEqual(count)
})
