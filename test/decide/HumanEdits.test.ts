import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as HumanEdits from "../../src/engine/decide/limits/HumanEdits.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as ClusterBid from "../../src/engine/kinds/ClusterBid.js"
import type { HumanEdit } from "../../src/engine/kinds/HumanEdit.js"
import * as OperatorHold from "../../src/engine/kinds/OperatorHold.js"
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

const look = (policy: string, at: number, live: string, remembered: ReadonlyArray<HumanEdit>) =>
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

  describe("where a rule had stopped a campaign and somebody had started it", () => {
    const stoppedAt = now - dayMs
    const stopped = new Map([
      [slot, Example.history({ slot, lastWritten: { policy: "01", after: "paused", at: stoppedAt } })]
    ])
    const started = { slot, ours: "paused", writtenAt: stoppedAt, live: "active", firstSeenAt: now - 1 }
    const found = (live: string, left?: number, remembered: ReadonlyArray<HumanEdit> = [started]) =>
      HumanEdits.find(
        stopped,
        statusNow(live),
        remembered,
        now,
        left === undefined ? undefined : new Map([[campaignId, left]])
      )

    it("is a stop by a person when it stands still with money left, and is asked about", () => {
      expect(HumanEdits.doubtful(stopped, statusNow("paused"), [started], now)).toEqual([campaignId])
      const { edits } = found("paused", 100_000)
      expect(edits).toEqual([{ ...started, live: "paused", firstSeenAt: now }])
      expect(HumanEdits.doubtful(stopped, statusNow("paused"), edits, now)).toEqual([])
      expect(found("paused", 100_000, edits).edits).toEqual(edits)
    })
    it("is still their start when its budget is used up, or nobody can read it", () => {
      expect(found("paused", 0)).toEqual({ edits: [started], over: [], unsettled: new Map() })
      expect(found("paused")).toEqual({ edits: [started], over: [], unsettled: new Map([[slot, now]]) })
    })
    it("is over once we have stopped it again, though a clock that was ahead had dated our first stop", () => {
      const before = { ...started, writtenAt: now + 3 * dayMs, firstSeenAt: stoppedAt - 1 }
      expect(found("paused", 100_000, [before]).edits).toEqual([])
    })
    it("is not known when both came between two looks", () =>
      expect(found("paused", 100_000, []).edits).toEqual([]))
  })
  it("and started again where a rule had started it, is the rules' again", () => {
    const paused = { slot, ours: "active", writtenAt: now - dayMs, live: "paused", firstSeenAt: now - 1 }
    expect(look("01", now - dayMs, "active", [paused])).toEqual([])
  })

  describe("where a cluster's own bid had been removed", () => {
    const row = Example.oneRow[0]!
    const bid = ClusterBid.slot(row.target)
    const lastWritten = {
      policy: OperatorHold.undoPolicy,
      after: 23_600,
      at: now - dayMs,
      clears: true as const
    }
    const slots = new Map([[bid, Example.history({ slot: bid, lastWritten })]])
    const found = (isOwn: boolean | undefined, live: number) => {
      const table = Example.table("cluster", [
        { ...row, facts: { ...row.facts, "cluster.bid": live, "cluster.has_own_bid": isOwn } }
      ])
      return HumanEdits.find(slots, () => table, [], now).edits.map((one) => [one.live, one.firstSeenAt])
    }
    it("is a bid that it has again, and not what its item's has become", () => {
      expect(found(true, 22_400)).toEqual([[22_400, now]])
      const undone = [[23_600, lastWritten.at]]
      expect(found(false, 22_400)).toEqual(undone)
      expect(found(undefined, 22_400)).toEqual(undone)
    })
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
