/** Expression text → tokens, or the first fault. Knows numbers with units, and the spellings people bring along. */
import * as Suggest from "../problems/Suggest.js"
import type { Range } from "../yaml/Source.js"
import * as Durations from "./Durations.js"
import { type Bracket, type Fault, fault, type Unit } from "./Syntax.js"

export type Token = Range &
  (
    | {
        readonly _tag: "Number"
        readonly digits: string
        readonly unit: Unit
        readonly milliseconds?: number
      }
    | { readonly _tag: "Text"; readonly value: string }
    | { readonly _tag: "Word"; readonly name: string; readonly window?: Bracket }
    /** `$name`, without its sign. */
    | { readonly _tag: "Variable"; readonly name: string }
    /** Lower case, so that `AND` is `and`. */
    | { readonly _tag: "Keyword"; readonly word: string }
    | { readonly _tag: "Sign"; readonly sign: string }
    | { readonly _tag: "End" }
  )

const keywords = new Set(["and", "or", "not", "in", "between", "matches", "contains", "any"])

/** Special at their places only. */
const softWords = new Set(["is", "known", "default", "with", "confidence"])
const functions = new Set(["min", "max", "change", "sum", "all", "any"])

/** The word of the language that a word with Cyrillic letters looks like; a function only where a bracket follows. */
const lookAlike = (name: string, opens: boolean): string | undefined => {
  if (!/[\u0400-\u04ff]/.test(name)) return undefined
  const latin = Suggest.latin(name)?.toLowerCase()
  if (latin === undefined) return undefined
  const isMeant = keywords.has(latin) || softWords.has(latin) || (opens && functions.has(latin))
  return isMeant ? latin : undefined
}

/** Spellings of other languages, and what to write here. */
const foreign: ReadonlyArray<readonly [string, string]> = [
  ["&&", "and"],
  ["||", "or"],
  ["=>", ">="],
  ["=<", "<="],
  ["<>", "!="],
  ["≥", ">="],
  ["≤", "<="],
  ["≠", "!="],
  ["×", "*"],
  ["÷", "/"],
  ["−", "-"],
  ["–", "-"],
  ["&", "and"],
  ["|", "or"],
  [";", "and"]
]
const foreignWords: Readonly<Record<string, string>> = { и: "and", или: "or", не: "not", в: "in" }
const signs = ["<=", ">=", "!=", "==", "<", ">", "=", "+", "-", "*", "/", "(", ")", "[", "]", ","]
const number = /\d+(?:\.\d+)?/y
// The machine makes patterns of Unicode letters slowly, several times per process: what is mostly written has patterns
// of its own, which match the same or nothing.
const plainWord = /[a-z_]\w*(?:\.[a-z_]\w*)*(?![\w.\u0080-\uffff])/iy
const plainVariable = /^\$([a-z_]\w*)(?![\w\u0080-\uffff])/i
const ruble = /\s*₽/y
/** What a unit may begin with; most of what follows a number does not. */
const unitAhead = /\s*[bdehkmrsuwy$\u0080-\uffff]/iy
const word = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/uy
const variable = /^\$([\p{L}_][\p{L}\p{N}_]*)/u
const currency = /\s*(?:rub|руб\p{L}*|р)(?![\p{L}\p{N}_])\.?/iuy
const inKopecks = /\s*(?:kop|коп)\p{L}*(?![\p{N}_])\.?/iuy
const otherCurrency = /\s*(?:[$€£¥]|(?:usd|eur|kzt|byn)(?![\p{L}\p{N}_])\.?)/iuy
/** What makes another number of the digits in front, elsewhere. */
const foreignAhead = /[ekx\u0400-\u04ff]|\s[тм]/iy
const foreignTail = /(?:e[+-]?\d+|x[\da-f]+|k|к|\s?(?:тыс|млн)\.?)(?![\p{L}\p{N}_])/iuy
const thousands = /^\s?[kкт]/i
const millions = /^\s?м/i
const smart = /[“”„«»‘’‚‹›]/

/** What a calculation may go on behind. */
const isValue = (token: Token): boolean =>
  token._tag === "Sign"
    ? token.sign === ")" || token.sign === "]"
    : token._tag === "Word"
      ? !softWords.has(token.name.toLowerCase())
      : token._tag === "Number" || token._tag === "Text" || token._tag === "Variable"

/** Every token of an expression, ending with `End`. */
export const tokens = (text: string): ReadonlyArray<Token> | Fault => new Reader(text).run()

/** What an amount of kopecks is in roubles; undefined where a part of a kopeck would be lost. */
const roublesOf = (kopecks: string): string | undefined => {
  const digits = kopecks.padStart(3, "0")
  return /^\d+$/.test(kopecks) ? `${Number(`${digits.slice(0, -2)}.${digits.slice(-2)}`)} ₽` : undefined
}

/** The whole sign at a place: an emoji is two units. */
const signAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at)!)

class Reader {
  private at = 0
  /** Open brackets; true where a comma separates values: in a list, and behind the name of a function. */
  private readonly brackets: Array<boolean> = []
  private readonly made: Array<Token> = []
  constructor(private readonly text: string) {}

