/** White space of a rule file: indentation by two, one space after colons, dashes and commas, no trailing spaces. */
import type { Lexeme } from "../yaml/YamlTraps.js"
import type { Edit } from "./Edits.js"

/** Edits that touch nothing but spaces between values and at line ends. `lexemes` cover the whole text. */
export const edits = (text: string, lexemes: ReadonlyArray<Lexeme>): ReadonlyArray<Edit> => {
  const written = lexemes.filter((lexeme) => lexeme.text !== "")
  return [...new Layout(written).run(), ...lastLine(text, written)].filter(
    (edit) => text.slice(edit.start, edit.end) !== edit.text
  )
}

/** A block of keys or of dashes: the column it had, and the one it gets. */
interface Level {
  readonly kind: "keys" | "dashes"
  readonly was: number
  readonly is: number
}

interface Comment {
  readonly start: number
  readonly indent: number
}

/** YAML whose columns are better left alone. */
const unusual = /^(explicit-key-ind|doc-start|doc-end|directive|directive-line|anchor|alias|tag)$/

class Layout {
  private readonly made: Array<Edit> = []
  private readonly levels: Array<Level> = []
  /** Comment lines that wait for the line they belong to. */
  private waiting: Array<Comment> = []
  private last: Level | undefined
  private flow = 0
  /** How far the lines of the value being read move to the right. */
  private shift = 0
  private readonly moves: boolean

  constructor(private readonly lexemes: ReadonlyArray<Lexeme>) {
    this.moves = !lexemes.some((lexeme, i) => unusual.test(lexeme.type) || this.isLoneColon(i))
  }

  run(): ReadonlyArray<Edit> {
    let lineStart = true
    for (let i = 0; i < this.lexemes.length; i++) {
      const lexeme = this.lexemes[i]!
      if (lineStart) this.line(i)
      else if (lexeme.type === "space") this.gap(i)
      else this.missing(i)
      if (/^flow-(map|seq)-start$/.test(lexeme.type)) this.flow++
      else if (/^flow-(map|seq)-end$/.test(lexeme.type)) this.flow--
      else this.continuation(lexeme)
      lineStart = lexeme.text.endsWith("\n")
    }
    for (const comment of this.waiting) this.comment(comment, undefined)
    return this.made
  }

  /** A colon that begins a line: its key is empty, or ends on a line above. */
  private isLoneColon(i: number): boolean {
    if (this.lexemes[i]!.type !== "map-value-ind") return false
    const before = this.lexemes[i - 1]
    const first = before?.type === "space" ? this.lexemes[i - 2] : before
    return first === undefined || first.text.endsWith("\n")
  }

  /** The first lexeme of a line: its indentation. */
  private line(i: number): void {
    const first = this.lexemes[i]!
    const indent = first.type === "space" ? first.text.length : 0
    const { start } = first
    const content = this.lexemes[indent > 0 ? i + 1 : i]
    if (content === undefined || content.type === "newline") {
      if (indent > 0) this.put(start, start + indent, "")
    } else if (!this.moves || content.text === "") {
      return
    } else if (this.flow > 0) {
      this.put(start, start + indent, " ".repeat(Math.max(0, indent + this.shift)))
    } else if (content.type === "comment") {
      this.waiting.push({ start, indent })
    } else {
      const level = this.place(indent, content.type === "seq-item-ind" ? "dashes" : "keys")
      for (const comment of this.waiting) this.comment(comment, level)
      this.waiting = []
      this.put(start, start + indent, " ".repeat(level.is))
      this.last = level
      this.shift = level.is - level.was
      if (level.kind === "dashes") this.inner(indent > 0 ? i + 1 : i, level)
    }
  }

  private place(column: number, kind: Level["kind"]): Level {
    while (this.levels.length > 0 && this.levels.at(-1)!.was > column) this.levels.pop()
    if (kind === "keys" && this.levels.at(-1)?.was === column && this.levels.at(-1)?.kind === "dashes")
      this.levels.pop()
    const top = this.levels.at(-1)
    if (top !== undefined && top.was === column && top.kind === kind) return top
    return this.open({ kind, was: column, is: top === undefined ? 0 : top.is + 2 })
  }

