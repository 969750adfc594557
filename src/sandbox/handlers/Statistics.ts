/** Seed 001 "Full campaign statistics record": campaign, days, apps and items; and the statistics of search clusters. */
import type * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Groups from "../../domain/Groups.js"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import { status } from "../market/Blueprint.js"
import * as ClusterBids from "../market/ClusterBids.js"
import type * as Market from "../market/Market.js"
import * as Statistics from "../market/Statistics.js"
import * as Traffic from "../market/Traffic.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

/** Site, Android, iOS (contract "Codes"), and the share of traffic each brings. */
const apps = [
  { appType: 1, share: 0.25 },
  { appType: 32, share: 0.45 },
  { appType: 64, share: 0.3 }
] as const

/** No data has four faces (field note M21); this answers three of them: 400, null, and ids left out. */
export const handlers: Call.Handlers<"getCampaignStats"> = {
  getCampaignStats: (call) => {
    const { ids, beginDate, endDate } = call.query
    const days = Statistics.daysOf(beginDate, endDate, 31)
    if (days === undefined) return Either.left(refuse(400, "the range must be in order and at most 31 days"))
    const records = [...new Set<number>(ids)].flatMap((id) => {
      const campaign = Either.getOrUndefined(Call.campaign(call, id))
      if (campaign === undefined || !isReported(campaign, call.nowMs)) return []
      const record = ofCampaign(call, campaign, days)
      return record === undefined ? [] : [record]
    })
    if (records.length > 0) return Either.right(Answer.json(records))
    return ids.length === 1
      ? Either.left(refuse(400, "there are no statistics for the period"))
      : Either.right(Answer.json(null))
  }
}

const isReported = (campaign: World.Campaign, nowMs: number): boolean => {
  const now = Timeline.at(campaign.status, nowMs)
  return now === status.completed || now === status.active || now === status.paused
}

interface ItemDay {
  readonly itemId: number
  readonly name: string
  readonly totals: Traffic.Totals
}

const ofCampaign = (call: Call.Context, campaign: World.Campaign, days: Statistics.Days) => {
  const byDay = new Map<number, Arr.NonEmptyArray<ItemDay>>()
  const itemIds = [...new Set(campaign.items.steps.flatMap((step) => step.value))].sort((a, b) => a - b)
  for (const itemId of itemIds) {
    const item = World.item(call.world, itemId)
    const totals = new Map<number, Traffic.Totals>()
    for (const traffic of Traffic.streams(item))
      for (const entry of Statistics.shown(call, campaign, item, traffic, days)) {
        const sum = totals.get(entry.day) ?? Traffic.none()
        Traffic.addTo(sum, entry.totals)
        totals.set(entry.day, sum)
      }
    for (const [day, sum] of totals) Groups.add(byDay, day, { itemId, name: item.name, totals: sum })
  }
  if (byDay.size === 0) return undefined
  const entries = [...byDay].sort(([a], [b]) => a - b)
  return {
    advertId: campaign.id,
    currency: "RUB",
    ...fields(sumOf(entries.flatMap(([, items]) => items))),
    ...(campaign.blueprint.bidType === "unified" ? { boosterStats: entries.flatMap(positions) } : {}),
    days: entries.map(([day, items]) => ({
      date: `${Moscow.dayText(day)}T00:00:00Z`,
      ...fields(sumOf(items)),
      apps: apps.map(({ appType }, index) => app(appType, index, items))
    }))
  }
}

const positions = ([day, items]: readonly [number, ReadonlyArray<ItemDay>]) =>
  items.map(({ itemId, totals }) => ({
    date: Moscow.dayText(day),
    nm: itemId,
    avg_position: Math.round(Statistics.place(totals))
  }))

const app = (appType: number, index: number, items: ReadonlyArray<ItemDay>) => {
  const split = items.map((item) => ({ ...item, totals: partOf(item.totals, index) }))
  return {
    appType,
    ...fields(sumOf(split)),
    nms: split.map(({ itemId, name, totals }) => ({ nmId: itemId, name, ...fields(totals) }))
  }
}

