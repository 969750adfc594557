/** Completion inside conditions and values: what may follow the text before the cursor. */
import type { Fact } from "../engine/facts/FactType.js"
import * as FactType from "../engine/facts/FactType.js"
import * as Level from "../engine/facts/Level.js"
import { passes, type Source, sources } from "../engine/facts/Sources.js"
import * as Vocabulary from "../engine/facts/Vocabulary.js"
import * as Formulas from "../engine/language/check/Formulas.js"
import * as Units from "../engine/language/check/Units.js"
import type { Each } from "../engine/language/Policy.js"
import * as Lexer from "../engine/language/syntax/Lexer.js"
import type { Token } from "../engine/language/syntax/Token.js"
import * as FactCard from "./FactCard.js"
import { hole, type Suggestion, suggest } from "./Suggestion.js"
import type { Definition } from "./Variables.js"

export interface Setting {
  /** Levels of the rows; several where the file does not say. */
  readonly each: ReadonlyArray<Each>
  /** `where:` takes lasting properties only; limits only what is known of every campaign. */
  readonly allowed: "everything" | "lasting" | "campaign"
  readonly variables: ReadonlyArray<Definition>
  /** Facts of the seller's own tables, by their words. */
  readonly own: ReadonlyMap<string, Fact>
  readonly price: FactCard.Price
}

export type Kind = "condition" | "value"

