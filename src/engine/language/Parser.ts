/**
 * Expression text → tree. Binding, loosest first: `or`/`and` (never mixed without brackets), `not`, comparisons
 * (never chained), `+ -`, `* /`. Answers the first fault instead of guessing on.
 */
import { Cursor, Stop } from "./Cursor.js"
import type { Token } from "./Lexer.js"
import * as Lexer from "./Lexer.js"
import type { ArithmeticOp, CompareOp } from "./Policy.js"
import type { Range } from "./Source.js"
import type { Ast, Fault } from "./Syntax.js"
import { fault, maxLength, maxNesting } from "./Syntax.js"

/** Reads a yes/no condition such as `ctr < 1% and views >= 500`. */
export const condition = (text: string): Ast | Fault => run(text, (parser) => parser.condition(0))

/** Reads a value such as `min_bid * 120%` or `450 ₽`. */
export const value = (text: string): Ast | Fault => run(text, (parser) => parser.value(0))

export const isFault = (result: Ast | Fault): result is Fault => result._tag === "Fault"

const run = (text: string, read: (parser: Parser) => Ast): Ast | Fault => {
  if (text.length > maxLength) {
    return fault(
      "E20",
      { start: 0, end: 1 },
      `Longer than ${maxLength} characters. Split it into several lines.`
    )
  }
  const tokens = Lexer.tokens(text)
  if (!Array.isArray(tokens)) return tokens as Fault
  const parser = new Parser(text, tokens)
  try {
    const ast = read(parser)
    parser.end()
    return ast
  } catch (error) {
    if (error instanceof Stop) return error.fault
    throw error
  }
}

const comparisons = new Set(["<", "<=", ">", ">=", "=", "!="])

class Parser extends Cursor {
  condition(depth: number): Ast {
    const first = this.negation(depth)
    const joint = this.joint()
    if (joint === undefined) return first
    const parts = [first]
    for (let next = this.joint(); next !== undefined; next = this.joint()) {
      if (next !== joint) return this.mixed(this.peek)
      this.at++
      parts.push(this.negation(depth))
    }
    const range = { start: first.start, end: parts.at(-1)!.end }
    return joint === "and" ? { _tag: "And", parts, ...range } : { _tag: "Or", parts, ...range }
  }

  value(depth: number): Ast {
    let left = this.product(depth)
    for (let op = this.sign("+", "-"); op !== undefined; op = this.sign("+", "-")) {
      left = arithmetic(op, left, this.product(depth))
    }
    return left
  }

  /** Everything has been read, or a fault that says what was expected. */
  end(): void {
    const token = this.peek
    if (token._tag === "End") return
    if (token._tag === "Word" && token.name === "with") {
      const message = "Confidence is not available in this version. Require enough views: views >= 1000"
      this.stop("E14", { start: token.start, end: this.text.length }, message)
    }
    if (token._tag === "Word" && (token.name === "is" || token.name === "default")) {
      this.stop(
        "E14",
        token,
        `"${token.name}" is not available in this version. Unknown values never act by themselves.`
      )
    }
    const shown = this.text.slice(token.start, token.end)
    if (token._tag === "Sign" && token.sign === ")") this.stop("E09", token, 'This ")" has no "(" before it.')
    if (token._tag === "Sign" && token.sign === "[") {
      this.stop("E09", token, "A list stands after in, or after contains any.")
    }
    this.stop("E09", token, `Expected and/or before "${shown}".`)
  }

  private negation(depth: number): Ast {
    this.bound(depth)
    const start = this.peek.start
    if (!this.keyword("not")) return this.relation(depth)
    const part = this.negation(depth + 1)
    return { _tag: "Not", part, start, end: part.end }
  }

  private relation(depth: number): Ast {
    const opening = this.peek
    if (opening._tag === "Sign" && comparisons.has(opening.sign)) {
      const rest = this.text.slice(opening.start).trim()
      this.stop("Y05", opening, "Which field? For example: views > 500", `views ${rest}`)
    }
    const left = opening._tag === "Sign" && opening.sign === "(" ? this.bracketed(depth) : this.value(depth)
    const token = this.peek
    if (token._tag === "Sign" && comparisons.has(token.sign)) return this.comparison(left, token.sign, depth)
    if (token._tag !== "Keyword") return left
    switch (token.word) {
      case "between":
        return this.between(left, depth)
      case "in":
        this.at++
        return this.membership(left, false)
      case "not": {
        this.at++
        if (!this.keyword("in")) this.stop("E09", this.peek, 'Expected "in" after "not".')
        return this.membership(left, true)
      }
      case "matches": {
        this.at++
        const pattern = this.atom(depth)
        return { _tag: "Matches", value: left, pattern, start: left.start, end: pattern.end }
      }
      case "contains":
        this.at++
        return this.contains(left, depth)
    }
    return left
  }

