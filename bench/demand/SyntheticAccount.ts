/**
 * An account made of arithmetic: as many campaigns as asked for, facts of any row computed when they are read, and
 * the marketplace's token buckets in front. A chosen share of the (campaign, item) pairs has exactly one cluster
 * that the shipped policies act on; everything else drops out at the cheap conditions.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AccountName, CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import type { Given } from "../../src/engine/facts/Cell.js"
import { ratios, type Totals } from "../../src/engine/facts/DerivedFacts.js"
import * as Sources from "../../src/engine/facts/Sources.js"
import {
  type FactAnswer,
  type FactRequest,
  type FactRow,
  type FactSource,
  factRow,
  factRows
} from "../../src/engine/gather/FactSource.js"

export interface Shape {
  readonly campaigns: number
  readonly itemsPerCampaign: number
  readonly clustersPerItem: number
  /** Share of the pairs that survive every cheap condition, 0 to 1. */
  readonly share: number
}

/** Token bucket of an operation: `burst` calls at once, then one per `intervalMs`. */
export interface Quota {
  readonly burst: number
  readonly intervalMs: number
}

export interface SyntheticAccount {
  readonly source: typeof FactSource.Service
  readonly calls: Readonly<Record<string, number>>
  /** Pairs of which scarce facts were read. */
  readonly scarcePairs: ReadonlySet<string>
  /** Fewest calls in which the batch bounds would have allowed every key that was asked, by operation. */
  readonly fewest: () => Readonly<Record<string, number>>
}

/** Time from a call's start to its answer, milliseconds. */
export const latencyMs = 120

/** What a policy looks for lies on other pairs for clusters than for items, as in life. */
export type Kind = "cluster" | "item"

/** Exactly the chosen share of the pairs, scattered by position alone so that every run sees the same account. */
export const survivors = (shape: Shape, kind: Kind): ReadonlySet<string> => {
  const salt = kind === "cluster" ? 1 : 7919
  const pairs = Array.from({ length: shape.campaigns * shape.itemsPerCampaign }, (_, n) => ({
    name: `${Math.floor(n / shape.itemsPerCampaign) + 1}/${(n % shape.itemsPerCampaign) + 1}`,
    order: scatter(n * 2 + salt)
  })).sort((a, b) => a.order - b.order)
  return new Set(pairs.slice(0, Math.round(shape.share * pairs.length)).map((pair) => pair.name))
}

/** Rows of a source about one key, whatever the account is made of. */
export type RowsOf = (request: FactRequest, key: Target.Subject) => ReadonlyArray<FactRow>

interface World extends Shape {
  readonly items: ReadonlyArray<ItemId>
  readonly clusters: ReadonlyArray<Cluster>
  readonly good: Readonly<Record<Kind, ReadonlySet<string>>>
}

/** With `forgets` the keys that were asked are not kept, and `fewest` and `scarcePairs` know nothing. */
export const make = (
  shape: Shape,
  quota: (operation: string) => Quota,
  forgets = false,
  drawn?: RowsOf
): SyntheticAccount => {
  const calls: Record<string, number> = {}
  const scarcePairs = new Set<string>()
  const readyAt = new Map<string, number>()
  const asked = new Map<string, { readonly source: Sources.Source; readonly keys: Set<string> }>()
  const note = (source: Sources.Source, request: FactRequest) => {
    const name = `${source.operation} ${request.days?.from ?? ""} ${request.days?.to ?? ""}`
    const entry = asked.get(name) ?? { source, keys: new Set() }
    asked.set(name, entry)
    // A call about one campaign serves all of its items.
    const perCampaign = source.oneCampaignPerCall || source.keyLevel === "campaign"
    for (const key of request.keys)
      entry.keys.add(perCampaign ? `${key.campaignId}` : `${key.campaignId}/${key.itemId}`)
  }
  const world = {
    ...shape,
    items: Array.from({ length: shape.itemsPerCampaign }, (_, i) => ItemId.make(i + 1)),
    clusters: Array.from({ length: shape.clustersPerItem }, (_, i) => Cluster.make(`query ${i}`)),
    good: { cluster: survivors(shape, "cluster"), item: survivors(shape, "item") }
  }
  /** Waits for a token of a bucket that loses one token per call and gains one per interval. */
  const call = (operation: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      calls[operation] = (calls[operation] ?? 0) + 1
      const { burst, intervalMs } = quota(operation)
      const full = Math.max(readyAt.get(operation) ?? 0, nowMs)
      readyAt.set(operation, full + intervalMs)
      return Effect.sleep(Math.max(0, full - (burst - 1) * intervalMs - nowMs) + latencyMs)
    })
  const fetch = (request: FactRequest): Effect.Effect<FactAnswer> =>
    Effect.gen(function* () {
      const source = Sources.sources[request.source as Sources.SourceId]
      yield* call(source.operation)
      if (!forgets) note(source, request)
      if (!forgets && source.cost === "scarce")
        for (const key of request.keys) scarcePairs.add(`${key.campaignId}/${key.itemId}`)
      const rows =
        source.keyLevel === "account"
          ? [accountRow]
          : request.keys.flatMap((key) => {
              if (drawn !== undefined) return drawn(request, key)
              const target = Target.ofSubject(key)
              return target === undefined ? [] : rowsOf(world, source.id, target)
            })
      return { rows, failures: [], readAt: yield* Clock.currentTimeMillis }
    })
  const ids = Array.from({ length: shape.campaigns }, (_, i) => CampaignId.make(i + 1))
  const source = {
    account: AccountName("synthetic"),
    currency: Effect.succeed("RUB"),
    campaigns: Effect.as(call("listCampaignIds"), { ids, completed: [], failures: [] }),
    fetch,
    calls: Effect.sync(() => ({ ...calls }))
  }
  const fewest = () => {
    const least: Record<string, number> = { listCampaignIds: 1 }
    for (const { source: of, keys } of asked.values()) {
      const bound = of.oneCampaignPerCall ? 1 : of.batch
      least[of.operation] = (least[of.operation] ?? 0) + Math.max(1, Math.ceil(keys.size / bound))
    }
    return least
  }
  return { source, calls, scarcePairs, fewest }
}

