/**
 * Everything that a run read, as texts that can be kept: the rows of every level, and each fact of all its rows. Rows
 * are sorted, so equal facts give equal texts in whatever order they arrived. Pure.
 */
import * as Reason from "../../domain/Reason.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import type { Column } from "../facts/Column.js"
import * as Level from "../facts/Level.js"
import type { Name } from "../facts/Spaces.js"
import type { Table } from "../facts/Table.js"
import type { Each } from "../language/Policy.js"

/** Version of the texts. */
export const version = 1

/** What was read, and under which circumstances. */
export interface Recorded {
  readonly account: string
  readonly nowMs: number
  /** IANA zone of the account's business days. */
  readonly zone: string
  /** ISO code, such as `RUB`. */
  readonly currency: string
  readonly rulesHash: string
  /** Sources that were asked, with their windows: `clusterStats@7d`; sorted. */
  readonly asked: ReadonlyArray<string>
  /** Campaigns that could not be read, and so have no row. */
  readonly campaignsUnread: number
  /** Spend of that day that no row shows, kopecks or why it is not known; undefined when nobody asked. */
  readonly spentByCompleted: number | string | undefined
  readonly table: (each: Each) => Table
}

export interface Part {
  readonly name: string
  readonly text: string
}

/** The first part; it alone says what the others mean. */
interface Head extends Omit<Recorded, "table"> {
  readonly version: number
  /** How many values are known in all; 0 where that was not kept. */
  readonly known: number
}

/**
 * Whether a run of the same day says less than what is kept of it: it did not ask all that was asked, and no more in number; or
 * it asked so much less of the rows that not half of the values are known.
 */
export const isLess = (
  { asked, table }: Recorded,
  kept: { readonly asked: ReadonlyArray<string>; readonly known: number }
): boolean =>
  kept.asked.every((one) => asked.includes(one))
    ? knownIn(table) * 2 < kept.known
    : asked.length <= kept.asked.length

const knownIn = (table: Recorded["table"]): number =>
  Level.order
    .flatMap((level) => [...table(level).columns.values()])
    .reduce((sum, { knownCount }) => sum + knownCount, 0)

/** Rows of all levels; those of a finer level follow in the order of what they belong to. */
interface Rows {
  readonly campaigns: ReadonlyArray<Name>
  readonly items: ReadonlyArray<Name>
  /** By campaign: the items in it. */
  readonly campaignItems: ReadonlyArray<ReadonlyArray<Name>>
  /** By item in a campaign: its clusters. */
  readonly clusters: ReadonlyArray<ReadonlyArray<Name>>
}

export const headName = "head"
export const rowsName = "rows"
export const factName = (factKey: string): string => `fact ${factKey}`

/** The parts, one after another: a large account's texts need not all be held at once. */
export function* parts({ table, ...circumstances }: Recorded): Generator<Part, void> {
  const head: Head = { version, ...circumstances, known: knownIn(table) }
  yield { name: headName, text: JSON.stringify(head) }
  const { orders, rows } = arranged(table)
  yield { name: rowsName, text: JSON.stringify(rows) }
  for (const level of Level.order) {
    const own = table(level)
    const order = orders[level]
    for (const key of [...own.columns.keys()].sort()) {
      yield { name: factName(key), text: encode(own.columns.get(key)!, order) }
    }
  }
}

/** The rows of all levels in the order of their subjects, by number and by name. */
const arranged = (table: Recorded["table"]) => {
  const campaigns = inOrder(table("campaign"))
  const items = inOrder(table("item"))
  const ofCampaign = table("campaign").below("campaign", "campaign_item")
  const pairs = campaigns.numbers.map((campaign) => inOrder(table("campaign_item"), ofCampaign(campaign)))
  const numbersOfPairs = pairs.flatMap(({ numbers }) => numbers)
  const ofPair = table("campaign_item").below("campaign_item", "cluster")
  const numbersOfClusters = new Int32Array(table("cluster").size)
  let known = 0
  const clusters = numbersOfPairs.map((pair) => {
    const { names, numbers } = inOrder(table("cluster"), ofPair(pair))
    numbersOfClusters.set(numbers, known)
    known += numbers.length
    return names
  })
  const orders: Readonly<Record<Each, Int32Array>> = {
    account: Int32Array.of(0),
    // Promotions are not recorded: no rule of theirs is tried over recorded days.
    promotion: new Int32Array(0),
    promotion_item: new Int32Array(0),
    campaign: Int32Array.from(campaigns.numbers),
    item: Int32Array.from(items.numbers),
    campaign_item: Int32Array.from(numbersOfPairs),
    cluster: numbersOfClusters
  }
  const rows: Rows = {
    campaigns: campaigns.names,
    items: items.names,
    campaignItems: pairs.map(({ names }) => names),
    clusters
  }
  return { orders, rows }
}

