/**
 * An example row for a list of clauses. Boxes say which values to try; the engine's own evaluator says whether the row
 * really makes every clause true, so an example that is shown is never wrong, and `Plausible` that it could occur. None
 * may be found where one exists.
 */
import { CampaignId, Cluster, ItemId } from "../../../domain/Ids.js"
import type { Target } from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Window from "../../../domain/Window.js"
import * as Cells from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as FactRefs from "../../facts/FactRefs.js"
import type { FactType } from "../../facts/FactType.js"
import * as Kleene from "../../facts/Kleene.js"
import * as Table from "../../facts/Table.js"
import { factKey } from "../../facts/Table.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Clause, Condition, Each, FactRef } from "../Policy.js"
import type { Box, Side } from "./Box.js"
import * as Domain from "./Domain.js"
import * as Ranges from "./Ranges.js"

/** One value of the row, by its fact's key (`cluster.ctr@7d`). */
interface Value {
  readonly fact: FactRef
  readonly value: number | string | boolean
}

/** Sorted by the fact's key. */
export type Row = ReadonlyArray<Value>

/** Intervals of a set whose ends are tried. */
const mostRanges = 64
/** Rows that are tried when the likeliest one does not do. */
const tries = 512

/** A row of the box for which every clause is true, if one is found. */
export const find = (each: Each, clauses: ReadonlyArray<Clause>, box: Box): Row | undefined => {
  const facts = named(clauses)
  if (facts.some(({ id }) => Vocabulary.byFactId(id) === undefined)) return undefined
  const choices = facts.map((fact) => candidates(fact, box, clauses))
  if (choices.some((choice) => choice.length === 0)) return undefined
  const settled = settling(facts)
  const pick = (at: (index: number) => number): Row | undefined => {
    const row = settled(choices.map((choice, i) => choice[at(i) % choice.length]!))
    return row !== undefined && isInside(row, box) ? row : undefined
  }
  const likeliest = pick(() => 0)
  if (likeliest !== undefined && satisfying(each, clauses, [likeliest]) === 0) return likeliest
  const free = choices.map((choice) => choice.length > 1)
  if (!free.includes(true)) return undefined
  // One of the first few nearly always does: a table of all of them would be made for nothing.
  for (let from = 0, size = 8; from < tries; from += size, size *= 8) {
    const rows = Array.from({ length: Math.min(size, tries - from) }, (_, n) =>
      pick((i) => digit(from + n, i))
    ).filter((row) => row !== undefined)
    if (rows.length === 0) continue
    const found = satisfying(each, clauses, rows)
    if (found !== undefined) return rows[found]
  }
  return undefined
}

/** A quotient that was made of its parts may have left the box: then no clause need be asked. */
const isInside = (row: Row, box: Box): boolean =>
  row.every(({ fact, value }) => {
    const side = typeof value === "number" ? box.get(Table.factKey(fact)) : undefined
    return side?._tag !== "Numbers" || Ranges.holds(side.ranges, Number(value))
  })

/** Number of the first row that makes every clause true. */
export const satisfying = (
  each: Each,
  clauses: ReadonlyArray<Clause>,
  rows: ReadonlyArray<Row>
): number | undefined => {
  const table = Table.make(each)
  for (const [n, row] of rows.entries()) {
    const at = table.add(target(each, n + 1))
    for (const { fact, value } of row) table.set(at, Table.factKey(fact), Cells.known(value))
  }
  if (rows.length === 1) return clauses.every((clause) => isTrue(clause, table)) ? 0 : undefined
  return Evaluate.sift(
    clauses,
    table,
    rows.map((_, n) => n)
  ).holds[0]
}

const isTrue = ({ condition }: Clause, table: Table.Table): boolean =>
  Evaluate.condition(condition, table, [0]).truth[0] === Kleene.True

const named = (clauses: ReadonlyArray<Clause>): ReadonlyArray<FactRef> => {
  const byKey = new Map(FactRefs.ofClauses(clauses).map((fact) => [Table.factKey(fact), fact]))
  return [...byKey].sort(TextOrder.byKey).map(([, fact]) => fact)
}

