/**
 * Expression text → tree. Binding, loosest first: `or`/`and` (never mixed without brackets), `not`, comparisons
 * (never chained), `+ -`, `* /`. Answers the first fault instead of guessing on.
 */

import type { CompareOp } from "../Policy.js"
import type { Range } from "../yaml/Source.js"
import { Stop } from "./Cursor.js"
import type { Token } from "./Lexer.js"
import * as Lexer from "./Lexer.js"
import { Operands } from "./Operands.js"
import type { Ast, Fault, Variables } from "./Syntax.js"
import { fault, maxLength } from "./Syntax.js"

/** Reads a yes/no condition such as `ctr < 1% and views >= 500`; `$name` becomes what the variables say. */
export const condition = (text: string, vars?: Variables): Ast | Fault =>
  run(text, vars, (parser) => parser.condition(0))

/** Reads a value such as `min_bid * 120%` or `450 ₽`. */
export const value = (text: string, vars?: Variables): Ast | Fault =>
  run(text, vars, (parser) => parser.value(0))

export const isFault = (result: Ast | Fault): result is Fault => result._tag === "Fault"

const run = (text: string, vars: Variables | undefined, read: (parser: Parser) => Ast): Ast | Fault => {
  if (text.length > maxLength) {
    return fault(
      "E20",
      { start: 0, end: 1 },
      `Longer than ${maxLength} characters. Split it into several lines.`
    )
  }
  const tokens = Lexer.tokens(text)
  if (!Array.isArray(tokens)) return tokens as Fault
  const parser = new Parser(text, tokens, vars)
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

class Parser extends Operands {
  override condition(depth: number): Ast {
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

  /** Everything has been read, or a fault that says what was expected. */
  override end(): void {
    const token = this.peek
    if (token._tag === "End") return
    if (token._tag === "Word" && token.name === "with") {
      this.stop("E14", token, "Confidence belongs to one comparison: ctr < 1% with 99% confidence")
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
    if (this.word("is")) return this.known(left)
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
    const range = { start: left.start, end: right.end }
    const made: Ast = { _tag: "Compare", op: op as CompareOp, left, right, ...range }
    return this.word("with") ? this.confidence(made) : made
  }

  /** `with 99% confidence`, behind a comparison. */
  private confidence(comparison: Ast): Ast {
    const asked = this.value(0)
    const last = this.peek
    const level = asked._tag === "Number" && asked.unit === "percent" ? Number(asked.digits) : 0
    if (level !== 95 && level !== 99) {
      this.stop("E14", asked, "Confidence is 95% or 99%: with 99% confidence", "99%")
    }
    if (!this.word("confidence")) this.stop("E09", last, "Write: with 99% confidence")
    return { _tag: "Confidence", comparison, level, start: comparison.start, end: last.end }
  }

  /** `is known`, `is not known`. */
  private known(value: Ast): Ast {
    const negated = this.keyword("not")
    const last = this.peek
    if (!this.word("known")) {
      const fix = last._tag === "Word" && last.name === "unknown" ? "is not known" : undefined
      this.stop("E09", last, "Write is known or is not known, and = to compare.", fix)
    }
    return { _tag: "Known", value, negated, start: value.start, end: last.end }
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
    const opening = this.peek
    const words = opening._tag === "Sign" && opening.sign === "[" ? this.list("") : this.atom(depth)
    if (!any && words._tag === "List")
      this.stop("E09", opening, 'Write contains any before a list: contains any ["a", "b"]')
    return { _tag: "Contains", value, words, start: value.start, end: words.end }
  }

  /** `(…)`: a condition, or a value that goes on (`(spend + 10 ₽) / orders`). */
  private bracketed(depth: number): Ast {
    const opening = this.at
    this.bound(depth)
    this.at++
    const inner = this.condition(depth + 1)
    this.close(this.tokens[opening]!)
    const next = this.peek
    const goesOn =
      next._tag === "Sign" ? /^[-+*/]$/.test(next.sign) : next._tag === "Word" && next.name === "default"
    if (!goesOn) return inner
    this.at = opening
    return this.value(depth)
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
}
