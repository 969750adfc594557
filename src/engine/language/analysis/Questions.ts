/** Questions about texts: when two answers cannot go together, and which words an answer allows. */
import * as Texts from "../../facts/Texts.js"
import type { Condition } from "../Policy.js"

/** `of` is the key of the text's fact, or of the question itself when it is about nothing that is understood. */
export interface Question {
  readonly of: string
  readonly asked: Condition
  readonly yes: boolean
}

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
      return refused !== undefined && words.every((word) => refused.some((part) => isIn(word, part)))
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
