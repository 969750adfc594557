/**
 * What figures of an account can be, so that an example row is one that could occur: usual ranges of each fact, and
 * statistics of the same days that agree with each other (`ctr` is clicks by views, 14 days hold no less than 7).
 * The ranges are our own estimate of an ordinary shop; they choose examples and decide nothing else.
 */
import * as Window from "../../../domain/Window.js"
import type { FactType } from "../../facts/FactType.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { FactRef } from "../Policy.js"
import * as Ranges from "./Ranges.js"
import type { Row, Value } from "./Witness.js"

/** Values a fact usually has, and some to try first; money in kopecks, a share as a fraction. */
export interface Usual {
  readonly low: number
  readonly high: number
  readonly likely: ReadonlyArray<number>
}

const usual = (low: number, high: number, ...likely: ReadonlyArray<number>): Usual => ({ low, high, likely })

const rubles = 100
const perThousand = usual(10 * rubles, 10_000 * rubles, 250 * rubles, 100 * rubles, 1000 * rubles)
const bid = usual(rubles, 10_000 * rubles, 200 * rubles, 100 * rubles, 400 * rubles, 1000 * rubles)
const cost = usual(0, 10, 0.15, 0.05, 0.5, 1.5)

/** By the last word of a fact's id; of `ad_spend` and the like, what follows `ad_`. */
const byWord: Readonly<Record<string, Usual>> = {
  views: usual(0, 10_000_000, 1000, 100, 10_000, 100_000, 0),
  clicks: usual(0, 1_000_000, 50, 10, 500, 5000, 0),
  carts: usual(0, 300_000, 20, 5, 100, 0),
  orders: usual(0, 100_000, 10, 3, 100, 1000, 0),
  cancelled: usual(0, 100_000, 1, 10, 0),
  spend: usual(0, 10_000_000 * rubles, 1000 * rubles, 100 * rubles, 5000 * rubles, 50_000 * rubles, 0),
  revenue: usual(0, 100_000_000 * rubles, 20_000 * rubles, 2000 * rubles, 200_000 * rubles, 0),
  ctr: usual(0, 0.5, 0.05, 0.01, 0.1, 0.002),
  cr: usual(0, 0.5, 0.05, 0.01, 0.2),
  cpc: usual(0.1 * rubles, 1000 * rubles, 15 * rubles, 5 * rubles, 50 * rubles),
  cpm: perThousand,
  cpo: usual(rubles, 50_000 * rubles, 300 * rubles, 100 * rubles, 1000 * rubles),
  acos: cost,
  drr: cost,
  romi: usual(-1, 20, 0.5, -0.5, 2),
  bid,
  min_bid: usual(rubles, 1000 * rubles, 100 * rubles, 50 * rubles),
  avg_pos: usual(1, 1000, 5, 20, 2, 100),
  rating: usual(1, 5, 4.5, 3, 5),
  stock_days: usual(0, 1000, 10, 2, 60),
  price: usual(10 * rubles, 1_000_000 * rubles, 1500 * rubles, 500 * rubles, 10_000 * rubles)
}

const byType: Readonly<Record<FactType["_tag"], Usual>> = {
  Ratio: usual(-10, 10, 0.05, 0.5, 0, 1),
  Money: usual(0, 100_000_000 * rubles, 1000 * rubles, 100 * rubles, 5000 * rubles, 0),
  MoneySquared: usual(0, 0),
  Count: usual(0, 10_000_000, 10, 100, 1000, 10_000, 1, 0),
  Number: usual(0, 100_000, 5, 1, 100, 0),
  Duration: usual(0, 10 * 365 * 86_400_000, 3_600_000, 86_400_000, 0),
  Text: usual(0, 0),
  Labels: usual(0, 0),
  YesNo: usual(0, 0),
  Enum: usual(0, 0)
}

/** What the fact usually is. */
export const usualOf = ({ id }: FactRef, type: FactType): Usual => {
  const parts = id.split(".").slice(1)
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  if (first === "bid" || first === "min_bid" || first === "recommended") return byWord[first] ?? bid
  if (id === "campaign.id" || id.endsWith("item.id")) return usual(1, Number.MAX_SAFE_INTEGER, 1)
  return byWord[base(last)] ?? byType[type._tag]
}

/** The part of the ranges that could occur. A bound that the rules name themselves is taken for possible. */
export const within = (ranges: Ranges.Ranges, { high, low }: Usual): Ranges.Ranges => {
  const possible = Ranges.intersect(ranges, [Ranges.interval(low, high)])
  if (possible.length > 0) return possible
  const [least, most] = [Ranges.lowest(ranges), Ranges.highest(ranges)]
  return least > high
    ? Ranges.intersect(ranges, [Ranges.interval(least, least * 1.25 + 1)])
    : Ranges.intersect(ranges, [Ranges.interval(most - Math.abs(most) * 0.25 - 1, most)])
}