  run(): ReadonlyArray<Token> | Fault {
    for (;;) {
      while (/\s/.test(this.text[this.at] ?? "")) this.at++
      if (this.at >= this.text.length) {
        this.made.push({ _tag: "End", start: this.at, end: this.at })
        return this.made
      }
      const problem = this.one()
      if (problem !== undefined) return problem
    }
  }

  private one(): Fault | undefined {
    const { text, at } = this
    const here = signAt(text, at)
    if (/\d/.test(here)) return this.number()
    if (here === '"' || here === "'") return this.quoted(here)
    if (here === "$") {
      const name = (plainVariable.exec(text.slice(at)) ?? variable.exec(text.slice(at)))?.[1]
      if (name !== undefined) {
        this.push({ _tag: "Variable", name, ...this.span(name.length + 1) })
        return undefined
      }
    }
    if (here < "\u0080" ? /[a-z_]/i.test(here) : /\p{L}/u.test(here)) return this.word()
    const alien = foreign.find(([spelling]) => text.startsWith(spelling, at))
    const range = { start: at, end: at + (alien?.[0].length ?? here.length) }
    if (alien !== undefined) return fault("E07", range, `Write ${alien[1]} instead of ${alien[0]}`, alien[1])
    const sign = signs.find((s) => text.startsWith(s, at))
    if (sign !== undefined) {
      if (sign === "[" || sign === "(") this.brackets.push(sign === "[" || this.made.at(-1)?._tag === "Word")
      if (sign === "]" || sign === ")") this.brackets.pop()
      this.push({ _tag: "Sign", sign: sign === "==" ? "=" : sign, ...this.span(sign.length) })
      return undefined
    }
    return this.strange(here, range)
  }

  private strange(here: string, range: Range): Fault {
    const after = this.text.slice(range.end)
    if (smart.test(here)) return fault("Y17", range, 'Use straight quotes: "…"')
    if (here === "!") return fault("Y14", range, 'Write not instead of "!"', `not ${after.trim()}`)
    if (here === "%") {
      const before = this.made.at(-1)
      if (before?._tag === "Number" && before.unit === "percent")
        return fault("E09", range, "One percent sign is enough.")
      if (before !== undefined && isValue(before))
        return fault("E09", range, "There are no remainders here: % stands behind a number, such as 5%.")
      const digits = /^\s*(\d+(?:\.\d+)?)/.exec(after)?.[1]
      return fault(
        "Y06",
        range,
        `The percent sign goes behind: ${digits ?? 5}%`,
        digits === undefined ? undefined : `${digits}%`
      )
    }
    if (here === "$") {
      const digits = /^\d+/.exec(after)?.[0] ?? ""
      const message =
        digits === "" ? "A variable's name follows the $ sign." : "Money is written with ₽ behind the amount."
      return fault("E15", { start: range.start, end: range.end + digits.length }, message)
    }
    return fault("E09", range, `"${here}" has no meaning in a condition.`)
  }

