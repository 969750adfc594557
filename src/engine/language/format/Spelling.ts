/** One way to write an expression: spaces, `=`, `>=`, `₽` and small keywords. Never changes what it means. */
import type { Token } from "../syntax/Lexer.js"
import * as Lexer from "../syntax/Lexer.js"
import * as Parser from "../syntax/Parser.js"
import type { Fault } from "../syntax/Syntax.js"

/** A condition (`when:`), a value (`cap:`), or a single amount (`vars:`, whose other values are texts). */
export type Kind = "condition" | "value" | "amount"

/** The expression as it should be written; as it is when it cannot be read or would mean something else. */
export const canonical = (text: string, kind: Kind): string => {
  const read = readable(text)
  if (read === undefined || !sound(read.text, read.tokens, kind)) return text
  const written = join(read.text, read.tokens)
  const again = Lexer.tokens(written)
  return !isFault(again) && meaning(again) === meaning(read.tokens) ? written : text
}

/** The parts of a condition that `and` joins at its top, as written; one part when there is no such `and`. */
export const conjuncts = (text: string): ReadonlyArray<string> => {
  const tokens = Lexer.tokens(text)
  if (isFault(tokens) || !sound(text, tokens, "condition")) return [text]
  const cuts: Array<Token> = []
  let depth = 0
  let ranges = 0
  for (const token of tokens) {
    const sign = token._tag === "Sign" ? token.sign : ""
    if (sign === "(" || sign === "[") depth++
    if (sign === ")" || sign === "]") depth--
    if (depth > 0 || token._tag !== "Keyword") continue
    if (token.word === "or") return [text]
    if (token.word === "between") ranges++
    else if (token.word === "and" && ranges > 0) ranges--
    else if (token.word === "and") cuts.push(token)
  }
  const starts = [0, ...cuts.map(({ end }) => end)]
  return starts.map((start, index) => text.slice(start, cuts[index]?.start ?? text.length).trim())
}

const isFault = (read: ReadonlyArray<Token> | Fault): read is Fault => "_tag" in read

const mathematical: Readonly<Record<string, string>> = { "≥": ">=", "≤": "<=", "≠": "!=" }

/** Tokens, once the signs of mathematics are spelt out. */
const readable = (
  given: string
): { readonly text: string; readonly tokens: ReadonlyArray<Token> } | undefined => {
  let text = given
  for (let tries = 0; tries < 100; tries++) {
    const tokens = Lexer.tokens(text)
    if (!isFault(tokens)) return { text, tokens }
    const meant = mathematical[text.slice(tokens.start, tokens.end)]
    if (meant === undefined) return undefined
    text = text.slice(0, tokens.start) + meant + text.slice(tokens.end)
  }
  return undefined
}

/** Whether it reads as what it should be. What a variable holds is not known here, so such text is taken as it is. */
const sound = (text: string, tokens: ReadonlyArray<Token>, kind: Kind): boolean => {
  if (kind === "amount") return tokens.length === 2 && tokens[0]!._tag === "Number"
  if (tokens.some(({ _tag }) => _tag === "Variable")) return true
  return !Parser.isFault(kind === "condition" ? Parser.condition(text) : Parser.value(text))
}

/** What the parser sees of the tokens: everything but their places. */
const meaning = (tokens: ReadonlyArray<Token>): string =>
  JSON.stringify(tokens, (key, value: unknown) => (key === "start" || key === "end" ? undefined : value))

const join = (text: string, tokens: ReadonlyArray<Token>): string => {
  let made = ""
  for (const [index, token] of tokens.entries()) {
    if (token._tag === "End") break
    const before = tokens[index - 1]
    made += (before === undefined ? "" : gap(text, tokens[index - 2], before, token)) + spell(text, token)
  }
  return made
}

const spell = (text: string, token: Token): string => {
  const written = text.slice(token.start, token.end)
  if (token._tag === "Keyword") return token.word
  if (token._tag === "Sign") return token.sign
  if (token._tag !== "Number") return written
  return token.unit === "money"
    ? `${token.digits} ₽`
    : token.unit === "percent"
      ? `${token.digits}%`
      : written
}

const operators = new Set(["<=", ">=", "!=", "<", ">", "=", "+", "-", "*", "/"])
const sign = (token: Token | undefined): string | undefined =>
  token?._tag === "Sign" ? token.sign : undefined

/** What stands between two neighbours. Signs this file does not know keep the space they had, or had not. */
const gap = (text: string, first: Token | undefined, left: Token, right: Token): string => {
  const asWritten = text.slice(left.end, right.start) === "" ? "" : " "
  const [l, r] = [sign(left), sign(right)]
  if (r === ")" || r === "]" || r === "," || l === "(" || l === "[") return ""
  if (l === ",") return " "
  if (r === "(" && left._tag === "Keyword" && left.word === "any") return ""
  if (r === "(" || r === "[") return left._tag === "Keyword" || operators.has(l ?? "") ? " " : asWritten
  if ((l === "-" || l === "+") && opens(first)) return asWritten
  const known = (s: string | undefined) => s === undefined || operators.has(s) || /^[()[\]]$/.test(s)
  return known(l) && known(r) ? " " : asWritten
}

/** Before a value there is nothing, a sign or a keyword: what follows is a sign of a number. */
const opens = (token: Token | undefined): boolean =>
  token === undefined ||
  token._tag === "Keyword" ||
  (token._tag === "Sign" && token.sign !== ")" && token.sign !== "]")
