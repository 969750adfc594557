import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import * as Traffic from "../../../src/sandbox/market/Traffic.js"
import * as World from "../../../src/sandbox/market/World.js"

const originMs = Date.parse("2026-09-01T06:00:00Z")
const scale = { campaigns: 6, items: 2, clusters: 12 }

/** Every number of every stream over some days, at several bids. */
const digest = (market: "ordinary" | "borderline"): string => {
  const hash = createHash("sha256")
  for (const seed of [1, 2, 31]) {
    const world = World.make({ seller: "seller", seed, scale, originMs, firstId: 1_000_001, market })
    for (let index = 0; index < 6; index++) {
      const campaign = World.campaign(world, 1_000_001 + index)!
      for (const itemId of campaign.blueprint.itemIds)
        for (const traffic of Traffic.streams(World.item(world, itemId)))
          for (let day = Moscow.dayOf(originMs) - 3; day < Moscow.dayOf(originMs) + 3; day++)
            for (const bidKopecks of [700, 14_200, 90_100]) {
              const span = { from: Moscow.startOf(day), to: Moscow.startOf(day) + 40_000_000, bidKopecks }
              const totals = Traffic.ofDay(campaign, World.item(world, itemId), traffic, day, [span])
              hash.update(JSON.stringify([totals, Traffic.expectedCost(campaign, traffic, day, [span])]))
            }
    }
  }
  return hash.digest("hex").slice(0, 16)
}

test("the plain market is to the last bit what it was before there were others", () => {
  expect([digest("ordinary"), digest("borderline")]).toEqual(["f4b0dc68155afa92", "a74f591bb00c9a16"])
})
