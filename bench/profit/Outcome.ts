/** What weeks of an account brought, by the market's truth, and how it was steered, by what the marketplace accepted. */
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Bids from "../../src/sandbox/market/Bids.js"
import * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as Account from "./Account.js"
import { type Best, kindOf } from "./Best.js"
import type { Lived } from "./Lived.js"
import * as Streams from "./Streams.js"
import * as Truth from "./Truth.js"

export interface Outcome {
  /** Kopecks over all measured days, and expected orders. */
  readonly profit: number
  readonly spend: number
  readonly orders: number
  /** Kopecks by kind of campaign: bids by cluster, by item for views or for clicks, one bid for all. */
  readonly profitByKind: Readonly<Record<string, number>>
  /** Changes of direction of a bid, for each bid that was ever moved, in 30 days: mean and 95th percentile. */
  readonly turns: { readonly mean: number; readonly p95: number; readonly bids: number }
  /** Most changes of direction of one bid within a day. */
  readonly reversalsPerDay: number
  readonly moves: number
  readonly minus: WrongMinus
}

export interface WrongMinus {
  /** Clusters that rules made a minus phrase of. */
  readonly added: number
  /** Of those, the ones from which an all-knowing seller earns within the same budget; and what it earns there, kopecks. */
  readonly wrong: number
  readonly lost: number
  /** Clusters with at least 10 expected orders a month at the rival's bid, and those of them that were ever negated. */
  readonly good: number
  readonly goodNegated: number
}

export const of = ({ entries, world }: Lived, days: number, margin: number, best: Best): Outcome => {
  let sum = Streams.nothing
  const profitByKind: Record<string, number> = {}
  for (const campaign of Streams.campaigns(world, Account.startMs)) {
    const kind = kindOf(campaign)
    for (const day of Account.daysOf(days))
      for (const { expected } of Truth.ofDay(world, campaign, day, margin)) {
        sum = Streams.add(sum, expected)
        profitByKind[kind] = (profitByKind[kind] ?? 0) + expected.gain - expected.spend
      }
  }
  const moves = movesOf(world, entries)
  return {
    profit: sum.gain - sum.spend,
    spend: sum.spend,
    orders: sum.orders,
    profitByKind,
    turns: turnsOf(moves, days),
    reversalsPerDay: reversalsOf(moves),
    moves: [...moves.values()].reduce((count, list) => count + list.length, 0),
    minus: wrongMinus(world, entries, days, margin, best)
  }
}

interface Move {
  readonly at: number
  readonly isUp: boolean
}

/** Moves of every bid, oldest first. */
const movesOf = (
  world: World.World,
  entries: ReadonlyArray<Ledger.Entry>
): ReadonlyMap<string, ReadonlyArray<Move>> => {
  const found = new Map<string, Array<Move>>()
  for (const { after, at, before, slot, target } of entries) {
    if (!slot.startsWith("bid")) continue
    const [from, to] = [bidOf(world, before, target, at), bidOf(world, after, target, at)]
    if (from === to) continue
    const key = `${slot} ${target.campaignId} ${target.itemId} ${target.cluster ?? ""}`
    const list = found.get(key) ?? []
    list.push({ at, isUp: to > from })
    found.set(key, list)
  }
  return found
}

/** A cluster without a bid of its own follows the item's. */
const bidOf = (world: World.World, value: unknown, target: Ledger.Entry["target"], at: number): number => {
  if (typeof value === "number") return value
  const campaign = World.campaign(world, target.campaignId ?? 0)
  return campaign === undefined || target.itemId === undefined
    ? Number.NaN
    : Timeline.at(Bids.itemBids(world, campaign, target.itemId).search, at)
}

const turnsIn = (moves: ReadonlyArray<Move>): number =>
  moves.filter(({ isUp }, i) => i > 0 && isUp !== moves[i - 1]?.isUp).length

const turnsOf = (moves: ReadonlyMap<string, ReadonlyArray<Move>>, days: number): Outcome["turns"] => {
  const all = [...moves.values()].map((list) => (turnsIn(list) * 30) / days).sort((a, b) => a - b)
  return {
    bids: all.length,
    mean: all.length === 0 ? 0 : all.reduce((a, b) => a + b, 0) / all.length,
    p95: all[Math.ceil(all.length * 0.95) - 1] ?? 0
  }
}

const reversalsOf = (moves: ReadonlyMap<string, ReadonlyArray<Move>>): number => {
  let most = 0
  for (const list of moves.values())
    for (const day of new Set(list.map(({ at }) => Moscow.dayOf(at))))
      most = Math.max(most, turnsIn(list.filter(({ at }) => Moscow.dayOf(at) === day)))
  return most
}

const wrongMinus = (
  world: World.World,
  entries: ReadonlyArray<Ledger.Entry>,
  days: number,
  margin: number,
  best: Best
): WrongMinus => {
  const touched = new Set(
    entries.flatMap(({ slot, target }) => (slot === "minus" ? [`${target.campaignId} ${target.itemId}`] : []))
  )
  let [added, wrong, lost, good, goodNegated] = [0, 0, 0, 0, 0]
  for (const campaign of Streams.campaigns(world, Account.startMs))
    for (const stream of Streams.ofCampaign(world, campaign)) {
      const { text } = stream.traffic
      if (text === undefined) continue
      const isGood = ordersOf(Streams.onDay(stream, Account.firstDay, margin)) >= 10
      if (isGood) good++
      if (!touched.has(`${campaign.id} ${stream.item.id}`)) continue
      const minus = Bids.minus(world, campaign, stream.item.id)
      const isIn = (atMs: number) => Timeline.at(minus, atMs).has(text)
      if (isIn(Account.startMs)) continue
      let [isAdded, here] = [false, 0]
      for (const day of Account.daysOf(days)) {
        if (!isIn(Moscow.startOf(day + 1) - 1)) continue
        isAdded = true
        here += best.ofStream(campaign.id, day, stream.item.id, text)
      }
      if (!isAdded) continue
      added++
      if (isGood) goodNegated++
      if (here > 0) wrong++
      lost += here
    }
  return { added, wrong, lost, good, goodNegated }
}

/** Expected orders of a month at the rival's bid. */
const ordersOf = (day: Streams.Day): number => Streams.expected(day, day.auction.rivalKopecks).orders * 30
