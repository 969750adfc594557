import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Day } from "../../src/domain/Days.js"
import * as Scenario from "../scenario/Scenario.js"

describe("statistics of a day that has begun for the seller, but not in Moscow", () => {
  it("are unknown, not nothing: the marketplace is not asked", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const facts = yield* world.facts
        const { ids } = yield* facts.campaigns
        const campaigns = ids.map((campaignId) => ({ campaignId }))
        const { rows } = yield* facts.fetch({ source: "campaigns", keys: campaigns })
        const pairs = rows.flatMap(({ target }) =>
          target !== "account" && target.itemId !== undefined ? [target] : []
        )
        for (const [source, keys] of [
          ["campaignStats", campaigns],
          ["clusterStats", pairs]
        ] as const) {
          const of = (day: string) => facts.fetch({ source, keys, days: { from: Day(day), to: Day(day) } })
          expect((yield* of("2026-09-01")).failures).toEqual([])
          expect((yield* of("2026-09-02")).failures).toMatchObject([{ keys: keys.length, reason: "failed" }])
        }
        expect(world.requests("getCampaignStats")).toBe(1)
      })
    ))
})
