/**
 * YAML text → tree with places, or every syntax problem. The only file that knows the YAML library. YAML 1.2 core;
 * bounded in size, depth and nodes; no anchors, aliases, merge keys, tags, directives or second documents.
 */
import * as yaml from "yaml"
import { Problems } from "../problems/Diagnostic.js"
import type { Entry, Node, ScalarNode } from "./Node.js"
import * as PlainYaml from "./PlainYaml.js"
import type { Range } from "./Source.js"
import * as Source from "./Source.js"
import * as Traps from "./YamlTraps.js"
import { report } from "./YamlTraps.js"

/** What to do with what stands twice under a key; all else is joined, or one of both kept. */
const joins: ReadonlyMap<string, string> = new Map([
  ...["when", "where", "never_touch"].map(
    (key) => [key, "Make one list of both, each condition after a dash."] as const
  ),
  ["do", "One policy does one thing: put the second into a file of its own."]
])

export const maxBytes = 256 * 1024
const maxDepth = 32
/** More than the settings of 4,000 accounts have, which are as many as the bytes allow. */
const maxNodes = 50_000

export interface Parsed {
  /** Absent when the file is out of bounds or empty. */
  readonly root?: Node
  readonly problems: Problems
  /** Lines, from 1, whose meaning is lost to a syntax problem: later checks keep quiet about them. */
  readonly muted: ReadonlySet<number>
}

/** Never throws: whatever the bytes, the answer is a tree, problems, or both. */
export const parse = (source: Source.Source): Parsed => {
  if (source.garbled) return notText(source)
  const root = PlainYaml.read(source)
  return root === undefined ? parseAny(source) : { root, problems: new Problems(source), muted: new Set() }
}

/** Points at the first letter that was lost. */
const notText = (source: Source.Source): Parsed => {
  const problems = new Problems(source)
  const start = Math.max(0, source.text.indexOf("\ufffd"))
  const message = "The file is not UTF-8 from here on, so its letters cannot be told. Save it as UTF-8."
  problems.error("Y22", { start, end: start + 1 }, message)
  return { problems, muted: new Set() }
}

/** As `parse`, with the library whatever the text. */
export const parseAny = (source: Source.Source): Parsed => {
  const problems = new Problems(source)
  const muted = new Set<number>()
  const start = { start: 0, end: 0 }
  if (new TextEncoder().encode(source.text).length > maxBytes) {
    problems.error(
      "Y21",
      start,
      "The file is larger than 256 KiB. Split it: one policy a file; of thousands of accounts, some in a folder of their own."
    )
    return { problems, muted }
  }
  const text = Traps.blankInvisible(source.text)
  const raw = [...new yaml.Lexer().lex(text)]
  const lexemes = named(raw)
  const beyond = boundsProblem(lexemes)
  if (beyond !== undefined) {
    problems.error("Y21", beyond.range, beyond.message)
    return { problems, muted }
  }
  const told = Traps.find(source, lexemes, problems, muted)
  const root = compose(text, raw, problems, muted, told)
  return { ...(root === undefined ? {} : { root }), problems, muted }
}

/** The library's lexemes with their offsets; control marks are dropped, scalars named by their style. */
export const lex = (text: string): ReadonlyArray<Traps.Lexeme> => named(new yaml.Lexer().lex(text))

const named = (raw: Iterable<string>): ReadonlyArray<Traps.Lexeme> => {
  const lexemes: Array<Traps.Lexeme> = []
  let start = 0
  let scalarNext = false
  for (const lexeme of raw) {
    if (lexeme === yaml.CST.SCALAR) {
      scalarNext = true
      continue
    }
    if (lexeme === yaml.CST.DOCUMENT || lexeme === yaml.CST.FLOW_END) continue
    const last = lexemes.at(-1)
    const type = scalarNext
      ? lexemes.findLast((l) => l.type !== "comment" && l.type !== "space" && l.type !== "newline")?.type ===
          "block-scalar-header" && last?.type === "newline"
        ? "block-scalar"
        : "plain"
      : (yaml.CST.tokenType(lexeme) ?? "plain")
    scalarNext = false
    lexemes.push({ type, text: lexeme, start })
    start += lexeme.length
  }
  return lexemes
}

