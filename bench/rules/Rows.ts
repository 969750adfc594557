/** The benchmark's rows: search clusters made of arithmetic, the same in every run, as columns and as objects. */
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Reason from "../../src/domain/Reason.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import { type NumberFact, words } from "./Rules.js"

export const clustersPerItem = 100
export const itemsPerCampaign = 10

const numberFacts: ReadonlyArray<NumberFact> = ["views", "orders", "ctr", "cpo", "avg_pos", "spend", "bid"]
export type ColumnName = NumberFact | "min_bid"

/** An unknown number is NaN, with the byte of its reason beside it; an unknown text is -1. */
export interface Rows {
  readonly size: number
  readonly withUnknown: boolean
  readonly numbers: Readonly<Record<ColumnName, Float64Array>>
  readonly reasons: Readonly<Record<ColumnName | "query", Uint8Array>>
  /** Index into `texts`. */
  readonly query: Int32Array
  readonly texts: ReadonlyArray<string>
  /** 1 for active campaigns, and for those paid per 1000 impressions. */
  readonly active: Uint8Array
  readonly cpm: Uint8Array
}

const texts = Array.from({ length: 2000 }, (_, n) => `${words[n % words.length]} женские ${n}`)
const share = 0.15

/** `withUnknown`: 15% of the facts of clusters and items are unknown, each for itself. */
export const make = (size: number, withUnknown: boolean): Rows => {
  const number = () => new Float64Array(size)
  const byte = () => new Uint8Array(size)
  const numbers = {
    views: number(),
    orders: number(),
    ctr: number(),
    cpo: number(),
    avg_pos: number(),
    spend: number(),
    bid: number(),
    min_bid: number()
  }
  const reasons = {
    views: byte(),
    orders: byte(),
    ctr: byte(),
    cpo: byte(),
    avg_pos: byte(),
    spend: byte(),
    bid: byte(),
    min_bid: byte(),
    query: byte()
  }
  const rows = {
    size,
    withUnknown,
    numbers,
    reasons,
    query: new Int32Array(size),
    texts,
    active: byte(),
    cpm: byte()
  }
  const next = generator(20_260_901)
  for (let row = 0; row < size; row++) {
    const campaign = Math.floor(row / (clustersPerItem * itemsPerCampaign))
    rows.active[row] = scatter(campaign * 2 + 1) < 0.8 ? 1 : 0
    rows.cpm[row] = scatter(campaign * 2 + 2) < 0.85 ? 1 : 0
    numbers.views[row] = Math.floor(5000 * next() ** 2)
    numbers.orders[row] = next() < 0.6 ? 0 : 1 + Math.floor(11 * next())
    numbers.ctr[row] = Math.floor(5000 * next()) / 100_000
    numbers.cpo[row] = 1_000 + Math.floor(99_000 * next())
    numbers.avg_pos[row] = 1 + Math.floor(490 * next()) / 10
    numbers.spend[row] = Math.floor(1_000_000 * next())
    // Never on a percentage of a minimum, where the peers' binary fractions would disagree.
    numbers.bid[row] = 10_050 + 100 * Math.floor(800 * next())
    numbers.min_bid[row] = 10_000 + 1_000 * Math.floor(15 * scatter(itemOf(row) * 3))
    rows.query[row] = Math.floor(texts.length * next())
  }
  if (withUnknown) forget(rows, generator(4711))
  return rows
}

const itemOf = (row: number): number => Math.floor(row / clustersPerItem)

const whys = (["absent", "notFetched", "stale", "failed"] as const).map(Reason.code)

const forget = (rows: Rows, next: () => number): void => {
  for (let row = 0; row < rows.size; row++) {
    for (const name of numberFacts) {
      if (next() >= share) continue
      rows.numbers[name][row] = Number.NaN
      rows.reasons[name][row] = whys[Math.floor(4 * next())]!
    }
    if (scatter(itemOf(row) * 7 + 5) < share) {
      rows.numbers.min_bid[row] = Number.NaN
      rows.reasons.min_bid[row] = whys[itemOf(row) % 4]!
    }
    if (next() < share) {
      rows.query[row] = -1
      rows.reasons.query[row] = whys[Math.floor(4 * next())]!
    }
  }
}

