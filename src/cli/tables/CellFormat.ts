/** What a person sees of a number in a cell: a plain number, a percentage or a moment, by the cell's format. */
import * as Days from "../../domain/Days.js"

/** What a format shows of a number. */
interface Shown {
  readonly as: "number" | "percent" | "day" | "moment" | "clock"
  /** What the format writes beside a number and may change what it means: `¥`, `USD`, `тыс. руб.`, `кг`; empty where it writes nothing such. */
  readonly unit: string
  /** A whole number gets as many digits at least: a code `00123` is the number 123 with a format of five zeros. */
  readonly digits: number
}

interface Section extends Shown {
  readonly holds: (value: number) => boolean
}

/** What a format shows, by the number's size: the first section that holds counts. */
export type Format = ReadonlyArray<Section>

/** Of a format with this number, and the code that the workbook gives it. */
export const formatOf = (id: number, code: string | undefined): Format =>
  code === undefined ? [{ ...kindOf(id), digits: 0, holds: always }] : ofCode(code)

const always = () => true

/** As it is, whatever the cell's format. */
export const plain: Format = [{ as: "number", unit: "", digits: 0, holds: always }]

/** The text of a number as the file has it; undefined when it is none. `mark` stands before a fraction. */
export const textOf = (
  raw: string,
  format: Format,
  { is1904, mark }: { readonly is1904: boolean; readonly mark: string }
): string | undefined => {
  const value = raw.trim() === "" ? Number.NaN : Number(raw)
  const section = format.find(({ holds }) => holds(value))
  if (!Number.isFinite(value) || section === undefined) return undefined
  const { as, digits, unit } = section
  if (as === "percent") return `${decimal(value, 2, mark)}%`
  const moment = as === "number" ? undefined : momentOf(value, as, is1904)
  if (moment !== undefined) return moment
  const text = Math.abs(value) < exactBelow ? decimal(value, 0, mark) : shortened(value, mark)
  return `${Number.isInteger(value) && value >= 0 ? text.padStart(digits, "0") : text}${unit === "" ? "" : ` ${unit}`}`
}

/** A spreadsheet keeps fifteen digits of a number. Of one with more the last are lost, and zeros or others stand for them. */
const exactBelow = 1e15

/** `6.4301234567890E+15`: nobody takes it for all of its digits. */
const shortened = (value: number, mark: string): string =>
  value.toExponential(13).replace(".", mark).replace("e", "E")

/** The format that a number without a code means in every workbook. */
const kindOf = (id: number): Pick<Shown, "as" | "unit"> => {
  const as = (kind: Shown["as"]) => ({ as: kind, unit: "" })
  if (id === 9 || id === 10) return as("percent")
  if (id === 22) return as("moment")
  if ((id >= 18 && id <= 21) || id === 45 || id === 47) return as("clock")
  if (id === 46) return { as: "number", unit: elapsed }
  // 27 to 36 and 50 to 58 are days in the formats of East Asia.
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  return as(isDay ? "day" : "number")
}

/** Shown as hours, minutes or seconds, and kept as days. */
const elapsed = "days"

const ofCode = (code: string): Format => {
  const written = sectionsOf(code).filter(({ bare }) => !bare.includes("@"))
  if (written.length === 0) return plain
  const last = written.length - 1
  return written.map(({ bare, condition, literal }, at) => {
    const as = kindIn(bare)
    return {
      as,
      unit: as === "number" ? unitOf(bare, literal) : "",
      digits: /^0{2,}$/.test(bare) ? bare.length : 0,
      holds: at === last ? always : (condition ?? (at === 1 ? isBelow : last === 1 ? isNotBelow : isAbove))
    }
  })
}

const isAbove = (value: number) => value > 0
const isBelow = (value: number) => value < 0
const isNotBelow = (value: number) => value >= 0

