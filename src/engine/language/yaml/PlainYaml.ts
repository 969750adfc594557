/**
 * Rule files and their tests as most people write them, read without the YAML library: keys, dashes, one-line values,
 * small lists and maps in brackets, remarks. Whatever else a text holds, and everything that might be a mistake, is left to `Yaml.ts`, which says
 * what is wrong. The two must make the same tree: test/property/plainYaml.test.ts compares them.
 */
import * as Keys from "../shape/Keys.js"
import type { Entry, Node, ScalarNode } from "./Node.js"
import type { Source } from "./Source.js"

/** The tree of a plain text without problems; undefined for any other text. */
export const read = (source: Source): Node | undefined =>
  source.text.length > mostUnits || /[^\n -~А-яЁё₽«»–—…×]/.test(source.text)
    ? undefined
    : new Reader(source).read()

/** Far below the bounds of `Yaml.ts`. */
const mostUnits = 32_768
const mostDepth = 16

/** A line with something on it. */
interface Line {
  readonly start: number
  /** Where what is not read yet begins. */
  from: number
  readonly end: number
  /** Where the next line starts. */
  readonly next: number
}

const key = /(?:([A-Za-z_][\w.-]{0,99})|"([^"\\\n]{1,99})"):(?= |$)/my
const quoted = /"([^"\\\n]*)"|'([^'\n]*)'/y
/** A colon belongs to a plain text only between digits (`09:30`), and a dash or a sign starts none. */
const plain = /[A-Za-zА-яЁё0-9$(+](?:[^\n:#]|(?<=\d):(?=\d))*/y
const plainInBrackets = /[A-Za-zА-яЁё0-9$(+](?:[^\n:#,[\]{}"']|(?<=\d):(?=\d)|(?<=[a-z])')*/y
const rest = / *(?:(?<= )# .*)?$/my
const number = /^\+?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$|^0x[\da-fA-F]+$/
/** Words and numbers that YAML reads in a way of its own, or that a trap is set for. */
const odd = /^(?:\+?0\d+$|0o|\+?\d{16}|null$|Null$|NULL$)/
const yesNo = /^(?:true|True|TRUE|false|False|FALSE)$/

const groups = /^(?:rules|cases|templates):/m

class Reader {
  private readonly text: string
  private readonly lines: ReadonlyArray<Line>
  /** Keys that stand at the start of their line, or the indentation is looked at; see `YamlTraps.ts`. */
  private readonly top: ReadonlySet<string>
  private at = 0
  private depth = 0
  /** Behind the line of the value read last. */
  private behind = 0

  constructor(source: Source) {
    this.text = source.text
    this.lines = linesOf(source)
    this.top = new Set(groups.test(this.text) ? [] : Keys.topOf(this.text).filter((name) => name !== "name"))
  }

  read(): Node | undefined {
    const root = this.lines[0] === undefined || this.isDash() ? undefined : this.block(0)
    return this.at < this.lines.length ? undefined : root
  }

  /** What starts on this line, all of it at this column. */
  private block(column: number): Node | undefined {
    if (this.column() !== column || ++this.depth > mostDepth) return undefined
    const node = this.isDash() ? this.list(column) : this.map(column)
    this.depth--
    return node
  }

  private map(column: number): Node | undefined {
    const start = this.lines[this.at]!.from
    const entries: Array<Entry> = []
    while (this.column() === column && !this.isDash()) {
      const one = this.entry(column)
      if (one === undefined || isThere(entries, one)) return undefined
      entries.push(one)
    }
    return this.column() > column ? undefined : { _tag: "Map", range: { start, end: this.behind }, entries }
  }

  private entry(column: number): Entry | undefined {
    const line = this.lines[this.at]!
    const named = this.key(line.from)
    if (named === undefined) return undefined
    if (line.from > line.start && this.top.has(named.key)) return undefined
    line.from = this.skip(named.keyRange.end + 1)
    const isNested = this.match(rest, line.from) !== undefined
    const value = isNested ? this.nested(column) : this.value(column)
    return value === undefined ? undefined : { ...named, value }
  }

  private key(at: number): Pick<Entry, "key" | "keyRange"> | undefined {
    const found = this.match(key, at)
    const name = found?.[1] ?? found?.[2]
    return found === undefined || name === undefined
      ? undefined
      : { key: name, keyRange: { start: at, end: at + found[0].length - 1 } }
  }

  /** The lines below a key; a list may stand right below it. */
  private nested(column: number): Node | undefined {
    this.at++
    const below = this.column()
    return below > column || (below === column && this.isDash()) ? this.block(below) : undefined
  }

  private list(column: number): Node | undefined {
    const start = this.lines[this.at]!.from
    const items: Array<Node> = []
    while (this.column() === column && this.isDash()) {
      const line = this.lines[this.at]!
      line.from = this.skip(line.from + 1)
      const inner = line.from < line.end ? this.item(column, line) : undefined
      if (inner === undefined) return undefined
      items.push(inner)
    }
    return this.column() > column ? undefined : { _tag: "List", range: { start, end: this.behind }, items }
  }

  private item(column: number, line: Line): Node | undefined {
    return this.match(key, line.from) === undefined ? this.value(column) : this.block(line.from - line.start)
  }

  /** The rest of the line as one value; what follows must not go on with it. */
  private value(column: number): Node | undefined {
    const line = this.lines[this.at]!
    const node = this.inline(line.from, plain)
    if (node === undefined || this.match(rest, node.range.end) === undefined) return undefined
    this.behind = line.next
    this.at++
    return this.column() > column ? undefined : node
  }

  private inline(at: number, words: RegExp): Node | undefined {
    const first = this.text[at]
    if (first === "{") return this.braces(at)
    if (first === "[") return this.brackets(at)
    if (first === '"' || first === "'") return this.quoted(at)
    const text = this.match(words, at)?.[0].trimEnd()
    if (text === undefined || odd.test(text)) return undefined
    const kind = number.test(text) ? "number" : yesNo.test(text) ? "yesNo" : "text"
    return scalar(text, kind, at, at + text.length, at)
  }

  private quoted(at: number): ScalarNode | undefined {
    const found = this.match(quoted, at)
    if (found === undefined) return undefined
    return scalar(found[1] ?? found[2] ?? "", "text", at, at + found[0].length, at + 1)
  }

  private braces(start: number): Node | undefined {
    const entries: Array<Entry> = []
    const end = this.parts(start, "}", (at) => {
      const named = this.key(at)
      if (named === undefined) return undefined
      const value = this.inline(this.skip(named.keyRange.end + 1), plainInBrackets)
      const one = value === undefined ? undefined : { ...named, value }
      if (one === undefined || isThere(entries, one)) return undefined
      entries.push(one)
      return one.value
    })
    return end === undefined ? undefined : { _tag: "Map", range: { start, end }, entries }
  }

  private brackets(start: number): Node | undefined {
    const items: Array<Node> = []
    const end = this.parts(start, "]", (at) => {
      const item = this.match(key, at) === undefined ? this.inline(at, plainInBrackets) : undefined
      if (item !== undefined) items.push(item)
      return item
    })
    return end === undefined ? undefined : { _tag: "List", range: { start, end }, items }
  }

  /** What stands between commas; answers the place behind the closing bracket. */
  private parts(start: number, close: string, read: (at: number) => Node | undefined): number | undefined {
    if (++this.depth > mostDepth) return undefined
    let at = this.skip(start + 1)
    if (this.text[at] !== close) {
      at = start
      do {
        const part = read(this.skip(at + 1))
        if (part === undefined) return undefined
        at = this.skip(part.range.end)
      } while (this.text[at] === ",")
    }
    this.depth--
    return this.text[at] === close ? at + 1 : undefined
  }

  /** Of the line to be read; -1 behind the last. */
  private column(): number {
    const line = this.lines[this.at]
    return line === undefined ? -1 : line.from - line.start
  }

  private isDash(): boolean {
    const { from } = this.lines[this.at]!
    return this.text[from] === "-" && this.text[from + 1] === " "
  }

  private skip(from: number): number {
    let at = from
    while (this.text[at] === " ") at++
    return at
  }

  private match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.text) ?? undefined
  }
}

const linesOf = ({ lineStarts, text }: Source): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  /** Indented remarks that wait for the line they belong to. */
  let remarks: Array<Line> = []
  for (let i = 0; i < lineStarts.length; i++) {
    const start = lineStarts[i]!
    const next = lineStarts[i + 1] ?? text.length
    const end = i + 1 < lineStarts.length ? next - 1 : next
    let from = start
    while (text[from] === " ") from++
    const line = { start, from, end, next }
    if (from === end) continue
    if (text[from] === "#") {
      if (from > start) remarks.push(line)
      continue
    }
    // What a remark in another column belongs to is a question of its own: as a line it is nothing plain.
    lines.push(...remarks.filter((one) => one.from - one.start !== from - start), line)
    remarks = []
  }
  return [...lines, ...remarks]
}

const isThere = (entries: ReadonlyArray<Entry>, { key }: Entry): boolean =>
  entries.some((one) => one.key === key)

const scalar = (
  text: string,
  kind: ScalarNode["kind"],
  start: number,
  end: number,
  offsets: number
): ScalarNode => ({ _tag: "Scalar", text, kind, range: { start, end }, offsets })
