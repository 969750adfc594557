/**
 * `bidhelm fmt` as a function: edits ranges of the text and never prints YAML anew, so that every comment, quote
 * and blank line stays. A file that cannot be read is left alone, and so is one whose meaning would move.
 */
import type { File } from "../Load.js"
import * as Load from "../Load.js"
import { type Diagnostic, isError } from "../problems/Diagnostic.js"
import * as Lexer from "../syntax/Lexer.js"
import * as Parser from "../syntax/Parser.js"
import type { Fault } from "../syntax/Syntax.js"
import type { Token } from "../syntax/Token.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Yaml from "../yaml/Yaml.js"
import { blankInvisible } from "../yaml/YamlTraps.js"
import type { Edit } from "./Edits.js"
import * as Edits from "./Edits.js"
import * as Layout from "./Layout.js"

export type Formatted =
  | { readonly _tag: "Formatted"; readonly text: string; readonly changed: boolean }
  /** Not YAML as rules use it; the problems say where. */
  | { readonly _tag: "Unreadable"; readonly problems: ReadonlyArray<Diagnostic> }
  /** Could be written better, but not without doubt about its meaning. */
  | { readonly _tag: "Doubtful" }

/** A longer `when: a and b` becomes a list. */
const width = 80

/**
 * The text as it should be. Idempotent; the meaning hash and every comment stay. What other files make of a value with a name, an
 * amount or words to look for, nobody sees here (`500 руб` may be what buyers type): it stays as it is.
 */
export const format = (file: File): Formatted => {
  const source = Source.ofFile(file)
  const before = Yaml.parse(source)
  if (before.root === undefined || before.problems.count > 0)
    return { _tag: "Unreadable", problems: before.problems.list() }
  const mark = file.text.slice(0, file.text.length - source.text.length)
  const root = before.root
  const written = (amounts: boolean): string => {
    const spelt = pass(source.text, root, { splitting: false, amounts })
    const again = Yaml.parse(Source.make(file.path, spelt)).root
    return mark + (again === undefined ? spelt : pass(spelt, again, { splitting: true, amounts }))
  }
  const [bold, text] = [written(true), written(false)]
  if (bold !== text && meansTheSame(file, { path: file.path, text: bold }))
    return { _tag: "Formatted", text: bold, changed: true }
  if (text === file.text) return { _tag: "Formatted", text, changed: false }
  return same(file, { path: file.path, text })
    ? { _tag: "Formatted", text, changed: true }
    : { _tag: "Doubtful" }
}

/** Proved by the file itself: a policy that uses its own values, and no error that hides what they mean. */
const meansTheSame = (before: File, after: File): boolean => {
  const [old, now] = [outline(before), outline(after)]
  if (old === undefined || old !== now) return false
  const [checked, again] = [before, after].map((file) => Load.check([file]).ruleSet)
  const isUsed = checked !== undefined && checked.policies.length + checked.fulfilment.length > 0
  return isUsed && checked.hash === again?.hash
}

interface Pass {
  /** Long conditions become lists; else spelling. */
  readonly splitting: boolean
  /** Values with names are spelt as amounts are. */
  readonly amounts: boolean
}

const lex = (text: string) => Yaml.lex(blankInvisible(text))

/** First white space and spelling, then, on straight columns, long conditions into lists. */
const pass = (text: string, root: Node, how: Pass): string => {
  const found: Array<Edit> = []
  walk(root, text, how, found)
  return Edits.apply(text, how.splitting ? found : [...found, ...Layout.edits(text, lex(text))])
}

const conditionKeys = new Set(["when", "where", "never_touch", "revert_when", "roll_back_when", "leave"])
const valueKeys = new Set(
  (
    "by toward cap floor to max_step deadband max_bid cpm cpc share_of_scope move_per_day spend_per_day " +
    "money_per_day policy_money_per_day amount margin budget drr move explore"
  ).split(" ")
)

/** Keys that hold values with names. */
const valueParents = new Set(["vars", "params", "with"])

/** What the text of a key is, by the key and the one above it; undefined for plain texts, words and numbers. */
export const kindOf = (key: string, parent: string): Kind | undefined =>
  valueParents.has(parent)
    ? "amount"
    : conditionKeys.has(key)
      ? "condition"
      : valueKeys.has(key)
        ? "value"
        : undefined

const walk = (
  node: Node,
  text: string,
  how: Pass,
  found: Array<Edit>,
  key = "",
  parent = "",
  isListed = false
): void => {
  if (node._tag === "List") {
    // A list of values with a name is one of words.
    for (const item of node.items) walk(item, text, how, found, key, parent, true)
  } else if (node._tag === "Map") {
    const block = text[node.range.start] !== "{"
    for (const { key: name, keyRange, value } of node.entries) {
      walk(value, text, how, found, name, key)
      if (how.splitting && block && (name === "when" || name === "where") && value._tag === "Scalar")
        found.push(...split(text, keyRange, value))
    }
  } else if (!how.splitting) {
    const kind = kindOf(key, parent)
    const range = inside(node, text)
    if (kind === undefined || range === undefined) return
    if (kind === "amount" && (!how.amounts || isListed || range.start !== node.range.start)) return
    const written = canonical(node.text, kind)
    if (written !== node.text) found.push({ ...range, text: written })
  }
}

