/**
 * Facts of items that the marketplace does not have, from a table of the seller's: cost price and the like. The id of
 * such a fact says its type (`item.cost:money`), so that it can be known from its id alone.
 */
import * as FactType from "./FactType.js"
import type { Fact } from "./Vocabulary.js"

/** Types by the words of a facts file. */
export const types = {
  money: FactType.money,
  count: FactType.count,
  number: FactType.number,
  ratio: FactType.ratio,
  text: FactType.text,
  yes_no: FactType.yesNo
} as const

export type TypeName = keyof typeof types

const isTypeName = (text: string): text is TypeName => Object.hasOwn(types, text)

/** `item.` and a word. */
export const isWord = (word: string): boolean => /^item\.[a-z][a-z0-9_]*$/.test(word)

export const make = (word: string, type: TypeName): Fact => ({
  id: `${word}:${type}`,
  level: "item",
  word,
  type: types[type],
  unit: "",
  source: "own",
  windowed: false,
  about: "From your own table."
})

const known = new Map<string, Fact>()

/** The fact of such an id; undefined for ids of any other form. */
export const byId = (id: string): Fact | undefined => {
  const at = id.indexOf(":")
  if (at < 0) return undefined
  const before = known.get(id)
  if (before !== undefined) return before
  const [word, type] = [id.slice(0, at), id.slice(at + 1)]
  if (!isWord(word) || !isTypeName(type)) return undefined
  const made = make(word, type)
  known.set(id, made)
  return made
}