/** The rows from `start` to before `end`, as rows of their own. */
export const slice = (rows: Rows, start: number, end: number): Rows => {
  const cut = <A extends { readonly subarray: (start: number, end: number) => A }>(column: A): A =>
    column.subarray(start, end)
  const each = <K extends string, A extends { readonly subarray: (start: number, end: number) => A }>(
    columns: Readonly<Record<K, A>>
  ): Record<K, A> => {
    const made = { ...columns } as Record<K, A>
    for (const name of Object.keys(columns) as Array<K>) made[name] = cut(columns[name])
    return made
  }
  return {
    ...rows,
    size: end - start,
    numbers: each(rows.numbers),
    reasons: each(rows.reasons),
    query: cut(rows.query),
    active: cut(rows.active),
    cpm: cut(rows.cpm)
  }
}

/** The rows as the program's own table, or further rows of `made`. */
export const table = (rows: Rows, made = Table.make("cluster")): Table.Table => {
  const before = made.size
  for (let row = 0; row < rows.size; row++) {
    const item = itemOf(before + row)
    made.add({
      campaignId: CampaignId.make(1 + Math.floor(item / itemsPerCampaign)),
      itemId: ItemId.make(1 + (item % itemsPerCampaign)),
      cluster: Cluster.make(`q${row % clustersPerItem}`)
    })
  }
  for (const name of numberFacts) {
    const id = name === "bid" ? "cluster.bid" : `cluster.${name}@7d`
    const values = rows.numbers[name]
    for (let row = 0; row < rows.size; row++)
      made.set(before + row, id, cell(values[row]!, rows.reasons[name][row]!))
  }
  for (let row = 0; row < rows.size; row++) {
    const text = rows.texts[rows.query[row]!] ?? ""
    made.set(before + row, "cluster.query", cell(text, rows.reasons.query[row]!))
    if (row % clustersPerItem > 0) continue
    made.set(
      before + row,
      "campaign_item.min_bid",
      cell(rows.numbers.min_bid[row]!, rows.reasons.min_bid[row]!)
    )
    made.set(before + row, "campaign.status", Cells.known(rows.active[row] === 1 ? "active" : "paused"))
    made.set(before + row, "campaign.payment", Cells.known(rows.cpm[row] === 1 ? "cpm" : "cpc"))
  }
  return made
}

const cell = (value: number | string, byte: number): Cells.Cell => {
  const reason = Reason.fromCode(byte)
  return reason === undefined ? Cells.known(value) : Cells.unknown(reason)
}

/** One row for the peers that take objects. An unknown number is `unknownNumber`, an unknown text is empty. */
export type Row = Record<ColumnName, number | null | undefined> & {
  readonly query: string
  readonly status: string
  readonly payment: string
}

export const objects = (
  rows: Rows,
  count: number,
  unknownNumber: number | null | undefined
): ReadonlyArray<Row> =>
  Array.from({ length: Math.min(count, rows.size) }, (_, row) => {
    const number = (name: ColumnName) => {
      const value = rows.numbers[name][row]!
      return Number.isNaN(value) ? unknownNumber : value
    }
    return {
      views: number("views"),
      orders: number("orders"),
      ctr: number("ctr"),
      cpo: number("cpo"),
      avg_pos: number("avg_pos"),
      spend: number("spend"),
      bid: number("bid"),
      min_bid: number("min_bid"),
      query: rows.texts[rows.query[row]!] ?? "",
      status: rows.active[row] === 1 ? "active" : "paused",
      payment: rows.cpm[row] === 1 ? "cpm" : "cpc"
    }
  })

/** Uniform in [0, 1), by position alone. */
const scatter = (n: number): number => {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32
}

/** Mulberry32. */
const generator = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
