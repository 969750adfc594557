/** Daily cluster statistics where the marketplace knows only the published path: the sandbox answers, in virtual time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"

const operation = "getClusterDailyStats"
const pair = { advertId: CampaignId.make(1_000_001), nmId: ItemId.make(200_000_001) }
const week = { from: Days.Day("2026-08-25"), to: Days.Day("2026-08-31") }

it("answers the same from the published path, and pays for the seed's once a day", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const client = Context.get(world.context, MarketplaceClient)
      const read = Effect.map(
        client.api.statistics.getClusterDailyStats({ payload: { ...week, items: [pair] } }),
        ({ items }) => items
      )
      const sent = Effect.map(client.calls, (calls) => calls[operation] ?? 0)
      const before = yield* read
      expect(before[0]?.dailyStats.length).toBeGreaterThan(10)
      expect(yield* sent).toBe(1)
      world.faults([{ kind: "retired", operation }])
      expect(yield* read).toEqual(before)
      expect(yield* sent).toBe(3)
      yield* world.advance("23 hours")
      expect(yield* read).toEqual(before)
      expect(yield* sent).toBe(4)
      yield* world.advance("2 hours")
      expect(yield* read).toEqual(before)
      expect(yield* sent).toBe(6)
      world.faults([])
      yield* world.advance("25 hours")
      expect(yield* read).toEqual(before)
      expect(yield* sent).toBe(7)
      expect(world.throttled()).toBe(0)
    })
  ))