/** What is beyond the bounds, and where. */
interface TooMuch {
  readonly range: Range
  readonly message: string
}

const tooDeep = `Nested deeper than ${maxDepth} levels. Look for a bracket or a dash too many.`
const tooMany = `More than ${maxNodes} values in one file. Split it into several.`

/** Each may begin a level of its own in one line: `- - - a`. */
const indicators: ReadonlySet<string> = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"])

/** Looks for nesting before composing, which recurses. */
const boundsProblem = (lexemes: ReadonlyArray<Traps.Lexeme>): TooMuch | undefined => {
  let flow = 0
  let dashes = 0
  for (const { type, start } of lexemes) {
    if (type === "flow-map-start" || type === "flow-seq-start") flow++
    else if (type === "flow-map-end" || type === "flow-seq-end") flow--
    else if (type === "newline") dashes = 0
    // Between brackets indicators stand side by side, and nest nothing.
    else if (flow === 0 && indicators.has(type)) dashes++
    if (flow > maxDepth || dashes > maxDepth) {
      return { range: { start, end: start + 1 }, message: tooDeep }
    }
  }
  return lexemes.length > maxNodes * 6 ? { range: { start: 0, end: 0 }, message: tooMany } : undefined
}

/** How the library is asked. */
export const options = {
  version: "1.2",
  schema: "core",
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
  resolveKnownTags: false
} as const

/** As the library's `parseDocument`, without splitting the text into lexemes once more: the first document. */
const documentOf = (raw: ReadonlyArray<string>, length: number): yaml.Document.Parsed | undefined => {
  const [document] = new yaml.Composer(options).compose(tokens(raw), true, length)
  return document
}

function* tokens(raw: ReadonlyArray<string>): Generator<yaml.CST.Token> {
  const parser = new yaml.Parser()
  for (const lexeme of raw) yield* parser.next(lexeme)
  yield* parser.end()
}

const compose = (
  text: string,
  raw: ReadonlyArray<string>,
  problems: Problems,
  muted: Set<number>,
  told: ReadonlyArray<Range>
): Node | undefined => {
  let document: yaml.Document.Parsed | undefined
  try {
    document = documentOf(raw, text.length)
  } catch (error) {
    return problems.error("Y22", { start: 0, end: 0 }, `This file cannot be read as YAML: ${String(error)}`)
  }
  if (document === undefined) return undefined
  report(document.errors, problems, muted)
  if (document.contents === null || (yaml.isScalar(document.contents) && document.contents.value === null)) {
    if (problems.count === 0) problems.error("Y22", { start: 0, end: 0 }, "The file is empty.")
    return undefined
  }
  const convert = new Converter(text, problems, muted, told)
  const root = convert.node(document.contents, 0)
  if (convert.stopped !== undefined)
    return problems.error("Y21", convert.stopped.range, convert.stopped.message)
  return root
}

class Converter {
  stopped: TooMuch | undefined
  private nodes = 0
  constructor(
    private readonly text: string,
    private readonly problems: Problems,
    private readonly muted: Set<number>,
    private readonly told: ReadonlyArray<Range>
  ) {}

  node(value: unknown, depth: number, fallback: Range = { start: 0, end: 0 }): Node {
    const range = yaml.isNode(value) && value.range ? rangeOf(value.range) : fallback
    this.nodes++
    if (depth > maxDepth) this.stopped ??= { range, message: tooDeep }
    if (this.nodes > maxNodes) this.stopped ??= { range, message: tooMany }
    if (this.stopped !== undefined) return emptyNode(range)
    if (yaml.isMap(value)) {
      const flow = value.flow === true
      return { _tag: "Map", range, entries: this.entries(value.items, depth, flow, range) }
    }
    if (yaml.isSeq(value)) {
      return { _tag: "List", range, items: value.items.map((item) => this.node(item, depth + 1, range)) }
    }
    return yaml.isScalar(value) && value.range ? this.scalar(value, range) : emptyNode(range)
  }

