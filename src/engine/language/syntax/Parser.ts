/**
 * Expression text → tree. Binding, loosest first: `or`/`and` (never mixed without brackets), `not`, comparisons
 * (never chained), `+ -`, `* /`. What lies between `and` and `or` is read by itself: a fault in it is told, and the
 * rest is read all the same.
 */

import * as Schedule from "../../../domain/Schedule.js"
import type { CompareOp } from "../Policy.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import type { Range } from "../yaml/Source.js"
import { Stop } from "./Cursor.js"
import * as Lexer from "./Lexer.js"
import { Operands } from "./Operands.js"
import { type Ast, type Fault, fault, maxLength, type Variables } from "./Syntax.js"
import type { Token } from "./Token.js"

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

/** `=IF(…)`, `=ЕСЛИ(…)`. */
const aSheetFormula = /^\s*=\s*[^\s(]+\(/

const run = (text: string, vars: Variables | undefined, read: (parser: Parser) => Ast): Read => {
  const start = { start: 0, end: 1 }
  const unread = (code: Fault["code"], message: string): Read => ({
    ast: { _tag: "Unread", ...start },
    faults: [fault(code, start, message)]
  })
  if (text.length > maxLength)
    return unread("E20", `Longer than ${maxLength} characters. Split it into several lines.`)
  if (aSheetFormula.test(text))
    return unread("E09", "A formula of a sheet is not read here. Write what it asks, such as views > 500")
  const { faults, tokens } = Lexer.read(text)
  const parser = new Parser(text, tokens, vars)
  const ast = read(parser)
  return { ast, faults: [...faults, ...parser.faults] }
}

/** Words for a part of a text that no keyword says. */
const aPart = /^(?:like|starts|begins|ends|начинается|заканчивается)$/i

/** Words for what goes down, and for what goes up. */
const moves = [
  ["<", "-", /^(?:упал|пада|снизи|сниж|уменьш|drop|fell|fall|decreas|declin)/i],
  [">", "", /^(?:вырос|вырас|раст|увелич|повыс|grew|grow|rose|rise|rising|increas)/i]
] as const

/** By how many percent; to how many is a comparison. */
const aChange = /^\s*(?:(?:by|на)\s+)?(\d+(?:\.\d+)?)\s*%/iu

/** Words for a share of something, and for a multiple of it. */
const aShare = /^(?:of|от)$/i
const aMultiple = /^[xх]$/i
const aTimes = /раза?\.?$/i

/** Words between a condition and what is done. */
const aConsequence = /^(?:then|то|тогда)$/i

/** Words for nothing of what stands behind. */
const aNone = /^(?:no|нет|без)$/i

/** What is counted, as people name it. */
const aCount = /(?:^|\.)(?:views|clicks|carts|orders|показов|кликов|корзин|заказов)$/i

const comparisons = new Set(["<", "<=", ">", ">=", "=", "!="])

type NumberToken = Extract<Token, { _tag: "Number" }>

class Parser extends Operands {
  private isValue = false

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
    this.isValue = true
    return this.guarded(0, () => {
      const read = this.value(0)
      this.end()
      return read
    })
  }

  /** Whether a comparison begins here. */
  private compares(at = this.at): boolean {
    const [field, verb] = this.tokens.slice(at, at + 2)
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
      this.stop("Y05", opening, "Which field? For example: views > 500")
    }
    const left = opening._tag === "Sign" && opening.sign === "(" ? this.bracketed(depth) : this.value(depth)
    return this.asked(left, depth)
  }

  /** What is asked of a value. */
  private asked(left: Ast, depth: number): Ast {
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
        const next = this.peek
        if (next._tag === "Keyword" && /^(?:contains|matches|between)$/.test(next.word)) {
          const part = this.asked(left, depth)
          const words = this.several(part) ?? this.text.slice(next.end, part.end)
          const fix = `not ${this.text.slice(left.start, left.end)} ${next.word}${words}`
          const range = { start: left.start, end: this.tokens[this.at - 1]!.end }
          this.faults.push(fault("E09", range, `not stands in front of the field: ${fix}`, fix))
          return { _tag: "Not", part, ...range }
        }
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
      const [wrong, last] = [this.peek, this.tokens[this.at + 1]]
      const isPair = last?._tag === "Number" && (this.joint() === "or" || this.sign(",") !== undefined)
      if (!isPair) this.stop("E09", wrong, `Write both ends: between ${first} and …`)
      const meant = `between ${first} and ${this.text.slice(last.start, last.end)}`
      this.faults.push(fault("E09", wrong, `and stands between both ends: ${meant}`, "and"))
      this.at = this.tokens.indexOf(last)
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
    const isOpen = opening._tag === "Sign" && opening.sign === "["
    const list = this.list(isOpen ? "" : this.asList(opening.start))
    return { _tag: "In", value, list, negated, start: value.start, end: list.end }
  }

  /** `contains "a", "b"`: the list that is meant, read to its end; undefined where one value stands. */
  private several(part: Ast): string | undefined {
    const isGoingOn = this.peek._tag === "Sign" && this.peek.sign === "," && !this.compares(this.at + 1)
    if (part._tag !== "Contains" || !isGoingOn) return undefined
    const list = ` any [${this.values(part.words.start)}]`
    this.at = this.afterValues()
    return list
  }

  /** Where the next keyword or comparison stands, or the end of a bracket that was opened before it. */
  private afterValues(): number {
    let open = 0
    return this.tokens.findIndex((token, at) => {
      if (at < this.at) return false
      const sign = token._tag === "Sign" ? token.sign : ""
      open += sign === "(" ? 1 : sign === ")" ? -1 : 0
      return open < 0 || /^(?:Keyword|End)$/.test(token._tag) || this.compares(at)
    })
  }

  /** What stands up to there. */
  private values(start: number): string {
    return this.text.slice(start, this.tokens[this.afterValues()]?.start).replace(/[,\s]+$/, "")
  }

  /** What to write for values that lack their brackets: all of them, or both ends of a range. */
  private asList(start: number): string {
    const written = this.values(start)
    const [, inside = written] = /^\(([^()[\]]*)\)/.exec(written) ?? []
    const [, low, high] = /^(\d+)\s*(?:-|\.\.+)\s*(\d+)$/.exec(inside) ?? []
    if (low !== undefined) return `A list names each value. For a range write between ${low} and ${high}`
    const days = ForeignWords.days(inside, Schedule.week)?.join(", ")
    const values = days ?? (inside === "" || /[()]/.test(inside) ? "…" : inside.trim())
    return `Write the possible values in square brackets: in [${values}]`
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
    if (token._tag === "Word" && aPart.test(token.name))
      return fault(
        "E09",
        token,
        'A part is contains "кеды", a beginning matches "кеды*", an end matches "*кеды".'
      )
    const written = `"${this.text.slice(token.start, token.end)}"`
    const before = this.tokens[this.at - 1]
    if (!this.isValue && token._tag === "Sign" && token.sign === "," && before !== undefined) {
      if (this.compares(this.at + 1)) return fault("E07", token, "Write and instead of ,", "and")
      const list = this.listVerb()
      if (list !== undefined)
        return fault(
          "E09",
          token,
          `Several values are written as a list: ${list} [${this.values(before.start)}]`
        )
    }
    return this.isValue
      ? fault("E09", token, `One value or calculation stands here: remove ${written}.`)
      : fault("E09", token, this.instead(token) ?? `Expected and/or before ${written}.`)
  }

  /** What stands before a list of values where the first of them stands now: behind `field =`, `field contains`. */
  private listVerb(): string | undefined {
    const back = (steps: number) => this.tokens[this.at - steps]
    const last = back(2)
    const isAny = last?._tag === "Keyword" && last.word === "any"
    const [of, asked] = isAny ? [back(4), back(3)] : [back(3), last]
    if (of?._tag !== "Word") return undefined
    if (asked?._tag === "Keyword") return asked.word === "contains" ? "contains any" : undefined
    if (asked?._tag !== "Sign" || isAny) return undefined
    return asked.sign === "=" ? "in" : asked.sign === "!=" ? "not in" : undefined
  }

  /** What to write for a word that belongs to no condition. */
  private instead(token: Token): string | undefined {
    if (token._tag !== "Word") return undefined
    const [place, before] = [this.tokens[this.at - 2], this.tokens[this.at - 1]]
    if (aConsequence.test(token.name))
      return `What is done stands in do:, not in a condition. Remove "${this.text.slice(token.start).trim()}".`
    const by = aChange.exec(this.text.slice(token.end))?.[1]
    const move = by === undefined ? undefined : moves.find(([, , words]) => words.test(token.name))
    if (before?._tag === "Word" && before.window === undefined && move !== undefined)
      return `What goes up or down is asked by change: change(${before.name}, …) ${move[0]} ${move[1]}${by}%, with the days to compare, such as 7d`
    const share = before?._tag === "Number" ? this.multiplied(token, before) : undefined
    if (share !== undefined) return share
    const isCompared = place?._tag === "Sign" && place.sign !== "("
    const isOfNone = before?._tag === "Word" && aNone.test(before.name) && !isCompared && !this.compares()
    if (isOfNone && aCount.test(token.name)) return `Nothing is 0. Write ${token.name} = 0`
    if (isOfNone)
      return `A number that is none is 0: orders = 0. A yes or no that is no: not campaign.search. A value that is not told: ${token.name} is not known.`
    if (aNone.test(token.name)) return undefined
    return before?._tag === "Number" && before.unit === "none" && !this.compares()
      ? `A number has no word behind it. Remove "${token.name}", or write and/or before it.`
      : undefined
  }

  /** `50% of spend[30d]`, `2x min_bid`: what is multiplied, with its days; of a function nothing is said. */
  private multiplied(token: Extract<Token, { _tag: "Word" }>, factor: NumberToken): string | undefined {
    const many = this.text.slice(factor.start, factor.end)
    const isTimes = factor.unit === "pieces" && aTimes.test(many) && !this.compares()
    const word = factor.unit === "percent" ? aShare : factor.unit === "none" ? aMultiple : undefined
    const at = this.at + (isTimes ? 0 : 1)
    const field = this.tokens[at]
    if (!(isTimes || word?.test(token.name)) || field?._tag !== "Word" || this.opens(at + 1)) return undefined
    if (!/^[a-z_]/i.test(field.name)) return undefined
    return `Multiply: ${this.text.slice(field.start, field.end)} * ${isTimes ? factor.digits : many}`
  }

  private mixed(token: Token): void {
    const message = "Add brackets: which belongs together, the part with and or the part with or?"
    this.faults.push(fault("E10", token, message))
  }
}
