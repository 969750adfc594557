/**
 * Values of consecutive days, written short: `100 120 _ 90`, `100+50x6` (100, then 50 more six times: seven days),
 * `5x3` (four days of 5), `_x2` or `missing` for days without a report. The unit stands once, at the end: `100+20x6 ₽`.
 */
import type { Range } from "../language/yaml/Source.js"

/** Longest series in days. */
export const maxDays = 400

export interface Series {
  readonly _tag: "Series"
  /** Digits of each day without a unit, or undefined for a day that was not reported. */
  readonly days: ReadonlyArray<string | undefined>
  readonly currency: boolean
}

export type Read = Series | { readonly _tag: "Wrong"; readonly range: Range; readonly message: string }

/** True for texts that mean several days. `1 000` does not: it is a number with a space in it, and refused as such. */
export const looksLike = (text: string): boolean => {
  const body = text.trim().replace(sign, "")
  if (/^\d{1,3}( \d{3})+$/.test(body)) return false
  return /^(\d|_|missing\s)/.test(body) && /\s|\dx\d|^_/.test(body)
}

const sign = /\s*(₽|rub)\s*$/i

export const read = (text: string): Read => {
  const currency = sign.test(text)
  const body = text.replace(sign, "")
  const days: Array<string | undefined> = []
  for (const match of body.matchAll(/\S+/g)) {
    const range = { start: match.index, end: match.index + match[0].length }
    const some = token(match[0])
    if (some === undefined) {
      const message = `"${match[0]}" is no part of a series. Write a number, 100+50x6, 5x3, or _ for a day without a report.`
      return { _tag: "Wrong", range, message }
    }
    days.push(...some)
    if (days.length > maxDays)
      return { _tag: "Wrong", range, message: `A series has at most ${maxDays} days.` }
  }
  return { _tag: "Series", days, currency }
}

const token = (text: string): ReadonlyArray<string | undefined> | undefined => {
  if (text === "missing") return [undefined]
  const gap = /^_(?:x(\d{1,3}))?$/.exec(text)
  if (gap !== null) return Array.from({ length: Number(gap[1] ?? 1) }, () => undefined)
  const number = /^(\d+(?:\.\d{1,2})?)(?:([+-])(\d+(?:\.\d{1,2})?))?(?:x(\d{1,3}))?$/.exec(text)
  if (number === null || (number[2] !== undefined && number[4] === undefined)) return undefined
  const start = hundredths(number[1]!)
  const step = hundredths(number[3] ?? "0") * (number[2] === "-" ? -1 : 1)
  const times = Number(number[4] ?? 0)
  const values = Array.from({ length: times + 1 }, (_, i) => start + step * i)
  return values.some((value) => value < 0) ? undefined : values.map((value) => String(value / 100))
}

/** Whole numbers, so that steps of 0.1 add up. */
const hundredths = (digits: string): number => Math.round(Number(`${digits}e2`))
