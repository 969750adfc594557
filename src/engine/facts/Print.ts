/** Values as people read them, with their units. */
import * as Money from "../../domain/Money.js"
import * as Reason from "../../domain/Reason.js"
import { type Cell, numberOf } from "./Cell.js"
import type { FactType } from "./FactType.js"

/** Sign of a currency: `₽` for RUB, otherwise its code. */
export const currencySign = (currency: string): string => (currency === "RUB" ? "₽" : currency)

/** `440 ₽`, `0.93%`, `5`, `women's trainers`, `unknown (the marketplace did not report it)`. */
export const cell = (shown: Cell, type: FactType, sign: string, more = 0): string =>
  shown._tag === "Unknown"
    ? `unknown (${Reason.explain[shown.reason]})`
    : known(shown.value, type, sign, more)

const mostMore = 6

/** The same beside `bounds`, with as many digits as part it from those that it is not: `25.004%` where one is 25%. */
export const beside = (shown: Cell, bounds: ReadonlyArray<Cell>, type: FactType, sign: string): string => {
  const near = bounds.filter((bound) => isNear(shown, bound, type))
  const isParted = (more: number) =>
    near.every((bound) => cell(bound, type, sign, more) !== cell(shown, type, sign, more))
  let more = 0
  while (more < mostMore && !isParted(more)) more += 1
  return cell(shown, type, sign, isParted(more) ? more : 0)
}

/** Whether they may look the same; the noise of binary fractions parts nothing. */
const isNear = (shown: Cell, bound: Cell, type: FactType): boolean => {
  const [a, b] = [numberOf(shown), numberOf(bound)]
  if (a === undefined || b === undefined || a === b) return false
  return Math.abs(a - b) < (type._tag === "Money" ? 1 : 0.1 * Math.max(Math.abs(a), Math.abs(b)))
}

const known = (value: number | string | boolean, type: FactType, sign: string, more: number): string => {
  if (value === "" && type._tag === "Labels") return "no labels"
  if (typeof value === "string") return type._tag === "Text" ? `"${value}"` : value
  if (type._tag === "YesNo" || typeof value === "boolean") return Number(value) === 0 ? "no" : "yes"
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : "minus infinite"
  switch (type._tag) {
    case "Ratio":
      return `${decimal(value * 100, more, down)}%`
    case "Money":
      return more === 0 ? money(value, sign) : `${decimal(value / 100, more)} ${sign}`
    case "Duration":
      return duration(value, more)
    default:
      return decimal(value, more)
  }
}

/** Kopecks, rounded to whole ones for show only. */
export const money = (kopecks: number, sign: string): string =>
  Money.format(Money.Kopecks(Math.round(kopecks)), sign)

/** At most two digits after the point, or the first two that are not zero, and so many `more`. */
const decimal = (value: number, more: number, rounded = (one: number, _digits: number) => one): string => {
  const two =
    value === 0 || Math.abs(value) >= 0.01 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(Math.abs(value))))
  const digits = two + more
  return rounded(value, digits)
    .toFixed(digits)
    .replace(/\.?0+$/, "")
}

/** Rounded down to so many digits, but for the noise of binary fractions. */
const down = (value: number, digits: number): number => {
  const scaled = value * 10 ** digits
  return Math.floor(scaled + Math.abs(scaled) * 1e-12 + 1e-9) / 10 ** digits
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"]
] as const

/** Whole in its largest unit where it is, such as `90m`; otherwise so that something stands before the point: `12.5d`. */
const duration = (milliseconds: number, more: number): string => {
  const unit =
    units.find(([size]) => milliseconds % size === 0) ??
    units.find(([size]) => Math.abs(milliseconds) >= size) ??
    units[3]
  return `${decimal(milliseconds / unit[0], more)}${unit[1]}`
}
