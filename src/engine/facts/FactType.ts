/** What a fact is, and the types of the rules language. A bare number is never a ratio or an amount of money. */
import type { Level } from "./Level.js"
import type { SourceId } from "./Sources.js"
import type { FigureName } from "./UnitEconomics.js"

/** A word that rules may use, as the vocabulary says it. */
export interface Fact {
  /** `level.word`, such as `cluster.ctr`. */
  readonly id: string
  readonly level: Level
  /** How a rule writes it on a row of its own level: `ctr`, `campaign.status`, `recommended.reach_max`. */
  readonly word: string
  readonly type: FactType
  /** Unit for people: `per 1000 impressions`, `days`. */
  readonly unit: string
  readonly source: SourceId
  readonly windowed: boolean
  /** One sentence for hover and docs; formula for derived facts. */
  readonly about: string
  /** Of a derived fact: its formula in the rules language, on a row of its own level. */
  readonly formula?: string
  /** See `DerivedFact`. */
  readonly figure?: NamedFigure
}

/** Of the days of a promotion, the day that counts for a figure: the one where it is least, or most. */
export type WorstDay = "least" | "most"

/** A figure and its terms, each one of the rules language; with `ahead` it is that of the worst day of the row's promotion. */
interface NamedFigure {
  readonly name: FigureName
  readonly of: ReadonlyArray<string>
  readonly ahead?: WorstDay
}

/** A fact of the vocabulary that is a formula of others; see `Fact`. */
export interface DerivedFact {
  readonly level: Level
  readonly word: string
  readonly type: FactType
  /** The source that is most in the way: its history bounds the window. */
  readonly source: SourceId
  readonly formula: string
  /** Of a formula that is no expression of the rules language. */
  readonly figure?: NamedFigure
  readonly about: string
}

/**
 * How values are held: ratio as a fraction (1% is 0.01), money in kopecks, duration in milliseconds,
 * count and number as themselves, yes/no as 1 and 0, text and enum as text, labels as one text (see `Texts.labels`). Money times money is no amount of anything:
 * it only occurs inside a calculation that divides it by money again.
 */
export type FactType =
  | { readonly _tag: "Ratio" }
  | { readonly _tag: "Money" }
  | { readonly _tag: "MoneySquared" }
  | { readonly _tag: "Count" }
  | { readonly _tag: "Number" }
  | { readonly _tag: "Duration" }
  | { readonly _tag: "Text" }
  /** A set of words. */
  | { readonly _tag: "Labels" }
  | { readonly _tag: "YesNo" }
  | { readonly _tag: "Enum"; readonly name: string; readonly words: ReadonlyArray<string> }

export const ratio: FactType = { _tag: "Ratio" }
export const money: FactType = { _tag: "Money" }
export const moneySquared: FactType = { _tag: "MoneySquared" }
export const count: FactType = { _tag: "Count" }
export const number: FactType = { _tag: "Number" }
export const duration: FactType = { _tag: "Duration" }
export const text: FactType = { _tag: "Text" }
export const labels: FactType = { _tag: "Labels" }
export const yesNo: FactType = { _tag: "YesNo" }
export const oneOf = (name: string, words: ReadonlyArray<string>): FactType => ({ _tag: "Enum", name, words })

/** Word for messages: "a percentage", "money", "a count". */
export const describe = (type: FactType): string => {
  switch (type._tag) {
    case "Ratio":
      return "a percentage"
    case "Money":
      return "money"
    case "MoneySquared":
      return "money times money"
    case "Count":
      return "a count"
    case "Number":
      return "a number"
    case "Duration":
      return "a duration"
    case "Text":
      return "text"
    case "Labels":
      return "labels"
    case "YesNo":
      return "yes or no"
    case "Enum":
      return `one of ${type.words.join(", ")}`
  }
}
