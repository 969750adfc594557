/** Answers of a made-up account as bytes, drawn once and sent again and again: one call for each hundred pairs. */
import * as Undici from "@effect/platform-node/Undici"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import type { Pair } from "../../src/domain/Target.js"

const itemsOfCampaign = 10
const pairsOfCall = 100

export interface Account {
  readonly campaigns: ReadonlyArray<CampaignId>
  readonly pairs: ReadonlyArray<Pair>
  readonly clusters: number
  /** Everything that the account is ever answered. */
  readonly bodies: ReadonlyArray<Uint8Array>
  readonly dispatcher: Undici.Dispatcher
}

/** So many clusters in all, fifty to a pair. */
export const make = (clusters: number, seed: number): Account => {
  const next = numbers(seed)
  const clustersOfPair = 50
  const campaigns = Array.from({ length: clusters / clustersOfPair / itemsOfCampaign }, (_, n) =>
    CampaignId.make(n + 1)
  )
  const pairs = campaigns.flatMap((campaignId) =>
    Array.from({ length: itemsOfCampaign }, (_, n) => ({ campaignId, itemId: ItemId.make(1000 + n) }))
  )
  const bodies = new Map<string, Uint8Array>()
  const encoder = new TextEncoder()
  const put = (path: string, call: number, body: unknown) =>
    bodies.set(`${path} ${call}`, encoder.encode(JSON.stringify(body)))
  for (let at = 0, call = 0; at < campaigns.length; at += 50, call++)
    put(paths.campaigns, call, { adverts: campaigns.slice(at, at + 50).map(campaign) })
  for (let at = 0, call = 0; at < pairs.length; at += pairsOfCall, call++) {
    const asked = pairs
      .slice(at, at + pairsOfCall)
      .map((pair) => ({ ...pair, names: Array.from({ length: clustersOfPair }, () => phrase(next)) }))
    put(paths.list, call, {
      items: asked.map(({ campaignId, itemId, names }) => ({
        advertId: campaignId,
        nmId: itemId,
        normQueries: { active: names, excluded: [], archived: [] }
      }))
    })
    put(paths.stats, call, {
      stats: asked.map(({ campaignId, itemId, names }) => ({
        advert_id: campaignId,
        nm_id: itemId,
        stats: names.map((name) => statistics(name, next))
      }))
    })
    put(paths.bids, call, {
      bids: asked.flatMap(({ campaignId, itemId, names }) =>
        names
          .filter(() => next() < 0.2)
          .map((norm_query) => {
            const bid = 50 + Math.floor(next() * 400)
            const bid_kopecks = bid * 100
            return { advert_id: campaignId, nm_id: itemId, norm_query, bid, bid_kopecks, currency: "RUB" }
          })
      )
    })
    put(paths.minus, call, {
      items: asked.map(({ campaignId, itemId, names }) => ({
        advert_id: campaignId,
        nm_id: itemId,
        norm_queries: names.filter(() => next() < 0.02)
      }))
    })
  }
  return { campaigns, pairs, clusters, bodies: [...bodies.values()], dispatcher: new Answering(bodies) }
}

const paths = {
  campaigns: "/api/advert/v2/adverts",
  list: "/adv/v0/normquery/list",
  stats: "/adv/v0/normquery/stats",
  bids: "/adv/v0/normquery/get-bids",
  minus: "/adv/v0/normquery/get-minus"
}

/** Calls of an operation are answered in the order in which the account has its keys, in pieces as a socket brings them. */
class Answering extends Undici.Dispatcher {
  private readonly calls = new Map<string, number>()

  constructor(private readonly bodies: ReadonlyMap<string, Uint8Array>) {
    super()
  }

  override dispatch(request: Undici.Dispatcher.DispatchOptions, handler: Undici.Dispatcher.DispatchHandler) {
    const [path = ""] = request.path.split("?")
    const call = this.calls.get(path) ?? 0
    const body = this.bodies.get(`${path} ${call}`)
    if (body === undefined) throw new Error(`no answer for ${path}, call ${call}`)
    this.calls.set(path, this.bodies.has(`${path} ${call + 1}`) ? call + 1 : 0)
    const headers = ["content-type", "application/json", "content-length", `${body.byteLength}`]
    handler.onConnect?.(() => {})
    handler.onHeaders?.(
      200,
      headers.map((text) => Buffer.from(text)),
      () => {},
      "OK"
    )
    for (let at = 0; at < body.byteLength; at += piece)
      handler.onData?.(Buffer.from(body.subarray(at, at + piece)))
    handler.onComplete?.([])
    return true
  }
}

/** Bytes of what a socket is read in at once. */
const piece = 65_536

const campaign = (id: CampaignId) => ({
  id,
  bid_type: "manual",
  currency: "RUB",
  status: 9,
  settings: {
    name: `Campaign ${id}`,
    payment_type: "cpm",
    placements: { search: true, recommendations: false }
  },
  nm_settings: Array.from({ length: itemsOfCampaign }, (_, n) => ({
    nm_id: 1000 + n,
    bids_kopecks: { search: 30_000, recommendations: 0 },
    subject: { id: 1, name: "Shoes" }
  })),
  timestamps: {
    created: "2026-01-01T00:00:00Z",
    updated: "2026-01-01T00:00:00Z",
    started: null,
    deleted: null
  }
})

const words =
  "кеды женские зимние белые кожаные на платформе летние высокие спортивные школьные 36 37 38".split(" ")
const phrase = (next: () => number): string =>
  `${words[Math.floor(next() * words.length)]} ${words[Math.floor(next() * words.length)]} ${Math.floor(next() * 1e9)}`

const statistics = (norm_query: string, next: () => number) => {
  const views = Math.floor(4000 * next() ** 2)
  const clicks = Math.floor(views * next() * 0.1)
  const orders = Math.floor(clicks * next() * 0.1)
  const spend = Math.round(views * next() * 40) / 100
  return {
    norm_query,
    avg_pos: Math.round(next() * 300) / 10,
    views,
    clicks,
    ctr: views === 0 ? 0 : Math.round((clicks / views) * 10_000) / 100,
    cpc: clicks === 0 ? 0 : Math.round((spend / clicks) * 100) / 100,
    cpm: views === 0 ? 0 : Math.round((spend / views) * 100_000) / 100,
    atbs: orders * 2,
    orders,
    shks: orders,
    spend,
    currency: "RUB"
  }
}

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