  private open(level: Level): Level {
    this.levels.push(level)
    return level
  }

  /** What stands behind a dash on its own line is a level two to the right of the dash. */
  private inner(dash: number, outer: Level): void {
    let level = outer
    let column = outer.was
    for (let i = dash; this.lexemes[i]?.type === "seq-item-ind"; i++) {
      column += 1
      if (this.lexemes[i + 1]?.type === "space") column += this.lexemes[++i]!.text.length
      const next = this.lexemes[i + 1]
      if (next === undefined || /^(newline|comment)$/.test(next.type)) return
      const kind = next.type === "seq-item-ind" ? "dashes" : "keys"
      level = this.open({ kind, was: column, is: level.is + 2 })
      this.shift = level.is - level.was
    }
  }

  /** A comment moves with the line below it, or else with the one above it, if it stood at the same column. */
  private comment({ indent, start }: Comment, next: Level | undefined): void {
    const owner = [next, this.last].find((level) => level?.was === indent)
    if (owner !== undefined) this.put(start, start + indent, " ".repeat(owner.is))
  }

  /** Spaces inside a line. */
  private gap(i: number): void {
    const { start, text } = this.lexemes[i]!
    const before = this.lexemes[i - 1]?.type ?? "newline"
    const after = this.lexemes[i + 1]?.type ?? "newline"
    const end = start + text.length
    if (after === "newline") this.put(start, end, "")
    else if (after === "comment" || before === "comment") return
    else if (/^(map-value-ind|comma|flow-(map|seq)-end)$/.test(after)) this.put(start, end, "")
    else if (/^flow-(map|seq)-start$/.test(before)) this.put(start, end, "")
    else if (/^(map-value-ind|seq-item-ind|comma)$/.test(before)) this.put(start, end, " ")
  }

  /** A space that is missing after a comma, or after the colon behind a quoted key. */
  private missing(i: number): void {
    const { start, type } = this.lexemes[i]!
    const before = this.lexemes[i - 1]?.type
    if (/^(newline|comma|flow-(map|seq)-end)$/.test(type)) return
    if (before === "comma" || (before === "map-value-ind" && this.flow > 0)) this.put(start, start, " ")
  }

  /** The further lines of a value move with its first one. */
  private continuation({ start, text, type }: Lexeme): void {
    if (type === "space" || type === "newline" || type === "comment") return
    for (const match of text.matchAll(/[ \t]*(\r?\n)([ ]*)(?=(\S?))/g)) {
      const at = start + match.index
      const kept = type === "plain" ? at : at + match[0].length - match[1]!.length - match[2]!.length
      const indent = match[2]!.length
      const blank = match[3] === "" || match[3] === "\r"
      const lead = blank || !this.moves ? indent : Math.max(0, indent + this.shift)
      this.put(kept, at + match[0].length, match[1]! + " ".repeat(lead))
    }
    if (type === "block-scalar") this.firstOfBlock(start, text)
  }

  /** The text of a block scalar begins at a line start. */
  private firstOfBlock(start: number, text: string): void {
    const indent = /^ */.exec(text)![0].length
    if (this.moves && /^ *[^\s]/.test(text)) this.put(start, start + indent, " ".repeat(indent + this.shift))
  }

  private put(start: number, end: number, text: string): void {
    this.made.push({ start, end, text })
  }
}

const lastLine = (text: string, lexemes: ReadonlyArray<Lexeme>): ReadonlyArray<Edit> => {
  const last = lexemes.at(-1)
  if (last === undefined || last.text.endsWith("\n") || last.type === "block-scalar") return []
  const end = text.length
  const start = last.type === "space" ? last.start : end
  return start === end
    ? [{ start, end, text: lineBreak(text) }]
    : [{ start: end, end, text: lineBreak(text) }]
}

/** The file's own line break. */
export const lineBreak = (text: string): string => (/\r\n/.test(text) ? "\r\n" : "\n")