/** What may stand where the text before the cursor ends; a word that has been begun belongs to the answer. */
export const after = (written: string, kind: Kind, setting: Setting): ReadonlyArray<Suggestion> => {
  const before = written.replace(/\$?[\p{L}\p{N}_.]*$/u, "")
  if (/[\p{L}\p{N}_]\[[^\]]*$/u.test(written)) return windows
  const tokens = Lexer.tokens(before)
  if (!("_tag" in tokens)) return next(tokens.slice(0, -1), kind, setting)
  // A list that is not closed yet, an open quote: only the first has an answer.
  return /(^|[^\p{L}\p{N}_])["'][^"']*$/u.test(before) ? [] : operands(undefined, kind, setting)
}

/** The words of an expression that are facts here. */
export const fact = (name: string, setting: Setting): Fact | undefined => {
  const found = setting.each.map((level) => resolve(name, level, setting)).find((one) => one !== undefined)
  return found !== undefined && fits(found, setting.allowed) ? found : undefined
}

const resolve = (name: string, level: Each, { own }: Setting): Fact | undefined => {
  const mine = own.get(name)
  const reached = mine !== undefined && Level.reaches(level, mine.level) ? mine : undefined
  return Vocabulary.resolve(name, level) ?? reached
}

/** A derived fact whose parts are all there: some need a table of the seller's own. */
const isWhole = (found: Fact, setting: Setting): boolean =>
  found.formula === undefined ||
  Formulas.expand(found, { id: found.id }, (name, level) => resolve(name, level, setting))._tag === "Made"

const fits = (found: Fact, allowed: Setting["allowed"]): boolean => {
  const { cost }: Source = sources[found.source]
  if (passes(found.source)) return allowed === "everything"
  if (allowed === "campaign") return cost === "local"
  return allowed === "everything" || (!found.windowed && cost !== "scarce")
}

const sign = (token: Token | undefined): string => (token?._tag === "Sign" ? token.sign : "")
const word = (token: Token | undefined): string =>
  token?._tag === "Keyword" ? token.word : token?._tag === "Word" ? token.name.toLowerCase() : ""

/** Inside `all(…)`, `any(…)` and `sum(…)` the words are those of the rows below. */
const next = (tokens: ReadonlyArray<Token>, kind: Kind, outer: Setting): ReadonlyArray<Suggestion> => {
  const last = tokens.at(-1)
  const open = opening(tokens)
  const setting = isOver(tokens) ? below(outer) : outer
  const function_ = open > 0 && sign(tokens[open]) === "(" ? word(tokens[open - 1]) : ""
  if (sign(last) === "," && function_ === "change") return windows
  if (open >= 0 && sign(tokens[open]) === "[") return listed(tokens.slice(0, open), last, setting)
  if (last === undefined || /^(and|or|not)$/.test(word(last)) || sign(last) === "(" || sign(last) === ",") {
    if (word(last) === "and" && isBetween(tokens)) return operands(leftOf(tokens, setting), "value", setting)
    return operands(undefined, function_ === "" ? kind : "value", setting)
  }
  switch (word(last)) {
    case "is":
      return [suggest("keyword", "known"), suggest("keyword", "not known")]
    case "in":
      return [suggest("keyword", "[", { snippet: `[${hole(1, typical(leftOf(tokens, setting)))}]` })]
    case "contains":
      return [suggest("keyword", "any", { detail: "any of several words" }), ...variables(setting), quotes]
    case "any":
      return [...variables(setting), suggest("keyword", '["', { snippet: `["${hole(1, "word")}"]` })]
    case "matches":
      return [
        suggest("keyword", '"*', { snippet: `"*${hole(1, "text")}*"`, detail: "* stands for any text" })
      ]
    case "with":
      return [suggest("keyword", "99% confidence"), suggest("keyword", "95% confidence")]
    case "between":
    case "default":
      return operands(leftOf(tokens, setting), "value", setting)
  }
  if (/^!?=$/.test(sign(last))) return compared(leftOf(tokens, setting), setting)
  if (isOperator(sign(last))) return operands(leftOf(tokens, setting), "value", setting)
  return operators(tokens, kind, setting)
}

/** Some bracket around the end of the text belongs to a word that asks the rows below. */
const isOver = (tokens: ReadonlyArray<Token>): boolean => {
  const open = opening(tokens)
  if (open < 0) return false
  return overs.includes(word(tokens[open - 1])) || isOver(tokens.slice(0, open))
}

const below = (setting: Setting): Setting => ({
  ...setting,
  each: setting.each.map(Level.below).filter((level) => level !== undefined)
})

const isOperator = (text: string): boolean => /^([<>]=?|[-+*/])$/.test(text)

/** Index of the bracket that the end of the text stands in, or -1. */
const opening = (tokens: ReadonlyArray<Token>): number => {
  let depth = 0
  for (let at = tokens.length - 1; at >= 0; at--) {
    if (/^[)\]]$/.test(sign(tokens[at]))) depth++
    if (/^[([]$/.test(sign(tokens[at])) && depth-- === 0) return at
  }
  return -1
}

const isBetween = (tokens: ReadonlyArray<Token>): boolean => {
  const at = tokens.findLastIndex((one) => word(one) === "between")
  return at >= 0 && tokens.slice(at).filter((one) => word(one) === "and").length === 1
}

/** Type of the field before the last operator. */
const leftOf = (tokens: ReadonlyArray<Token>, setting: Setting): FactType.FactType | undefined => {
  const found = tokens.findLast((one) => one._tag === "Word" && fact(one.name, setting) !== undefined)
  return found?._tag === "Word" ? fact(found.name, setting)?.type : undefined
}

const typical = (type: FactType.FactType | undefined): string =>
  type?._tag === "Enum" ? (type.words[0] ?? "") : ""

const listed = (
  before: ReadonlyArray<Token>,
  last: Token | undefined,
  setting: Setting
): ReadonlyArray<Suggestion> => {
  if (sign(last) !== "[" && sign(last) !== ",") return []
  return words(leftOf(before, setting))
}

const words = (type: FactType.FactType | undefined): ReadonlyArray<Suggestion> =>
  type?._tag === "Enum"
    ? type.words.map((one) => suggest("word", one, { detail: type.name, rank: 1 }))
    : type?._tag === "YesNo"
      ? ["yes", "no"].map((one) => suggest("word", one, { rank: 1 }))
      : []

/** After `=` and `!=`: the words of the left side's type, or values. */
const compared = (type: FactType.FactType | undefined, setting: Setting): ReadonlyArray<Suggestion> => {
  const known = words(type)
  if (known.length > 0) return [...known, ...variables(setting)]
  return type?._tag === "Text" || type?._tag === "Labels"
    ? [quotes, ...variables(setting)]
    : operands(type, "value", setting)
}

const quotes = suggest("keyword", '"', { snippet: `"${hole(1, "text")}"`, detail: "a text" })

/** Fields, variables and functions; with a wanted type those of it come first. */
const operands = (
  wanted: FactType.FactType | undefined,
  kind: Kind,
  setting: Setting
): ReadonlyArray<Suggestion> => [
  ...facts(setting, kind, wanted),
  ...variables(setting),
  ...(kind === "condition" ? [suggest("keyword", "not", { rank: 7 })] : []),
  ...functions,
  ...(below(setting).each.length > 0 ? overRows : [])
]

const facts = (
  setting: Setting,
  kind: Kind,
  wanted: FactType.FactType | undefined
): ReadonlyArray<Suggestion> => {
  const named = new Set([...setting.each.flatMap((each) => Vocabulary.words(each)), ...setting.own.keys()])
  return [...named].flatMap((name) => {
    const found = fact(name, setting)
    if (found === undefined || !isWhole(found, setting)) return []
    if (kind === "value" && !Units.ordered(found.type._tag)) return []
    const rank = wanted === undefined ? 2 : Units.comparable(wanted._tag, found.type._tag) ? 2 : 4
    const detail = FactType.describe(found.type)
    return [suggest("fact", name, { detail, about: FactCard.markdown(found, name, setting.price), rank })]
  })
}

const variables = ({ variables }: Setting): ReadonlyArray<Suggestion> =>
  variables.map(({ isShared, name, page, value }) =>
    suggest("variable", `$${name}`, {
      detail: value,
      about: isShared ? `Shared: ${page.path}` : "",
      rank: 3
    })
  )

const functions: ReadonlyArray<Suggestion> = [
  suggest("function", "min", {
    snippet: `min(${hole(1, "min_bid")}, ${hole(2, "100 ₽")})`,
    detail: "the smaller",
    rank: 6
  }),
  suggest("function", "max", {
    snippet: `max(${hole(1, "min_bid")}, ${hole(2, "100 ₽")})`,
    detail: "the larger",
    rank: 6
  }),
  suggest("function", "change", {
    snippet: `change(${hole(1, "ctr")}, ${hole(2, "7d")})`,
    detail: "against the days before",
    rank: 6
  })
]

/** Words that ask the rows below. */
const overs = ["all", "any", "sum"]
const overRows = overs.map((name) =>
  suggest("function", name, { snippet: `${name}(${hole(1, "")})`, detail: "of the rows below", rank: 6 })
)

/** What may stand between the brackets of a field, and after the comma of `change`. */
const windows: ReadonlyArray<Suggestion> = [
  "7d",
  "14d",
  "30d",
  "today",
  "yesterday",
  "7d before 7d",
  "14d, settle 1d"
].map((label, rank) => suggest("window", label, { rank, detail: "days that are counted" }))

const comparisons = ["<", "<=", ">", ">=", "=", "!="]
const joints = [suggest("keyword", "and", { rank: 6 }), suggest("keyword", "or", { rank: 6 })]
const fallback = suggest("keyword", "default", {
  snippet: `default ${hole(1, "0")}`,
  detail: "where the marketplace has no value",
  rank: 6
})

/** After a value: how it goes on. */
const operators = (tokens: ReadonlyArray<Token>, kind: Kind, setting: Setting): ReadonlyArray<Suggestion> => {
  const last = tokens.at(-1)
  const type = last?._tag === "Word" ? fact(last.name, setting)?.type : undefined
  if (kind === "value") return [fallback]
  const signs = (all: ReadonlyArray<string>) => all.map((one) => suggest("keyword", one, { rank: 1 }))
  const known = [suggest("keyword", "is known", { rank: 5 }), suggest("keyword", "is not known", { rank: 5 })]
  switch (type?._tag) {
    case undefined:
      return [...(isCompared(tokens) ? [confidence] : signs(comparisons)), ...joints]
    case "Text":
      return [...signs(["contains", "contains any", "matches", "=", "!="]), ...known]
    case "Labels":
      return [...signs(["contains", "contains any"]), ...known]
    case "Enum":
      return [...signs(["=", "!=", "in", "not in"]), ...known]
    case "YesNo":
      return [...joints, ...signs(["=", "!="]), ...known]
    default:
      return isCompared(tokens)
        ? [...joints, confidence, fallback]
        : [...signs([...comparisons, "between"]), ...known, fallback]
  }
}

const confidence = suggest("keyword", "with 99% confidence", {
  detail: "only when the numbers prove it",
  rank: 5
})

/** The last comparison has both its sides. */
const isCompared = (tokens: ReadonlyArray<Token>): boolean => {
  const joint = tokens.findLastIndex((one) => /^(and|or|not)$/.test(word(one)))
  return tokens.slice(joint + 1).some((one) => /^([<>]=?|!?=)$/.test(sign(one)))
}
