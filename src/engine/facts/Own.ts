/**
 * Facts that the marketplace does not have, from a table of the seller's: cost prices, labels and the like. The word of
 * such a fact says its level (`item.`, `campaign.`, `cluster.`), and its id also says its type (`item.cost:money`), so that it can be known from its id alone.
 */
import type { Fact } from "./FactType.js"
import * as FactType from "./FactType.js"

/** Types by the words of a facts file. */
export const types = {
  money: FactType.money,
  count: FactType.count,
  number: FactType.number,
  ratio: FactType.ratio,
  text: FactType.text,
  labels: FactType.labels,
  yes_no: FactType.yesNo
} as const

export type TypeName = keyof typeof types

const isTypeName = (text: string): text is TypeName => Object.hasOwn(types, text)

/** Levels that have facts of the seller's own; each is also the first part of their words. */
const levels = ["campaign", "item", "cluster"] as const
export type OwnLevel = (typeof levels)[number]

/** The level that a word such as `item.cost` names; undefined for a word of any other form. */
export const levelOf = (word: string): OwnLevel | undefined =>
  levels.find((level) => word.startsWith(`${level}.`) && /^[a-z]+\.[a-z][a-z0-9_]*$/.test(word))

export const make = (word: string, level: OwnLevel, type: TypeName): Fact => ({
  id: `${word}:${type}`,
  level,
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
  const level = levelOf(word)
  if (level === undefined || !isTypeName(type)) return undefined
  const made = make(word, level, type)
  known.set(id, made)
  return made
}
