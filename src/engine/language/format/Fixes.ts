/**
 * Which problems a program may mend by itself. A fix is safe when only one thing can have been meant; no fix writes
 * an amount, a bound, a mode or a condition that the author did not write.
 */
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Diagnostic } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Suggest from "../problems/Suggest.js"
import * as Keys from "../shape/Keys.js"
import * as Phrases from "../syntax/Phrases.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import type { Edit } from "./Edits.js"

/** The edits that mend a problem; empty when a person must decide. `source` is the text the problem was found in. */
export const edits = (source: Source.Source, diagnostic: Diagnostic): ReadonlyArray<Edit> => {
  const { span } = diagnostic
  const start = (source.lineStarts[span.line - 1] ?? 0) + span.column - 1
  const end = (source.lineStarts[span.endLine - 1] ?? 0) + span.endColumn - 1
  if (end < start || end > source.text.length) return []
  const line = Source.line(source, span.line)
  const at: Spot = { source, start, end, line, word: source.text.slice(start, end) }
  const made = safe[diagnostic.code]?.(at, diagnostic.fix ?? "", diagnostic.message) ?? []
  return made.every((edit) => source.text.slice(edit.start, edit.end) !== edit.text) ? made : []
}

interface Spot extends Range {
  readonly source: Source.Source
  /** What the problem points at, as written. */
  readonly word: string
  /** Its whole line. */
  readonly line: string
}

type Fixer = (at: Spot, fix: string, message: string) => ReadonlyArray<Edit>

const replace = ({ start, end }: Range, text: string): ReadonlyArray<Edit> => [{ start, end, text }]

const facts = Vocabulary.facts.map(({ word }) => word)
const enumWords = Vocabulary.facts.flatMap(({ type }) => (type._tag === "Enum" ? type.words : []))
const options = [...Keys.all, ...Keys.later, ...Keys.laterActions]

const respell =
  (known: ReadonlyArray<string>): Fixer =>
  (at, fix) =>
    /^[\w.]+$/.test(fix) && Suggest.certain(at.word, fix, known) ? replace(at, fix) : []

/** Which of several fields was meant, nobody knows but who wrote it. */
const respellFact: Fixer = (at, fix, message) =>
  ForeignWords.isAmbiguous(at.word) ? [] : respell(facts)(at, fix, message)

/** Exactly the same look: nothing else can have been meant. */
const lookAlike: Fixer = (at, fix) => (fix !== "" && Suggest.latin(at.word) === fix ? replace(at, fix) : [])

/** Only what is no amount or name of its own; a word gets the spaces it needs. */
const foreignSigns = new Map(
  Object.entries({
    "&&": "and",
    "||": "or",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "×": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "&": "and",
    "|": "or"
  })
)
const operator: Fixer = (at, fix) => {
  const { text } = at.source
  const known =
    foreignSigns.get(at.word) === fix ||
    Phrases.certain(at.word) === fix ||
    /^(и|или|не|в)$/i.test(at.word) ||
    // The number itself stays as it is written: `1,500 шт` may be one and a half, and `12 шт 450 ₽` is not 12450 ₽.
    (/^\d+(?:\.\d+)?%?$/.test(fix) &&
      at.word.startsWith(fix.replace("%", "")) &&
      !/^\s*[\d₽%]/.test(text.slice(at.end)))
  if (!known || fix === "") return []
  const before = /\w/.test(fix) && /\S/.test(text[at.start - 1] ?? " ") ? " " : ""
  const after = /\w/.test(fix) && /\S/.test(text[at.end] ?? " ") ? " " : ""
  return replace(at, `${before}${fix}${after}`)
}

