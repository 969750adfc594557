/** Which values a fact can have at all, and the stable names of facts and expressions. */
import type { FactType } from "../../facts/FactType.js"
import { factKey } from "../../facts/Table.js"
import * as Texts from "../../facts/Texts.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Condition, Expr } from "../Policy.js"
import * as Ranges from "./Ranges.js"

/** A fact, or anything computed from facts, that stands on one side of a comparison. */
export interface Operand {
  readonly key: string
  readonly expr: Expr
}

export const operand = (expr: Expr): Operand => ({ key: nameOf(expr), expr })

/** Shares of a whole; every other percentage is open above (`acos` without sales is infinite). */
const shares = /\.(ctr|cr)(@|$)/
/** Hours of a day. */
const hours = /^account\.hour(:|$)/
const neverNegative = /\.(acos|drr)(@|$)/

/** Numbers a fact can be; anything computed can be any number. */
export const numbers = ({ key, expr }: Operand): Ranges.Ranges => {
  if (expr._tag !== "Fact" || Vocabulary.mayBeNegative(expr.fact.id)) return Ranges.everything
  switch (expr.type._tag) {
    case "Ratio":
      if (shares.test(key)) return [Ranges.interval(0, 1)]
      return neverNegative.test(key) ? fromZero : Ranges.everything
    case "Count":
      return hours.test(key) ? [Ranges.interval(0, 23)] : fromZero
    case "Money":
    case "Duration":
      return fromZero
    default:
      return Ranges.everything
  }
}

const fromZero: Ranges.Ranges = [Ranges.interval(0, Number.POSITIVE_INFINITY)]

export const isWhole = ({ expr }: Operand): boolean => expr._tag === "Fact" && expr.type._tag === "Count"
export const isText = (type: FactType): boolean =>
  type._tag === "Text" || type._tag === "Labels" || type._tag === "Enum"

const nameOf = (expr: Expr): string => {
  switch (expr._tag) {
    case "Literal":
      return JSON.stringify(expr.value)
    case "Fact":
      return factKey(expr.fact)
    default:
      return JSON.stringify(expr)
  }
}

// Sets of texts: a few words, or every text but a few.

export interface Words {
  readonly except: boolean
  readonly list: ReadonlySet<string>
}

export const only = (words: Iterable<string>): Words => ({ except: false, list: new Set(words) })
export const allBut = (words: Iterable<string>): Words => ({ except: true, list: new Set(words) })

export const intersect = (a: Words, b: Words): Words => {
  if (a.except && b.except) return allBut([...a.list, ...b.list])
  if (a.except) return only([...b.list].filter((word) => !a.list.has(word)))
  return only([...a.list].filter((word) => b.list.has(word) !== b.except))
}

export const isEmpty = (words: Words): boolean => !words.except && words.list.size === 0
export const holds = (words: Words, word: string): boolean => words.list.has(word) !== words.except

// Questions about texts: when two answers cannot go together, and which words an answer allows.

/** `of` is the key of the text's fact, or of the question itself when it is about nothing that is understood. */
export interface Question {
  readonly of: string
  readonly asked: Condition
  readonly yes: boolean
}

/** Longer lists are taken to go together. */
const mostWordPairs = 1_000_000

/** "No" to a part of what "yes" demands: a text with "белые кеды" contains "кеды"; a label is its own only part. */
export const clash = (questions: ReadonlyArray<Question>): boolean => {
  const demands = questions.filter(({ yes }) => yes)
  const refusals = questions.filter(({ yes }) => !yes)
  return demands.some((demand) => {
    const words = wordsOf(demand.asked)
    if (words === undefined) return false
    return refusals.some((refusal) => {
      const refused = refusal.of === demand.of ? wordsOf(refusal.asked) : undefined
      const isIn = (word: string, part: string) =>
        demand.asked._tag === "HasLabel" ? word === part : word.includes(part)
      if (refused === undefined || words.length * refused.length > mostWordPairs) return false
      return words.every((word) => refused.some((part) => isIn(word, part)))
    })
  })
}

/** Whether a text gives the wanted answers to every question about its fact. */
export const allows = (questions: ReadonlyArray<Question>, of: string, text: string): boolean =>
  questions.every((question) => {
    if (question.of !== of) return true
    const answer = answerFor(question.asked, text)
    return answer === undefined || answer === question.yes
  })

/** Undefined when the question is not about one text alone. */
const answerFor = (asked: Condition, text: string): boolean | undefined => {
  if (asked._tag === "Matches") return Texts.glob(asked.pattern)(text)
  if (asked._tag === "HasLabel") return Texts.hasLabel(asked.labels)(text)
  return asked._tag === "Contains" ? Texts.containsAny(asked.words)(text) : undefined
}

/** Parts of which at least one must occur, small letters; undefined when that is not what is asked. */
const wordsOf = (asked: Condition): ReadonlyArray<string> | undefined => {
  if (asked._tag === "Contains") return asked.words.map((word) => word.toLowerCase())
  if (asked._tag === "HasLabel") return asked.labels
  if (asked._tag !== "Matches") return undefined
  const inside = /^\*+([^*?]+)\*+$/.exec(asked.pattern)?.[1]
  return inside === undefined ? undefined : [inside.toLowerCase()]
}
