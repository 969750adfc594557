/**
 * `bidhelm fmt` as a function: edits ranges of the text and never prints YAML anew, so that every comment, quote
 * and blank line stays. A file that cannot be read is left alone, and so is one whose meaning would move.
 */
import type { File } from "../Load.js"
import * as Load from "../Load.js"
import type { Diagnostic } from "../problems/Diagnostic.js"
import { isError } from "../problems/Diagnostic.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Yaml from "../yaml/Yaml.js"
import { blankInvisible } from "../yaml/YamlTraps.js"
import type { Edit } from "./Edits.js"
import * as Edits from "./Edits.js"
import * as Layout from "./Layout.js"
import * as Spelling from "./Spelling.js"

export type Formatted =
  | { readonly _tag: "Formatted"; readonly text: string; readonly changed: boolean }
  /** Not YAML as rules use it; the problems say where. */
  | { readonly _tag: "Unreadable"; readonly problems: ReadonlyArray<Diagnostic> }
  /** Could be written better, but not without doubt about its meaning. */
  | { readonly _tag: "Doubtful" }

/** A longer `when: a and b` becomes a list. */
export const width = 80

/** The text as it should be. Idempotent; the meaning hash and every comment stay. */
export const format = (file: File): Formatted => {
  const source = Source.ofFile(file)
  const before = Yaml.parse(source)
  if (before.root === undefined || before.problems.count > 0)
    return { _tag: "Unreadable", problems: before.problems.list() }
  const mark = file.text.slice(0, file.text.length - source.text.length)
  const spelt = pass(source.text, before.root, false)
  const again = Yaml.parse(Source.make(file.path, spelt)).root
  const text = mark + (again === undefined ? spelt : pass(spelt, again, true))
  if (text === file.text) return { _tag: "Formatted", text, changed: false }
  return same(file, { path: file.path, text })
    ? { _tag: "Formatted", text, changed: true }
    : { _tag: "Doubtful" }
}

const lex = (text: string) => Yaml.lex(blankInvisible(text))

/** First white space and spelling, then, on straight columns, long conditions into lists. */
const pass = (text: string, root: Node, splitting: boolean): string => {
  const found: Array<Edit> = []
  walk(root, text, splitting, found)
  return Edits.apply(text, splitting ? found : [...found, ...Layout.edits(text, lex(text))])
}

const conditionKeys = new Set(["when", "where", "never_touch", "revert_when", "roll_back_when"])
const valueKeys = new Set(
  (
    "by toward cap floor to max_step deadband max_bid cpm cpc share_of_scope move_per_day spend_per_day " +
    "money_per_day policy_money_per_day amount"
  ).split(" ")
)

/** Keys that hold values with names. */
const valueParents = new Set(["vars", "params", "with"])

/** What the text of a key is, by the key and the one above it; undefined for plain texts, words and numbers. */
export const kindOf = (key: string, parent: string): Spelling.Kind | undefined =>
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
  splitting: boolean,
  found: Array<Edit>,
  key = "",
  parent = ""
): void => {
  if (node._tag === "List") {
    for (const item of node.items) walk(item, text, splitting, found, key, parent)
  } else if (node._tag === "Map") {
    const block = text[node.range.start] !== "{"
    for (const { key: name, keyRange, value } of node.entries) {
      walk(value, text, splitting, found, name, key)
      if (splitting && block && (name === "when" || name === "where") && value._tag === "Scalar")
        found.push(...split(text, keyRange, value))
    }
  } else if (!splitting) {
    const kind = kindOf(key, parent)
    const range = inside(node, text)
    if (kind === undefined || range === undefined) return
    if (kind === "amount" && range.start !== node.range.start) return
    const written = Spelling.canonical(node.text, kind)
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
  const parts = inside(value, text) === undefined ? [] : Spelling.conjuncts(value.text)
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

const plain = (node: Node, kind: Spelling.Kind | undefined, key = ""): unknown => {
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
