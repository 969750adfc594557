/**
 * A made-up account as plain columns: search clusters of items in campaigns, the same for the same seed. An unknown
 * value is NaN with the byte of its reason beside it; texts are codes. Shares, prices and places hang together as in
 * an account: clicks are part of views, orders of clicks, `ctr` and `cpo` are made of them.
 */
import * as Ids from "../../src/domain/Ids.js"
import * as Reason from "../../src/domain/Reason.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import { generator } from "./Chance.js"

/** Where a fact's values live. */
export type Level = "cluster" | "campaign_item" | "item" | "campaign"

export interface Column {
  readonly level: Level
  readonly values: Float64Array
  /** Byte of `domain/Reason`, 0 where the value is known. */
  readonly reasons: Uint8Array
  /** Of a fact with words: what the values are codes of. */
  readonly texts?: ReadonlyArray<string>
}

export interface Columns {
  readonly size: number
  /** By fact key, such as `cluster.ctr@7d`. */
  readonly facts: ReadonlyMap<string, Column>
  /** Of each cluster: its item in a campaign. Of each of those: the item, and the campaign. */
  readonly pairOf: Int32Array
  readonly itemOf: Int32Array
  readonly campaignOf: Int32Array
}

const clustersPerPair = 50
const pairsPerCampaign = 10
const words = ["кеды", "боты", "сапоги", "бренд", "куртка", "шарф", "пальто", "юбка", "плащ", "носки"]
const queries = Array.from({ length: 5000 }, (_, n) => `${words[n % words.length]} женские ${n}`)
export const queryWords = words

/** Rows are made in parts, each an account of its own, so that a table of all needs room for one part's columns only. */
const partRows = 100_000

const partsOf = (size: number) =>
  Array.from({ length: Math.ceil(size / partRows) }, (_, n) => ({
    n,
    rows: Math.min(partRows, size - n * partRows)
  }))

/** With `unknown` that share of all values but a campaign's own is unknown, each for itself. */
export const make = (size: number, seed: number, unknown: number): Columns => {
  const parts = partsOf(size).map(({ n, rows }) => part(rows, seed + n, unknown))
  const facts = new Map<string, Column>()
  for (const [key, first] of parts[0]!.facts) {
    const all = parts.map((one) => one.facts.get(key)!)
    facts.set(key, {
      ...first,
      values: joined(
        all.map(({ values }) => values),
        Float64Array
      ),
      reasons: joined(
        all.map(({ reasons }) => reasons),
        Uint8Array
      )
    })
  }
  const links = (of: (one: Columns) => Int32Array, above: (one: Columns) => number) => {
    let before = 0
    return joined(
      parts.map((one) => {
        const moved = of(one).map((number) => number + before)
        before += above(one)
        return moved
      }),
      Int32Array
    )
  }
  return {
    size,
    facts,
    pairOf: links(
      ({ pairOf }) => pairOf,
      ({ itemOf }) => itemOf.length
    ),
    itemOf: links(({ itemOf }) => itemOf, itemsOf),
    campaignOf: links(({ campaignOf }) => campaignOf, campaignsOf)
  }
}

const itemsOf = ({ facts }: Columns): number => facts.get("item.price")!.values.length
const campaignsOf = ({ facts }: Columns): number => facts.get("campaign.status")!.values.length

const joined = <A extends Float64Array | Uint8Array | Int32Array>(
  some: ReadonlyArray<A>,
  kind: new (size: number) => A
): A => {
  const all = new kind(some.reduce((sum, one) => sum + one.length, 0))
  let at = 0
  for (const one of some) {
    all.set(one, at)
    at += one.length
  }
  return all
}

const part = (size: number, seed: number, unknown: number): Columns => {
  const pairs = Math.ceil(size / clustersPerPair)
  const campaigns = Math.ceil(pairs / pairsPerCampaign)
  // Every item is advertised in two campaigns.
  const items = Math.ceil(campaigns / 2) * pairsPerCampaign
  const facts = new Map<string, Column>()
  const sizes: Readonly<Record<Level, number>> = {
    cluster: size,
    campaign_item: pairs,
    item: items,
    campaign: campaigns
  }
  const column = (
    level: Level,
    key: string,
    value: (at: number) => number,
    texts?: ReadonlyArray<string>
  ) => {
    const values = new Float64Array(sizes[level])
    for (let at = 0; at < values.length; at++) values[at] = value(at)
    const reasons = new Uint8Array(sizes[level])
    facts.set(key, { level, values, reasons, ...(texts === undefined ? {} : { texts }) })
    return values
  }
  const next = generator(seed)
  const whole = (most: number) => Math.floor(most * next())
  clusters(column, next)
  column("campaign_item", "campaign_item.min_bid", () => 5_000 + 500 * whole(20))
  const spend = column("campaign_item", "campaign_item.spend@7d", () => whole(3_000_000))
  column("item", "item.price", () => 50_000 + 100 * whole(5_000))
  column("item", "item.stock", () => whole(400))
  column("campaign", "campaign.status", () => (next() < 0.8 ? 0 : 1), ["active", "paused"])
  column("campaign", "campaign.payment", () => (next() < 0.85 ? 0 : 1), ["cpm", "cpc"])
  const ofCampaign = new Float64Array(campaigns)
  for (let pair = 0; pair < pairs; pair++) ofCampaign[Math.floor(pair / pairsPerCampaign)]! += spend[pair]!
  column("campaign", "campaign.spend@7d", (at) => ofCampaign[at]!)
  if (unknown > 0) forget(facts, unknown, generator(seed ^ 0x5eed))
  const number = (length: number, of: (at: number) => number) =>
    Int32Array.from({ length }, (_, at) => of(at))
  const campaignOf = (pair: number) => Math.floor(pair / pairsPerCampaign)
  return {
    size,
    facts,
    pairOf: number(size, (row) => Math.floor(row / clustersPerPair)),
    itemOf: number(pairs, (pair) => (campaignOf(pair) >> 1) * pairsPerCampaign + (pair % pairsPerCampaign)),
    campaignOf: number(pairs, campaignOf)
  }
}