const target = (each: Each, n: number): Target => {
  const campaign = { campaignId: CampaignId.make(n) }
  if (each === "campaign") return campaign
  const item = { ...campaign, itemId: ItemId.make(n) }
  return each === "campaign_item" ? item : { ...item, cluster: Cluster.make("example") }
}

/** Scattered evenly and the same on every machine: the n-th try picks another mixture of candidates. */
const digit = (n: number, index: number): number => {
  let mixed = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

// Values worth trying for a fact of an example row, the most telling first.

type Worth = number | string | boolean

/** Empty only when nothing in the box is possible. */
const candidates = (fact: FactRef, box: Box, clauses: ReadonlyArray<Clause>): ReadonlyArray<Worth> => {
  const key = factKey(fact)
  const type = Vocabulary.byFactId(fact.id)?.type
  if (type === undefined) return []
  if (type._tag === "YesNo") return yesNo(box.get(key))
  if (Domain.isText(type)) return texts(key, type, box, clauses)
  return numbers(key, fact, type, box)
}

const yesNo = (side: Side | undefined): ReadonlyArray<Worth> =>
  [true, false].filter((value) => side?._tag !== "Words" || Domain.holds(side.words, String(value)))

const numbers = (key: string, fact: FactRef, type: FactType, box: Box): ReadonlyArray<Worth> => {
  const of = Domain.operand({ _tag: "Fact", type, fact })
  const side = box.get(key)
  const usual = usualOf(fact, type)
  const asked = side?._tag === "Numbers" ? side.ranges : Domain.numbers(of)
  const ranges = within(asked, usual)
  const isWhole = type._tag === "Count" || type._tag === "Money"
  // Near the bounds that the rules name; the ends of what is usual are no bounds of theirs.
  const own = asked.slice(0, mostRanges).flatMap((range) => inside(range, isWhole))
  const likely = side === undefined ? [...usual.likely, ...own] : [...own, ...usual.likely]
  return [...new Set([...likely, ...ends(box, type)])].filter((value) => Ranges.holds(ranges, value))
}

/** Of an interval: its lower end, a value near its upper end or beyond its lower one, its middle. */
const inside = ({ high, low }: Ranges.Interval, isWhole: boolean): ReadonlyArray<number> => {
  const near = Number.isFinite(high)
    ? [high * 0.9, low + (high - low) / 2, high]
    : [low * 1.2, low + 1, low * 2 + 1]
  const rounded = near.flatMap((value) => (isWhole ? [Math.round(value), value] : [tidy(value), value]))
  const first = low > 0 || !Number.isFinite(high) || high === 0 ? [low] : []
  return [...first, ...rounded, low].filter(Number.isFinite)
}

/** Bounds of other facts of the type: two facts that are compared with each other are often near the same value. */
const ends = (box: Box, type: FactType): ReadonlyArray<number> =>
  [...box.values()]
    .flatMap((side) => (side._tag === "Numbers" && side.of.expr.type._tag === type._tag ? side.ranges : []))
    .slice(0, mostRanges)
    .flatMap(({ high, low }) => [low, high])
    .filter(Number.isFinite)

const tidy = (value: number): number => Number(value.toPrecision(2))

const texts = (
  key: string,
  type: FactType,
  box: Box,
  clauses: ReadonlyArray<Clause>
): ReadonlyArray<Worth> => {
  const side = box.get(key)
  const questions = [...box.values()].flatMap((one) => (one._tag === "Question" ? [one] : []))
  const wanted = side?._tag === "Words" ? side.words : Domain.allBut([])
  const listed = wanted.except ? (type._tag === "Enum" ? type.words : composed(key, questions)) : wanted.list
  const fits = [...listed].filter((word) => Domain.holds(wanted, word) && Domain.allows(questions, key, word))
  return fits.length > 0 || clauses.length === 0
    ? fits
    : ["example"].filter((word) => Domain.holds(wanted, word))
}

/** Texts put together from the parts the questions want. */
const composed = (key: string, questions: ReadonlyArray<Domain.Question>): ReadonlyArray<string> => {
  const own = questions.filter((question) => question.of === key && question.yes)
  const parts = own.flatMap(({ asked }) => part(asked))
  const isLabels = own.some(({ asked }) => asked._tag === "HasLabel")
  return [
    parts.map((choice) => choice[0] ?? "").join(isLabels ? ", " : " "),
    ...parts.flat(),
    "example",
    "пример",
    "",
    "1"
  ].filter((text, at, all) => all.indexOf(text) === at && (text !== "" || at > 0))
}

const part = (asked: Condition): ReadonlyArray<ReadonlyArray<string>> => {
  if (asked._tag === "Contains") return [asked.words]
  if (asked._tag === "HasLabel") return [asked.labels]
  return asked._tag === "Matches" ? [[asked.pattern.replaceAll("*", "").replaceAll("?", "a")]] : []
}

// What figures of an account can be, so that an example row is one that could occur: usual ranges of each fact, and
// statistics of the same days that agree with each other (`ctr` is clicks by views, 14 days hold no less than 7).
// The ranges are our own estimate of an ordinary shop; they choose examples and decide nothing else.

/** Values a fact usually has, and some to try first; money in kopecks, a share as a fraction. */
interface Usual {
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
const usualOf = ({ id }: FactRef, type: FactType): Usual => {
  const parts = id.split(".").slice(1)
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  if (first === "bid" || first === "min_bid" || first === "recommended") return byWord[first] ?? bid
  if (id === "campaign.id" || id.endsWith("item.id")) return usual(1, Number.MAX_SAFE_INTEGER, 1)
  return byWord[base(last)] ?? byType[type._tag]
}

/** The part of the ranges that could occur. A bound that the rules name themselves is taken for possible. */
const within = (ranges: Ranges.Ranges, { high, low }: Usual): Ranges.Ranges => {
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
 * Makes rows of values for the facts: every quotient is made of its two parts, where they are known; what a quotient says of a
 * part that the row does not name is kept in mind for the others. Undefined when the figures could not be so of any row.
 */
const settling = (facts: ReadonlyArray<FactRef>): ((values: ReadonlyArray<Worth>) => Row | undefined) => {
  const words = facts.map(wordOf)
  const names = facts.map(familyOf)
  const nested = nestedPairs(facts, words)
  return (values) => {
    const families = new Map(names.map((name) => [name, new Map<string, number>()]))
    for (const [i, value] of values.entries())
      if (typeof value === "number" && quotients[words[i]!] === undefined)
        families.get(names[i]!)!.set(words[i]!, value)
    const made = facts.map((fact, i): Value => {
      const [quotient, value] = [quotients[words[i]!], values[i]!]
      if (quotient === undefined || typeof value !== "number") return { fact, value }
      return { fact, value: divided(quotient, value, families.get(names[i]!)!) ?? value }
    })
    const isPossible =
      made.every(({ value }) => typeof value !== "number" || !Number.isNaN(value)) &&
      [...families.values()].every(isOrdered) &&
      nested.every(([shorter, longer]) => isLess(made[shorter]!.value, made[longer]!.value))
    return isPossible ? made : undefined
  }
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

/** More days hold no less: places of two windows of one statistic, the second around the first. */
const nestedPairs = (
  facts: ReadonlyArray<FactRef>,
  words: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> =>
  facts.flatMap(({ id, window }, i) => {
    if (window?._tag !== "Last" || !sums.includes(words[i]!)) return []
    return facts.flatMap(({ id: other, window: around }, j) =>
      i !== j &&
      other === id &&
      around?._tag === "Last" &&
      around.settleDays <= window.settleDays &&
      around.days + around.settleDays >= window.days + window.settleDays
        ? [[i, j] as const]
        : []
    )
  })

const isLess = (value: Worth, longer: Worth): boolean =>
  typeof value !== "number" || typeof longer !== "number" || longer >= value

/** Statistics of one level and the same days belong together. */
const familyOf = ({ id, window }: FactRef): string =>
  `${Vocabulary.byFactId(id)?.level ?? ""}@${window === undefined ? "" : Window.key(window)}`

const wordOf = ({ id }: FactRef): string => base(id.slice(id.indexOf(".") + 1))
const base = (word: string): string => word.replace(/^item\./, "").replace(/^ad_/, "")
