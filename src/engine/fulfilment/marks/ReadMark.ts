/**
 * Marks of the six kinds, from the text that a scanner, a person or a spreadsheet left (seed 000 "Label identifiers"; field
 * notes O15, O17). What can only have been meant one way is mended and told; everything else is a problem, since a refusal on
 * this host costs ten requests. Reading what was read changes nothing.
 */
import * as Days from "../../../domain/Days.js"
import { Mark, type MarkKind, separator } from "./Mark.js"
import type { MarkProblem, Mended } from "./MarkProblem.js"

export type ReadMark =
  | { readonly _tag: "Mark"; readonly mark: Mark; readonly mended: ReadonlyArray<Mended> }
  | { readonly _tag: "Wrong"; readonly problem: MarkProblem; readonly mended: ReadonlyArray<Mended> }

/** Most marking codes of one order. */
export const mostSgtins = 100

/** `nowMs` (epoch milliseconds) is what an expiration counts from. One problem is told, the one to mend first. */
export const read = (kind: MarkKind, given: string, nowMs: number): ReadMark => {
  const mended: Array<Mended> = []
  const text = unwrapped(given, mended)
  const problem = text === "" ? ({ code: "empty" } as const) : undefined
  const made = problem ?? readers[kind](text, mended, nowMs)
  return typeof made === "string"
    ? { _tag: "Mark", mark: Mark.of(kind, made), mended }
    : { _tag: "Wrong", problem: made, mended }
}

/** A value as it is sent, or what is wrong with it. */
type Made = string | MarkProblem
type Reader = (text: string, mended: Array<Mended>, nowMs: number) => Made

/** Blanks of any kind at the ends, signs without width anywhere, and what spreadsheets put around. */
const unwrapped = (given: string, mended: Array<Mended>): string => {
  const bare = given.replace(invisible, "").trim()
  if (bare !== given) mended.push({ code: "blanks" })
  const inner = /^="(.*)"$/su.exec(bare)?.[1] ?? /^'(.*)$/su.exec(bare)?.[1]
  if (inner === undefined) return bare
  mended.push({ code: "spreadsheet_quotes" })
  return inner.trim()
}

/** Zero-width signs, byte order marks and marks of direction. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu

// Marking codes.

const shortest = 16
const longest = 135
const longestSerial = 20

const sgtin: Reader = (text, mended) => {
  const once = withoutPrefix(replaced(text, certain, mended), mended)
  const bare = once.includes(separator) ? once : withoutPrefix(replaced(once, likely, mended), mended)
  const wrong = foreign(bare) ?? lengthOf(bare, shortest, longest)
  return wrong ?? parts(bare) ?? bare
}

const prefixes = new RegExp(`^(\\][CdQeJ][0-9]|${separator})+`, "u")

/** `]d2` and its like name the kind of symbol; a separator at the start stands for the same. */
const withoutPrefix = (text: string, mended: Array<Mended>): string => {
  const prefix = prefixes.exec(text)?.[0]
  if (prefix === undefined) return text
  mended.push({ code: "scanner_prefix", written: prefix.replaceAll(separator, "GS") })
  return text.slice(prefix.length)
}

/** Spellings whose signs stand in no code: they can only have been meant as separators. */
const certain = /\\u001d|\\x1d|\\035|\^\]|\[GS\]|\{GS\}|&#(?:29|x1d);|␝|↔/giu
/** Spellings whose signs a code may hold by chance: believed where there is no separator at all. */
const likely = /<GS>|_x001d_|%1D/giu

const replaced = (text: string, spelling: RegExp, mended: Array<Mended>): string => {
  const found = text.match(spelling)
  if (found === null) return text
  mended.push({ code: "separator_written", written: found[0], count: found.length })
  return text.replace(spelling, separator)
}

/** What a code may hold beside the separator: GS1's set 82. */
const allowed = /[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]/u
const allAllowed = new RegExp(`^(?:${allowed.source}|${separator})*$`, "u")