type Make = (
  level: Level,
  key: string,
  value: (at: number) => number,
  texts?: ReadonlyArray<string>
) => Float64Array

const clusters = (column: Make, next: () => number): void => {
  const own = (key: string, value: (at: number) => number, texts?: ReadonlyArray<string>) =>
    column("cluster", `cluster.${key}`, value, texts)
  const whole = (most: number) => Math.floor(most * next())
  const views = own("views@7d", () => 1 + whole(20_000 * next() ** 2))
  const clicks = own("clicks@7d", (at) => whole(views[at]! * 0.12 * next()))
  const orders = own("orders@7d", (at) => whole(clicks[at]! * 0.15 * next()))
  const spend = own("spend@7d", (at) => Math.floor((views[at]! * (10_000 + whole(40_000))) / 1000))
  own("ctr@7d", (at) => clicks[at]! / views[at]!)
  own("cpo@7d", (at) => spend[at]! / orders[at]!)
  own("avg_pos@7d", () => 1 + whole(490) / 10)
  const longViews = own("views@30d", (at) => views[at]! + whole(60_000 * next()))
  const longClicks = own(
    "clicks@30d",
    (at) => clicks[at]! + whole((longViews[at]! - views[at]!) * 0.1 * next())
  )
  own("orders@30d", (at) => orders[at]! + whole((longClicks[at]! - clicks[at]!) * 0.15 * next()))
  own("spend@30d", (at) => spend[at]! + whole(3_000_000 * next()))
  const bid = own("bid", () => 10_050 + 100 * whole(800))
  own("recommended.reach_max", (at) => Math.floor(bid[at]! * (0.6 + 1.2 * next())))
  own("query", () => whole(queries.length), queries)
  own("state", () => (next() < 0.9 ? 0 : next() < 0.5 ? 1 : 2), ["active", "excluded", "archived"])
}

const whys = (["absent", "notFetched", "stale", "failed"] as const).map(Reason.code)

const forget = (facts: ReadonlyMap<string, Column>, share: number, next: () => number): void => {
  for (const { level, reasons, values } of facts.values()) {
    if (level === "campaign") continue
    for (let at = 0; at < values.length; at++) {
      if (next() >= share) continue
      values[at] = Number.NaN
      reasons[at] = whys[Math.floor(4 * next())]!
    }
  }
}

/** The same account as the program's own table. */
export const table = (size: number, seed: number, unknown: number): Table.Table => {
  const made = Table.make("cluster")
  const before = { pairs: 0, items: 0, campaigns: 0 }
  for (const { n, rows } of partsOf(size)) {
    const one = part(rows, seed + n, unknown)
    enter(made, one, { ...before, rows: n * partRows })
    before.pairs += one.itemOf.length
    before.items += itemsOf(one)
    before.campaigns += campaignsOf(one)
  }
  return made
}

interface Before {
  readonly rows: number
  readonly pairs: number
  readonly items: number
  readonly campaigns: number
}

const enter = (
  made: Table.Table,
  { campaignOf, facts, itemOf, pairOf, size }: Columns,
  before: Before
): void => {
  for (let row = 0; row < size; row++) {
    const pair = pairOf[row]!
    made.add({
      campaignId: Ids.CampaignId.make(1 + before.campaigns + campaignOf[pair]!),
      itemId: Ids.ItemId.make(1 + before.items + itemOf[pair]!),
      cluster: Ids.Cluster.make(`q${row % clustersPerPair}`)
    })
  }
  const first = { cluster: before.rows, campaign_item: before.pairs, item: 0, campaign: before.campaigns }
  for (const [key, { level, reasons, texts, values }] of facts) {
    const cell = (at: number): Cells.Cell => {
      const reason = Reason.fromCode(reasons[at]!)
      if (reason !== undefined) return Cells.unknown(reason)
      return Cells.known(texts === undefined ? values[at]! : texts[values[at]!]!)
    }
    const keys = made.view(level)
    for (let at = 0; at < values.length; at++) {
      const to =
        level === "item"
          ? keys.indexOf({ itemId: Ids.ItemId.make(1 + before.items + at) })
          : first[level] + at
      if (to !== undefined) keys.set(to, key, cell(at))
    }
  }
}
