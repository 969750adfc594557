/** Reads the values of keys: percentages, amounts, durations, whole numbers, moves. Reports in place and answers undefined. */
import * as Either from "effect/Either"
import * as Money from "../../../domain/Money.js"
import * as Plural from "../../../domain/Plural.js"
import type { Move } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Durations from "../syntax/Durations.js"
import * as Parser from "../syntax/Parser.js"
import type { Ast } from "../syntax/Syntax.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import { entry, isEmpty, rangeIn } from "../yaml/Node.js"

/** A value with its key; absent or misshapen values are undefined, and were reported by the shape check. */
export interface Keyed {
  readonly key: string
  readonly node: ScalarNode
}

export const keyed = (map: Node | undefined, key: string): Keyed | undefined => {
  const found = entry(map, key)?.value
  return found?._tag === "Scalar" && !isEmpty(found) ? { key, node: found } : undefined
}

/** Reads a number between bounds. */
type Bounded = (of: Keyed | undefined, low: number, high: number, problems: Problems) => number | undefined

/** Percentage as basis points (10% is 1000), between bounds in basis points. */
export const basisPoints: Bounded = (of, low, high, problems) => {
  const ast = amount(of, "percent", "a percentage, such as 10%", problems)
  if (of === undefined || ast === undefined) return undefined
  const points = Math.round(Number(`${ast.digits}e2`))
  if (Math.abs(Number(`${ast.digits}e2`) - points) > 1e-9)
    return problems.error("K14", of.node.range, `${of.key}: the finest step is 0.01%.`)
  return within(of, points, low, high, (n) => `${n / 100}%`, problems)
}

/** Positive amount of money in kopecks. */
export const kopecks = (of: Keyed | undefined, problems: Problems): Money.Kopecks | undefined => {
  const ast = amount(of, "money", "money, such as 450 ₽", problems)
  return of === undefined || ast === undefined ? undefined : positive(of, ast.digits, problems)
}

/** The amount of digits as they are written, or what an amount is and they are not. */
export const ofDigits = (digits: string): Either.Either<Money.Kopecks, string> =>
  /\.\d{3}/.test(digits)
    ? Either.left(`has at most two digits after the point${eitherOf(digits)}`)
    : Either.mapLeft(Money.fromDecimal(digits), () => `is ${mostMoney} at most`)

/** A point before three digits may stand between thousands, or before a fraction of a kopeck. */
const eitherOf = (digits: string): string => {
  if (!/^[1-9]\d{0,2}\.\d{3}$/.test(digits)) return ""
  const whole = digits.replace(".", "")
  return `, and none between thousands: ${whole} ₽ or ${(Math.round(Number(whole) / 10) / 100).toFixed(2)} ₽`
}

/** As many kopecks as a number tells apart. */
const mostMoney = "90071992547409.91 ₽"

const yearMs = 365 * 86_400_000

/** Duration in milliseconds, between bounds; what may last for years is told in days. */
export const milliseconds: Bounded = (of, low, high, problems) => {
  if (of === undefined) return undefined
  const duration = Durations.parse(of.node.text)
  if (duration?._tag === "Exact") return within(of, duration.milliseconds, low, high, shortDuration, problems)
  if (duration?._tag === "Vague") problems.error("K07", of.node.range, duration.message)
  else {
    const unit = high >= yearMs ? "d" : "h"
    const wanted = `a duration, such as ${unit === "d" ? "30d" : "6h"}`
    const bare = of.node.text.trim()
    const possible = ["m", "h", "d"]
      .map((one) => `${bare}${one}`)
      .filter((text) => {
        const length = Durations.parse(text)?.milliseconds ?? 0
        return length >= low && length <= high
      })
    const fix = possible.length === 0 ? `${bare}${unit}` : possible.join(", ").replace(/, (?=[^,]*$)/, " or ")
    if (/^\d+$/.test(bare)) problems.error("K09", of.node.range, `${of.key} is ${wanted}.`, fix)
    else amount(of, "duration", wanted, problems)
  }
  return undefined
}

