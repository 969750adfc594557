/** What the words of one expression may mean, and where its problems are reported. */
import * as Either from "effect/Either"
import type * as Window from "../../../domain/Window.js"
import * as ClockFacts from "../../facts/ClockFacts.js"
import type { Fact } from "../../facts/FactType.js"
import * as FactType from "../../facts/FactType.js"
import * as Level from "../../facts/Level.js"
import * as Sources from "../../facts/Sources.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Each, Expr, FactRef } from "../Policy.js"
import type { Code } from "../problems/Codes.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Suggest from "../problems/Suggest.js"
import type { Ast, Bracket } from "../syntax/Syntax.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import { rangeIn } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Formulas from "./Formulas.js"
import * as Windows from "./Windows.js"

/** Setting of a policy that its expressions share. */
export interface Setting {
  readonly each: Each
  /** Nobody knows which rows are meant, which was reported: a word then is the fact of any rows that have it. */
  readonly isLevelUnsure?: true
  /** `window:` of the policy and its place; absent when it has none. */
  readonly window?: { readonly value: Window.Window; readonly node: Node }
  /** Decided by the conditions before, for `bid_step`. */
  readonly payment?: "cpm" | "cpc"
  /** Some condition could not be read, so nobody knows whether the payment type is open. */
  readonly paymentUnsure?: boolean
  /** City of the schedule, IANA, for `hour` and `weekday`; absent where there is no clock to look at. */
  readonly zone?: string
  /** `lasting`: no statistics and nothing scarce (`where:`); `campaign`: only what is known of every campaign. */
  readonly allowed: "everything" | "lasting" | "campaign"
  /** Of the rows given the first on which the policy would have fewer errors; for advice. */
  readonly suits?: ((possible: ReadonlyArray<Each>) => Each | undefined) | undefined
  /** Facts from tables of the seller's, by the word that names them. */
  readonly own?: ReadonlyMap<string, Fact>
}

const lasting = "where: and limits are about what lasts, whatever the time."

/** One statistic over neighbouring windows. */
export interface Pair {
  readonly now: Expr
  readonly before: Expr
}

export class Scope {
  /** Words in letters of the wrong case or alphabet, and how they are spelt. */
  private readonly misspelt = new Map<string, string>()
  constructor(
    readonly setting: Setting,
    readonly node: ScalarNode,
    readonly problems: Problems
  ) {}

  /** Reports a problem of a part of the expression. */
  error(code: Code, range: Range, message: string, fix?: string): undefined {
    return this.problems.error(code, rangeIn(this.node, range.start, range.end), message, fix)
  }

  /** As `error`, of what keeps no policy from being loaded. */
  warning(code: Code, range: Range, message: string, fix?: string): undefined {
    return this.problems.warning(code, rangeIn(this.node, range.start, range.end), message, fix)
  }

  /** The part of the expression as written. */
  part(range: Range): string {
    return this.node.text.slice(range.start, range.end)
  }

  /** The same, for advice: with the fields as they are spelt. */
  spelt(start: number, end: number): string {
    let text = this.node.text.slice(start, end)
    for (const [wrong, right] of this.misspelt) text = text.replaceAll(wrong, right)
    return text
  }

  /** The fact a word names, be it in letters of the wrong case or alphabet, without any report. */
  lookup(name: string): Fact | undefined {
    return this.named(name) ?? this.named(spellingOf(name))
  }

  /** The fact of exactly this name. */
  named(name: string): Fact | undefined {
    const { payment, each } = this.setting
    const word = name === "bid_step" && payment !== undefined ? `bid_step.${payment}` : name
    return this.resolve(word, each)
  }

  private resolve(word: string, level: Each): Fact | undefined {
    const own = this.setting.own?.get(word)
    const reached = own !== undefined && Level.reaches(level, own.level) ? own : undefined
    const found = Vocabulary.resolve(word, level) ?? reached
    if (found !== undefined || this.setting.isLevelUnsure !== true) return found
    return Vocabulary.facts.find((fact) => fact.word === word) ?? own
  }

