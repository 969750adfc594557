import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Refused from "../../src/engine/decide/intents/Refused.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as Outcomes from "../../src/marketplace/writes/Outcomes.js"
import {
  type CallError,
  Forbidden,
  Refused as RefusedByMarketplace
} from "../../src/services/MarketplaceError.js"
import * as Scenario from "../scenario/Scenario.js"

const raising = {
  path: "rules/raise.yaml",
  text: `version: 1
name: raise
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.bid_type = manual
when: campaign.status = active
do: {raise_bid: {by: 5%, cap: 900 ₽}}
cooldown: 1h
`
}

const pausing = {
  ...raising,
  text: raising.text.replace("campaign_item", "campaign").replace(/do: .*/, "do: pause")
}

const hourMs = 3_600_000
const raise = { slot: "bid", after: 50_000, dearer: true }
const never = Number.NEGATIVE_INFINITY
const refusal = (times: number, pageAt = never, pages = 1, rests = true): Refused.Refusals =>
  new Map([['["bid",50000]', { at: times === 0 ? never : 7 * hourMs, times, pageAt, pages, rests }]])

/** Refusals that remember the first change of a plan, if it was refused so. */
const rememberedOf = (error: CallError) =>
  Scenario.run({ rules: [raising] }, (world) =>
    Effect.map(world.plan, ({ reviewed }) => {
      const [change] = reviewed.plan.changes
      const outcome = Outcomes.ofError(error)
      const reason = outcome._tag === "Rejected" ? outcome.reason : undefined
      const slot = Kinds.slotOf(change!)
      return Refused.of([{ change: change!, slot, updatedAt: 0, reason }], 1).size
    })
  )

/** Until when it rests, asked at nine. */
const rest = (
  refused: Parameters<typeof Refused.rest>[0],
  wanted: Parameters<typeof Refused.rest>[1],
  history?: Parameters<typeof Refused.rest>[2]
) => Refused.rest(refused, wanted, history, 9 * hourMs)?.untilMs ?? never

describe("a value that the marketplace refused", () => {
  it.each([
    [1, 1],
    [2, 2],
    [4, 8],
    [9, 24]
  ])("and that spends more rests, after %i refusals for %i hours", (times, hours) => {
    expect(rest(refusal(times), raise)).toBe((7 + hours) * hourMs)
  })

  it("and that saves rests for an hour, however often it was refused", () => {
    expect(rest(refusal(9), { ...raise, dearer: false })).toBe(8 * hourMs)
  })

  it("after a web page rests for an hour where it spends more", () => {
    expect(rest(refusal(0, 9 * hourMs), raise)).toBe(10 * hourMs)
    expect(rest(refusal(4, 9 * hourMs), raise)).toBe(15 * hourMs)
  })

  it("says whether the marketplace or a web page of somebody on the way is why it rests", () => {
    const of = (refused: Refused.Refusals) => Refused.rest(refused, raise, undefined, 9 * hourMs)?.page
    expect([of(refusal(0, 9 * hourMs)), of(refusal(1, 9 * hourMs))]).toEqual([true, true])
    expect([of(refusal(1)), of(refusal(4, 9 * hourMs))]).toEqual([undefined, undefined])
  })

  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 30],
    [40, 30]
  ])(
    "after %i web pages rests for %i minutes where it saves, or may be of no kind that rests",
    (pages, minutes) => {
      const until = 9 * hourMs + minutes * 60_000
      expect(rest(refusal(0, 9 * hourMs, pages), { ...raise, dearer: false })).toBe(until)
      expect(rest(refusal(0, 9 * hourMs, pages, false), raise)).toBe(until)
    }
  )

  it("a pause that web pages refuse waits longer with each, from the first again after two hours without", () =>
    Scenario.run({ rules: [pausing] }, (world) =>
      Effect.map(world.plan, ({ reviewed }) => {
        const [change] = reviewed.plan.changes
        const slot = Kinds.slotOf(change!)
        const minutes = (...pagesAt: ReadonlyArray<number>) => {
          const page = { code: "request_refused", said: "no", page: true } as const
          const refused = Refused.of(
            pagesAt.map((at) => ({ change: change!, slot, updatedAt: at * 60_000, reason: page })),
            24 * hourMs
          )
          const wanted = { slot, after: change!.after, dearer: false }
          const resting = Refused.rest(refused, wanted, undefined, 24 * hourMs)
          return (resting?.untilMs ?? never) / 60_000 - pagesAt.at(-1)!
        }
        expect([minutes(0), minutes(0, 5), minutes(0, 5, 15), minutes(0, 5, 15, 35, 65)]).toEqual([
          5, 10, 20, 30
        ])
        expect(minutes(0, 5, 15, 200)).toBe(5)
      })
    ))

  it("keeps no other value of the slot waiting, nor one once the slot was changed by now, which a clock that was ahead does not prove", () => {
    expect(rest(refusal(1), { ...raise, after: 49_000 })).toBe(never)
    const changed = { slot: "s", lastPolicy: "a", pendingSince: undefined, dayFirstBid: undefined }
    const at = (lastAppliedAt: number) => rest(refusal(1), raise, { ...changed, lastAppliedAt })
    expect([at(6 * hourMs), at(8 * hourMs)]).toEqual([8 * hourMs, never])
    expect([at(20 * hourMs), at(480 * hourMs)]).toEqual([8 * hourMs, 8 * hourMs])
  })

  it.each([
    ["a wrong row", 400, 1],
    ["a size that is too large", 413, 1],
    ["what the token may not do", 403, 0],
    ["a path that is gone", 405, 0],
    ["what a web page of somebody on the way says", 403, 1, true as const]
  ])("rests for %s: %i", async (_, status, remembered, page = undefined) => {
    const fields = {
      operation: "setItemBids",
      status,
      text: "no",
      retryAfterMs: undefined,
      arrived: "yes",
      ...(page ? { page } : {})
    } as const
    const error = status === 403 ? new Forbidden(fields) : new RefusedByMarketplace(fields)
    expect(await rememberedOf(error)).toBe(remembered)
  })
})