  private number(): Fault | undefined {
    const start = this.at
    const digits = this.take(number)!
    const next = this.text.slice(this.at)
    const range = { start, end: this.at }
    const minutes = /^:[0-5]\d(?!\d)/.exec(next)?.[0]
    if (minutes !== undefined && /^\d\d?$/.test(digits))
      return fault(
        "E09",
        { start, end: this.at + minutes.length },
        `A time of day is no value here. The hour is a whole number: hour >= ${Number(digits)}`
      )
    if (/^0\d/.test(digits) || (!digits.includes(".") && !Number.isSafeInteger(Number(digits)))) {
      const why = digits.startsWith("0") ? "Remove the zeros in front." : "A number has 15 digits at most."
      return fault("Y20", range, `This number would change to ${Number(digits)}. ${why}`)
    }
    const comma = /^,\d+/.exec(next)?.[0]
    if (comma !== undefined && this.brackets.at(-1) !== true) return this.comma(digits, comma, next)
    const group = /^(?:[\s_']\d{3})+(?!\d)/.exec(next)?.[0]
    if (group !== undefined) {
      const fix = digits + group.replace(/\D/g, "")
      return fault("E06", { start, end: this.at + group.length }, `Remove the space: ${fix}`, fix)
    }
    return this.unit(start, digits) ?? this.foreignNumber(start, digits)
  }

  private comma(digits: string, comma: string, next: string): Fault {
    const range = { start: this.at - digits.length, end: this.at + comma.length }
    if (digits.includes(".")) {
      const isGrouped = /^[1-9]\d{0,2}\.\d{3}$/.test(digits)
      const fix = isGrouped ? digits.replace(".", "") + comma.replace(",", ".") : undefined
      const message =
        fix === undefined
          ? "A number has one point or none."
          : `Use a point, and none between thousands: ${fix}`
      return fault("E05", range, message, fix)
    }
    const rest = /^,\d{3}(?!\d)/.test(next) && !/^,\d+\s*%/.test(next)
    const fix = rest ? `${digits}${comma.slice(1)}` : `${digits}.${comma.slice(1)}`
    const message = rest ? `No comma inside a number: ${fix}` : `Use a point: ${fix}`
    return fault("E05", range, message, fix)
  }

  /** `1e3`, `0x10`, `5k`: numbers elsewhere, and none here. */
  private foreignNumber(start: number, digits: string): Fault | undefined {
    const token = this.made.at(-1)
    foreignAhead.lastIndex = this.at
    if (token?._tag !== "Number" || token.unit !== "none" || !foreignAhead.test(this.text)) return undefined
    const tail = this.take(foreignTail)
    if (tail === undefined) return undefined
    const meant = String(Number(digits + (thousands.test(tail) ? "e3" : millions.test(tail) ? "e6" : tail)))
    const fix = /^\d{1,15}(?:\.\d+)?$/.test(meant) ? meant : undefined
    const message = `${digits}${tail} is no number here. Write ${fix ?? "it out in digits"}.`
    return fault("Y20", { start, end: this.at }, message, fix)
  }

  private unit(start: number, digits: string): Fault | undefined {
    const percent = /\s*%/y
    if (this.take(percent) !== undefined) {
      this.push({ _tag: "Number", digits, unit: "percent", start, end: this.at })
      return undefined
    }
    if (this.take(ruble) !== undefined) return this.amount(start, digits)
    unitAhead.lastIndex = this.at
    if (unitAhead.test(this.text)) {
      const duration = Durations.at(this.text, start)
      if (duration !== undefined) {
        const range = { start, end: duration.end }
        if (duration._tag === "Vague") return fault("K07", range, duration.message)
        this.at = duration.end
        this.push({
          _tag: "Number",
          digits,
          unit: "duration",
          milliseconds: duration.milliseconds,
          ...range
        })
        return undefined
      }
      if (this.take(currency) !== undefined) return this.amount(start, digits)
      const isInKopecks = this.take(inKopecks) !== undefined
      if (isInKopecks || this.take(otherCurrency) !== undefined) {
        const fix = isInKopecks ? roublesOf(digits) : undefined
        const message =
          fix === undefined
            ? "Amounts are in ₽ only. Write what it comes to."
            : `Amounts are in ₽ only: ${fix}`
        return fault("E07", { start, end: this.at }, message, fix)
      }
    }
    this.push({ _tag: "Number", digits, unit: "none", start, end: this.at })
    return undefined
  }

  private amount(start: number, digits: string): undefined {
    this.push({ _tag: "Number", digits, unit: "money", start, end: this.at })
  }

  private quoted(quote: string): Fault | undefined {
    const end = this.text.indexOf(quote, this.at + 1)
    if (end === -1) return fault("E09", this.span(1), `This quote is not closed: add ${quote}`)
    this.push({ _tag: "Text", value: this.text.slice(this.at + 1, end), start: this.at, end: end + 1 })
    this.at = end + 1
    return undefined
  }

  private word(): Fault | undefined {
    const start = this.at
    const name = this.take(plainWord) ?? this.take(word)
    if (name === undefined) {
      const here = signAt(this.text, start)
      return fault("E09", this.span(here.length), `"${here}" has no meaning here.`)
    }
    const range = { start, end: this.at }
    const lower = name.toLowerCase()
    const meant = foreignWords[lower]
    if (meant !== undefined) return fault("E07", range, `Write ${meant} instead of ${name}`, meant)
    const latin = lookAlike(name, /^\s*\(/.test(this.text.slice(this.at)))
    if (latin !== undefined) {
      const message = `${Suggest.cyrillicLetter(name)} of "${name}" is Cyrillic. Did you mean ${latin}?`
      return fault("E12", range, message, latin)
    }
    if (keywords.has(lower)) {
      this.push({ _tag: "Keyword", word: lower, ...range })
      return undefined
    }
    const window = this.text[this.at] === "[" ? this.bracket() : undefined
    if (window !== undefined && "_tag" in window) return window
    this.push({ _tag: "Word", name, ...(window === undefined ? {} : { window }), start, end: this.at })
    return undefined
  }

  private bracket(): Bracket | Fault {
    const start = this.at
    const end = this.text.indexOf("]", start)
    if (end === -1) return fault("E09", { start, end: start + 1 }, "This bracket is not closed: add ]")
    this.at = end + 1
    return { text: this.text.slice(start + 1, end), start: start + 1, end }
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private span(length: number): Range {
    return { start: this.at, end: this.at + length }
  }

  private push(token: Token): void {
    this.made.push(token)
    this.at = token.end
  }
}

// A place in the tokens of an expression: looking, stepping, and stopping at the first fault.

/** Carries a fault out of the parser's recursion; caught in `Parser.ts` and nowhere else. */
export class Stop {
  constructor(readonly fault: Fault) {}
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
  protected joint(): "and" | "or" | undefined {
    const token = this.peek
    return token._tag === "Keyword" && (token.word === "and" || token.word === "or") ? token.word : undefined
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