  /** A word as a fact with its window; reports why it cannot be one. */
  fact(word: Extract<Ast, { _tag: "Word" }>): Expr | undefined {
    const fact = this.meant(word)
    if (fact === undefined) return undefined
    const ref = this.reference(fact, word)
    if (fact.formula === undefined) return { _tag: "Fact", type: fact.type, fact: ref }
    return this.formula(fact, ref, word)
  }

  /** Reports a word that is no fact, or is misspelt. */
  private meant(word: Extract<Ast, { _tag: "Word" }>): Fact | undefined {
    const fact = this.named(word.name)
    if (fact !== undefined) return fact
    this.unknown(word)
    this.misspelt.set(word.name, spellingOf(word.name))
    return this.lookup(word.name)
  }

  /** What a derived fact is made of; says which fact of the seller's own it lacks. */
  private formula(fact: Fact, ref: FactRef, word: Extract<Ast, { _tag: "Word" }>): Expr | undefined {
    const made = Formulas.expand(fact, ref, (name, level) => this.resolve(name, level))
    if (made._tag === "Made") return made.expr
    const message = `${word.name} is ${fact.formula}, and nothing says what ${made.word} is.`
    return this.error("E02", word, `${message} Add it as a fact of your own: kind: facts.`)
  }

  /** A statistic over a window and over the days before it; what is wrong is reported. */
  change(word: Extract<Ast, { _tag: "Word" }>, bracket: Bracket): Pair | undefined {
    const fact = this.meant(word)
    if (fact === undefined) return undefined
    const { type, id } = fact
    const now = this.reference(fact, { ...word, window: bracket })
    if (now.window === undefined) return undefined
    const before = Windows.previous(now.window)
    if (before === undefined) {
      return this.error(
        "K16",
        bracket,
        "today has no days before it to compare with. Use days, such as 7d.",
        "7d"
      )
    }
    this.fits(before, Sources.sources[fact.source], rangeIn(this.node, bracket.start, bracket.end))
    if (fact.formula !== undefined) {
      const late = this.formula(fact, now, word)
      const early = late === undefined ? undefined : this.formula(fact, { id, window: before }, word)
      return late === undefined || early === undefined ? undefined : { now: late, before: early }
    }
    return {
      now: { _tag: "Fact", type, fact: now },
      before: { _tag: "Fact", type, fact: { id, window: before } }
    }
  }

  /** The fact with its window. What is wrong with either is reported, and the rest of the expression still checked. */
  private reference(fact: Fact, word: Extract<Ast, { _tag: "Word" }>): FactRef {
    const source: Sources.Source = Sources.sources[fact.source]
    const { allowed, window: fallback, zone } = this.setting
    if (fact.source === "clock") return this.onClock(fact, word, zone)
    if (allowed !== "everything" && Sources.passes(fact.source)) {
      this.error("E18", word, `${word.name} may stand in when: and revert_when: only: ${lasting}`)
      return { id: fact.id }
    }
    if (allowed === "campaign" && source.cost !== "local") {
      const instead = "Use campaign.name, campaign.status and the like."
      this.error("E18", word, `${word.name} is not known of every campaign. ${instead}`)
      return { id: fact.id }
    }
    if (allowed === "lasting" && (fact.windowed || source.cost === "scarce")) {
      this.error("E18", word, `where: takes lasting properties. Move ${word.name} to when:.`)
      return { id: fact.id }
    }
    if (word.window !== undefined) return this.overridden(fact, source, word, word.window)
    if (!fact.windowed) return { id: fact.id }
    if (fallback === undefined) {
      const example = Suggest.forExample(`window: 7d or ${word.name}[7d]`)
      this.error("E17", word, `${word.name} is counted over days, and no window says which.${example}`)
      return { id: fact.id }
    }
    this.fits(fallback.value, source, fallback.node.range)
    return { id: fact.id, window: fallback.value }
  }

