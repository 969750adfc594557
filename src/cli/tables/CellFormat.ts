/** What a person sees of a number in a cell: a plain number, a percentage or a moment, by the cell's format. */
import * as Days from "../../domain/Days.js"

/** What a format shows of a number. */
export type Shown = "number" | "percent" | "day" | "moment" | "clock"

/** Of a format with this number, and the code that the workbook gives it. */
export const shownBy = (id: number, code: string | undefined): Shown => {
  if (code !== undefined) return ofCode(code)
  if (id === 9 || id === 10) return "percent"
  if (id === 22) return "moment"
  if (id >= 18 && id <= 21) return "clock"
  if (id === 45 || id === 47) return "clock"
  // 27 to 36 and 50 to 58 are days in the formats of East Asia.
  return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? "day" : "number"
}

/** The text of a number as the file has it; undefined when it is none. `mark` stands before a fraction. */
export const textOf = (
  raw: string,
  shown: Shown,
  { is1904, mark }: { readonly is1904: boolean; readonly mark: string }
): string | undefined => {
  const value = raw.trim() === "" ? Number.NaN : Number(raw)
  if (!Number.isFinite(value)) return undefined
  if (shown === "percent") return `${decimal(value, 2, mark)}%`
  const moment = shown === "number" ? undefined : momentOf(value, shown, is1904)
  return moment ?? decimal(value, 0, mark)
}

/** Literal texts, colours, currencies and places say nothing; only numbers above zero matter, the first section. */
const ofCode = (code: string): Shown => {
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./gu, "").toLowerCase()
  // Hours that count on beyond a day are a length and no moment.
  const [first = ""] = bare.replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/g, "").split(";")
  if (/\[[hms]+\]/.test(first)) return "number"
  if (first.includes("%")) return "percent"
  if (first.includes("general") || first.includes("e+") || first.includes("e-")) return "number"
  const hasDays = /[dy]/.test(first)
  const hasClock = /[hs]/.test(first)
  if (hasDays) return hasClock ? "moment" : "day"
  return hasClock ? "clock" : first.includes("m") ? "day" : "number"
}

const daySeconds = 86_400
/** Days from the first day of a workbook to 1970: those that count from 1904, and all others. */
const epochs = { from1904: 24_107, from1900: 25_569 }
const lastSerial = 2_958_465

/** Undefined for a number that is no moment. */
const momentOf = (serial: number, shown: Shown, is1904: boolean): string | undefined => {
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
