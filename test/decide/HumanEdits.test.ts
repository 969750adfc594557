import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as HumanEdits from "../../src/engine/decide/HumanEdits.js"
import * as OperatorHold from "../../src/engine/decide/OperatorHold.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Example from "./Example.js"

const slot = "status:777"
const campaignId = CampaignId.make(777)
const dayMs = 86_400_000
const now = 10 * dayMs
const purses = new Map([[campaignId, 100_000]])

const statusNow = (live: string) => {
  const table = Table.make("campaign")
  table.set(table.add({ campaignId }), "campaign.status", Cells.known(live))
  return () => table
}

const written = (policy: string, at: number) =>
  new Map([[slot, Example.history({ slot, lastWritten: { policy, after: "active", at } })]])

const look = (policy: string, at: number, live: string, remembered: ReadonlyArray<HumanEdits.HumanEdit>) =>
  HumanEdits.find(written(policy, at), statusNow(live), remembered, now, purses).edits

describe("what somebody set", () => {
  it("is the same when it is looked for again with what was found", () => {
    const status = fc.constantFrom("active", "paused")
    const instant = fc.integer({ min: 0, max: now })
    const edit = fc.record({
      slot: fc.constant(slot),
      ours: status,
      writtenAt: instant,
      live: status,
      firstSeenAt: instant
    })
    const policy = fc.constantFrom("01", OperatorHold.undoPolicy)
    fc.assert(
      fc.property(policy, instant, status, fc.array(edit, { maxLength: 1 }), (by, at, live, remembered) => {
        const found = look(by, at, live, remembered)
        expect(look(by, at, live, found)).toEqual(found)
      })
    )
  })

  const undoneAt = now - dayMs
  const edit = { slot, ours: "active", writtenAt: undoneAt, live: "paused", firstSeenAt: now - 1 }
  it("where a person had undone a change, and set back, leaves the undo to stand", () =>
    expect(look(OperatorHold.undoPolicy, undoneAt, "active", [edit])).toEqual([
      { slot, ours: "active", writtenAt: undoneAt, live: "active", firstSeenAt: undoneAt }
    ]))
  it("and was given back to the rules stays given back", () =>
    expect(look(OperatorHold.undoPolicy, undoneAt, "active", [{ ...edit, liftedAt: now - 1 }])).toMatchObject(
      [{ liftedAt: now - 1 }]
    ))
})