const accountRow = factRow("account", {
  "account.bid_step.cpm": 100,
  "account.bid_step.cpc": 1,
  "account.balance": 10_000_000
})

const rowsOf = (shape: World, source: string, key: Target.Target): ReadonlyArray<FactRow> => {
  const { campaignId } = key
  const itemId = key.itemId ?? ItemId.make(1)
  const pair = { campaignId, itemId }
  const { items, clusters } = shape
  const good = shape.good.cluster.has(`${campaignId}/${itemId}`)
  switch (source) {
    case "campaigns":
      return [
        factRow({ campaignId }, campaignFacts(campaignId)),
        ...items.map((item) => ofItem({ campaignId, itemId: item }, item, "Shoes", 30_000, 30_000))
      ]
    case "campaignStats":
      return [
        { target: { campaignId }, ...statistics("campaign", true) },
        ...items.map((item) => ({
          target: { campaignId, itemId: item },
          ...statistics("campaign_item", shape.good.item.has(`${campaignId}/${item}`))
        }))
      ]
    case "clusters":
      return clusters.map((cluster) => listed({ campaignId, itemId, cluster }, cluster, "active"))
    case "clusterStats":
      return clusters.map((cluster, i) => {
        const { facts, values } = statistics("cluster", good && i === 0)
        return { target: { campaignId, itemId, cluster }, facts, values }
      })
    case "clusterBids":
      return [bid(pair, 30_000, false)]
    case "minusPhrases":
      return [minus(pair, 3, false)]
    case "minimumBids":
      return [minimum(pair, 10_000, 10_000)]
    case "recommendations":
      return clusters.map((cluster) => recommended({ campaignId, itemId, cluster }, 42_000, 20_000))
    default:
      return [factRow({ campaignId }, { "campaign.budget": 500_000 })]
  }
}

type Facts = Readonly<Record<string, Given>>

// Rows that tell the same share one list of facts, as in life.

export const listed = factRows("cluster.query", "cluster.state")
export const bid = factRows("cluster.bid", "cluster.has_own_bid")
export const minus = factRows("campaign_item.minus.count", "cluster.in_minus")
export const minimum = factRows("campaign_item.min_bid", "campaign_item.min_bid.recommendations")
const recommended = factRows("cluster.recommended.reach_max", "cluster.recommended.reach_min")
export const ofItem = factRows(
  "campaign_item.item.id",
  "campaign_item.item.subject",
  "campaign_item.bid",
  "campaign_item.bid.recommendations"
)

export const campaignFacts = (campaignId: number): Facts => ({
  "campaign.id": campaignId,
  "campaign.name": `Campaign ${campaignId}`,
  "campaign.status": "active",
  "campaign.payment": "cpm",
  "campaign.bid_type": "manual",
  "campaign.search": true,
  "campaign.recommendations": false
})

/** A good row sells cheaply and often; any other is shown, clicked at 1.5%, and never bought. */
const total = (good: boolean): Totals => ({
  views: 4000,
  clicks: good ? 200 : 60,
  orders: good ? 12 : 0,
  spendKopecks: good ? 120_000 : 90_000,
  revenueKopecks: good ? 3_000_000 : 0
})

type Told = Pick<FactRow, "facts" | "values">

const numbersOf = (level: string, good: boolean): Told => {
  const sums = total(good)
  const derived = ratios(sums)
  const { facts, values } = factRow("account", {
    [`${level}.views`]: sums.views ?? 0,
    [`${level}.clicks`]: sums.clicks ?? 0,
    [`${level}.carts`]: sums.orders ?? 0,
    [`${level}.orders`]: sums.orders ?? 0,
    [`${level}.spend`]: sums.spendKopecks ?? 0,
    ...(level === "cluster"
      ? { "cluster.avg_pos": 12 }
      : { [`${level}.revenue`]: sums.revenueKopecks ?? 0, [`${level}.acos`]: derived.acos }),
    [`${level}.ctr`]: derived.ctr,
    [`${level}.cr`]: derived.cr,
    [`${level}.cpc`]: derived.cpc,
    [`${level}.cpm`]: derived.cpm,
    [`${level}.cpo`]: derived.cpo
  })
  return { facts, values }
}

/** Two rows of numbers are enough for every level, and half a million rows share them. */
const numbers = new Map(
  ["campaign", "campaign_item", "cluster"].flatMap((level) =>
    [true, false].map((good) => [`${level} ${good}`, numbersOf(level, good)] as const)
  )
)

const statistics = (level: string, good: boolean): Told => numbers.get(`${level} ${good}`)!

/** Even scatter of a whole number over 0 to 1. */
export const scatter = (n: number): number => {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000
}