const kindIn = (section: string): Shown["as"] => {
  if (/\[[hms]+\]/.test(section)) return "number"
  const percents = section.split("%").length - 1
  // Each further sign makes the number a hundred times larger again.
  if (percents > 0) return percents === 1 ? "percent" : "number"
  if (section.includes("general") || section.includes("e+") || section.includes("e-")) return "number"
  const hasDays = /[dy]/.test(section)
  const hasClock = /[hs]/.test(section)
  if (hasDays) return hasClock ? "moment" : "day"
  return hasClock ? "clock" : section.includes("m") ? "day" : "number"
}

interface Written {
  /** The signs that make the number's shape. */
  readonly bare: string
  /** What stands beside the number. */
  readonly literal: string
  readonly condition?: (value: number) => boolean
}

/** The sections of a code; colours and room for signs say nothing. */
const sectionsOf = (code: string): ReadonlyArray<Written> => {
  const made: Array<Written> = []
  let now: Written = { bare: "", literal: "" }
  const end = () => {
    made.push({ ...now, bare: now.bare.trim() })
    now = { bare: "", literal: "" }
  }
  for (const { groups = {} } of code.matchAll(parts)) {
    const { bound, currency, escaped, locale, operator, quoted, shape, sign } = groups
    if (sign === ";") {
      end()
      continue
    }
    const isBeside = sign !== undefined && !/[0#?.,/@]/.test(sign)
    const isBare = sign !== undefined && !/[\p{Sc}\p{Script=Cyrillic}]/u.test(sign)
    // The rouble of Belarus may have the letters of another one.
    const country = currency !== "" && /423$/.test(locale ?? "") ? " BY" : ""
    now = {
      ...now,
      bare: now.bare + (shape ?? (isBare ? sign : "")).toLowerCase(),
      literal: now.literal + (quoted ?? escaped ?? currency ?? (isBeside ? sign : "")) + country,
      ...(operator === undefined ? {} : { condition: comparisons[operator]?.(Number(bound)) ?? always })
    }
  }
  end()
  return made
}

const parts =
  /"(?<quoted>[^"]*)"|\\(?<escaped>.)|[_*].|\[\$(?<currency>[^\]-]*)(?:-(?<locale>[^\]]*))?\]|(?<shape>\[[hms]+\]|general|e[+-]|\/\s*[\d#?]+)|\[\s*(?<operator><=|>=|<>|[<>=])\s*(?<bound>[^\]]*)\]|\[[^\]]*\]|(?<sign>.)/gisu

const comparisons: Readonly<Record<string, (bound: number) => (value: number) => boolean>> = {
  "<": (bound) => (value) => value < bound,
  "<=": (bound) => (value) => value <= bound,
  ">": (bound) => (value) => value > bound,
  ">=": (bound) => (value) => value >= bound,
  "=": (bound) => (value) => value === bound,
  "<>": (bound) => (value) => value !== bound
}

/** What stands beside a number, but for what says nothing of it; a currency, a measure and any other word may. */
const unitOf = (bare: string, literal: string): string => {
  if (bare.includes("[")) return elapsed
  const text = literal
    .replace(/\p{Cf}/gu, "")
    .replace(edges, "")
    .replace(/\s+/g, " ")
  // Digits behind a number would look like its thousands.
  const unit = pieces.test(text) ? "" : /^\d/.test(text) ? `"${text}"` : text
  const commas = /[0#?](,+)(?![,0#?])/.exec(bare)?.[1]?.length ?? 0
  const scale = commas === 0 ? "" : `shown in ${commas === 1 ? "thousands" : "millions"}`
  return [unit, scale].filter((one) => one !== "").join(", ")
}

/** Blanks, brackets, dashes, quotes and the like. */
const edgeSign = String.raw`[\s\p{Ps}\p{Pe}\p{Pd}\p{Pi}\p{Pf}"'*_+−№#;!~≈=<>]`
const edges = new RegExp(`^${edgeSign}+|${edgeSign}+$`, "gu")
const pieces = /^(?:\/ ?)?(?:шт(?:ук[аи]?)?|ед(?:иниц[аы]?)?|pcs?|pieces?|units?)\.?$/iu

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
