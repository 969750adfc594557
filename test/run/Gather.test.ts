import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Synthetic from "../../bench/demand/SyntheticAccount.js"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import { Kopecks } from "../../src/domain/Money.js"
import * as Target from "../../src/domain/Target.js"
import * as Window from "../../src/domain/Window.js"
import * as Sources from "../../src/engine/facts/Sources.js"
import { factKey } from "../../src/engine/facts/Table.js"
import * as Estimate from "../../src/engine/gather/Estimate.js"
import { type FactAnswer, type FactRequest, FactSource, factRow } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { minus, raise, rules, steer } from "./policies.js"

const shape = { campaigns: 60, itemsPerCampaign: 4, clustersPerItem: 5, share: 0.05 }
const quota = (operation: string) => Catalogue.find(operation)!.limits.personal
const start = Date.parse("2026-09-01T06:00:00Z")

type Answering = (request: FactRequest, real: Effect.Effect<FactAnswer>) => Effect.Effect<FactAnswer>

const gather = async (
  set: RuleSet,
  options: Partial<Gather.GatherOptions> & { readonly answering?: Answering } = {}
) => {
  const account = Synthetic.make(shape, quota)
  const answering: Answering = options.answering ?? ((_, real) => real)
  const source = {
    ...account.source,
    fetch: (request: FactRequest) => answering(request, account.source.fetch(request))
  }
  const time = VirtualClock.make(start)
  const gathered = await Effect.runPromise(
    time.run(
      Gather.run(set, { zone: "Europe/Moscow", ...options }).pipe(Effect.provideService(FactSource, source))
    )
  )
  return { gathered, account, tookMs: time.now() - start }
}

const surviving = [...Synthetic.survivors(shape, "cluster")]
const selling = [...Synthetic.survivors(shape, "item")]
const target = (name: string) => {
  const [campaignId, itemId] = name.split("/").map(Number)
  return { campaignId: CampaignId.make(campaignId!), itemId: ItemId.make(itemId!) }
}
const campaignsOf = (names: ReadonlyArray<string>) => new Set(names.map((name) => name.split("/")[0]))
const failing = (request: FactRequest, stopsAccount = false): FactAnswer => ({
  rows: [],
  failures: [
    {
      operation: Sources.sources[request.source as Sources.SourceId].operation,
      keys: request.keys.length,
      message: "broken",
      stopsAccount
    }
  ],
  readAt: 0
})

