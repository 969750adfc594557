/** Values worth trying for a fact of an example row, the most telling first. */
import type { FactType } from "../../facts/FactType.js"
import { factKey } from "../../facts/Table.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Clause, Condition, FactRef } from "../Policy.js"
import type { Box, Side } from "./Box.js"
import * as Domain from "./Domain.js"
import * as Plausible from "./Plausible.js"
import * as Questions from "./Questions.js"
import * as Ranges from "./Ranges.js"
import * as Words from "./Words.js"

type Value = number | string | boolean

/** Empty only when nothing in the box is possible. */
export const of = (fact: FactRef, box: Box, clauses: ReadonlyArray<Clause>): ReadonlyArray<Value> => {
  const key = factKey(fact)
  const type = Vocabulary.byFactId(fact.id)?.type
  if (type === undefined) return []
  if (type._tag === "YesNo") return yesNo(box.get(key))
  if (Domain.isText(type)) return texts(key, type, box, clauses)
  return numbers(key, fact, type, box)
}

const yesNo = (side: Side | undefined): ReadonlyArray<Value> =>
  [true, false].filter((value) => side?._tag !== "Words" || Words.holds(side.words, String(value)))

const numbers = (key: string, fact: FactRef, type: FactType, box: Box): ReadonlyArray<Value> => {
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
): ReadonlyArray<Value> => {
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
