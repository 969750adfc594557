/**
 * One seller's account on the sandbox marketplace: campaigns with their settings over time. Nothing exists until it
 * is asked for; then it is made from the seed and kept, because from then on it may change.
 */

import * as Days from "../../domain/Days.js"
import * as Moscow from "../Moscow.js"
import * as Shop from "../shop/State.js"
import * as Timeline from "../Timeline.js"
import * as Blueprint from "./Blueprint.js"
import * as Calendar from "./Calendar.js"
import * as Market from "./Market.js"
import * as Model from "./model/Model.js"
import type { Scale } from "./Scale.js"

export interface ItemBids {
  readonly search: Timeline.Timeline<number>
  readonly recommendations: Timeline.Timeline<number>
}

/** Money of a campaign, settled up to an instant; kopecks, fractions because impressions cost fractions. */
export interface Purse {
  settledTo: number
  leftKopecks: number
  /** When the budget had run dry: the campaign was not shown then. */
  readonly dry: Array<{ readonly from: number; to: number }>
  readonly deposits: Array<{ readonly at: number; readonly kopecks: number }>
}

export interface Campaign {
  readonly id: number
  readonly blueprint: Blueprint.Blueprint
  readonly createdAt: number
  /** A day on which demand is so many times the usual. */
  readonly surge: { readonly day: number; readonly factor: number } | undefined
  /** From such a day on demand is so many times the usual, because somebody said so; the latest holds. Ascending. */
  readonly shifts: Array<{ readonly day: number; readonly factor: number }>
  readonly startedAt: Timeline.Timeline<number | undefined>
  /** Not in any list before this instant. */
  readonly visibleFrom: number
  /** Not in any list from this instant on; set by a deletion. */
  goneFrom: number | undefined
  readonly name: Timeline.Timeline<string>
  readonly status: Timeline.Timeline<number>
  readonly placements: Timeline.Timeline<Blueprint.Placements>
  readonly items: Timeline.Timeline<ReadonlyArray<number>>
  readonly itemBids: Map<number, ItemBids>
  /** Bids of clusters by item and text; null where the cluster follows the item's search bid. */
  readonly clusterBids: Map<number, Map<string, Timeline.Timeline<number | null>>>
  readonly minus: Map<number, Timeline.Timeline<ReadonlySet<string>>>
  readonly purse: Purse
}

/** Prepaid account, settlement limit and bonuses in whole roubles. */
export interface Balance {
  readonly balance: number
  readonly net: number
  readonly bonus: number
  readonly cashback: number
}

export interface World {
  readonly seller: string
  readonly seed: number
  readonly scale: Scale
  /** Which market its items are part of. */
  readonly model: Model.Model
  /** Whether buyers answer to promotions (Buyers.ts). */
  readonly buyers: boolean
  readonly originMs: number
  readonly firstId: number
  nextIndex: number
  readonly campaigns: Map<number, Campaign>
  readonly past: Past
  readonly balance: Timeline.Timeline<Balance>
  /** Deposits to campaigns, oldest first: whole roubles, the number of the source that paid, and when they arrive. */
  readonly paid: Array<{ readonly at: number; readonly roubles: number; readonly type: number }>
  /** What somebody did to the promo calendar, filed tasks among it. */
  readonly promotions: Calendar.State
  readonly shop: Shop.State
}

/** What was before the origin and nobody can change: worlds that began alike have one, and what was worked out of it. */
export interface Past {
  readonly market: Map<number, Market.Item>
}

/** Items kept in memory; any other is computed again. */
const keptItems = 4_000
const spareItems = 30

/** What a world is made from. */
export interface Origin {
  readonly seller: string
  readonly seed: number
  readonly scale: Scale
  readonly originMs: number
  /** Of its campaigns' ids. */
  readonly firstId: number
  readonly testEnvironment?: boolean
  readonly market?: Model.Model | Model.Model["clusters"]
  readonly buyers?: boolean
}

/** An account as it is at its origin; nothing of it exists yet. */
export const make = ({
  buyers = false,
  firstId,
  market = Model.plain,
  originMs,
  scale,
  seed,
  seller,
  testEnvironment = false
}: Origin): World => ({
  seller,
  seed,
  scale,
  model: Model.of(market),
  buyers,
  originMs,
  firstId,
  nextIndex: scale.campaigns,
  campaigns: new Map(),
  past: pastOf({ seed, scale, originMs, firstId, model: Model.of(market), buyers }),
  balance: Timeline.of({ balance: 120_000, net: 45_000, bonus: 8_000, cashback: 3_000 }),
  paid: [],
  promotions: Calendar.make(),
  shop: Shop.make(testEnvironment)
})

/** Pasts of the worlds made last: tests make the same one again and again. */
const pasts = new Map<string, Past>()
export const keptPasts = 4