  private entries(
    pairs: ReadonlyArray<yaml.Pair<unknown, unknown>>,
    depth: number,
    flow: boolean,
    range: Range
  ): ReadonlyArray<Entry> {
    const seen = new Map<string, Entry>()
    for (const pair of pairs) {
      const key = this.node(pair.key, depth + 1, range)
      if (this.stopped !== undefined) break
      const { start } = key.range
      if (this.told.some((part) => part.start <= start && start < part.end)) continue
      if (key._tag !== "Scalar" || (key.kind === "empty" && key.text === "")) {
        if (this.muted.has(Source.lineOf(this.problems.source, start))) continue
        this.problems.error("Y22", key.range, "A key must be a plain word followed by a colon.")
        continue
      }
      const nothing = pair.value === null
      if (nothing && flow && Traps.splitPair(key, this.problems, this.muted)) continue
      const value = this.node(pair.value, depth + 1, { start: key.range.end, end: key.range.end })
      const first = seen.get(key.text)
      const made: Entry = { key: key.text, keyRange: key.range, value }
      if (first === undefined) seen.set(key.text, made)
      else this.duplicate(first, made)
    }
    return [...seen.values()]
  }

  private duplicate(first: Entry, second: Entry): void {
    const line = Source.lineOf(this.problems.source, first.keyRange.start)
    const message = `"${second.key}" is already on line ${line}.`
    const other = first.value._tag === "Scalar" ? "Keep one of them." : "Join them."
    this.problems.error("Y13", second.keyRange, `${message} ${joins.get(second.key) ?? other}`)
  }

  private scalar(node: yaml.Scalar, range: Range): ScalarNode {
    const plain = node.type === yaml.Scalar.PLAIN
    const text = typeof node.value === "string" ? node.value : plain ? (node.source ?? "") : ""
    const kind =
      typeof node.value === "number"
        ? "number"
        : typeof node.value === "boolean"
          ? "yesNo"
          : node.value === null
            ? "empty"
            : "text"
    return { _tag: "Scalar", text, kind, range, offsets: align(text, this.text, range) }
  }
}

const rangeOf = (range: readonly [number, number, number]): Range => ({ start: range[0], end: range[1] })

const emptyNode = (range: Range): ScalarNode => ({
  _tag: "Scalar",
  text: "",
  kind: "empty",
  range: { start: range.start, end: range.start },
  offsets: []
})

/** Where each unit of a scalar's value stands in the file, for every style: folded lines and escapes are skipped. */
const align = (value: string, text: string, range: Range): ScalarNode["offsets"] => {
  const isQuoted = /["']/.test(text[range.start] ?? "")
  const first = isQuoted ? range.start + 1 : range.start
  const isOneLine = !/[\r\n]/.test(value) && text.startsWith(value, first)
  if (isOneLine && (!isQuoted || value[0] !== text[range.start])) return first
  const offsets: Array<number> = []
  let at = range.start
  for (let i = 0; i < value.length; i++) {
    const wanted = value[i]!
    const folded = wanted === " " || wanted === "\n"
    let found = at
    while (found < range.end && text[found] !== wanted && !(folded && /\s/.test(text[found]!))) found++
    if (found >= range.end) {
      offsets.push(Math.min(at, Math.max(range.start, range.end - 1)))
      continue
    }
    offsets.push(found)
    at = found + 1
    if (folded && /[\r\n]/.test(text[found]!)) while (at < range.end && /\s/.test(text[at]!)) at++
  }
  return offsets
}