const foreign = (code: string): MarkProblem | undefined => {
  if (allAllowed.test(code)) return undefined
  const signs = [...code]
  const cyrillic = signs.flatMap((sign, at) => (/[\u0400-\u04ff№]/u.test(sign) ? [{ sign, at }] : []))
  const [first] = cyrillic
  if (first !== undefined)
    return cyrillic.every(({ sign }) => lookAlikes.includes(sign))
      ? { code: "look_alike", place: first.at + 1, sign: named(first.sign) }
      : { code: "cyrillic_layout", place: first.at + 1 }
  const at = signs.findIndex((sign) => sign !== separator && !allowed.test(sign))
  if (at < 0) return undefined
  return /\s/u.test(signs[at]!)
    ? { code: "space_inside", place: at + 1 }
    : { code: "foreign_sign", place: at + 1, sign: named(signs[at]!) }
}

/** Cyrillic letters that nobody sees to be Cyrillic. */
const lookAlikes = "АВЕЗКМНОРСТУХЅІЈасеорухѕіј"

/** `"А" (U+0410)`; what would steer a terminal by its number alone. */
const named = (sign: string): string => {
  const number = `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
  return /[\p{C}\p{Z}]/u.test(sign) ? number : `"${sign}" (${number})`
}

const lengthOf = (text: string, least: number, most: number): MarkProblem | undefined =>
  text.length < least || text.length > most ? { code: "length", length: text.length, least, most } : undefined

/** `01` and the goods, `21` and the serial number, then parts that separators keep apart (GS1's application identifiers). */
const parts = (code: string): MarkProblem | undefined => {
  if (/^\(01\)/.test(code)) return { code: "bracketed" }
  const goods = /^01(\d{14})/.exec(code)?.[1]
  if (goods === undefined) return { code: "no_gtin" }
  if (!fitsGtin(goods)) return { code: "check_digit", of: "sgtin" }
  if (code.slice(16, 18) !== "21") return { code: "no_serial" }
  const [head = "", ...rest] = code.split(separator)
  if (rest.length === 0) return { code: "separator_lost" }
  const serial = head.length - 18
  if (serial < 1) return { code: "serial_length", length: serial, most: longestSerial }
  if (serial > longestSerial) return tooLong(head, serial)
  return restOf(head, rest)
}

/** A serial number that swallowed the next part lost the separator between them. */
const tooLong = (head: string, length: number): MarkProblem => {
  const next = /9[13].{4}(?:92.*)?$/u.exec(head.slice(19))
  return next === null
    ? { code: "serial_length", length, most: longestSerial }
    : { code: "separator_missing", place: 20 + next.index }
}

/** A key (`91`) has four signs; the proof (`92`) stands behind it, and needs a separator of its own. */
const restOf = (head: string, rest: ReadonlyArray<string>): MarkProblem | undefined => {
  const swallowed = /91.{4}$/u.exec(head.slice(19))
  let at = head.length + 1
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1
    if (/^91.{4}92.{20}/u.test(part)) return { code: "separator_missing", place: at + 7 }
    if (index === 0 && swallowed !== null && part.startsWith("92"))
      return { code: "separator_missing", place: 20 + swallowed.index }
    if (!/^\d{2}./u.test(part) && !(isLast && part === "")) return { code: "part_unreadable", place: at + 1 }
    at += part.length + 1
  }
  return undefined
}

// Numbers.

/** Digits alone; a number that a spreadsheet shortened, or a letter among the digits, is told. */
const digits = (text: string, mended: Array<Mended>): Made => {
  if (/^\d(?:[.,]\d+)?e\+?\d+$/iu.test(text)) return { code: "shortened" }
  const whole = text.replace(/^(\d+)[.,]0+$/u, "$1")
  if (whole !== text) mended.push({ code: "decimals" })
  const joined = whole.replace(/(?<=\d)[\s\u2010-\u2015-]+(?=\d)/gu, "")
  if (joined !== whole) mended.push({ code: "grouping" })
  const signs = [...joined]
  const at = signs.findIndex((sign) => !/[0-9]/.test(sign))
  if (at < 0) return joined
  const sign = signs[at]!
  return { code: "no_digit", place: at + 1, sign: named(sign), likely: digitLike[sign] }
}

const digitLike: Readonly<Record<string, string>> = {
  O: "0",
  o: "0",
  О: "0",
  о: "0",
  D: "0",
  I: "1",
  l: "1",
  "|": "1",
  Z: "2",
  З: "3",
  з: "3",
  S: "5",
  б: "6",
  В: "8",
  B: "8"
}

/** Digits of one length that a check may look at. */
const number =
  (length: number, check: (digits: string, mended: Array<Mended>) => Made = (found) => found): Reader =>
  (text, mended) => {
    const found = digits(text, mended)
    if (typeof found !== "string") return found
    return found.length === length
      ? check(found, mended)
      : { code: "length", length: found.length, least: length, most: length }
  }

const oneImei = number(15, (found) => (fitsImei(found) ? found : { code: "check_digit", of: "imei" }))
const imei: Reader = (text, mended, nowMs) =>
  /^\d{15}[\s,;/]*\d{15}$/u.test(text) ? { code: "two_imeis" } : oneImei(text, mended, nowMs)

const gtin: Reader = (text, mended) => {
  const found = digits(text, mended)
  if (typeof found !== "string") return found
  // The number of a packed unit has fourteen digits; with a zero before it, it is the same goods.
  const isLong = found.length === 14 && found.startsWith("0")
  const short = isLong ? found.slice(1) : found
  if (short.length === 12 && fitsGtin(short)) return { code: "zero_lost" }
  if (short.length !== 13) return { code: "length", length: short.length, least: 13, most: 13 }
  if (!fitsGtin(short)) return { code: "check_digit", of: "gtin" }
  if (isLong) mended.push({ code: "gtin14" })
  return short
}

// Last digits that follow from the others, of texts of digits only.

/** Whether the last digit of a GTIN of any length fits (GS1): weights 3 and 1 from the right. */
const fitsGtin = (digits: string): boolean =>
  fits(digits, (digit, fromRight) => (fromRight % 2 === 1 ? digit * 3 : digit))

/** Whether the last digit of an IMEI fits (Luhn): every second digit counts double, its own digits added. */
const fitsImei = (digits: string): boolean =>
  fits(digits, (digit, fromRight) => (fromRight % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))

const fits = (digits: string, weighed: (digit: number, fromRight: number) => number): boolean =>
  [...digits].reduce((total, digit, at) => total + weighed(Number(digit), digits.length - 1 - at), 0) % 10 ===
  0

// Day and declaration.

/** Days the marketplace wants between its date and the expiration, and one for the difference of the clocks (O17). */
const leastDays = 30 + 1

const expiration: Reader = (text, mended, nowMs) => {
  const day = dayOf(text)
  if (day === undefined) return { code: "no_day" }
  const earliest = Days.shift(Days.ofMarket(nowMs), leastDays)
  if (day < earliest) return { code: "too_soon", day, earliest }
  const written = day.split("-").reverse().join(".")
  if (written !== text) mended.push({ code: "day_spelling" })
  return written
}

/** `31.12.2027`, `1.1.2028`, `2027-12-31`, with or without a midnight behind it. */
const dayOf = (text: string): Days.Day | undefined => {
  const bare = text.replace(/[ T]00:00(:00(\.0+)?)?Z?$/u, "")
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(bare)
  return Days.parse(
    dotted === null ? bare : `${dotted[3]}-${dotted[2]!.padStart(2, "0")}-${dotted[1]!.padStart(2, "0")}`
  )
}

const customsDeclaration: Reader = (text, mended, nowMs) => {
  const joined = text.replace(/\s*\/\s*/gu, "/")
  if (joined !== text) mended.push({ code: "grouping" })
  if (/^\d{8}\.\d{6}\.[^/]*$/u.test(joined)) {
    mended.push({ code: "layout_dots" })
    return customsDeclaration(joined.replaceAll(".", "/"), mended, nowMs)
  }
  if (/^\d(?:[.,]\d+)?e\+?\d+$/iu.test(joined)) return { code: "shortened" }
  const at = [...joined].findIndex((sign) => /[\p{C}\p{Z}]/u.test(sign))
  if (at >= 0) return { code: "space_inside", place: at + 1 }
  return lengthOf(joined, 17, 29) ?? joined
}

const readers: Readonly<Record<MarkKind, Reader>> = {
  sgtin,
  uin: number(16),
  imei,
  gtin,
  expiration,
  customsDeclaration
}
