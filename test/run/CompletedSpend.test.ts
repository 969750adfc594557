/** What campaigns had spent before they were completed today: asked of few, and never nothing by mistake. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { AccountName, CampaignId } from "../../src/domain/Ids.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import type { CampaignList, FactAnswer, FactRequest } from "../../src/engine/gather/FactSource.js"
import { FactSource, factRow } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"

const nowMs = Date.parse("2026-09-01T09:00:00+03:00")

/** What is read of campaigns that ended at these times, and which of them are asked about. */
const read = (
  ended: ReadonlyArray<string | undefined>,
  answer: (request: FactRequest) => Pick<FactAnswer, "rows" | "failures">
) => {
  const asked: Array<ReadonlyArray<number | undefined>> = []
  const completed: CampaignList["completed"] = ended.map((at, index) => ({
    campaignId: CampaignId.make(index + 1),
    changedAtMs: at === undefined ? undefined : Date.parse(at)
  }))
  const source: typeof FactSource.Service = {
    account: AccountName("shop"),
    currency: Effect.succeed("RUB"),
    campaigns: Effect.succeed({ ids: [], completed, failures: [] }),
    calls: Effect.succeed({}),
    fetch: (request) => {
      asked.push(request.keys.map(({ campaignId }) => campaignId))
      return Effect.succeed({ ...answer(request), readAt: nowMs })
    }
  }
  const { failures, spent } = Effect.runSync(
    Effect.provideService(Gather.read(completed, nowMs), FactSource, source)
  )
  return { asked, failures, spent }
}

const spends =
  (kopecks: number) =>
  ({ keys }: FactRequest) => ({
    rows: keys.map((target) => factRow(target, { "campaign.spend": kopecks })),
    failures: []
  })

describe("the spend of campaigns completed today", () => {
  it("is asked of those that ended since midnight at the marketplace, or of which nobody says when", () => {
    const ended = [
      "2026-08-31T23:59:00+03:00",
      "2026-09-01T00:01:00+03:00",
      undefined,
      "2026-05-01T12:00:00+03:00"
    ]
    expect(read(ended, spends(700))).toEqual({ asked: [[2, 3]], failures: [], spent: 1_400 })
  })

  it("is nothing, without a call, when none ended today", () => {
    expect(read(["2026-08-31T12:00:00+03:00"], spends(700))).toEqual({ asked: [], failures: [], spent: 0 })
  })

  it("is nothing of those that the statistics leave out, for they were not shown today", () => {
    expect(read([undefined], () => ({ rows: [], failures: [] })).spent).toBe(0)
  })

  it("is asked in calls of fifty", () => {
    const { asked, spent } = read(
      Array.from({ length: 120 }, () => undefined),
      spends(1)
    )
    expect([asked.map((keys) => keys.length), spent]).toEqual([[50, 50, 20], 120])
  })

  it("is unknown when a call fails or an amount was left out", () => {
    const failure = { operation: "getCampaignStats", keys: 1, message: "no answer", stopsAccount: false }
    expect(read([undefined], () => ({ rows: [], failures: [failure] }))).toMatchObject({
      failures: [failure],
      spent: Gather.unreadSpend
    })
    const leftOut = { "campaign.spend": Cells.unknown("failed") }
    expect(
      read([undefined], ({ keys }) => ({ rows: [factRow(keys[0]!, leftOut)], failures: [] })).spent
    ).toBe("today's spend of campaign 1 is unknown: could not be fetched")
  })
})
