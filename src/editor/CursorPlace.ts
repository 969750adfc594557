/**
 * Where in a rule file a cursor stands: which keys lead there, and what is written before it. Reads the lexemes of the
 * text before the cursor and no tree, so it works in a text that is being typed and cannot be parsed.
 */
import * as Yaml from "../engine/language/yaml/Yaml.js"
import { blankInvisible, type Lexeme } from "../engine/language/yaml/YamlTraps.js"

export type Path = ReadonlyArray<string | number>

export interface CursorPlace {
  /** Keys and list indices from the top to the map or value the cursor stands in. */
  readonly path: Path
  /** `key`: a key of the map at `path`. `value`: the value at `path`. `either`: the value, or the first key of a map. */
  readonly slot: "key" | "value" | "either"
  /** What is written of it before the cursor, without an opening quote, and where that starts. */
  readonly fragment: string
  readonly start: number
  /** Keys the map has elsewhere, before and behind the cursor. */
  readonly present: ReadonlySet<string>
  /** Inside `{…}` or `[…]`. */
  readonly isFlow: boolean
  readonly isQuoted: boolean
}

/** The place of an offset; undefined in comments and where nothing can be written. */
export const of = (text: string, offset: number): CursorPlace | undefined => {
  const found = scan(text.slice(0, offset)).end()
  if (found === undefined) return undefined
  const keys = scan(text).keys.get(JSON.stringify(found.path)) ?? new Map<number, string>()
  const present = new Set([...keys].filter(([start]) => start !== found.start).map(([, key]) => key))
  return { ...found, present }
}

const scan = (text: string): Scan => {
  const made = new Scan(text)
  for (const lexeme of Yaml.lex(blankInvisible(text))) made.take(lexeme)
  return made
}

interface Frame {
  readonly kind: "map" | "list"
  readonly isFlow: boolean
  readonly column: number
  /** Of a map: the key whose value comes. */
  key?: string
  index: number
  /** The value of the key, or the item, has begun. */
  filled: boolean
}

interface Scalar extends Lexeme {
  readonly column: number
}

class Scan {
  /** Keys of every map by its path, each under the place where it starts. */
  readonly keys = new Map<string, Map<number, string>>()
  private readonly frames: Array<Frame> = []
  private scalar: Scalar | undefined
  private last: Lexeme | undefined
  private lineStart = 0
  /** Something beside spaces stands on the line before the current lexeme. */
  private inLine = false
  constructor(private readonly text: string) {}

  take(lexeme: Lexeme): void {
    const { start, text, type } = lexeme
    const column = start - this.lineStart
    switch (type) {
      case "map-value-ind":
        this.keyed()
        break
      case "seq-item-ind":
        this.item(column)
        break
      case "flow-map-start":
      case "flow-seq-start":
        this.fill()
        this.frames.push({
          kind: type === "flow-map-start" ? "map" : "list",
          isFlow: true,
          column,
          index: 0,
          filled: false
        })
        break
      case "flow-map-end":
      case "flow-seq-end":
        if (this.top?.isFlow === true) this.frames.pop()
        break
      case "comma":
        if (this.top?.isFlow === true) {
          this.top.index++
          delete this.top.key
        }
        break
    }
    if (scalarTypes.has(type)) {
      this.scalar = { ...lexeme, column }
      if (this.inLine) this.fill()
    } else if (type !== "space" && type !== "newline" && type !== "comment") this.scalar = undefined
    if (type !== "space" && text !== "") this.inLine = !/[\r\n]$/.test(text)
    const broken = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"))
    if (broken >= 0) this.lineStart = start + broken + 1
    this.last = lexeme
  }

  /** What the end of the text is. */
  end(): Omit<CursorPlace, "present"> | undefined {
    const { text } = this
    const scalar = this.scalar
    if (this.last?.type === "comment") return undefined
    if (scalar !== undefined && this.goesOn(scalar)) return this.inside(scalar)
    const column = text.length - this.lineStart
    const own = this.inLine ? this.beside() : this.alone(column)
    return own === undefined ? undefined : { ...own, fragment: "", start: text.length, isQuoted: false }
  }

  private get top(): Frame | undefined {
    return this.frames.at(-1)
  }