/** Where a value's text stands letter by letter: not in values with escapes, nor in those over several lines. */
const inside = (node: ScalarNode, text: string): Source.Range | undefined => {
  const { start, end } = node.range
  const quoted = text[start] === '"' || text[start] === "'"
  const range = quoted ? { start: start + 1, end: end - 1 } : { start, end }
  return node.text !== "" && text.slice(range.start, range.end) === node.text ? range : undefined
}

/** One condition per line, unless a comment stands beside or between. */
const split = (text: string, key: Source.Range, value: ScalarNode): ReadonlyArray<Edit> => {
  const lineStart = text.lastIndexOf("\n", key.start) + 1
  const lineEnd = /\r?\n|$/.exec(text.slice(lineStart))!.index + lineStart
  const alone = value.range.start > key.end && text.slice(value.range.end, lineEnd).trim() === ""
  if (!alone || value.range.end > lineEnd || lineEnd - lineStart <= width) return []
  if (text.slice(key.end, value.range.start) !== ": ") return []
  const parts = inside(value, text) === undefined ? [] : conjuncts(value.text)
  if (parts.length < 2 || !parts.every((part) => /^[\p{L}\d_($]/u.test(part) && !/: | #/.test(part)))
    return []
  const indent = `${Layout.lineBreak(text)}${" ".repeat(key.start - lineStart + 2)}- `
  return [{ start: key.end + 1, end: value.range.end, text: parts.map((part) => indent + part).join("") }]
}

/** The last word on every change: same comments, same tree but for spelling, same meaning, no new problem. */
const same = (before: File, after: File): boolean => {
  const [old, now] = [outline(before), outline(after)]
  if (old === undefined || old !== now) return false
  const [checked, again] = [Load.check([before]), Load.check([after])]
  if (checked.ruleSet !== undefined) return checked.ruleSet.hash === again.ruleSet?.hash
  return again.diagnostics.filter(isError).length <= checked.diagnostics.filter(isError).length
}

/** Comments, keys and values, with the spellings `fmt` may change made equal. */
const outline = (file: File): string | undefined => {
  const source = Source.make(file.path, file.text)
  const { problems, root } = Yaml.parse(source)
  if (root === undefined || problems.count > 0) return undefined
  const comments = lex(source.text)
    .filter(({ type }) => type === "comment")
    .map(({ start, text }) => source.text.slice(start, start + text.length))
  return JSON.stringify([comments, plain(root, undefined)])
}

const plain = (node: Node, kind: Kind | undefined, key = ""): unknown => {
  if (node._tag === "Map")
    return node.entries.map((entry) => [entry.key, plain(entry.value, kindOf(entry.key, key), entry.key)])
  if (node._tag === "Scalar") {
    const exact = kind === undefined || (kind === "amount" && !/^\d/.test(node.text))
    return exact ? [node.kind, node.text] : bare(node.text)
  }
  const items = node.items.map((item) => plain(item, kind, key))
  return kind === "condition" ? items.join("and") : items
}

const bare = (text: string): string =>
  text
    .replace(/[≥≤≠]/g, (sign) => ({ "≥": ">=", "≤": "<=", "≠": "!=" })[sign] ?? sign)
    .replaceAll("==", "=")
    .replace(/(\d)\s*(?:rub|руб\p{L}*|р)(?![\p{L}\p{N}_])\.?/giu, "$1₽")
    .replace(/\s+/g, "")
    .replace(/AND|OR|NOT|IN|BETWEEN|MATCHES|CONTAINS|ANY/gi, (word) => word.toLowerCase())

// One way to write an expression: spaces, `=`, `>=`, `₽` and small keywords. Never changes what it means.

/** A condition (`when:`), a value (`cap:`), or a single amount (`vars:`, whose other values are texts). */
export type Kind = "condition" | "value" | "amount"

/** The expression as it should be written; as it is when it cannot be read or would mean something else. */
const canonical = (text: string, kind: Kind): string => {
  const read = readable(text)
  if (read === undefined || !sound(read.text, read.tokens, kind)) return text
  const written = join(read.text, read.tokens)
  const again = Lexer.tokens(written)
  return !isFault(again) && meaning(again) === meaning(read.tokens) ? written : text
}

/** The parts of a condition that `and` joins at its top, as written; one part when there is no such `and`. */
const conjuncts = (text: string): ReadonlyArray<string> => {
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
