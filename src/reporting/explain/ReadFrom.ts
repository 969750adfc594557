/** Where the facts of a condition were read, over which days, and how old they are. */
import type { DayRange } from "../../domain/Days.js"
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import * as Needs from "../../engine/facts/Needs.js"
import type { SourceId } from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type { FactRef } from "../../engine/language/Policy.js"
import type { OwnFact } from "../../engine/language/shared/OwnFact.js"
import * as Moments from "./Moments.js"

/** What a run knows about its own reading. */
export interface Readings {
  readonly nowMs: number
  /** Zone of the account's business days, IANA. */
  readonly zone: string
  /** When the oldest answer of each source and window was read, by `Needs.keyOf`; epoch milliseconds. */
  readonly readings: ReadonlyMap<string, number>
  /** When answers of earlier runs were read, by source and item in its campaign; epoch milliseconds. */
  readonly remembered: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly ownFacts: ReadonlyArray<OwnFact>
}

/** One source of a condition's facts. `text` says it to people; `readAt` is ISO 8601 in UTC, absent when nobody read it. */
export interface Origin {
  readonly source: string
  readonly text: string
  readonly readAt?: string
  readonly days?: DayRange
  /** Read in an earlier run. */
  readonly remembered?: true
  /** The table of the seller's, and when it was last written. */
  readonly file?: string
}

/** The sources of some facts of a row, each once, in the order in which they are named. */
export const of = (
  refs: ReadonlyArray<FactRef>,
  row: Target.Subject,
  known: Readings,
  isUnread: (ref: FactRef) => boolean
): ReadonlyArray<Origin> => {
  const found = new Map<string, Origin>()
  for (const ref of refs) {
    const source = Vocabulary.byFactId(ref.id)?.source
    if (source === undefined) continue
    const need = { source, ...(ref.window === undefined ? {} : { window: ref.window }) }
    const name = source === "own" ? `own ${dataOf(ref, known)?.path ?? ""}` : Needs.keyOf(need)
    if (!found.has(name))
      found.set(name, source === "own" ? own(ref, known) : read(need, row, known, isUnread(ref)))
  }
  return [...found.values()]
}

const read = (need: Needs.SourceNeed, row: Target.Subject, known: Readings, isUnread: boolean): Origin => {
  const { nowMs, readings, zone } = known
  const days = need.window === undefined ? undefined : Window.resolve(need.window, nowMs)
  const what = [words[need.source], ...(days === undefined ? [] : [Moments.range(days)])].join(" ")
  const about = { source: need.source, ...(days === undefined ? {} : { days }) }
  const before = rememberedAt(need.source, row, known)
  if (need.source === "clock")
    return { ...about, text: `the clock, ${Moments.clock(nowMs, nowMs, zone)}`, readAt: iso(nowMs) }
  if (need.source === "spendCurve") return { ...about, text: what, readAt: iso(nowMs) }
  if (before !== undefined) {
    const text = `${what}, remembered from ${Moments.clock(before, nowMs, zone)}`
    return { ...about, text, readAt: iso(before), remembered: true }
  }
  const at = readings.get(Needs.keyOf(need))
  return at === undefined || isUnread
    ? { ...about, text: `${what}, not read` }
    : { ...about, text: `${what}, read ${Moments.clock(at, nowMs, zone)}`, readAt: iso(at) }
}

const rememberedAt = (
  source: SourceId,
  { campaignId, itemId }: Target.Subject,
  { remembered }: Readings
): number | undefined =>
  campaignId === undefined || itemId === undefined
    ? undefined
    : remembered.get(source)?.get(Target.key({ campaignId, itemId }))

const dataOf = ({ id }: FactRef, { ownFacts }: Readings) => ownFacts.find(({ fact }) => fact.id === id)?.data

const own = (ref: FactRef, known: Readings): Origin => {
  const { nowMs } = known
  const data = dataOf(ref, known)
  if (data === undefined) return { source: "own", text: "your own table, not read" }
  const { modifiedMs, path } = data
  const text = `${path}, ${Moments.age(nowMs - modifiedMs)} old`
  return { source: "own", text, readAt: iso(modifiedMs), file: path }
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString()

const words: Readonly<Record<SourceId, string>> = {
  campaigns: "campaign settings",
  promotionConfig: "bid steps",
  balance: "balance",
  clusters: "search clusters",
  clusterBids: "cluster bids",
  minusPhrases: "minus phrases",
  clusterStats: "stats",
  campaignStats: "stats",
  budgets: "budget",
  minimumBids: "minimum bids",
  recommendations: "recommendations",
  promotions: "promotions",
  promotionItems: "items of promotions",
  itemStocks: "stocks",
  itemCards: "item cards",
  itemFunnel: "sales",
  itemReviews: "reviews",
  own: "your own table",
  clock: "the clock",
  spendCurve: "what earlier runs saw of the spend of hours"
}