const pastOf = (from: Pick<World, "seed" | "scale" | "originMs" | "firstId" | "model" | "buyers">): Past => {
  const made: Past = { market: new Map() }
  // What buyers met follows from the calendar, which anybody may change.
  if (from.buyers) return made
  const key = JSON.stringify(from)
  const past = pasts.get(key) ?? made
  pasts.delete(key)
  pasts.set(key, past)
  const [oldest] = pasts.keys()
  if (pasts.size > keptPasts && oldest !== undefined) pasts.delete(oldest)
  return past
}

/** Ids of the campaigns the world began with. */
export const nativeId = (world: World, index: number): number => world.firstId + index

/** How many campaigns there have been: those of the beginning and all that were made since. */
export const count = (world: World): number => world.nextIndex

/** A campaign by its id; undefined if this seller never had it. */
export const campaign = (world: World, id: number): Campaign | undefined => {
  const kept = world.campaigns.get(id)
  if (kept !== undefined) return kept
  const index = id - world.firstId
  if (!Number.isInteger(index) || index < 0 || index >= world.scale.campaigns) return undefined
  const made = native(world, Blueprint.make(world.seed, world.scale, world.firstId, index))
  world.campaigns.set(id, made)
  return made
}

/** A campaign nobody has asked about, as it was set up; undefined once it may have changed. */
export const untouched = (world: World, id: number): Blueprint.Blueprint | undefined =>
  world.campaigns.has(id)
    ? undefined
    : Blueprint.make(world.seed, world.scale, world.firstId, id - world.firstId)

/** Files a campaign made by createCampaign; it is in the lists from `visibleFrom` on. */
export const add = (
  world: World,
  blueprint: Blueprint.Blueprint,
  nowMs: number,
  visibleFrom: number
): Campaign => {
  const made: Campaign = { ...settings(blueprint, nowMs), visibleFrom }
  world.campaigns.set(made.id, made)
  world.nextIndex++
  return made
}

/** An item of the market. */
export const item = (world: World, id: number): Market.Item => {
  const { market } = world.past
  const kept = market.get(id)
  if (kept !== undefined) return kept
  const made = Market.item(world.seed, id, world.scale.clusters, world.model)
  if (market.size >= keptItems) {
    const [oldest] = market.keys()
    if (oldest !== undefined) market.delete(oldest)
  }
  market.set(id, made)
  return made
}

/** Last of the seller's items; the ones after the campaigns' own are free to be advertised. */
export const lastItemId = (world: World): number =>
  Blueprint.firstItemId + world.scale.campaigns * world.scale.items + spareItems - 1

export const hasItem = (world: World, id: number): boolean =>
  Number.isInteger(id) && id >= Blueprint.firstItemId && id <= lastItemId(world)

/** When a campaign of the beginning was created, epoch milliseconds. */
export const startOfBlueprint = (world: World, blueprint: Blueprint.Blueprint): number =>
  world.originMs - blueprint.createdDaysAgo * Days.dayMs

const native = (world: World, blueprint: Blueprint.Blueprint): Campaign => {
  const createdAt = startOfBlueprint(world, blueprint)
  const made = { ...settings(blueprint, createdAt), surge: surgeOf(world, blueprint) }
  const { ready, declined, active } = Blueprint.status
  if (blueprint.status === ready || blueprint.status === declined) return made
  Timeline.set(made.status, createdAt, active)
  Timeline.set(made.startedAt, createdAt, createdAt)
  if (blueprint.status !== active) Timeline.set(made.status, endOf(world, blueprint), blueprint.status)
  return { ...made, purse: { ...made.purse, settledTo: world.originMs } }
}

/** What a cluster costs on an ordinary day, roubles; near enough to size a sale. */
const costPerClusterDay = 33

const surgeOf = (world: World, blueprint: Blueprint.Blueprint): Campaign["surge"] => {
  if (blueprint.saleRoubles === 0) return undefined
  const day = Moscow.dayOf(world.originMs)
  const usual = costPerClusterDay * world.scale.items * world.scale.clusters
  const factor = blueprint.saleRoubles / (usual * Math.max(0.001, Moscow.passed(world.originMs, day)))
  return { day, factor: Math.max(1, factor) }
}

const settings = (blueprint: Blueprint.Blueprint, createdAt: number): Campaign => {
  const { ready, declined } = Blueprint.status
  return {
    id: blueprint.id,
    blueprint,
    createdAt,
    surge: undefined,
    shifts: [],
    visibleFrom: createdAt,
    startedAt: Timeline.of<number | undefined>(undefined),
    goneFrom: undefined,
    name: Timeline.of(blueprint.name),
    status: Timeline.of<number>(blueprint.status === declined ? declined : ready),
    placements: Timeline.of(blueprint.placements),
    items: Timeline.of(blueprint.itemIds),
    itemBids: new Map(),
    clusterBids: new Map(),
    minus: new Map(),
    purse: {
      settledTo: createdAt,
      leftKopecks: blueprint.budgetRoubles * 100,
      dry: [],
      deposits: []
    }
  }
}

/** When a campaign that ran before the origin was paused or ended. */
export const endOf = (world: World, blueprint: Blueprint.Blueprint): number =>
  world.originMs - blueprint.endedDaysAgo * Days.dayMs
