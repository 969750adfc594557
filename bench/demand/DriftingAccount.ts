/**
 * An account whose prices move from day to day: spend with a heavy tail, recommended bids that wander and now and then
 * jump, bids that we raise and people change. Made of one seed, so every run sees the same days. Made up, but with
 * nothing in it that the planner could know: it is told bids, spend and orders, and recommendations only when it asks.
 */
import * as Effect from "effect/Effect"
import { AccountName, CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import {
  type FactRequest,
  type FactRow,
  type FactSource,
  factRow
} from "../../src/engine/gather/FactSource.js"

export const size = { campaigns: 60, itemsPerCampaign: 10, clustersPerItem: 6 }

interface Row {
  readonly pair: string
  readonly target: Target.Target
  /** Kopecks; spend is over seven days. */
  spend: number
  bid: number
  recommended: number
  /** What was recommended the day before. */
  before: number
  readonly orders: number
}

export interface World {
  readonly rows: ReadonlyArray<Row>
  readonly byPair: ReadonlyMap<string, ReadonlyArray<Row>>
  readonly next: () => number
}

const cluster = (n: number) => Cluster.make(`query ${n}`)

export const make = (seed: number): World => {
  const next = numbers(seed)
  const rows: Array<Row> = []
  for (let c = 1; c <= size.campaigns; c++)
    for (let i = 1; i <= size.itemsPerCampaign; i++) {
      // Half of the weight of a cluster is its item's: good items have many good clusters.
      const item = tail(next())
      for (let n = 0; n < size.clustersPerItem; n++) {
        const pair = { campaignId: CampaignId.make(c), itemId: ItemId.make(i) }
        const recommended = 20_000 * Math.exp(0.5 * normal(next))
        const bid = recommended * (0.6 + 0.7 * next())
        const spend = 2_000 * item * tail(next())
        const orders = next() < 0.35 ? 3 + Math.floor(next() * 9) : 0
        const target = { ...pair, cluster: cluster(n) }
        rows.push({ pair: Target.key(pair), target, spend, bid, recommended, before: recommended, orders })
      }
    }
  const byPair = new Map<string, Array<Row>>()
  for (const row of rows) byPair.set(row.pair, [...(byPair.get(row.pair) ?? []), row])
  return { rows, byPair, next }
}

/** What moves: each recommended bid by so much of itself in a night, some by a jump, some bids by people; and by us. */
export interface Weather {
  /** The plans are carried out; else they are previews, and only others move bids. */
  readonly applied: boolean
  readonly drift: number
  readonly jumps: number
  readonly edits: number
}

/** The night: what the rules changed stays, everything else moves. */
export const sleep = ({ next, rows }: World, { drift, edits, jumps }: Weather): void => {
  for (const row of rows) {
    row.before = row.recommended
    const jump = next() < jumps ? Math.exp(0.4 * normal(next)) : 1
    row.recommended = Math.max(5_000, row.recommended * Math.exp(drift * normal(next)) * jump)
    row.spend = Math.max(100, row.spend * Math.exp(0.06 * normal(next)))
    // People set a bid anew.
    if (next() < edits) row.bid = row.recommended * (0.6 + 0.7 * next())
  }
}

/**
 * What the pair would be worth on an average of the nights, for somebody who knew yesterday's recommendations of every
 * pair: more cannot be known without asking.
 */
export const expected = ({ byPair }: World, pair: string, { drift }: Weather): number =>
  (byPair.get(pair) ?? [])
    .filter(({ orders }) => orders >= 3)
    .reduce(
      (sum, { before, bid, spend }) =>
        sum +
        middles.reduce((inner, middle) => {
          const recommended = before * Math.exp(drift * middle)
          const to = Math.max(bid, Math.min(bid * 1.1, recommended))
          return inner + ((spend / 7) * (to - bid)) / bid
        }, 0),
      0
    )

/** The middles of seven equally likely parts of a normal distribution. */
const middles = [-1.465, -0.792, -0.366, 0, 0.366, 0.792, 1.465]

/** What a plan that looks at the pair is worth: the spend per day its changes move, kopecks, as previews count it. */
export const worth = ({ byPair }: World, pair: string): number =>
  (byPair.get(pair) ?? [])
    .filter(acts)
    .reduce((sum, row) => sum + ((row.spend / 7) * (raised(row) - row.bid)) / row.bid, 0)

const raised = ({ bid, recommended }: Row): number => Math.min(bid * 1.1, recommended)

const acts = (row: Row): boolean => row.orders >= 3 && Math.round(row.bid) < Math.round(row.recommended)

/** Pairs that pass the cheap conditions, in the order they come, with their whole spend. */
export const candidates = ({ byPair }: World) =>
  [...byPair].flatMap(([pair, rows]) => {
    const open = rows.filter(({ orders }) => orders >= 3)
    const spend = open.reduce((sum, row) => sum + row.spend, 0)
    return open.length === 0 ? [] : [{ pair, spend }]
  })

/** Carries out the rule on the pairs that were looked at: 10% more, not beyond the recommendation. */
export const raise = ({ byPair }: World, pairs: Iterable<string>, { applied }: Weather): void => {
  if (!applied) return
  for (const pair of pairs) for (const row of (byPair.get(pair) ?? []).filter(acts)) row.bid = raised(row)
}

/** The account as the engine reads it; `asked` gets the pairs of which recommendations were read. */
export const source = (world: World, nowMs: number, asked: Set<string>): typeof FactSource.Service => {
  const ids = Array.from({ length: size.campaigns }, (_, n) => CampaignId.make(n + 1))
  const calls: Record<string, number> = {}
  return {
    account: AccountName("drifting"),
    currency: Effect.succeed("RUB"),
    campaigns: Effect.succeed({ ids, completed: [], failures: [] }),
    calls: Effect.sync(() => ({ ...calls })),
    fetch: (request) =>
      Effect.sync(() => {
        if (request.source === "recommendations") for (const key of request.keys) asked.add(Target.key(key))
        return { rows: answer(world, request), failures: [], readAt: nowMs }
      })
  }
}

const answer = (world: World, { keys, source: id }: FactRequest): ReadonlyArray<FactRow> => {
  const rows = () => keys.flatMap((key) => world.byPair.get(Target.key(key)) ?? [])
  switch (id) {
    case "campaigns":
      return keys.flatMap((key) => [factRow(key, settings), ...items(key)])
    case "promotionConfig":
      return [factRow("account", { "account.bid_step.cpm": 100 })]
    case "clusters":
      return rows().map((row) =>
        factRow(row.target, { "cluster.query": row.target.cluster ?? "", "cluster.state": "active" })
      )
    case "clusterStats":
      return rows().map((row) =>
        factRow(row.target, {
          "cluster.orders": row.orders,
          "cluster.spend": Math.round(row.spend),
          "cluster.views": Math.round(row.spend / 30)
        })
      )
    case "clusterBids":
      return rows().map((row) =>
        factRow(row.target, { "cluster.bid": Math.round(row.bid), "cluster.has_own_bid": true })
      )
    case "minimumBids":
      return keys.map((key) => factRow(key, { "campaign_item.min_bid": 1000 }))
    case "recommendations":
      return rows().map((row) =>
        factRow(row.target, { "cluster.recommended.reach_max": Math.round(row.recommended) })
      )
    default:
      return []
  }
}

const settings = {
  "campaign.name": "Campaign",
  "campaign.status": "active",
  "campaign.payment": "cpm",
  "campaign.bid_type": "manual"
}

const items = ({ campaignId }: Target.Subject): ReadonlyArray<FactRow> =>
  Array.from({ length: size.itemsPerCampaign }, (_, n) => {
    const itemId = ItemId.make(n + 1)
    return factRow(campaignId === undefined ? { itemId } : { campaignId, itemId }, {
      "campaign_item.bid": 20_000
    })
  })

/** Heavy: a fifth of the rows makes about two thirds of the spend. */
const tail = (chance: number): number => (1 - chance) ** (-1 / 1.8)

const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

/** Even numbers from 0 to below 1. */
const numbers = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