  private onClock(
    fact: Fact,
    { name, window, ...word }: Extract<Ast, { _tag: "Word" }>,
    zone: string | undefined
  ): FactRef {
    if (this.setting.allowed !== "everything") {
      this.error("E18", word, `${name} may stand in when: and revert_when: only: ${lasting}`)
    } else if (window !== undefined) {
      this.error("E19", window, `${name} is what it is now: it has no window.`, name)
    } else if (zone === undefined) {
      const message = `${name} of which city's clock? Name it in schedule:, such as tz: Europe/Moscow`
      this.error("K13", word, message)
    } else return { id: ClockFacts.idIn(fact.id, zone) }
    return { id: fact.id }
  }

  private overridden(
    fact: Fact,
    source: Sources.Source,
    { name }: Extract<Ast, { _tag: "Word" }>,
    bracket: Bracket
  ): FactRef {
    const read = Windows.read(bracket.text)
    if (!fact.windowed) this.error("E19", bracket, `${name} is what it is now: it has no window.`, name)
    else if (read._tag === "Wrong") this.error(read.code, bracket, read.message, read.fix)
    else {
      this.fits(read.window, source, rangeIn(this.node, bracket.start, bracket.end))
      return { id: fact.id, window: read.window }
    }
    return { id: fact.id }
  }

  private fits(window: Window.Window, source: Sources.Source, range: Range): void {
    const longest = source.maxWindowDays ?? 0
    const reach = Windows.reach(window)
    if (window._tag === "Today" && source.untilYesterday === true) {
      this.problems.error("K08", range, "These statistics end yesterday: today is not told yet.", "1d")
    }
    if (window._tag === "Today" || reach <= longest) return
    const message = `These statistics reach back ${longest} days at most`
    const parts = `${window.days}d that end ${window.settleDays}d before`
    if (window.settleDays === 0) this.problems.error("K08", range, `${message}.`, `${longest}d`)
    else this.problems.error("K08", range, `${message}; ${parts} reach back ${reach}.`)
  }

  private unknown(word: Extract<Ast, { _tag: "Word" }>): undefined {
    const { each, payment } = this.setting
    const { name } = word
    const own = [...(this.setting.own?.values() ?? [])]
    const words = [...Vocabulary.words(each), ...own.map((fact) => fact.word)]
    const range = { start: word.start, end: word.start + name.length }
    if (name === "bid_step" && payment === undefined) {
      if (this.setting.paymentUnsure === true) return undefined
      return this.error(
        "K11",
        range,
        "The bid step differs in cpm and cpc. Write bid_step.cpm or bid_step.cpc."
      )
    }
    const latin = Suggest.latin(name)
    if (latin !== undefined && this.named(latin) !== undefined) {
      return this.error(
        "E12",
        range,
        `${Suggest.cyrillicLetter(name)} of "${name}" is Cyrillic. Did you mean ${latin}?`,
        latin
      )
    }
    if (this.isVariable(name, range)) {
      const fix = `$${name}`
      return this.error("E01", range, `Unknown field "${name}". A variable has its $ in front: ${fix}`, fix)
    }
    const elsewhere = [...Vocabulary.facts, ...own].filter((fact) => fact.word === name)
    if (elsewhere.length > 0) return this.ofOtherRows(name, elsewhere, range)
    const advice = ForeignWords.field(name, each, (fact, level) => this.isKnown(fact, level))
    if (advice !== undefined) return this.advised(name, advice, range)
    const near = Suggest.nearest(name, words)
    const hint =
      near === undefined ? "The reference lists every field. Text needs quotes." : `Did you mean ${near}?`
    return this.error("E01", range, `Unknown field "${name}". ${hint}`, near)
  }

  /** Of a bare word where a text belongs. */
  quoteIt(word: Range): undefined {
    const text = this.part(word)
    return this.isVariable(text, word)
      ? this.error("E11", word, `A variable has its $ in front: $${text}`, `$${text}`)
      : this.error("E11", word, "Text needs quotes.", `"${text}"`)
  }