describe("gathering facts", () => {
  it("asks scarce sources for surviving pairs only, and everything else in the fewest calls", async () => {
    const { gathered, account } = await gather(rules(raise, minus, steer))
    expect(surviving).toHaveLength(12)
    expect([...account.scarcePairs].sort()).toEqual([...surviving].sort())
    expect(gathered.calls).toEqual({
      listCampaignIds: 1,
      getCampaigns: 2,
      listClusters: 3,
      getClusterStats: 6,
      getCampaignStats: 2,
      getClusterBids: 1,
      getBidRecommendations: surviving.length,
      getMinimumBids: campaignsOf([...surviving, ...selling]).size,
      getPromotionConfig: 1
    })
  })

  it("starts scarce calls while statistics are still being fetched", async () => {
    const { tookMs } = await gather(rules(raise, minus, steer))
    const bound = (operation: string, calls: number) =>
      Math.max(0, calls - quota(operation).burst) * quota(operation).intervalMs
    const slowest = Math.max(bound("getBidRecommendations", surviving.length), bound("getCampaignStats", 2))
    expect(tookMs).toBeLessThan(slowest + 5000)
  })

  it("knows the facts of survivors and says of the others that they were not fetched", async () => {
    const { gathered } = await gather(rules(raise))
    const table = gathered.table("cluster")
    const first = table.indexOf({ ...target(surviving[0]!), cluster: Cluster.make("query 0") })!
    expect(table.size).toBe(60 * 4 * 5)
    expect(table.get(first, "cluster.recommended.reach_max")).toEqual({ _tag: "Known", value: 42_000 })
    const loser = table.rows.findIndex((row) => !surviving.includes(`${row.campaignId}/${row.itemId}`))
    const unknown = { _tag: "Unknown", reason: "notFetched" }
    expect(table.get(loser, "cluster.recommended.reach_max")).toEqual(unknown)
  })

  it("is foretold: calls and time, from the rows in scope and the share that survives", async () => {
    let foretold: Estimate.Estimate | undefined
    const set = rules(raise, minus, steer)
    const { gathered, tookMs } = await gather(set, {
      onScope: (campaigns, table) =>
        Effect.sync(() => {
          const scopes = Estimate.scopes(set.policies, set.limits, table, (policy) =>
            policy === minus ? 0 : shape.share
          )
          foretold = Estimate.of(campaigns, scopes, set.limits, quota)
        })
    })
    expect(foretold?.calls.getBidRecommendations).toBe(gathered.calls.getBidRecommendations)
    expect(foretold?.calls.getClusterStats).toBe(gathered.calls.getClusterStats)
    expect(Object.keys(foretold?.calls ?? {}).sort()).toEqual(Object.keys(gathered.calls).sort())
    expect(foretold!.slowest!.ms / tookMs).toBeGreaterThan(0.95)
    expect(Estimate.callsWithin(60_000, quota("getBidRecommendations"))).toBe(10)
  })

  it("foretells what spend_per_day asks of every campaign, whether rules ask for today's spend or not", async () => {
    for (const set of [rules(raise), rules(raise, minus, steer)]) {
      const limits = { ...set.limits, spendPerDayKopecks: Kopecks(5_000_000) }
      let foretold: Estimate.Estimate | undefined
      const { gathered } = await gather(
        { ...set, limits },
        {
          onScope: (campaigns, table) =>
            Effect.sync(() => {
              const scopes = Estimate.scopes(set.policies, limits, table, () => shape.share)
              foretold = Estimate.of(campaigns, scopes, limits, quota)
            })
        }
      )
      expect(gathered.calls.getCampaignStats).toBeGreaterThan(0)
      expect(foretold?.calls.getCampaignStats).toBe(gathered.calls.getCampaignStats)
    }
  })

  it("leaves a cluster that statistics omit absent, never zero", async () => {
    const omitting: Answering = (request, real) =>
      request.source !== "clusterStats"
        ? real
        : Effect.map(real, (answer) => ({
            ...answer,
            rows: answer.rows.filter((row) => row.target === "account" || row.target.cluster !== "query 1")
          }))
    const { gathered } = await gather(rules(raise), { answering: omitting })
    const table = gathered.table("cluster")
    const orders = factKey({ id: "cluster.orders", window: Window.last(7) })
    const omitted = table.rows.findIndex((row) => row.cluster === "query 1")
    expect(table.get(omitted, orders)).toEqual({ _tag: "Unknown", reason: "absent" })
  })

  it("makes the rows of a key that come later once, and lets them say otherwise than those made at once", async () => {
    const made: Array<string> = []
    const later: Answering = (request, real) =>
      request.source !== "clusterStats"
        ? real
        : Effect.map(real, (answer) => ({
            ...answer,
            rows: request.keys.map((key) => factRow(key, { "cluster.orders": 99 })),
            later: request.keys.map((key) => ({
              key,
              rows: () => {
                made.push(Target.key(key))
                return answer.rows.filter(
                  ({ target }) =>
                    target !== "account" &&
                    target.itemId === key.itemId &&
                    target.campaignId === key.campaignId
                )
              }
            }))
          }))
    const plain = await gather(rules(raise))
    const { gathered } = await gather(rules(raise), { answering: later })
    const orders = factKey({ id: "cluster.orders", window: Window.last(7) })
    const told = ({ gathered: { table } }: typeof plain) =>
      table("cluster").rows.map((_, row) => table("cluster").get(row, orders))
    expect(told({ ...plain, gathered })).toEqual(told(plain))
    expect([made.length, new Set(made).size]).toEqual([240, 240])
  })

  it("keeps the facts of other keys when one call fails", async () => {
    let calls = 0
    const failOnce: Answering = (request, real) =>
      request.source === "clusterStats" && calls++ === 0 ? Effect.succeed(failing(request)) : real
    const { gathered } = await gather(rules(raise), { answering: failOnce })
    const table = gathered.table("cluster")
    const orders = factKey({ id: "cluster.orders", window: Window.last(7) })
    const reasons = table.rows.map((_, row) => table.get(row, orders))
    expect(reasons.filter((cell) => cell._tag === "Unknown" && cell.reason === "failed")).toHaveLength(500)
    expect(reasons.filter((cell) => cell._tag === "Known")).toHaveLength(700)
    expect(gathered.failures).toHaveLength(1)
  })

  it("asks nothing more once the token was refused", async () => {
    const refuse: Answering = (request, real) =>
      request.source === "clusters" ? Effect.succeed(failing(request, true)) : real
    const { gathered } = await gather(rules(raise, minus), { answering: refuse })
    expect(gathered.calls.getBidRecommendations).toBeUndefined()
    expect(gathered.failures.some((failure) => failure.stopsAccount)).toBe(true)
  })

  it("stops at the budget of scarce calls and says how many keys were left", async () => {
    const { gathered } = await gather(rules(raise), { maxScarceCalls: 3 })
    expect(gathered.calls.getBidRecommendations).toBe(3)
    expect(gathered.left).toEqual({ getBidRecommendations: surviving.length - 3 })
  })
})
