import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import * as Depth from "../Depth.js"
import * as Example from "../decide/Example.js"

const minute = 60_000
const slot = "item_bid:777/1001/search"
const always = Example.clause(
  "bid > 1 ₽",
  Example.compare(Example.fact("campaign_item.bid"), ">", Example.rub(1))
)
/** 12:00 to 14:00 in Moscow; `Example.now` is 09:00. */
const during = { fromMinute: 12 * 60, toMinute: 14 * 60 }
const begin = Example.now + 180 * minute
const end = begin + 120 * minute

const boost = (basisPoints: number, bound: number, when = [always]): Policy =>
  Example.policy("boost", adjust(basisPoints, bound), { each: "campaign_item", during, when })

const adjust = (basisPoints: number, bound: number): Action => ({
  _tag: "AdjustBid",
  basisPoints,
  ...(basisPoints > 0 ? { cap: Example.rub(bound) } : { floor: Example.rub(bound) }),
  placement: "search",
  span: Example.span
})

/** A bid, what the journal knows of it, and runs at instants of one's choice. */
class Bid {
  history: SlotHistory | undefined
  constructor(
    public live: number,
    private readonly policies: ReadonlyArray<Policy>
  ) {}

  run(nowMs: number): Change | undefined {
    const { changes } = Example.plan({
      policies: this.policies,
      rows: [{ target: Example.target(777, 1001), facts: { "campaign_item.bid": this.live } }],
      slots: this.history === undefined ? [] : [this.history],
      nowMs
    })
    expect(changes.length).toBeLessThanOrEqual(1)
    const [change] = changes
    if (change === undefined) return undefined
    expect(Kinds.slotOf(change)).toBe(slot)
    expect(change.before).toBe(this.live)
    expect(change.after).not.toBe(this.live)
    this.live = Number(change.after)
    this.history = Memory.after(this.history, slot, change, nowMs, true)
    return change
  }
}

const base = fc.integer({ min: 150, max: 900 }).map((roubles) => roubles * 100)
const share = fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: -9_000, max: -1 }))
const bound = fc.integer({ min: 100, max: 1_200 })
const instants = fc.array(fc.integer({ min: 0, max: 119 }), { minLength: 1, maxLength: 6 })

describe("an overlay", () => {
  it("never compounds, keeps to its bound, and gives back exactly the base", () => {
    fc.assert(
      fc.property(base, share, bound, instants, (first, basisPoints, roubles, minutes) => {
        const bid = new Bid(first, [boost(basisPoints, roubles)])
        expect(bid.run(begin - minute)).toBeUndefined()
        const times = [...minutes].sort((a, b) => a - b).map((at) => begin + at * minute)
        for (const [n, at] of times.entries()) {
          const change = bid.run(at)
          if (n > 0) expect(change).toBeUndefined()
        }
        const step = 100
        if (basisPoints > 0) {
          expect(bid.live).toBeGreaterThanOrEqual(first)
          expect(bid.live).toBeLessThanOrEqual(Math.max(first, roubles * 100))
          expect(bid.live).toBeLessThanOrEqual(
            Math.max((first * (10_000 + basisPoints)) / 10_000, first + step)
          )
        } else {
          expect(bid.live).toBeLessThanOrEqual(first)
          expect(bid.live).toBeGreaterThanOrEqual(Math.min(first, Math.max(roubles * 100, 15_000)))
        }
        bid.run(end)
        expect(bid.live).toBe(first)
        expect(bid.run(end + minute)).toBeUndefined()
      }),
      { numRuns: Depth.cases(2_000, 1 / 8) }
    )
  })

  it("lets any steering move the base alone, and ends at the steered base", () => {
    const steer = fc.oneof(
      fc
        .integer({ min: 1, max: 5_000 })
        .map((by) => Example.raiseBid({ by: { _tag: "Percent", basisPoints: by }, cap: Example.rub(2_000) })),
      fc
        .integer({ min: 1, max: 5_000 })
        .map((by) => Example.lowerBid({ by: { _tag: "Percent", basisPoints: by }, floor: Example.rub(100) })),
      bound.map((to) => Example.setBid({ to: Example.rub(to), cap: Example.rub(1_500) }))
    )
    fc.assert(
      fc.property(base, share, bound, steer, instants, (first, basisPoints, roubles, action, minutes) => {
        const steering = Example.policy("steer", action, { each: "campaign_item", when: [always] })
        const bid = new Bid(first, [boost(basisPoints, roubles), steering])
        let known = first
        const times = [...minutes].sort((a, b) => a - b).map((at) => begin + at * minute)
        for (const at of [...times, end]) {
          const change = bid.run(at)
          if (change === undefined) continue
          const isEdge = change.action === "adjust_bid"
          const overlay = Bids.overlayOf(change)
          if (overlay !== undefined) {
            expect(overlay.baseBeforeKopecks).toBe(known)
            if (isEdge && at < end) expect(overlay.baseKopecks).toBe(known)
            known = overlay.baseKopecks
          } else known = Number(change.after)
        }
        // With the boost alone the base would be what steering made of it.
        if (bid.history?.overlay === undefined) expect(bid.live).toBe(known)
      }),
      { numRuns: Depth.cases(2_000, 1 / 8) }
    )
  })

  it("is over when somebody changes the bid: theirs stays, during the time and after it", () => {
    fc.assert(
      fc.property(base, share, bound, base, (first, basisPoints, roubles, theirs) => {
        const bid = new Bid(first, [boost(basisPoints, roubles)])
        const change = bid.run(begin)
        fc.pre(change !== undefined && theirs !== bid.live)
        bid.live = theirs
        for (const at of [begin + minute, end - minute, end, end + minute]) {
          expect(bid.run(at)).toBeUndefined()
        }
        expect(bid.live).toBe(theirs)
      }),
      { numRuns: Depth.cases(1_000, 1 / 8) }
    )
  })
})
