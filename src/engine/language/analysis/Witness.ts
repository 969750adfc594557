/**
 * An example row for a list of clauses. Boxes say which values to try; the engine's own evaluator says whether the row
 * really makes every clause true, so an example that is shown is never wrong, and `Plausible` that it could occur. None
 * may be found where one exists.
 */
import { CampaignId, Cluster, ItemId } from "../../../domain/Ids.js"
import type { Target } from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
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
import * as Plausible from "./Plausible.js"
import * as Questions from "./Questions.js"
import * as Ranges from "./Ranges.js"
import * as Words from "./Words.js"

/** One value of the row, by its fact's key (`cluster.ctr@7d`). */
export interface Value {
  readonly fact: FactRef
  readonly value: number | string | boolean
}

/** Sorted by the fact's key. */
export type Row = ReadonlyArray<Value>

/** Rows that are tried when the likeliest one does not do. */
const tries = 512

/** A row of the box for which every clause is true, if one is found. */
export const find = (each: Each, clauses: ReadonlyArray<Clause>, box: Box): Row | undefined => {
  const facts = named(clauses)
  if (facts.some(({ id }) => Vocabulary.byFactId(id) === undefined)) return undefined
  const choices = facts.map((fact) => candidates(fact, box, clauses))
  if (choices.some((choice) => choice.length === 0)) return undefined
  const pick = (at: (index: number) => number): Row | undefined =>
    Plausible.settled(facts.map((fact, i) => ({ fact, value: choices[i]![at(i) % choices[i]!.length]! })))
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
  [true, false].filter((value) => side?._tag !== "Words" || Words.holds(side.words, String(value)))

const numbers = (key: string, fact: FactRef, type: FactType, box: Box): ReadonlyArray<Worth> => {
  const of = Domain.operand({ _tag: "Fact", type, fact })
  const side = box.get(key)
  const usual = Plausible.usualOf(fact, type)
  const asked = side?._tag === "Numbers" ? side.ranges : Domain.numbers(of)
  const ranges = Plausible.within(asked, usual)
  const isWhole = type._tag === "Count" || type._tag === "Money"
  // Near the bounds that the rules name; the ends of what is usual are no bounds of theirs.
  const own = asked.flatMap((range) => inside(range, isWhole))
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
  const wanted = side?._tag === "Words" ? side.words : Words.allBut([])
  const listed = wanted.except ? (type._tag === "Enum" ? type.words : composed(key, questions)) : wanted.list
  const fits = [...listed].filter(
    (word) => Words.holds(wanted, word) && Questions.allows(questions, key, word)
  )
  return fits.length > 0 || clauses.length === 0
    ? fits
    : ["example"].filter((word) => Words.holds(wanted, word))
}

/** Texts put together from the parts the questions want. */
const composed = (key: string, questions: ReadonlyArray<Questions.Question>): ReadonlyArray<string> => {
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
