/** Expression text → tokens, and every fault. Knows numbers with units, and the spellings people bring along. */
import * as Suggest from "../problems/Suggest.js"
import type { Range } from "../yaml/Source.js"
import * as Durations from "./Durations.js"
import * as Phrases from "./Phrases.js"
import { type Fault, fault, type Unit } from "./Syntax.js"
import * as TimesOfDay from "./TimesOfDay.js"
import { isQuestion, type Token } from "./Token.js"

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
  ["—", "-"],
  ["&", "and"],
  ["|", "or"],
  [";", "and"]
]
const foreignWords = new Map([
  ["и", "and"],
  ["или", "or"],
  ["не", "not"],
  ["в", "in"]
])
const signs = ["..", "<=", ">=", "!=", "==", "<", ">", "=", "+", "-", "*", "/", "(", ")", "[", "]", ","]
const number = /\d+(?:\.\d+)?/y
// The machine makes patterns of Unicode letters slowly, several times per process: what is mostly written has patterns
// of its own, which match the same or nothing.
const plainWord = /[a-z_]\w*(?:\.[a-z_]\w*)*(?![\w.\u0080-\uffff])/iy
const plainVariable = /^\$([a-z_]\w*)(?![\w\u0080-\uffff])/i
const ruble = /\s*₽/y
/** Digits go on behind a sign that people write between thousands, or where the whole ends. */
const separated = /^(?:[\s_'’]\d{3}(?!\d)|[.,]\d+)+/
/** What a unit may begin with; most of what follows a number does not. */
const unitAhead = /\s*[bdehkmprsuwy$\u0080-\uffff]/iy
const word = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/uy
const variable = /^\$([\p{L}_][\p{L}\p{N}_]*)/u
const currency = /\s*(?:rub|руб\p{L}*|р)(?![\p{L}\p{N}_])\.?/iuy
const inPercent = /\s*(?:percent|pct|процент\p{L}*)(?![\p{L}\p{N}_])\.?/iuy
const counted = /\s*(?:pcs|pieces?|шт\p{L}*|раза?)(?![\p{L}\p{N}_])\.?/iuy
const inKopecks = /\s*(?:kop|коп)\p{L}*(?![\p{N}_])\.?/iuy
const otherCurrency = /\s*(?:[$€£¥]|(?:usd|eur|kzt|byn)(?![\p{L}\p{N}_])\.?)/iuy
/** What makes another number of the digits in front, elsewhere. */
const foreignAhead = /[ekx\u0400-\u04ff]|\s[тм]/iy
const foreignTail = /(?:e[+-]?\d+|x[\da-f]+|k|к|\s?(?:тыс|млн)\.?)(?![\p{L}\p{N}_])/iuy
const thousands = /^\s?[kкт]/i
const millions = /^\s?м/i
const levels = /^(?:campaign|item|cluster|promotion|recommended)$/
const opener = /(?:if|when|если|когда)(?=\s+[a-z$])/iy
const smart = /[“”„«»‘’‚‹›]/
const smartText = /[^“”„«»‘’‚‹›"']*[“”„«»‘’‚‹›]?/y
/** Words behind `matches` and `contains` that lack their quotes. */
const bareText =
  /\s*(?!(?:any|and|or)\b)[\p{L}\p{N}*?][^"'“”„«»‘’‚‹›$[\]()<>=]*?(?=\s+(?:and|or)\s|\s*\)|\s*$)/iuy

/** What a calculation may go on behind. */
const isValue = (token: Token): boolean =>
  token._tag === "Sign"
    ? token.sign === ")" || token.sign === "]"
    : token._tag === "Word"
      ? !softWords.has(token.name.toLowerCase())
      : token._tag === "Number" || token._tag === "Text" || token._tag === "Variable"

/** What goes on behind a value, rightly spelt. */
const rightly =
  /(?:and|or|between|matches|contains|default|with|confidence|any|not\s+in|is\s+(?:not\s+)?known)(?![\w.\u0080-\uffff])|in(?![\w.\u0080-\uffff])(?!\s+(?:\d|the\s|last\s|past\s))/iy

/** Whether a condition may begin behind this. */
const mayBegin = (token: Token | undefined): boolean =>
  token === undefined ||
  (token._tag === "Sign" && token.sign === "(") ||
  (token._tag === "Keyword" && /^(?:and|or|not)$/.test(token.word))

/** Every token of an expression, ending with `End`, or the first fault. */
export const tokens = (text: string): ReadonlyArray<Token> | Fault => {
  const { faults, tokens } = read(text)
  return faults[0] ?? tokens
}

interface Read {
  readonly tokens: ReadonlyArray<Token>
  readonly faults: ReadonlyArray<Fault>
}

/** As `tokens`, past every fault: what can mean one thing only is taken for it, all else is `Unread`. */
export const read = (text: string): Read => new Reader(text).run()

/** What an amount of kopecks is in roubles; undefined where a part of a kopeck would be lost. */
const roublesOf = (kopecks: string): string | undefined => {
  const digits = kopecks.padStart(3, "0")
  return /^\d+$/.test(kopecks) ? `${Number(`${digits.slice(0, -2)}.${digits.slice(-2)}`)} ₽` : undefined
}

/** A dash between two values: a range as likely as a difference. `before` is what stands in front of them. */
export const rangeFault = (text: string, before: ReadonlyArray<Token>, low: Range, high: Range): Fault => {
  const part = ({ end, start }: Range) => text.slice(start, end)
  const range = { start: low.start, end: high.end }
  const written = `"${part(range)}"`
  const count = (sign: string) =>
    before.filter((token) => token._tag === "Sign" && token.sign === sign).length
  if (count("[") > count("]"))
    return fault("E07", range, `A list names each value: write every one that ${written} means.`)
  const unit = /\s*[%₽]$/.exec(part(high))?.[0] ?? ""
  const first = /\d$/.test(part(low)) ? `${part(low)}${unit}` : part(low)
  if (part({ start: low.end, end: high.start }).includes(".."))
    return fault("E07", range, `A range is written between ${first} and ${part(high)}`)
  return before.some(isQuestion)
    ? fault(
        "E07",
        range,
        `${written} may be a range or a difference. Write between ${first} and ${part(high)}, or what it comes to.`
      )
    : fault("E07", range, `One value stands here, not ${written}: ${first} or ${part(high)}.`)
}

/** The whole sign at a place: an emoji is two units. */
const signAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at)!)

class Reader {
  private at = 0
  /** Open brackets; true where a comma separates values: in a list, and behind the name of a function. */
  private readonly brackets: Array<boolean> = []
  private readonly made: Array<Token> = []
  private readonly faults: Array<Fault> = []
  constructor(private readonly text: string) {}

  run(): Read {
    for (;;) {
      while (/\s/.test(this.text[this.at] ?? "")) this.at++
      if (this.at >= this.text.length) {
        this.push({ _tag: "End", start: this.at, end: this.at })
        this.dashes()
        return { tokens: this.made, faults: this.faults }
      }
      this.one()
    }
  }

  private one(): undefined {
    const { text, at } = this
    const here = signAt(text, at)
    if (/\d/.test(here)) return this.number()
    if (here === '"' || here === "'") return this.quoted(here)
    if (here === "$") {
      const name = (plainVariable.exec(text.slice(at)) ?? variable.exec(text.slice(at)))?.[1]
      if (name !== undefined) return this.push({ _tag: "Variable", name, ...this.span(name.length + 1) })
    }
    if (here < "\u0080" ? /[a-z_]/i.test(here) : /\p{L}/u.test(here))
      return this.phrase() ? undefined : this.word()
    if (here === "/" && this.days()) return
    const alien = foreign.find(([spelling]) => text.startsWith(spelling, at))
    if (alien !== undefined) return this.foreign(...alien)
    const apart = /^(?:=\s+([<>])|([<>])\s+=)/.exec(text.slice(at, at + 8))
    if (apart !== null) return this.foreign(apart[0], `${apart[1] ?? apart[2]}=`)
    const sign = signs.find((s) => text.startsWith(s, at))
    if (sign === undefined) return this.strange(here)
    if (sign === "[" || sign === "(") this.brackets.push(sign === "[" || this.made.at(-1)?._tag === "Word")
    if (sign === "]" || sign === ")") this.brackets.pop()
    this.push({ _tag: "Sign", sign: sign === "==" ? "=" : sign, ...this.span(sign.length) })
  }

  private foreign(spelling: string, meant: string): undefined {
    const range = this.span(spelling.length)
    if (spelling === ";" && this.text.slice(range.end).trim() === "") {
      this.tell("E07", range, "Remove the ; at the end.")
      this.at = range.end
      return
    }
    if (meant !== "-") this.tell("E07", range, `Write ${meant} instead of ${spelling}`, meant)
    this.push(
      meant === "and" || meant === "or"
        ? { _tag: "Keyword", word: meant, ...range }
        : { _tag: "Sign", sign: meant, ...range }
    )
  }

  /** Typed dashes, once it is known what stands around them. */
  private dashes(): void {
    const isLiteral = ({ _tag }: Token) => /^(Number|Variable|Unread)$/.test(_tag)
    for (const [index, dash] of this.made.entries()) {
      const written = this.text.slice(dash.start, dash.end)
      if (dash._tag !== "Sign" || !/^[−–—]$/.test(written)) continue
      const [low, high] = [this.made[index - 1], this.made[index + 1]]
      if (low === undefined || high === undefined || !isLiteral(low) || !isLiteral(high)) {
        this.tell("E07", dash, `Write - instead of ${written}`, "-")
        continue
      }
      this.faults.push(rangeFault(this.text, this.made.slice(0, index - 1), low, high))
      this.made[index] = { _tag: "Unread", start: dash.start, end: dash.end }
    }
  }

  private strange(here: string): undefined {
    const range = this.span(here.length)
    const after = this.text.slice(range.end)
    const before = this.made.at(-1)
    const isBehindValue = before !== undefined && isValue(before)
    this.at = range.end
    if (smart.test(here)) {
      this.tell("Y17", range, 'Use straight quotes: "…"')
      this.take(smartText)
    } else if (here === "!") {
      this.tell("Y14", range, 'Write not instead of "!"', `not ${after.trim()}`)
      if (mayBegin(before)) return this.push({ _tag: "Keyword", word: "not", ...range })
    } else if (here === "%" && before?._tag === "Number" && before.unit === "percent") {
      return this.tell("E09", range, "One percent sign is enough.")
    } else if (here === "%" && isBehindValue) {
      this.tell("E09", range, "There are no remainders here: % stands behind a number, such as 5%.")
    } else if (here === "%") {
      const [written = "", digits] = /^\s*(\d+(?:\.\d+)?)/.exec(after) ?? []
      const fix = digits === undefined ? undefined : `${digits}%`
      this.tell("Y06", range, `The percent sign goes behind: ${fix ?? "5%"}`, fix)
      const end = range.end + written.length
      if (digits !== undefined)
        return this.push({ _tag: "Number", digits, unit: "percent", start: range.start, end })
    } else if (here === "₽" && !isBehindValue && /^\s*\d/.test(after)) {
      const [written = "", amount] = /^\s*(\d+(?:\.\d+)?)(?![\d.,\s_'’]*\d)/.exec(after) ?? []
      const fix = amount === undefined ? undefined : `${amount} ₽`
      const all = { start: range.start, end: range.end + written.length }
      this.tell("E07", all, `₽ stands behind the amount: ${fix ?? "100 ₽"}`, fix)
      if (amount !== undefined) return this.push({ _tag: "Number", digits: amount, unit: "money", ...all })
    } else if (here === "$") {
      const digits = /^\d+/.exec(after)?.[0] ?? ""
      const end = range.end + digits.length
      const message =
        digits === "" ? "A variable's name follows the $ sign." : "Money is written with ₽ behind the amount."
      this.tell("E15", { start: range.start, end }, message)
      this.at = end
    } else {
      this.tell("E09", range, `"${here}" has no meaning in a condition.`)
      this.take(/[^\s()[\],]*/y)
    }
    this.push({ _tag: "Unread", start: range.start, end: this.at })
  }

  private number(): undefined {
    const start = this.at
    const digits = this.take(number)!
    const next = this.text.slice(this.at)
    const range = { start, end: this.at }
    const minutes = /^:[0-5]\d(?!\d)/.exec(next)?.[0]
    if (minutes !== undefined && /^\d\d?$/.test(digits)) {
      const time = { start, end: this.at + minutes.length }
      const [hour, isWhole, behind] = [Number(digits), minutes === ":00", this.text.slice(time.end)]
      this.tell("E09", time, TimesOfDay.advice(hour, isWhole, this.made, behind))
      return this.push({ _tag: "Unread", ...time })
    }
    const day = /^\d{4}$/.test(digits)
      ? /^-\d\d-\d\d(?!\d)/.exec(next)?.[0]
      : /^\d\d?\.\d\d$/.test(digits)
        ? /^\.\d{4}(?!\d)/.exec(next)?.[0]
        : undefined
    if (day !== undefined) {
      const date = { start, end: this.at + day.length }
      this.tell("E09", date, "A date is no value here. Count the days, such as campaign.age < 7d")
      return this.push({ _tag: "Unread", ...date })
    }
    if (/^0\d/.test(digits) || (!digits.includes(".") && !Number.isSafeInteger(Number(digits)))) {
      const why = digits.startsWith("0") ? "Remove the zeros in front." : "A number has 15 digits at most."
      this.tell("Y20", range, `This number would change to ${Number(digits)}. ${why}`)
      return this.unit(start, undefined)
    }
    const tail = (this.brackets.at(-1) === true ? /^(?:[\s_'’]\d{3}(?!\d))+/ : separated).exec(next)?.[0]
    return tail === undefined
      ? this.unit(start, this.foreignNumber(start, digits))
      : this.parts(start, digits + tail)
  }

  /** A number with signs between its digits: the last may end the whole, the others are of thousands. */
  private parts(start: number, written: string): undefined {
    this.at = start + written.length
    const range = { start, end: this.at }
    const groups = written.split(/\D/)
    const signs = written.replace(/\d/g, "").replace(/[^.,]/g, " ")
    const last = signs.slice(-1)
    const [first = "", ...others] = groups
    const isShare = signs === "," && /^\s*%/.test(this.text.slice(this.at))
    const isWhole = (parts: ReadonlyArray<string>) => parts.every((part) => part.length === 3)
    const isAlike = new Set(signs).size === 1
    const isEnded = isAlike
      ? signs === ","
      : new Set(signs.slice(0, -1)).size === 1 && !signs.slice(0, -1).includes(last) && last !== " "
    const fix =
      isAlike && isWhole(others) && !isShare
        ? groups.join("")
        : isEnded && (isAlike || (/^[1-9]\d{0,2}$/.test(first) && isWhole(others.slice(0, -1))))
          ? `${groups.slice(0, -1).join("")}.${groups.at(-1)}`
          : undefined
    if (fix !== undefined && /^ +\.?$/.test(signs))
      this.tell("E06", range, `Remove the separator: ${fix}`, fix)
    else
      this.tell(
        "E05",
        range,
        fix === undefined
          ? "A number has one point or none."
          : !isAlike
            ? `Use a point, and none between thousands: ${fix}`
            : fix.includes(".")
              ? `Use a point: ${fix}`
              : `No ${last === "," ? "comma" : "point"} inside a number: ${fix}`,
        fix
      )
    return this.unit(start, fix)
  }

  /** `1e3`, `0x10`, `5k`: numbers elsewhere, and none here. Answers the digits that are meant, if that can be told. */
  private foreignNumber(start: number, digits: string): string | undefined {
    foreignAhead.lastIndex = this.at
    const tail = foreignAhead.test(this.text) ? this.take(foreignTail) : undefined
    if (tail === undefined) return digits
    const meant = String(Number(digits + (thousands.test(tail) ? "e3" : millions.test(tail) ? "e6" : tail)))
    const fix = /^\d{1,15}(?:\.\d+)?$/.test(meant) ? meant : undefined
    const message = `${digits}${tail} is no number here. Write ${fix ?? "it out in digits"}.`
    this.tell("Y20", { start, end: this.at }, message, fix)
    return fix
  }

  /** Pushes the number with the unit that stands behind it; without digits nobody knows which number. */
  private unit(start: number, digits: string | undefined): undefined {
    const push = (unit: Unit, milliseconds?: number) =>
      this.push(
        digits === undefined
          ? { _tag: "Unread", start, end: this.at }
          : {
              _tag: "Number",
              digits,
              unit,
              ...(milliseconds === undefined ? {} : { milliseconds }),
              start,
              end: this.at
            }
      )
    if (this.take(/\s*%/y) !== undefined) return push("percent")
    if (this.take(ruble) !== undefined) return push("money")
    unitAhead.lastIndex = this.at
    if (!unitAhead.test(this.text)) return push("none")
    const written = digits ?? "1"
    const duration = Durations.at(written + this.text.slice(this.at), 0)
    if (duration !== undefined) {
      this.at += duration.end - written.length
      if (duration._tag === "Vague") this.tell("K07", { start, end: this.at }, duration.message)
      return push("duration", duration.milliseconds)
    }
    if (this.take(currency) !== undefined) return push("money")
    if (digits !== undefined && this.take(inPercent) !== undefined) {
      const end = this.at
      this.tell(
        "E07",
        { start, end },
        `Write ${digits}% instead of ${this.text.slice(start, end)}`,
        `${digits}%`
      )
      return push("percent")
    }
    if (this.take(counted) !== undefined) return push("pieces")
    const isInKopecks = this.take(inKopecks) !== undefined
    if (!isInKopecks && this.take(otherCurrency) === undefined) return push("none")
    const fix = isInKopecks && digits !== undefined ? roublesOf(digits) : undefined
    const message =
      fix === undefined ? "Amounts are in ₽ only. Write what it comes to." : `Amounts are in ₽ only: ${fix}`
    this.tell("E07", { start, end: this.at }, message, fix)
    this.push({ _tag: "Unread", start, end: this.at })
  }

  private quoted(quote: string): undefined {
    const start = this.at
    const end = this.text.indexOf(quote, start + 1)
    if (end !== -1)
      return this.push({ _tag: "Text", value: this.text.slice(start + 1, end), start, end: end + 1 })
    this.tell("E09", this.span(1), `This quote is not closed: add ${quote}`)
    this.push({ _tag: "Unread", start, end: this.text.length })
  }

  private word(): undefined {
    const start = this.at
    const written = this.take(plainWord) ?? this.take(word)
    if (written === undefined) {
      const here = signAt(this.text, start)
      this.tell("E09", this.span(here.length), `"${here}" has no meaning here.`)
      return this.push({ _tag: "Unread", ...this.span(here.length) })
    }
    const range = { start, end: this.at }
    const member = levels.test(written) ? /^\s+([a-z_]+)/.exec(this.text.slice(this.at)) : null
    const isMember = member !== null && !keywords.has(member[1]!) && !softWords.has(member[1]!)
    if (isMember && Phrases.at(this.text, this.at + member[0].length - member[1]!.length) === undefined) {
      const name = `${written}.${member[1]}`
      const all = { start, end: this.at + member[0].length }
      this.tell("E09", all, `A field has no space: ${name}`, name)
      return this.push({ _tag: "Word", name, ...all })
    }
    const foreignWord = this.isInRange(written) ? "and" : foreignWords.get(written.toLowerCase())
    if (foreignWord !== undefined)
      this.tell("E07", range, `Write ${foreignWord} instead of ${written}`, foreignWord)
    const latin = lookAlike(written, /^\s*\(/.test(this.text.slice(this.at)))
    if (latin !== undefined) {
      const message = `${Suggest.cyrillicLetter(written)} of "${written}" is Cyrillic. Did you mean ${latin}?`
      this.tell("E12", range, message, latin)
    }
    const name = foreignWord ?? latin ?? written
    const lower = name.toLowerCase()
    if (keywords.has(lower)) {
      this.push({ _tag: "Keyword", word: lower, ...range })
      if (lower === "matches" || lower === "contains") this.bareText(lower)
      return
    }
    if (this.text[this.at] !== "[") return this.push({ _tag: "Word", name, ...range })
    const opening = this.at
    const end = this.text.indexOf("]", opening)
    if (end === -1) {
      this.tell("E09", { start: opening, end: opening + 1 }, "This bracket is not closed: add ]")
      return this.push({ _tag: "Unread", start, end: this.text.length })
    }
    const window = { text: this.text.slice(opening + 1, end), start: opening + 1, end }
    this.push({ _tag: "Word", name, window, start, end: end + 1 })
  }

  /** Another spelling of what goes on behind a value, or days that stand beside a condition. True if there was one. */
  private phrase(): boolean {
    const before = this.made.at(-1)
    const isBehind = before !== undefined && isValue(before)
    if (!isBehind) return mayBegin(before) && (this.days() || this.opener())
    rightly.lastIndex = this.at
    if (rightly.test(this.text)) return false
    const phrase = this.isAsked() ? undefined : Phrases.at(this.text, this.at)
    if (phrase === undefined) return this.days()
    const range = this.span(phrase.written.length)
    if (before._tag === "Word" && before.name.endsWith("avg_pos") && Phrases.isOfHeight(phrase.written))
      this.tell("E09", range, "The highest place is 1: < means nearer to it, > further down.")
    else if (phrase.meant !== "not contains")
      this.tell("E07", range, `Write ${phrase.meant} instead of ${phrase.written}`, phrase.meant)
    for (const word of phrase.meant.split(" "))
      this.push(
        keywords.has(word)
          ? { _tag: "Keyword", word, ...range }
          : softWords.has(word)
            ? { _tag: "Word", name: word, ...range }
            : { _tag: "Sign", sign: word, ...range }
      )
    return true
  }

  /** `if orders > 3` */
  private opener(): boolean {
    const written = this.take(opener)?.trim()
    if (written === undefined) return false
    const range = { start: this.at - written.length, end: this.at }
    this.tell("E07", range, `Remove ${written}: a condition begins with its field.`)
    return true
  }

  /** `between 3 to 5` */
  private isInRange(word: string): boolean {
    const last = this.made.findLast((token) => token._tag === "Keyword")
    return /^(?:to|до|по)$/i.test(word) && last?._tag === "Keyword" && last.word === "between"
  }

  /** Whether this part of the condition compares already. */
  private isAsked(): boolean {
    const from = this.made.findLastIndex(
      (token) =>
        (token._tag === "Keyword" && /^(?:and|or)$/.test(token.word)) ||
        (token._tag === "Sign" && token.sign === "(")
    )
    return this.made
      .slice(from + 1)
      .some((token) => isQuestion(token) && !(token._tag === "Keyword" && token.word === "not"))
  }

  private days(): boolean {
    const phrase = Phrases.daysAt(this.text, this.at)
    // A time within which something is has an advice of its own.
    if (phrase === undefined || (/^in\b/.test(phrase.written) && !this.isAsked())) return false
    const range = this.span(phrase.written.length)
    const at = this.made.findLastIndex((token) => token._tag === "Word")
    const before = this.made[at]
    const field =
      before?._tag === "Word"
        ? before.name
        : (/^\s+([a-z_.]+)/i.exec(this.text.slice(range.end))?.[1] ?? "orders")
    // The field has its days then, though at another place: it needs no others.
    if (before?._tag === "Word" && phrase.meant !== "a day")
      this.made[at] = { ...before, window: { text: phrase.meant, ...range } }
    this.tell(
      "E09",
      range,
      phrase.meant === "a day"
        ? `Of which day? Write ${field}[today] or ${field}[yesterday], or ${field}[7d] / 7 for an average.`
        : `Days stand in square brackets behind the field: ${field}[${phrase.meant}]`
    )
    this.at = range.end
    return true
  }

  private bareText(verb: "matches" | "contains"): void {
    const written = this.take(bareText)?.trim()
    if (written === undefined) return
    const range = { start: this.at - written.length, end: this.at }
    // Stars around a word say what contains does by itself; as letters they would be found nowhere.
    const value = (verb === "contains" && /^\*+([^*?]+)\*+$/.exec(written)?.[1]) || written
    this.tell("E11", range, "Text needs quotes.", `"${value}"`)
    this.push({ _tag: "Text", value, ...range })
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

  private push(token: Token): undefined {
    this.made.push(token)
    this.at = token.end
  }

  private tell(code: Fault["code"], range: Range, message: string, fix?: string): undefined {
    this.faults.push(fault(code, range, message, fix))
  }
}