/** Shares of 0.01 to 0.09 are 1% to 9%, and 10 to 100 are percent; what lies between may be either. */
const percent: Fixer = (at) => {
  const key = /([a-z_]+):\s*["']?$/.exec(at.source.text.slice(Math.max(0, at.start - 40), at.start))?.[1]
  if (key === "by") return []
  const share = /^0\.0([1-9])$/.exec(at.word)?.[1]
  if (share !== undefined) return replace(at, `${share}%`)
  return /^([1-9]\d|100)$/.test(at.word) ? replace(at, `${at.word}%`) : []
}

const decimalComma: Fixer = (at) =>
  /^(?:\d+|[1-9]\d{0,2}(?:[ _'’]\d{3})+),\d{1,2}$/.test(at.word)
    ? replace(at, at.word.replace(/[ _'’]/g, "").replace(",", "."))
    : []

/** `1 000` and `1_000`; a point or comma may be a decimal sign. */
const separators: Fixer = (at) =>
  /^[1-9]\d{0,2}(?:[ _'’]\d{3})+(?:\.\d{1,2})?$/.test(at.word)
    ? replace(at, at.word.replace(/[ _'’]/g, ""))
    : []

/** In an indentation of an odd length, the first odd space is one too many. */
const spaceOf = (at: Spot): string => {
  const lead = /^\s*/.exec(at.line)![0]
  const column = at.start - at.source.text.lastIndexOf("\n", at.start - 1) - 1
  return lead.length % 2 === 1 && lead.search(/[^ ]/) === column ? "" : " "
}

/** Odd spaces become spaces, marks without width go; control characters have no meaning to guess. */
const invisible: Fixer = (at) => {
  if (/^[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/.test(at.word)) return replace(at, spaceOf(at))
  return /^[\u00ad\u200b\u200c\u200e\u200f\u2060-\u2064\ufeff]$/.test(at.word) ? replace(at, "") : []
}

const afterColon: Fixer = (at) => {
  const colon = /^(?:- )?[\p{L}_]+:(?=\S|$)/u.exec(at.word)?.[0]
  const end = at.start + (colon?.length ?? 0)
  return colon === undefined ? [] : [{ start: end, end, text: " " }]
}

const afterDash: Fixer = (at) =>
  at.word === "-" ? [{ start: at.start + 1, end: at.start + 1, text: " " }] : []

const percentFirst: Fixer = (at) => {
  const found = /^%\s*(\d+(?:\.\d+)?)(?!\d|[.,]\d|%)/.exec(at.source.text.slice(at.start, at.start + 40))
  return found === null ? [] : replace({ start: at.start, end: at.start + found[0].length }, `${found[1]}%`)
}

/** The whole value of `name:` in quotes: text with a colon, or with a leading asterisk. */
const quoteName: Fixer = (at) => {
  const found = /^(\s*name: +)([^"'\s#][^"\\#]*?)\s*$/.exec(at.line)
  const start = at.start - Source.span(at.source, at).column + 1 + (found?.[1]?.length ?? 0)
  const value = found?.[2] ?? ""
  return value === "" ? [] : replace({ start, end: start + value.length }, `"${value}"`)
}

const bang: Fixer = (at) =>
  /^!(?=[\p{L}_(])/u.test(at.source.text.slice(at.start)) && /^\s*(- |when: |where: )/.test(at.line)
    ? [{ start: at.start, end: at.start + 1, text: "not " }]
    : []

/** Both quotes of a pair, on one line, with no straight quotes beside them. */
const curly: Fixer = (at) => {
  const rest = at.source.text.slice(at.start, at.start + 300)
  const pair = /^[“”„«‘](?<inside>[^“”„«»‘’"'\\\r\n]*)[“”»’]/.exec(rest)
  if (pair === null || /["']/.test(at.line)) return []
  return replace({ start: at.start, end: at.start + pair[0].length }, `"${pair.groups?.inside ?? ""}"`)
}

/** Moscow by the names it goes by; every other city must be named by its people. */
const zone: Fixer = (at, fix) => (fix === "" ? [] : replace(at, fix))

/** `7 days` is 7d. Months have no length. */
const duration: Fixer = (at, _fix, message) => {
  const meant = /^Write (\d+[smhdw])\.$/.exec(message)?.[1]
  return meant !== undefined && /^\d/.test(at.word) ? replace(at, meant) : []
}

/** A mode decides whether money moves: it is never written for anyone. */
const wordOfKey: Fixer = (at, fix) => (/^\s*mode:/.test(at.line) ? [] : respell(enumerated)(at, fix, ""))
const enumerated = ["campaign", "campaign_item", "cluster", "search", "recommendations"]

const safe: Readonly<Record<string, Fixer>> = {
  Y02: invisible,
  Y03: afterColon,
  Y06: percentFirst,
  Y07: quoteName,
  Y12: afterDash,
  Y14: bang,
  Y16: quoteName,
  Y17: curly,
  K01: respell(options),
  K02: respell(options),
  K04: wordOfKey,
  K05: zone,
  K07: duration,
  E01: respellFact,
  E03: percent,
  E05: decimalComma,
  E06: separators,
  E07: operator,
  E12: lookAlike,
  E13: respell(enumWords)
}