/** Rows of a table, all unless said which, by their names: texts by code units, as `Target.compare` has them. */
const inOrder = (
  table: Table,
  rows: ReadonlyArray<number> = Array.from({ length: table.size }, (_, row) => row)
) => {
  const numbers = [...rows].sort((a, b) => TextOrder.compare(table.nameOf(a), table.nameOf(b)))
  return { numbers, names: numbers.map((row) => table.nameOf(row)) }
}

// A column of facts as text and back. Only known values are written, in the order of the rows; beside them stands,
// in runs, which rows have one and why the others do not.

interface Written {
  readonly kind: Column["kind"]
  /** Distinct texts, in the order they first occur; a value of a text column is a place in it. */
  readonly texts?: ReadonlyArray<string>
  /** Numbers; those that JSON lacks are written as words. */
  readonly values: ReadonlyArray<number | string>
  /** How many rows in a row, and their reason code; 0 is known. */
  readonly runs: ReadonlyArray<readonly [number, number]>
}

/** The JSON of a `Written`; `order` are the numbers of the rows as they are to be written. */
const encode = (column: Column, order: Int32Array): string => {
  const values = new ValuesText()
  const runs: Array<readonly [number, number]> = []
  const texts = new Map<string, number>()
  let length = 0
  let running = Reason.known
  const { reasons } = column
  // By its place: half a million answers of an iterator for each of forty columns are most of what is allocated here.
  for (let at = 0; at < order.length; at++) {
    const number = order[at]!
    const code = reasons[number] ?? notFetched
    if (code !== running) {
      if (length > 0) runs.push([length, running])
      running = code
      length = 0
    }
    length += 1
    if (code !== Reason.known) continue
    const value = column.values[number]!
    values.add(column.kind === "text" ? codeOf(column.texts[value] ?? "", texts) : numberText(value))
  }
  if (length > 0) runs.push([length, running])
  const textsJson = column.kind === "text" ? `"texts":${JSON.stringify([...texts.keys()])},` : ""
  return `{"kind":"${column.kind}",${textsJson}"values":${values.json()},"runs":${JSON.stringify(runs)}}`
}

/** A list of values as JSON, written some thousands at a time: one of half a million is copied each time it grows. */
class ValuesText {
  private text = ""
  private waiting: Array<number | string> = []

  add(value: number | string): void {
    this.waiting.push(value)
    if (this.waiting.length === valuesAtOnce) this.write()
  }

  json(): string {
    if (this.waiting.length > 0) this.write()
    return `[${this.text}]`
  }

  private write(): void {
    this.text += `${this.text === "" ? "" : ","}${JSON.stringify(this.waiting).slice(1, -1)}`
    this.waiting = []
  }
}

const valuesAtOnce = 4096

/** Tells the cell of each row that has one, by its place in the order. What was never fetched is left out. */
export const decode = (text: string, each: (row: number, cell: Cell) => void): void => {
  const { kind, runs, texts = [], values } = JSON.parse(text) as Written
  let row = 0
  let at = 0
  for (const [length, code] of runs) {
    const reason = Reason.fromCode(code)
    const end = row + length
    if (reason !== undefined && code !== notFetched) {
      const cell = Cells.unknown(reason)
      for (let i = row; i < end; i++) each(i, cell)
    } else if (code === Reason.known) {
      for (let i = row; i < end; i++) each(i, Cells.known(valueOf(kind, values[at++]!, texts)))
    }
    row = end
  }
}

const notFetched = Reason.code("notFetched")

const codeOf = (text: string, texts: Map<string, number>): number => {
  const existing = texts.get(text)
  if (existing !== undefined) return existing
  texts.set(text, texts.size)
  return texts.size - 1
}

const numberText = (value: number): number | string => {
  if (Object.is(value, -0)) return "-0"
  return Number.isFinite(value) ? value : String(value)
}

const valueOf = (kind: Column["kind"], written: number | string, texts: ReadonlyArray<string>) => {
  const value = Number(written)
  return kind === "text" ? (texts[value] ?? "") : kind === "yesNo" ? value !== 0 : value
}
