import { describe, expect, it } from "vitest"
import * as Refused from "../../src/engine/decide/intents/Refused.js"

const hourMs = 3_600_000
const raise = { slot: "bid", after: 50_000, dearer: true }
const refusal = (times: number): Refused.Refusals => new Map([['["bid",50000]', { at: 7 * hourMs, times }]])

describe("a value that the marketplace refused", () => {
  it.each([
    [1, 1],
    [2, 2],
    [4, 8],
    [9, 24]
  ])("and that spends more rests, after %i refusals for %i hours", (times, hours) => {
    expect(Refused.restsUntil(refusal(times), raise, undefined)).toBe((7 + hours) * hourMs)
  })

  it("and that saves rests for an hour, however often it was refused", () => {
    expect(Refused.restsUntil(refusal(9), { ...raise, dearer: false }, undefined)).toBe(8 * hourMs)
  })

  it("keeps no other value of the slot waiting, nor one once the slot was changed", () => {
    expect(Refused.restsUntil(refusal(1), { ...raise, after: 49_000 }, undefined)).toBe(
      Number.NEGATIVE_INFINITY
    )
    const changed = { slot: "s", lastPolicy: "a", pendingSince: undefined, dayFirstBid: undefined }
    const at = (lastAppliedAt: number) => Refused.restsUntil(refusal(1), raise, { ...changed, lastAppliedAt })
    expect([at(6 * hourMs), at(8 * hourMs)]).toEqual([8 * hourMs, Number.NEGATIVE_INFINITY])
  })
})
