/** The values of an expression: arithmetic, fields, variables, functions, `default`, lists. `Parser.ts` compares them. */

import * as Days from "../../../domain/Days.js"
import type { ArithmeticOp } from "../Policy.js"
import type { Range } from "../yaml/Source.js"
import { Cursor, Stop } from "./Cursor.js"
import * as Lexer from "./Lexer.js"
import {
  type Ast,
  type Bracket,
  type Fault,
  type FunctionName,
  fault,
  maxNesting,
  type Variables
} from "./Syntax.js"
import type { Token } from "./Token.js"

export abstract class Operands extends Cursor {
  readonly faults: Array<Fault> = []
  private isOpenTold = false
  constructor(
    text: string,
    tokens: ReadonlyArray<Token>,
    private readonly vars: Variables | undefined
  ) {
    super(text, tokens)
  }

  abstract condition(depth: number): Ast
  /** Everything has been read, or a fault that says what was expected. */
  abstract end(): undefined

  value(depth: number): Ast {
    let left = this.product(depth)
    for (let op = this.sign("+", "-", ".."); op !== undefined; op = this.sign("+", "-", "..")) {
      const right = this.product(depth)
      if (op === ".." || (op === "-" && this.isWritten(left) && this.isWritten(right))) {
        const before = this.tokens.filter(({ end }) => end <= left.start)
        throw new Stop(Lexer.rangeFault(this.text, before, left, right))
      }
      left = arithmetic(op, left, right)
    }
    return left
  }

  /** A number as it stands here: nobody calculates with two of them. */
  private isWritten(ast: Ast): boolean {
    return ast._tag === "Number" && this.text[ast.start] !== "$"
  }