  /** A scalar that the end of the text still belongs to. */
  private goesOn(scalar: Scalar): boolean {
    const after = this.text.slice(scalar.start + scalar.text.length)
    if (scalar.type === "block-scalar") return this.text.length - this.lineStart > (this.top?.column ?? -1)
    if (scalar.type !== "plain") return after === "" || !/[\r\n]/.test(after)
    if (!/[\r\n]/.test(after)) return true
    const column = this.text.length - this.lineStart
    return this.top !== undefined && !this.top.isFlow && this.top.filled && column > this.top.column
  }

  private inside(scalar: Scalar): Omit<CursorPlace, "present"> | undefined {
    const { text } = this
    const quote = scalar.type.endsWith("-quoted-scalar") ? scalar.text[0] : undefined
    const closed = quote !== undefined && scalar.text.length > 1 && scalar.text.endsWith(quote)
    if (closed) return undefined
    const start = scalar.start + (quote === undefined ? 0 : 1)
    const fragment = text.slice(start)
    const lineStart =
      Math.max(text.lastIndexOf("\n", scalar.start - 1), text.lastIndexOf("\r", scalar.start - 1)) + 1
    const isFirst = text.slice(lineStart, scalar.start).trim() === ""
    const own = isFirst && scalar.type !== "block-scalar" ? this.alone(scalar.column) : this.beside()
    return own === undefined ? undefined : { ...own, fragment, start, isQuoted: quote !== undefined }
  }

  /** Behind something on the same line: a key, a dash, a bracket. */
  private beside(): Pick<CursorPlace, "path" | "slot" | "isFlow"> | undefined {
    const { top } = this
    if (top === undefined) return { path: [], slot: "key", isFlow: false }
    const { isFlow } = top
    if (top.kind === "list") return { path: this.path(), slot: isFlow ? "value" : "either", isFlow }
    return top.key === undefined
      ? { path: this.path(-1), slot: "key", isFlow }
      : { path: this.path(), slot: "value", isFlow }
  }

  /** First on its line, at a column: the column says to which map or list it belongs. */
  private alone(column: number): Pick<CursorPlace, "path" | "slot" | "isFlow"> | undefined {
    if (this.top?.isFlow === true) return this.beside()
    while (this.top !== undefined && this.top.column > column) this.frames.pop()
    if (this.top?.kind === "list" && this.top.column === column) this.frames.pop()
    const { top } = this
    if (top === undefined) return { path: [], slot: "key", isFlow: false }
    if (top.kind === "map" && top.column === column)
      return { path: this.path(-1), slot: "key", isFlow: false }
    return !top.filled && top.column < column
      ? { path: this.path(), slot: "either", isFlow: false }
      : undefined
  }

  /** The path of the value that comes; `count` -1 leaves the innermost frame out. */
  private path(count = this.frames.length): Path {
    return this.frames
      .slice(0, count)
      .map((frame) => (frame.kind === "map" ? (frame.key ?? "") : frame.index))
  }

  private fill(): void {
    if (this.top !== undefined) this.top.filled = true
  }

  private item(column: number): void {
    if (this.top?.isFlow === true) return
    while (this.top !== undefined && this.top.column > column) this.frames.pop()
    if (this.top?.kind === "list" && this.top.column === column) {
      this.top.index++
      this.top.filled = false
      return
    }
    this.fill()
    this.frames.push({ kind: "list", isFlow: false, column, index: 0, filled: false })
  }

  /** A colon makes a key of the scalar before it. */
  private keyed(): void {
    const scalar = this.scalar
    if (scalar === undefined) return
    const key = scalar.text.replace(/^(["'])(.*)\1$/s, "$2")
    if (this.top?.isFlow !== true) {
      const { column } = scalar
      const isOutside = (frame: Frame) =>
        frame.column > column || (frame.column === column && frame.kind === "list")
      while (this.top !== undefined && isOutside(this.top)) this.frames.pop()
      if (this.top?.kind !== "map" || this.top.column !== column) {
        this.fill()
        this.frames.push({ kind: "map", isFlow: false, column, index: 0, filled: false })
      }
    }
    const { top } = this
    if (top?.kind !== "map") return
    top.key = key
    top.filled = false
    const path = JSON.stringify(this.path(-1))
    const known = this.keys.get(path) ?? new Map<number, string>()
    this.keys.set(path, known.set(scalar.start, key))
  }
}

const scalarTypes = new Set(["plain", "single-quoted-scalar", "double-quoted-scalar", "block-scalar"])
