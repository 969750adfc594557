/** Until when a change waits for what a person did to its slot, and to the one beside it. */
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Stops from "../../src/engine/decide/limits/Stops.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { HumanEdit } from "../../src/engine/kinds/HumanEdit.js"
import { addMinus, now, oneSlot, onlyChange, plan, policy } from "./Example.js"

const outlook = (spendKopecks: number) => ({ views: 0, orders: 0, spendKopecks, profitKopecks: 0 })
const parking = {
  ...onlyChange(plan({ policies: [policy("01", addMinus())] })),
  details: { optimised: { verb: "park", before: outlook(1000), after: outlook(0) } }
} as unknown as Change
const phrase = oneSlot.replace("cluster_bid", "minus")

const edit = (slot: string, daysAgo: number, live: number | boolean, ours = live): HumanEdit => {
  const at = now - daysAgo * Days.dayMs
  return { slot, ours, writtenAt: at, live, firstSeenAt: at }
}
const heldBy = (...edits: ReadonlyArray<HumanEdit>) =>
  Stops.verdict(parking, {
    holds: [],
    edits: new Map(edits.map((one) => [one.slot, one])),
    unsettled: new Map(),
    editHoldMs: 3 * Days.dayMs,
    nowMs: now,
    zone: Days.marketZone
  })

describe("a cluster that optimise parks", () => {
  const undone = edit(oneSlot, 1, 25_000)
  it("waits where its bid was undone, however long ago somebody changed its phrase", () => {
    expect(heldBy(undone)).toMatchObject({ code: "human_edit", slot: oneSlot })
    expect(heldBy(edit(phrase, 9, false, true), undone)).toMatchObject({ code: "human_edit", slot: oneSlot })
  })
  it("goes when both were long ago, or somebody set the bid otherwise", () => {
    expect(heldBy(edit(phrase, 9, false, true), edit(oneSlot, 9, 25_000))).toBeUndefined()
    expect(heldBy(edit(oneSlot, 1, 30_000, 25_000))).toBeUndefined()
  })
})