  private comparison(left: Ast, op: string, depth: number): Ast {
    this.at++
    const right = this.value(depth)
    const next = this.peek
    if (next._tag === "Sign" && comparisons.has(next.sign)) this.chained(left, right, next)
    return { _tag: "Compare", op: op as CompareOp, left, right, start: left.start, end: right.end }
  }

  private between(value: Ast, depth: number): Ast {
    this.at++
    const low = this.value(depth)
    if (!this.keyword("and")) this.stop("E09", this.peek, "Write: between 1% and 2%")
    const high = this.value(depth)
    return { _tag: "Between", value, low, high, start: value.start, end: high.end }
  }

  private membership(value: Ast, negated: boolean): Ast {
    const list = this.list("Write the possible values in square brackets: in [active, paused]")
    return { _tag: "In", value, list, negated, start: value.start, end: list.end }
  }

  private contains(value: Ast, depth: number): Ast {
    const any = this.keyword("any")
    const isList = this.peek._tag === "Sign" && this.peek.sign === "["
    if (!any && isList)
      this.stop("E09", this.peek, 'Write contains any before a list: contains any ["a", "b"]')
    const words = isList ? this.list("") : this.atom(depth)
    return { _tag: "Contains", value, words, start: value.start, end: words.end }
  }

  private list(message: string): Ast {
    const opening = this.peek
    if (this.sign("[") === undefined) this.stop("E09", opening, message)
    const items: Array<Ast> = []
    for (;;) {
      if (this.peek._tag === "Sign" && this.peek.sign === "]") break
      items.push(this.value(0))
      if (this.sign(",") === undefined) break
    }
    const closing = this.peek
    if (this.sign("]") === undefined) {
      const end = closing._tag === "End"
      this.stop(
        "E09",
        end ? opening : closing,
        end ? "This bracket is not closed: add ]" : "Expected a comma or ]"
      )
    }
    return { _tag: "List", items, start: opening.start, end: closing.end }
  }

  /** `(…)`: a condition, or a value that goes on (`(spend + 10 ₽) / orders`). */
  private bracketed(depth: number): Ast {
    const opening = this.at
    this.bound(depth)
    this.at++
    const inner = this.condition(depth + 1)
    this.close(this.tokens[opening]!)
    if (this.peek._tag !== "Sign" || !/^[-+*/]$/.test(this.peek.sign)) return inner
    this.at = opening
    return this.value(depth)
  }

  private product(depth: number): Ast {
    let left = this.atom(depth)
    for (let op = this.sign("*", "/"); op !== undefined; op = this.sign("*", "/")) {
      left = arithmetic(op, left, this.atom(depth))
    }
    return left
  }

  private atom(depth: number): Ast {
    this.bound(depth)
    const token = this.peek
    switch (token._tag) {
      case "Number":
      case "Text":
        this.at++
        return token
      case "Word":
        return this.word(token)
      case "Sign":
        if (token.sign === "(") {
          this.at++
          const inner = this.value(depth + 1)
          this.close(token)
          return inner
        }
        if (token.sign === "-") {
          this.stop("E09", token, "Values here are never below zero. Remove the minus.")
        }
        return this.stop("E09", token, `Expected a field or a value before "${token.sign}".`)
      case "Keyword":
        return this.stop("E09", token, `Expected a field or a value before "${token.word}".`)
      case "End":
        return this.stop("E09", this.lastToken(), "The condition stops here. What should follow?")
    }
  }

  private word(token: Extract<Token, { _tag: "Word" }>): Ast {
    this.at++
    const next = this.peek
    if (next._tag !== "Sign" || next.sign !== "(") return token
    const message = `"${token.name}(…)" is not available in this version.`
    return this.stop("E14", { start: token.start, end: next.end }, message)
  }

  private chained(left: Ast, middle: Ast, next: Token): never {
    const part = (range: Range) => this.text.slice(range.start, range.end)
    const last = this.tokens[this.at + 1]
    const fix = last === undefined ? undefined : `${part(middle)} between ${part(left)} and ${part(last)}`
    return this.stop("E08", { start: left.start, end: next.end }, `Write ${fix ?? "between … and …"}`, fix)
  }

  private mixed(token: Token): never {
    return this.stop(
      "E10",
      token,
      "Add brackets: which belongs together, the part with and or the part with or?"
    )
  }

  private close(opening: Token): void {
    if (this.sign(")") !== undefined) return
    if (this.peek._tag === "End") this.stop("E09", opening, "This bracket is not closed: add )")
    this.end()
  }

  private bound(depth: number): void {
    if (depth > maxNesting)
      this.stop("E20", this.peek, `Brackets nest deeper than ${maxNesting}. Split the condition.`)
  }
}

const arithmetic = (op: string, left: Ast, right: Ast): Ast => ({
  _tag: "Arithmetic",
  op: op as ArithmeticOp,
  left,
  right,
  start: left.start,
  end: right.end
})
