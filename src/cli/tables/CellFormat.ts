/** What a person sees of a number in a cell: a plain number, a percentage or a moment, by the cell's format. */
import * as Days from "../../domain/Days.js"

/** What a format shows of a number. */
export interface Shown {
  readonly as: "number" | "percent" | "day" | "moment" | "clock"
  /** The currency, or the thousands, that the format writes beside a number: `¥`, `USD`, `тыс. руб.`; empty where it writes none. */
  readonly unit: string
  /** A whole number gets as many digits at least: a code `00123` is the number 123 with a format of five zeros. */
  readonly digits: number
}

/** Of a format with this number, and the code that the workbook gives it. */
export const shownBy = (id: number, code: string | undefined): Shown =>
  code === undefined ? { as: kindOf(id), unit: "", digits: 0 } : ofCode(code)

/** As it is, whatever the cell's format. */
export const plain: Shown = { as: "number", unit: "", digits: 0 }

/** The text of a number as the file has it; undefined when it is none. `mark` stands before a fraction. */
export const textOf = (
  raw: string,
  { as, digits, unit }: Shown,
  { is1904, mark }: { readonly is1904: boolean; readonly mark: string }
): string | undefined => {
  const value = raw.trim() === "" ? Number.NaN : Number(raw)
  if (!Number.isFinite(value)) return undefined
  if (as === "percent") return `${decimal(value, 2, mark)}%`
  const moment = as === "number" ? undefined : momentOf(value, as, is1904)
  if (moment !== undefined) return moment
  const text = decimal(value, 0, mark)
  return `${Number.isInteger(value) && value >= 0 ? text.padStart(digits, "0") : text}${unit === "" ? "" : ` ${unit}`}`
}

/** The format that a number without a code means in every workbook. */
const kindOf = (id: number): Shown["as"] => {
  if (id === 9 || id === 10) return "percent"
  if (id === 22) return "moment"
  if (id >= 18 && id <= 21) return "clock"
  if (id === 45 || id === 47) return "clock"
  // 27 to 36 and 50 to 58 are days in the formats of East Asia.
  return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? "day" : "number"
}

/** Only numbers above zero matter, the first section. */
const ofCode = (code: string): Shown => {
  const { bare, literal } = firstOf(code)
  const as = kindIn(bare)
  return {
    as,
    unit:
      as === "number" && (moneyWord.test(literal) || currencyCode.test(literal))
        ? literal.trim().replace(/\s+/g, " ")
        : "",
    digits: /^0{2,}$/.test(bare) ? bare.length : 0
  }
}

const kindIn = (first: string): Shown["as"] => {
  if (/\[[hms]+\]/.test(first)) return "number"
  if (first.includes("%")) return "percent"
  if (first.includes("general") || first.includes("e+") || first.includes("e-")) return "number"
  const hasDays = /[dy]/.test(first)
  const hasClock = /[hs]/.test(first)
  if (hasDays) return hasClock ? "moment" : "day"
  return hasClock ? "clock" : first.includes("m") ? "day" : "number"
}

/** The first section's signs, and what it writes beside the number; colours, conditions and blanks say nothing. */
const firstOf = (code: string): { readonly bare: string; readonly literal: string } => {
  let [bare, literal] = ["", ""]
  const parts =
    /"(?<quoted>[^"]*)"|\\(?<escaped>.)|[_*].|\[\$(?<currency>[^\]-]*)[^\]]*\]|(?<length>\[[hms]+\])|\[[^\]]*\]|(?<sign>.)/gisu
  for (const { groups = {} } of code.matchAll(parts)) {
    const { currency, escaped, length, quoted, sign } = groups
    if (sign === ";") break
    literal += quoted ?? escaped ?? currency ?? ""
    if (length !== undefined) bare += length.toLowerCase()
    if (sign === undefined) continue
    if (/[\p{Sc}\p{Script=Cyrillic}]/u.test(sign)) literal += sign
    else bare += sign.toLowerCase()
  }
  return { bare: bare.trim(), literal }
}

/** Three capitals are a currency's code. */
const currencyCode = /(?<!\p{L})[A-Z]{3}(?!\p{L})/u

/** Units of money and its thousands. What else a format writes, such as pieces, says nothing of the amount. */
const moneyWord =
  /\p{Sc}|(?<!\p{L})(?:руб\p{L}*|р|коп\p{L}*|тыс\p{L}*|т\. ?р|млн|млрд|долл?\p{L}*|евро|тенге|тг|юан\p{L}*|сум|сом|драм\p{L}*|лир\p{L}*|фунт\p{L}*|у\. ?е|euros?|dollars?|yuan|usd|eur|cny|kzt|byn|gbp|rub|k|к)(?!\p{L})/iu

const daySeconds = 86_400
/** Days from the first day of a workbook to 1970: those that count from 1904, and all others. */
const epochs = { from1904: 24_107, from1900: 25_569 }
const lastSerial = 2_958_465

/** Undefined for a number that is no moment. */
const momentOf = (serial: number, shown: Shown["as"], is1904: boolean): string | undefined => {
  if (serial < 0 || serial > lastSerial) return undefined
  const seconds = Math.round(serial * daySeconds)
  const [whole, rest] = [Math.floor(seconds / daySeconds), seconds % daySeconds]
  const clock = new Date(rest * 1000).toISOString().slice(11, 16)
  if (shown === "clock" && whole === 0) return clock
  // The format believes in a 29 February 1900, day 60.
  const before = is1904 ? epochs.from1904 : whole < 60 ? epochs.from1900 - 1 : epochs.from1900
  const day = Days.shift(Days.Day("1970-01-01"), whole - before)
  return shown === "day" ? day : `${day} ${clock}`
}

/** Digits that a spreadsheet shows at most: what stands behind them is noise of binary fractions. */
const significant = 15
const mostFraction = 10

/** All digits that a person could see, without an exponent; `shift` moves the mark to the right. */
const decimal = (value: number, shift: number, mark: string): string => {
  if (value === 0) return "0"
  const magnitude =
    Number(
      Math.abs(value)
        .toExponential(significant - 1)
        .split("e")[1]
    ) + shift
  const wanted = Math.min(significant, magnitude + 1 + mostFraction)
  if (wanted < 1) return "0"
  const [mantissa = "", power = "0"] = Math.abs(value)
    .toExponential(wanted - 1)
    .split("e")
  const digits = mantissa.replace(".", "").replace(/0+$/, "")
  const whole = Number(power) + shift + 1
  const [left, right] =
    whole <= 0
      ? ["0", "0".repeat(-whole) + digits]
      : [digits.slice(0, whole).padEnd(whole, "0"), digits.slice(whole)]
  return `${value < 0 ? "-" : ""}${left}${right === "" ? "" : `${mark}${right}`}`
}
