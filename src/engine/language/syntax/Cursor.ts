/** A place in the tokens of an expression: looking, stepping, and stopping at a fault. */
import type { Range } from "../yaml/Source.js"
import { type Fault, fault } from "./Syntax.js"
import type { Token } from "./Token.js"

/** Carries a fault out of the parser's recursion, unless it has been told; caught in `Parser.ts` and nowhere else. */
export class Stop {
  constructor(readonly fault?: Fault) {}
}

export class Cursor {
  protected at = 0
  constructor(
    protected readonly text: string,
    protected readonly tokens: ReadonlyArray<Token>
  ) {}

  protected get peek(): Token {
    return this.tokens[this.at] ?? { _tag: "End", start: this.text.length, end: this.text.length }
  }

  /** `and` or `or`, if one comes next. */
  protected joint(token = this.peek): "and" | "or" | undefined {
    return token._tag === "Keyword" && (token.word === "and" || token.word === "or") ? token.word : undefined
  }

  /** Whether a bracket ends here. */
  protected closes(): boolean {
    const token = this.peek
    return token._tag === "Sign" && token.sign === ")"
  }

  /** Steps over a keyword if it comes next. */
  protected keyword(word: string): boolean {
    const token = this.peek
    if (token._tag !== "Keyword" || token.word !== word) return false
    this.at++
    return true
  }

  /** Steps over a word that is special only here if it comes next, such as `is` or `default`. */
  protected word(name: string): boolean {
    const token = this.peek
    if (token._tag !== "Word" || token.name.toLowerCase() !== name || token.window !== undefined) return false
    this.at++
    return true
  }

  /** Steps over one of the signs if it comes next, and names it. */
  protected sign(...wanted: ReadonlyArray<string>): string | undefined {
    const token = this.peek
    if (token._tag !== "Sign" || !wanted.includes(token.sign)) return undefined
    this.at++
    return token.sign
  }

  /** Where the text ends: its last token. */
  protected lastToken(): Range {
    return this.tokens.at(-2) ?? { start: 0, end: 1 }
  }

  protected stop(code: Fault["code"], range: Range, message: string, fix?: string): never {
    throw new Stop(fault(code, range, message, fix))
  }
}