  protected list(message: string): Ast {
    const opening = this.peek
    if (opening._tag === "Variable") {
      const found = this.variable(opening)
      return found._tag === "List" || found._tag === "Unread"
        ? found
        : this.stop("E09", opening, `${message}, or a variable that holds a list`)
    }
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

  protected atom(depth: number): Ast {
    this.bound(depth)
    const token = this.peek
    switch (token._tag) {
      case "Number":
      case "Text":
      case "Unread":
        this.at++
        return token
      case "Word":
        return this.named(token, depth)
      case "Variable":
        return this.variable(token)
      case "Sign":
        if (token.sign === "(") {
          this.at++
          const inner = this.value(depth + 1)
          this.close(token)
          return inner
        }
        if (token.sign === "-") return this.negative(token)
        if (/^[+*/]$/.test(token.sign) && this.doubled(token)) return this.atom(depth)
        return this.stop("E09", token, `Expected a field or a value before "${token.sign}".`)
      case "Keyword":
        if (token.word === "any" && this.opens(this.at + 1)) return this.quantified("any", token, depth)
        return this.stop("E09", token, `Expected a field or a value before "${token.word}".`)
      case "End":
        return this.stop("E09", this.lastToken(), "The condition stops here. What should follow?")
    }
  }

  /** What stands in a bracket that is not closed can be read all the same; of several the innermost is told. */
  protected close(opening: Token): undefined {
    if (this.sign(")") !== undefined) return
    if (this.peek._tag !== "End") return this.end()
    const isTold =
      this.isOpenTold || this.tokens.some(({ _tag, start }) => _tag === "Unread" && start > opening.start)
    this.isOpenTold = true
    if (!isTold) this.faults.push(fault("E09", opening, "This bracket is not closed: add )"))
  }

  /** One that stands twice is told and passed over, where the rest can be read. */
  protected doubled(token: Token): boolean {
    const next = this.tokens[this.at + 1]?._tag
    const goesOn = this.at > 0 && (next === "Number" || next === "Word" || next === "Variable")
    if (goesOn) {
      const written = this.text.slice(token.start, token.end)
      this.faults.push(fault("E09", token, `Expected a field or a value before "${written}".`))
      this.at++
    }
    return goesOn
  }

  protected bound(depth: number): void {
    if (depth > maxNesting)
      this.stop("E20", this.peek, `Brackets nest deeper than ${maxNesting}. Split the condition.`)
  }

  private product(depth: number): Ast {
    let left = this.operand(depth)
    for (let op = this.sign("*", "/"); op !== undefined; op = this.sign("*", "/")) {
      left = arithmetic(op, left, this.operand(depth))
    }
    return left
  }

  /** `default` binds tighter than arithmetic: `orders default 0 * 2` doubles either. */
  private operand(depth: number): Ast {
    const value = this.atom(depth)
    if (!this.word("default")) return value
    const fallback = this.atom(depth)
    return { _tag: "Default", value, fallback, start: value.start, end: fallback.end }
  }

  /** Only a written number; whether it makes sense is checked where its field is known. */
  private negative(minus: Token): Ast {
    const next = this.tokens[this.at + 1]
    if (next?._tag !== "Number") {
      return this.stop("E09", minus, "Values here are never below zero. Remove the minus.")
    }
    this.at += 2
    const { digits, milliseconds } = next
    return {
      ...next,
      digits: `-${digits}`,
      ...(milliseconds === undefined ? {} : { milliseconds: -milliseconds }),
      start: minus.start
    }
  }

  private variable({ end, name, start }: Extract<Token, { _tag: "Variable" }>): Ast {
    this.at++
    return this.resolve(name, { start, end })
  }

  /** Whatever an unknown variable holds, the rest can be read. */
  private resolve(name: string, at: Range): Ast {
    const found = this.vars?.lookup(name, at) ?? fault("E15", at, `$${name} is not defined here.`)
    if (found._tag !== "Fault") return found
    this.faults.push(found)
    return { _tag: "Unread", ...at }
  }

  private named(token: Extract<Token, { _tag: "Word" }>, depth: number): Ast {
    this.at++
    const next = this.peek
    if (next._tag !== "Sign" || next.sign !== "(") {
      return token.window === undefined ? token : { ...token, window: this.windowOf(token.window) }
    }
    const name = token.name.toLowerCase()
    if (name === "all") {
      this.at--
      return this.quantified(name, token, depth)
    }
    this.at++
    if (name === "sum") return this.summed(token, next, depth)
    if (name === "change") return this.change(token, next, depth)
    if (name === "min" || name === "max") return this.call(name, token, next, depth)
    const message = `There is no function ${token.name}(…). Possible: min, max, change, sum, all, any.`
    return this.stop("E14", { start: token.start, end: next.end }, message)
  }

  private call(name: FunctionName, word: Token, opening: Token, depth: number): Ast {
    const args = [this.value(depth + 1)]
    while (this.sign(",") !== undefined) args.push(this.value(depth + 1))
    const end = this.peek.end
    this.close(opening)
    if (args.length < 2) {
      const message = `${name} compares values: ${name}(min_bid, 100 ₽)`
      this.faults.push(fault("E09", { start: word.start, end }, message))
    }
    return { _tag: "Call", name, args, start: word.start, end }
  }

  protected opens(at: number): boolean {
    const token = this.tokens[at]
    return token?._tag === "Sign" && token.sign === "("
  }

  /** `all(…)`, `any(…)`: one condition inside. */
  private quantified(quantifier: "all" | "any", word: Token, depth: number): Ast {
    this.bound(depth)
    const opening = this.tokens[this.at + 1]!
    this.at += 2
    const condition = this.condition(depth + 1)
    const end = this.peek.end
    this.close(opening)
    return { _tag: "Quantified", quantifier, condition, start: word.start, end }
  }

  private summed(word: Token, opening: Token, depth: number): Ast {
    this.bound(depth)
    const value = this.value(depth + 1)
    const group = this.sign(",") === undefined ? undefined : this.group()
    const end = this.peek.end
    this.close(opening)
    return { _tag: "Sum", value, ...(group === undefined ? {} : { group }), start: word.start, end }
  }

  /** `group = "season"`, behind a comma. */
  private group(): Ast {
    const found = this.peek
    const hint = 'Behind the comma stands a group: sum(spend, group = "season")'
    if (!this.word("group")) return this.stop("E09", found, hint)
    if (this.sign("=") === undefined) return this.stop("E09", this.peek, hint)
    return this.atom(0)
  }

  /** What stands behind the comma is a window, written as in square brackets. */
  private change(word: Token, opening: Token, depth: number): Ast {
    const value = this.value(depth + 1)
    const comma = this.peek
    if (this.sign(",") === undefined) this.stop("E09", comma, "How many days? For example: change(ctr, 7d)")
    const start = this.peek.start
    while (this.peek._tag !== "End" && !(this.peek._tag === "Sign" && this.peek.sign === ")")) this.at++
    const { _tag, start: stop, end } = this.peek
    this.close(opening)
    // Where the days end is not to be told.
    if (_tag === "End") throw new Stop()
    const text = this.text.slice(start, stop)
    const window = this.windowOf({ text, start, end: Math.max(start + 1, start + text.trimEnd().length) })
    return { _tag: "Change", value, window, start: word.start, end }
  }

  /** A window may be a variable that holds days. */
  private windowOf(bracket: Bracket): Bracket {
    const name = /^\s*\$([\p{L}_][\p{L}\p{N}_]*)\s*$/u.exec(bracket.text)?.[1]
    if (name === undefined) return bracket
    const range: Range = { start: bracket.start, end: bracket.end }
    const found = this.resolve(name, range)
    if (found._tag === "Unread") throw new Stop()
    const isDays = found._tag === "Number" && found.unit === "duration"
    if (isDays) return { ...range, text: `${(found.milliseconds ?? 0) / Days.dayMs}d` }
    return { ...range, text: found._tag === "Text" ? found.value : "" }
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
