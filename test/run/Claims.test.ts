/** What a policy expects of answers it has not got, guessed from those it once got. */
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Window from "../../src/domain/Window.js"
import { known } from "../../src/engine/facts/Cell.js"
import * as Needs from "../../src/engine/facts/Needs.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Claims from "../../src/engine/gather/Claims.js"
import { factRow } from "../../src/engine/gather/FactSource.js"
import { compare, fact, noLimits, policy, raise } from "./policies.js"

const day = 86_400_000
const nowMs = 100 * day
const pair = { campaignId: CampaignId.make(1), itemId: ItemId.make(7) }
const orders = Table.factKey({ id: "cluster.orders", window: Window.last(7) })
const spend = Table.factKey({ id: "cluster.spend", window: Window.last(7) })

const claimed = (advised: number | undefined, ageDays: number, spent = 70_000) => {
  const table = Table.make("cluster")
  const target = { ...pair, cluster: Cluster.make("кеды") }
  const row = table.add(target)
  table.set(row, "campaign.status", known("active"))
  table.set(row, orders, known(5))
  table.set(row, spend, known(spent))
  table.set(row, "cluster.bid", known(20_000))
  const rows = [factRow(target, { "cluster.recommended.reach_max": advised ?? 0 })]
  const answer = { key: "1/7", readAt: nowMs - ageDays * day, rows }
  const recalled = new Map(advised === undefined ? [] : [["1/7", answer]])
  const claim = Claims.of(raise, table, [row], [pair], recalled, nowMs).get("1/7")!
  return { claim, left: table.get(row, "cluster.recommended.reach_max") }
}

describe("what a pair is worth", () => {
  it("is the money its rows would move by the last answer", () => {
    const { told, untold } = claimed(30_000, 0).claim
    expect(told).toBeCloseTo(1000, -1)
    expect(untold).toBe(0)
  })
  it("is nothing where the last answer said no, and little where the bid is nearly there", () => {
    expect(claimed(15_000, 0).claim.told).toBe(0)
    const nearly = claimed(20_400, 0).claim.told
    expect(nearly).toBeGreaterThan(0)
    expect(nearly).toBeLessThan(claimed(30_000, 0).claim.told / 4)
  })
  it("is the less told the older the answer, and untold without one", () => {
    const ages = [0, 2, 10, 30].map((age) => claimed(30_000, age).claim.told)
    expect([...ages].sort((a, b) => b - a)).toEqual(ages)
    expect(claimed(30_000, 30).claim.untold).toBeGreaterThan(claimed(30_000, 2).claim.untold)
    expect(claimed(undefined, 0).claim).toMatchObject({ told: 0, rowsTold: 0 })
    expect(claimed(undefined, 0).claim.untold).toBeCloseTo(1000, -1)
  })
  it("grows with the spend", () => {
    expect(claimed(30_000, 1, 140_000).claim.told).toBeGreaterThan(claimed(30_000, 1, 70_000).claim.told)
  })
  it("leaves no trace of old answers in the facts", () => {
    expect(claimed(30_000, 1).left).toEqual({ _tag: "Unknown", reason: "notFetched" })
  })
})

describe("conditions about whole items", () => {
  it("are answered before clusters are read, at equal cost", () => {
    const item = compare(fact("campaign_item.orders", Window.last(7)), ">=", 5)
    const cluster = compare(fact("cluster.orders", Window.last(7)), ">=", 3)
    const both = policy("04", "cluster", [], [cluster, item], raise.rules[0]!.action)
    const stages = Needs.of(both, noLimits).stages.filter(({ cost }) => cost === "batched")
    expect(stages).toMatchObject([
      { coarse: true, rules: [[1]], sources: [{ source: "campaignStats" }] },
      { rules: [[0]], sources: [{ source: "clusterStats" }] }
    ])
    const items = policy("05", "campaign_item", [], [item], raise.rules[0]!.action)
    expect(Needs.of(items, noLimits).stages.some(({ coarse }) => coarse)).toBe(false)
  })
})