/** Whole number between bounds. */
export const whole: Bounded = (of, low, high, problems) => {
  if (of === undefined) return undefined
  const text = of.node.text.trim()
  if (/^-?\d+$/.test(text)) return within(of, Number(text), low, high, String, problems)
  if (/^\d{1,3}([ _'’,.]\d{3})+$/.test(text)) {
    const fix = text.replace(/\D/g, "")
    problems.error("E06", of.node.range, `Remove the separator: ${fix}`, fix)
  } else if (/^[-+]?\.(inf|nan)$/i.test(text)) unbounded(of, problems)
  else problems.error("K09", of.node.range, `${of.key} is a whole number, such as ${Math.max(low, 100)}.`)
  return undefined
}

/** Number of runs: `2 runs`. */
export const runs: Bounded = (of, low, high, problems) => {
  if (of === undefined) return undefined
  const count = /^(\d+)\s*runs?$/.exec(of.node.text.trim())?.[1]
  if (count !== undefined) return within(of, Number(count), low, high, (n) => Plural.of(n, "run"), problems)
  const bare = /^\d+$/.test(of.node.text.trim())
  const fix = bare ? `${of.node.text.trim()} runs` : "2 runs"
  return problems.error("K09", of.node.range, `${of.key} counts runs, such as 2 runs.`, fix)
}

/** How far a bid moves: `10%`, `15 ₽`, `2 steps`. `most` is the largest share in basis points. */
export const move = (of: Keyed | undefined, most: number, problems: Problems): Move | undefined => {
  if (of === undefined) return undefined
  const { node } = of
  const steps = /^(\d+)\s*steps?$/.exec(node.text.trim())?.[1]
  if (steps !== undefined) {
    const count = within(of, Number(steps), 1, 100, (n) => Plural.of(n, "step"), problems)
    return count === undefined ? undefined : { _tag: "Steps", steps: count }
  }
  const signed = /^([+-])\s*(\S.*)$/.exec(node.text.trim())
  if (signed !== null)
    return problems.error(
      "K14",
      node.range,
      `by has no sign: raise_bid raises, lower_bid lowers. Write ${signed[2]}`,
      signed[2]
    )
  const ast = amount(of, undefined, "a share, an amount or steps: 10%, 15 ₽ or 2 steps", problems)
  if (ast?.unit === "percent") {
    const points = basisPoints(of, 1, most, problems)
    return points === undefined ? undefined : { _tag: "Percent", basisPoints: points }
  }
  if (ast?.unit === "money") {
    const made = positive(of, ast.digits, problems)
    return made === undefined ? undefined : { _tag: "Amount", kopecks: made }
  }
  return undefined
}

type NumberAst = Extract<Ast, { _tag: "Number" }>

/** One number with the wanted unit. `undefined` as unit takes percent and money. */
const amount = (
  of: Keyed | undefined,
  unit: "percent" | "money" | "duration" | undefined,
  wanted: string,
  problems: Problems
): NumberAst | undefined => {
  if (of === undefined) return undefined
  const { key, node } = of
  if (/^[-+]?\.(inf|nan)$/i.test(node.text.trim())) return unbounded(of, problems)
  if (/^-\s*\d/.test(node.text.trim()))
    return problems.error("K14", node.range, `${key} cannot be below zero.`)
  const { ast, faults } = Parser.valueParts(node.text, node.vars)
  for (const { code, end, fix, message, start } of faults)
    problems.error(code, rangeIn(node, start, end), message, fix)
  if (faults.length > 0) return undefined
  const fits =
    ast._tag === "Number" && (unit === undefined ? /percent|money/.test(ast.unit) : ast.unit === unit)
  if (ast._tag === "Number" && fits) return ast
  const bare = ast._tag === "Number" && ast.unit === "none"
  const code = !bare ? "K09" : unit === "money" ? "E04" : unit === "duration" ? "K09" : "E03"
  const fix = bare && unit !== "duration" ? bareFix(ast.digits, unit) : undefined
  return problems.error(code, node.range, `${key} is ${wanted}.`, fix)
}

const bareFix = (digits: string, unit: "percent" | "money" | undefined): string =>
  unit === "money" ? `${digits} ₽` : percent(digits)

/** What a bare number means where a percentage stands: 0.2 was meant as a share, 20%. */
export const percent = (digits: string): string =>
  Number(digits) < 1 ? `${Number((Number(digits) * 100).toPrecision(12))}%` : `${digits}%`

const unbounded = (of: Keyed, problems: Problems): undefined => {
  return problems.error("K14", of.node.range, `${of.key} needs a bound; ${of.node.text} is none.`)
}

const positive = (of: Keyed, digits: string, problems: Problems): Money.Kopecks | undefined => {
  const made = ofDigits(digits)
  if (Either.isLeft(made)) return problems.error("K14", of.node.range, `${of.key}: an amount ${made.left}.`)
  if (made.right > 0) return made.right
  return problems.error("K14", of.node.range, `${of.key} must be more than 0 ₽.`)
}

const within = (
  of: Keyed,
  value: number,
  low: number,
  high: number,
  show: (n: number) => string,
  problems: Problems
): number | undefined => {
  if (value >= low && value <= high) return value
  return problems.error(
    "K14",
    of.node.range,
    `${of.key} is from ${show(low)} to ${show(high)}; ${of.node.text} is outside.`
  )
}

const shortDuration = (ms: number): string =>
  ms % 86_400_000 === 0
    ? `${ms / 86_400_000}d`
    : ms % 3_600_000 === 0
      ? `${ms / 3_600_000}h`
      : `${Math.round(ms / 60_000)}m`
