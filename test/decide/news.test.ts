/** What a bid waits for before it is moved again. */
import { expect, it } from "vitest"
import * as Window from "../../src/domain/Window.js"
import * as Gate from "../../src/engine/decide/intents/Gate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Scenario from "../scenario/Scenario.js"
import {
  clause,
  compare,
  fact,
  literal,
  now,
  oneRow,
  oneSlot,
  ordersAtLeast,
  plan,
  policy,
  raiseBid
} from "./Example.js"

const dayMs = 86_400_000
const settled = Window.last(30, 30)

const changesAfter = (days: number, window: Window.Window) => {
  const old = clause("sold", compare(fact("item.all_orders", window), ">=", literal(0, FactType.count)))
  const facts = { [`item.all_orders@${Window.key(window)}`]: 7 }
  return plan({
    rows: oneRow.map((row) => ({ ...row, facts })),
    policies: [policy("01", raiseBid(), { when: [ordersAtLeast(3), old] })],
    slots: [{ slot: oneSlot, lastAppliedAt: now - days * dayMs }]
  }).changes.length
}

it("is every window that says something of the bid, and no sales of long ago", () => {
  expect([0.2, 2].map((days) => changesAfter(days, settled))).toEqual([0, 1])
  expect(changesAfter(2, Window.last(7, 7))).toBe(0)
})

it("is the newest day but one of a shipped rule about profit, though its margin rests on orders of two months ago", () => {
  const { policies } = Scenario.check(
    Scenario.shippedRules().map((file) => ({
      ...file,
      text: file.text.replace("mode: disabled", "mode: preview")
    }))
  )
  for (const [id, settleDays] of [
    ["11-", 0],
    ["12-", 1]
  ] as const) {
    const found = policies.find((one) => one.id.startsWith(id))!
    const last = found.rules.length - 1
    expect([found.id, Gate.nextMove(found, last, now, true).statisticsOf?.settleDays]).toEqual([
      found.id,
      settleDays
    ])
  }
})
