/**
 * A box: what one way of making a condition true asks of each fact. A box may hold more rows than the condition, never
 * fewer, so "no box is left" is a proof; that a row exists is shown by a witness, never by a box.
 */
import type { Condition } from "../Policy.js"
import type { Operand } from "./Domain.js"
import * as Domain from "./Domain.js"

import * as Ranges from "./Ranges.js"

/** What is left of a fact or an expression: numbers or texts. */
export type Side =
  | { readonly _tag: "Numbers"; readonly of: Operand; readonly ranges: Ranges.Ranges }
  | { readonly _tag: "Words"; readonly of: Operand; readonly words: Domain.Words }
  /** How two operands may stand to each other, a sum of `less`, `equal` and `greater`. */
  | { readonly _tag: "Relation"; readonly left: Operand; readonly right: Operand; readonly mask: number }
  /** A question only a text, or only the evaluator, can answer. */
  | { readonly _tag: "Question"; readonly of: string; readonly asked: Condition; readonly yes: boolean }

export const less = 1
export const equal = 2
export const greater = 4

/** By a key that says what the side is about. */
export type Box = ReadonlyMap<string, Side>

/** Asks nothing. */
export const everything: Box = new Map()

/** How much there is to go through where two boxes are put together. */
export const weight = (box: Box): number => {
  let sum = 1
  for (const side of box.values()) sum += weightOf(side)
  return sum
}

const weightOf = (side: Side): number => {
  switch (side._tag) {
    case "Numbers":
      return side.ranges.length
    case "Words":
      return side.words.list.size
    case "Relation":
      return 1
    case "Question":
      return side.asked._tag === "Contains" ? side.asked.words.length : 1
  }
}

/** The box of one side, or undefined when nothing is left. */
export const of = (side: Side): Box | undefined =>
  isPossible(side) ? new Map([[keyOf(side), side]]) : undefined

/** Undefined when the two can be proved to have no row in common. */
export const intersect = (a: Box, b: Box): Box | undefined => {
  const [base, more] = a.size >= b.size ? [a, b] : [b, a]
  const both = new Map(base)
  for (const [key, side] of more) {
    const other = both.get(key)
    const met = other === undefined ? side : meet(other, side)
    if (met === undefined || !isPossible(met)) return undefined
    both.set(key, met)
  }
  return isConsistent(both) ? both : undefined
}

/** True where two boxes of one side each are about different facts: then they meet, and need not be put together. */
export const isApart = (a: Box, b: Box): boolean => {
  if (a.size !== 1 || b.size !== 1) return false
  const [[x], [y]] = [[...a.values()], [...b.values()]]
  const one = about(x!)
  return one !== undefined && about(y!) !== undefined && one !== about(y!)
}

/** The one fact or calculation a side is about. */
const about = (side: Side): string | undefined =>
  side._tag === "Relation" ? undefined : side._tag === "Question" ? side.of : side.of.key

const keyOf = (side: Side): string => {
  switch (side._tag) {
    case "Relation":
      return `${side.left.key}\n${side.right.key}`
    case "Question":
      return `${side.of}\n?${JSON.stringify(side.asked)}`
    default:
      return side.of.key
  }
}

const meet = (a: Side, b: Side): Side | undefined => {
  if (a._tag === "Numbers" && b._tag === "Numbers")
    return { ...a, ranges: Ranges.intersect(a.ranges, b.ranges) }
  if (a._tag === "Words" && b._tag === "Words") return { ...a, words: Domain.intersect(a.words, b.words) }
  if (a._tag === "Relation" && b._tag === "Relation") return { ...a, mask: a.mask & b.mask }
  if (a._tag === "Question" && b._tag === "Question") return a.yes === b.yes ? a : undefined
  return a
}

const isPossible = (side: Side): boolean => {
  switch (side._tag) {
    case "Numbers":
      return side.ranges.length > 0
    case "Words":
      return !Domain.isEmpty(side.words)
    case "Relation":
      return side.mask !== 0
    case "Question":
      return true
  }
}

/** Sides about the same facts must be possible together. */
const isConsistent = (box: Box): boolean => {
  const questions: Array<Extract<Side, { _tag: "Question" }>> = []
  for (const side of box.values()) {
    if (side._tag === "Relation" && !isPossibleBetween(side, box)) return false
    if (side._tag === "Question") questions.push(side)
  }
  if (questions.length === 0) return true
  if (Domain.clash(questions)) return false
  return questions.every(({ of: fact }) => {
    const side = box.get(fact)
    if (side?._tag !== "Words" || side.words.except) return true
    return [...side.words.list].some((word) => Domain.allows(questions, fact, word))
  })
}

const isPossibleBetween = (side: Extract<Side, { _tag: "Relation" }>, box: Box): boolean => {
  const left = numbersOf(side.left, box)
  const right = numbersOf(side.right, box)
  if (left === undefined || right === undefined) return true
  const [a, b, c, d] = [
    Ranges.lowest(left),
    Ranges.highest(left),
    Ranges.lowest(right),
    Ranges.highest(right)
  ]
  return (
    ((side.mask & less) !== 0 && a < d) ||
    ((side.mask & greater) !== 0 && b > c) ||
    ((side.mask & equal) !== 0 && Ranges.intersect(left, right).length > 0)
  )
}

const numbersOf = (of: Operand, box: Box): Ranges.Ranges | undefined => {
  if (Domain.isText(of.expr.type)) return undefined
  const side = box.get(of.key)
  return side?._tag === "Numbers" ? side.ranges : Domain.numbers(of)
}