  /** True of a name that is a variable's, once it has its dollar. */
  private isVariable(name: string, range: Range): boolean {
    return this.node.vars !== undefined && this.node.vars.lookup(name, range)._tag !== "Fault"
  }

  /** True of a fact whose formula, if it has one, lacks nothing. */
  private isKnown(word: string, level: Each): boolean {
    const fact = this.resolve(word, level)
    if (fact?.formula === undefined) return fact !== undefined
    return Formulas.expand(fact, { id: fact.id }, (name, of) => this.resolve(name, of))._tag === "Made"
  }

  /** A fact that rows of other levels have: how to ask for it from here, where that can be. */
  private ofOtherRows(name: string, facts: ReadonlyArray<Fact>, range: Range): undefined {
    const { each } = this.setting
    const levels = [...new Set(facts.map((fact) => fact.level))]
    const message = `${name} exists per ${levels.join(" and per ")}; these rows are per ${each}.`
    const prefixed = [`item.${name}`, `campaign.${name}`].find(
      (word) => this.resolve(word, each) !== undefined
    )
    if (prefixed !== undefined) return this.error("E02", range, message, prefixed)
    const below = Level.below(each)
    const fact = below === undefined ? undefined : this.resolve(name, below)
    if (below === undefined || fact === undefined) return this.error("E02", range, message)
    const adds = fact.type._tag === "Count" || fact.type._tag === "Money" ? ` or sum(${name})` : ""
    const how = `Ask it of the ${Level.several[below]} of each: all(${name} …), any(${name} …)${adds}.`
    return this.error("E02", range, `${message} ${how}`)
  }

  private advised(name: string, { elsewhere, note, write }: ForeignWords.Advice, range: Range): undefined {
    const { each } = this.setting
    const more = note === undefined ? "" : ` ${note}`
    if (write !== undefined)
      return this.error("E01", range, `Unknown field "${name}". Here it is ${write}.${more}`, write)
    const where =
      elsewhere === undefined
        ? ""
        : ` It is ${elsewhere.write} on rows per ${elsewhere.each}; these rows are per ${each}.`
    return this.error("E01", range, `Unknown field "${name}".${where}${more}`)
  }
}

const spellingOf = (name: string): string => Suggest.latin(name) ?? name.toLowerCase()

/** A number of the text as a typed literal; `wanted` decides what a bare number is. */
export const literal = (
  ast: Extract<Ast, { _tag: "Number" }>,
  wanted: FactType.FactType | undefined,
  scope: Scope
): Expr | undefined => {
  switch (ast.unit) {
    case "percent":
      return { _tag: "Literal", type: FactType.ratio, value: Number(`${ast.digits}e-2`) }
    case "duration":
      return { _tag: "Literal", type: FactType.duration, value: ast.milliseconds ?? 0 }
    case "none": {
      const type = wanted?._tag === "Count" ? FactType.count : FactType.number
      if (type === FactType.count && /^\d{1,3}\.\d{3}$/.test(ast.digits)) {
        const thousands = ast.digits.replace(".", "")
        return scope.error(
          "E05",
          ast,
          `Counts are whole, and a point ends the whole: ${thousands}?`,
          thousands
        )
      }
      return { _tag: "Literal", type, value: Number(ast.digits) }
    }
    case "pieces":
      return wanted === undefined || /^(?:Count|Number)$/.test(wanted._tag)
        ? scope.error("E07", ast, `A count has no unit: ${ast.digits}`, ast.digits)
        : scope.error("E11", ast, `${scope.part(ast)} is a count, and ${FactType.describe(wanted)} is meant.`)
    case "money": {
      const kopecks = Amounts.ofDigits(ast.digits)
      if (Either.isLeft(kopecks)) return scope.error("K14", ast, `An amount ${kopecks.left}.`)
      return { _tag: "Literal", type: FactType.money, value: kopecks.right }
    }
  }
}