/** An app's part of an item's day; the parts of all apps add up to the whole exactly. */
const partOf = (totals: Traffic.Totals, index: number): Traffic.Totals => {
  const upTo = (n: number) => apps.slice(0, n).reduce((sum, { share }) => sum + share, 0)
  const part = (value: number) => Math.round(value * upTo(index + 1)) - Math.round(value * upTo(index))
  return {
    views: part(totals.views),
    clicks: part(totals.clicks),
    carts: part(totals.carts),
    orders: part(totals.orders),
    cancelled: part(totals.cancelled),
    spend: part(totals.spend),
    revenue: part(totals.revenue),
    places: part(totals.places)
  }
}

const sumOf = (items: ReadonlyArray<ItemDay>): Traffic.Totals => {
  const sum = Traffic.none()
  for (const { totals } of items) Traffic.addTo(sum, totals)
  return sum
}

/** `sum` is the spend, `sum_price` the value of the orders, both in roubles with fractions (field note M26). */
const fields = (totals: Traffic.Totals) => ({
  views: totals.views,
  clicks: totals.clicks,
  ctr: Statistics.percent(totals.clicks, totals.views),
  cpc: Statistics.perUnit(totals.spend, totals.clicks),
  cr: Statistics.percent(totals.orders, totals.clicks),
  atbs: totals.carts,
  orders: totals.orders,
  shks: totals.orders,
  canceled: totals.cancelled,
  sum: Statistics.roubles(totals.spend),
  sum_price: Statistics.roubles(totals.revenue)
})

// Seed 001 "Statistics" of search clusters.

/** The live limit; 31 days give 400 (field note M20). */
const mostDays = 30
const badPeriod = refuse(400, `the period must be in order and at most ${mostDays} days`)

export const clusterHandlers: Call.Handlers<"getClusterStats" | "getClusterDailyStats"> = {
  /** Sums over the period, for cpm only: a cpc pair has no statistics here. */
  getClusterStats: (call) => {
    const days = Statistics.daysOf(call.payload.from, call.payload.to, mostDays)
    if (days === undefined) return Either.left(badPeriod)
    const stats = call.payload.items.map(({ advert_id, nm_id }) => {
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      if (pair === undefined || pair.campaign.blueprint.payment === "cpc")
        return { advert_id, nm_id, stats: null }
      const rows = pair.item.clusters.flatMap((cluster: Market.Traffic) => {
        const total = Statistics.sum(Statistics.shown(call, pair.campaign, pair.item, cluster, days))
        return total === undefined
          ? []
          : [
              {
                norm_query: cluster.text,
                avg_pos: Statistics.place(total),
                ...Statistics.clusterFields(total, "cpm")
              }
            ]
      })
      return { advert_id, nm_id, stats: rows.length === 0 ? null : rows }
    })
    return Either.right(Answer.json({ stats }))
  },

  /** One entry per date and cluster, for cpm and cpc (field note M40). */
  getClusterDailyStats: (call) => {
    const days = Statistics.daysOf(call.payload.from, call.payload.to, mostDays)
    if (days === undefined) return Either.left(badPeriod)
    const items = call.payload.items.map(({ advertId, nmId }) => {
      const pair = ClusterBids.pair(call, advertId, nmId)
      if (pair === undefined) return { advertId, nmId, dailyStats: null }
      const rows = pair.item.clusters.flatMap((cluster) =>
        Statistics.shown(call, pair.campaign, pair.item, cluster, days).map(({ day, totals }) => ({
          date: Moscow.dayText(day),
          stat: {
            normQuery: cluster.text,
            avgPos: Statistics.place(totals),
            ...Statistics.clusterFields(totals, pair.campaign.blueprint.payment)
          }
        }))
      )
      return { advertId, nmId, dailyStats: rows.length === 0 ? null : rows }
    })
    return Either.right(Answer.json({ items }))
  }
}