/** `above / below`, times `factor`. */
interface Quotient {
  readonly above: string
  readonly below: string
  readonly factor: number
}

const quotients: Readonly<Record<string, Quotient>> = {
  ctr: { above: "clicks", below: "views", factor: 1 },
  cr: { above: "orders", below: "clicks", factor: 1 },
  cpc: { above: "spend", below: "clicks", factor: 1 },
  cpm: { above: "spend", below: "views", factor: 1000 },
  cpo: { above: "spend", below: "orders", factor: 1 },
  acos: { above: "spend", below: "revenue", factor: 1 },
  drr: { above: "spend", below: "all_revenue", factor: 1 }
}

/** Pairs of which the first is never more than the second. */
const ordered: ReadonlyArray<readonly [string, string]> = [
  ["clicks", "views"],
  ["carts", "clicks"],
  ["orders", "clicks"],
  ["orders", "views"],
  ["cancelled", "orders"],
  ["buyouts", "all_orders"],
  ["orders", "all_orders"],
  ["revenue", "all_revenue"],
  ["recommended.reach_min", "recommended.reach_medium"],
  ["recommended.reach_medium", "recommended.reach_max"],
  ["recommended.reach_min", "recommended.reach_max"],
  ["min_bid", "bid"]
]

const sums = ["views", "clicks", "carts", "orders", "spend", "revenue", "cancelled"]

/**
 * The row with every quotient made of its two parts, where they are known; what a quotient says of a part that the row
 * does not name is kept in mind for the others. Undefined when the figures could not be so of any row.
 */
export const settled = (row: Row): Row | undefined => {
  const families = new Map<string, Map<string, number>>()
  const settledRow = row.map((one): Value => {
    const own = familyOf(families, one.fact)
    const word = wordOf(one.fact)
    if (typeof one.value === "number" && quotients[word] === undefined) own.set(word, one.value)
    return one
  })
  const made = settledRow.map((one): Value => {
    const quotient = quotients[wordOf(one.fact)]
    if (quotient === undefined || typeof one.value !== "number") return one
    const value = divided(quotient, one.value, familyOf(families, one.fact))
    return value === undefined ? one : { ...one, value }
  })
  const isPossible =
    made.every(({ value }) => typeof value !== "number" || !Number.isNaN(value)) &&
    [...families.values()].every(isOrdered) &&
    areNested(made)
  return isPossible ? made : undefined
}

/** The quotient of two known parts; with one of them known, the other is remembered. NaN for nothing by nothing. */
const divided = (
  { above, below, factor }: Quotient,
  wanted: number,
  parts: Map<string, number>
): number | undefined => {
  const [a, b] = [parts.get(above), parts.get(below)]
  if (a !== undefined && b !== undefined) {
    // Rounding of what was remembered is no contradiction.
    const exact = b === 0 ? (a === 0 ? Number.NaN : Number.POSITIVE_INFINITY) : (a * factor) / b
    return Math.abs(exact - wanted) <= wanted * 0.05 ? wanted : exact
  }
  if (a !== undefined && wanted > 0) parts.set(below, (a * factor) / wanted)
  if (b !== undefined && Number.isFinite(wanted)) parts.set(above, (b * wanted) / factor)
  return undefined
}

const isOrdered = (parts: ReadonlyMap<string, number>): boolean =>
  ordered.every(([less, more]) => (parts.get(less) ?? 0) <= (parts.get(more) ?? Number.POSITIVE_INFINITY))

/** More days hold no less. */
const areNested = (row: Row): boolean =>
  row.every(({ fact, value }) => {
    const { id, window } = fact
    if (window?._tag !== "Last" || !sums.includes(wordOf(fact)) || typeof value !== "number") return true
    return row.every(({ fact: other, value: longer }) => {
      if (other.id !== id || other.window?._tag !== "Last" || typeof longer !== "number") return true
      const isInside =
        other.window.settleDays <= window.settleDays &&
        other.window.days + other.window.settleDays >= window.days + window.settleDays
      return !isInside || longer >= value
    })
  })

const familyOf = (families: Map<string, Map<string, number>>, fact: FactRef): Map<string, number> => {
  const level = Vocabulary.byFactId(fact.id)?.level ?? ""
  const key = `${level}@${fact.window === undefined ? "" : Window.key(fact.window)}`
  const known = families.get(key) ?? new Map<string, number>()
  families.set(key, known)
  return known
}

const wordOf = ({ id }: FactRef): string => base(id.slice(id.indexOf(".") + 1))
const base = (word: string): string => word.replace(/^item\./, "").replace(/^ad_/, "")
