/**
 * Expression text → tree. Binding, loosest first: `or`/`and` (never mixed without brackets), `not`, comparisons
 * (never chained), `+ -`, `* /`. What lies between `and` and `or` is read by itself: a fault in it is told, and the
 * rest is read all the same.
 */

import * as Days from "../../../domain/Days.js"
import type { ArithmeticOp, CompareOp } from "../Policy.js"
import type { Range } from "../yaml/Source.js"
import * as Lexer from "./Lexer.js"
import { Cursor, Stop, type Token } from "./Lexer.js"
import {
  type Ast,
  type Bracket,
  type Fault,
  type FunctionName,
  fault,
  maxLength,
  maxNesting,
  type Variables
} from "./Syntax.js"

// The values of an expression: arithmetic, fields, variables, functions, `default`, lists. `Parser.ts` compares them.

abstract class Operands extends Cursor {
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
    for (let op = this.sign("+", "-"); op !== undefined; op = this.sign("+", "-")) {
      const right = this.product(depth)
      if (op === "-" && this.isWritten(left) && this.isWritten(right)) {
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
      this.stop("E09", { start: word.start, end }, `${name} compares values: ${name}(min_bid, 100 ₽)`)
    }
    return { _tag: "Call", name, args, start: word.start, end }
  }

  private opens(at: number): boolean {
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

/** Reads a yes/no condition such as `ctr < 1% and views >= 500`; `$name` becomes what the variables say. */
export const condition = (text: string, vars?: Variables): Ast | Fault => {
  const { ast, faults } = parts(text, vars)
  return faults[0] ?? ast
}

/** As `condition`, with every fault: in the place of each part that has one stands `Unread`. */
export const parts = (text: string, vars?: Variables): Read =>
  run(text, vars, (parser) => parser.condition(0))

/** Reads a value such as `min_bid * 120%` or `450 ₽`. */
export const value = (text: string, vars?: Variables): Ast | Fault => {
  const { ast, faults } = valueParts(text, vars)
  return faults[0] ?? ast
}

/** As `value`, with every fault. */
export const valueParts = (text: string, vars?: Variables): Read =>
  run(text, vars, (parser) => parser.wholeValue())

export const isFault = (result: Ast | Fault): result is Fault => result._tag === "Fault"

interface Read {
  readonly ast: Ast
  readonly faults: ReadonlyArray<Fault>
}

const run = (text: string, vars: Variables | undefined, read: (parser: Parser) => Ast): Read => {
  if (text.length > maxLength) {
    const message = `Longer than ${maxLength} characters. Split it into several lines.`
    const range = { start: 0, end: 1 }
    return { ast: { _tag: "Unread", ...range }, faults: [fault("E20", range, message)] }
  }
  const { faults, tokens } = Lexer.read(text)
  const parser = new Parser(text, tokens, vars)
  const ast = read(parser)
  return { ast, faults: [...faults, ...parser.faults] }
}

const comparisons = new Set(["<", "<=", ">", ">=", "=", "!="])

class Parser extends Operands {
  override condition(depth: number): Ast {
    const first = this.part(depth)
    const parts = [first]
    const joints = new Set<"and" | "or">()
    for (;;) {
      const next = this.joint()
      if (next === undefined && !this.compares()) break
      if (next === undefined) this.faults.push(this.unjoined(this.peek))
      else {
        if (joints.size === 1 && !joints.has(next)) this.mixed(this.peek)
        joints.add(next)
        this.at++
      }
      parts.push(this.part(depth))
    }
    if (parts.length === 1) return first
    const range = { start: first.start, end: parts.at(-1)!.end }
    return joints.has("or") ? { _tag: "Or", parts, ...range } : { _tag: "And", parts, ...range }
  }

  wholeValue(): Ast {
    return this.guarded(0, () => {
      const read = this.value(0)
      this.end()
      return read
    })
  }

  /** Whether a comparison begins here. */
  private compares(): boolean {
    const [field, verb] = this.tokens.slice(this.at, this.at + 2)
    if (field?._tag !== "Word") return false
    return verb?._tag === "Sign"
      ? comparisons.has(verb.sign)
      : verb?._tag === "Keyword" && this.joint(verb) === undefined
  }

  /** What stands up to the next `and` or `or`. */
  private part(depth: number): Ast {
    return this.guarded(depth, () => {
      const read = this.negation(depth)
      if (!this.isOver(depth)) this.end()
      return read
    })
  }

  private isOver(depth: number): boolean {
    return this.joint() !== undefined || this.compares() || (depth > 0 && this.closes())
  }

  /** What is read, or `Unread` up to where the next part begins. Of what the lexer has told of, no more is said. */
  private guarded(depth: number, read: () => Ast): Ast {
    const from = this.at
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      const { start } = this.tokens[from]!
      const isTold = this.tokens.slice(from, this.at + 1).some(({ _tag }) => _tag === "Unread")
      if (error.fault !== undefined && !isTold) this.faults.push(error.fault)
      this.skip(from, depth)
      return { _tag: "Unread", start, end: Math.max(start, this.tokens[this.at - 1]?.end ?? start) }
    }
  }

  /** To the end of the part that begins at `from`; the `and` of a `between` ends none. */
  private skip(from: number, depth: number): void {
    let open = 0
    let ranges = 0
    const stop = this.at
    for (this.at = from; this.peek._tag !== "End"; this.at++) {
      const token = this.peek
      if (token._tag === "Sign") {
        if (token.sign === "(" || token.sign === "[") open++
        else if (token.sign === ")" || token.sign === "]") {
          if (open === 0 && depth > 0 && this.at >= stop && this.closes()) return
          open = Math.max(0, open - 1)
        }
      } else if (token._tag === "Keyword" && open === 0) {
        if (token.word === "between") ranges++
        else if (token.word === "and" && ranges > 0) ranges--
        else if (this.joint() !== undefined && this.at >= stop) return
      }
    }
  }

  /** Everything has been read, or a fault that says what was expected. */
  override end(): undefined {
    const token = this.peek
    if (token._tag === "End") return
    if (token._tag === "Word" && token.name === "with") {
      this.stop("E14", token, "Confidence belongs to one comparison: ctr < 1% with 99% confidence")
    }
    if (token._tag === "Sign" && token.sign === ")") this.stop("E09", token, 'This ")" has no "(" before it.')
    if (token._tag === "Sign" && token.sign === "[") {
      this.stop("E09", token, "A list stands after in, or after contains any.")
    }
    throw new Stop(this.unjoined(token))
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
    const right = this.guarded(depth, () => {
      const value = this.value(depth)
      const next = this.peek
      if (next._tag === "Sign" && comparisons.has(next.sign)) this.chained(left, value, next)
      const isConfident = next._tag === "Word" && next.name.toLowerCase() === "with"
      if (!isConfident && !this.isOver(depth)) this.end()
      return value
    })
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
    const low = this.rangeEnd(depth)
    if (!this.keyword("and")) {
      const first = this.text.slice(low.start, low.end)
      this.stop("E09", this.peek, `Write both ends: between ${first} and …`)
    }
    const high = this.rangeEnd(depth)
    return { _tag: "Between", value, low, high, start: value.start, end: high.end }
  }

  /** The `and` before it may stand twice. */
  private rangeEnd(depth: number): Ast {
    if (this.joint() === "and") this.doubled(this.peek)
    return this.value(depth)
  }

  private membership(value: Ast, negated: boolean): Ast {
    const opening = this.peek
    if (opening._tag === "Number" && opening.unit === "duration") this.within(opening, negated)
    const round = /^\(([^()[\]]*)\)/.exec(this.text.slice(opening.start))
    const fix = round === null ? this.text.slice(opening.start, opening.end) : round[1]!.trim()
    const list = this.list(`Write the possible values in square brackets: in [${fix === "" ? "…" : fix}]`)
    return { _tag: "In", value, list, negated, start: value.start, end: list.end }
  }

  /** A time alone is no list: nobody means exactly that long. */
  private within(time: Token, negated: boolean): never {
    const written = this.text.slice(time.start, time.end)
    const fix = `${negated ? ">" : "<="} ${written}`
    const { start } = this.tokens[this.at - (negated ? 2 : 1)]!
    const message = `in stands before a list: for ${negated ? "not within" : "within"} ${written} write ${fix}`
    return this.stop("E09", { start, end: time.end }, message, fix)
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
    const told = this.faults.length
    this.bound(depth)
    this.at++
    const inner = this.condition(depth + 1)
    this.close(this.tokens[opening]!)
    const next = this.peek
    const goesOn =
      next._tag === "Sign" ? /^[-+*/]$/.test(next.sign) : next._tag === "Word" && next.name === "default"
    if (!goesOn) return inner
    this.at = opening
    this.faults.length = told
    return this.value(depth)
  }

  private chained(left: Ast, middle: Ast, next: Token): never {
    const part = (range: Range) => this.text.slice(range.start, range.end)
    const last = this.tokens[this.at + 1]
    const fix = last === undefined ? undefined : `${part(middle)} between ${part(left)} and ${part(last)}`
    return this.stop("E08", { start: left.start, end: next.end }, `Write ${fix ?? "between … and …"}`, fix)
  }

  private unjoined(token: Token): Fault {
    return fault("E09", token, `Expected and/or before "${this.text.slice(token.start, token.end)}".`)
  }

  private mixed(token: Token): void {
    const message = "Add brackets: which belongs together, the part with and or the part with or?"
    this.faults.push(fault("E10", token, message))
  }
}
