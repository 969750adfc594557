/**
 * Figures of a promotion's own days (decision 0119): where the seller's table says otherwise on some of them than today, the figure is
 * asked for each way of it, with all that it is made of, and the worst counts; it is unknown as soon as one of them is.
 */
import * as Reason from "../../../domain/Reason.js"
import type { Expr } from "../../language/Policy.js"
import type { NumberKernel } from "../Column.js"
import * as Economics from "../Economics.js"
import type { Said, SaidAhead } from "../Spaces.js"
import * as UnitEconomics from "../UnitEconomics.js"

type Figure = Extract<Expr, { readonly _tag: "Figure" }>

/** A reason other than 0 (`domain/Reason`) tells why there is no value. */
interface Found {
  readonly value: number
  readonly reason: number
}

/** A term as today's columns have it. */
type Today = (at: number) => Found

/** Asks the figure for a row's days ahead. */
export type Worst = (row: number, ahead: SaidAhead, today: Today) => Found

/** Makes the kernel of what is asked of the columns as they are today. */
type KernelOf = (expr: Expr) => NumberKernel

export const of = (figure: Figure, kernelOf: KernelOf): Worst => {
  const ask = onDay(figure, kernelOf)
  const isWorse = figure.ahead === "most" ? Math.max : Math.min
  return (row, ahead, today) => {
    let [worst, reason] = [
      figure.ahead === "most" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      Reason.known
    ]
    for (const { said } of ahead) {
      const found = ask(row, said, today)
      if (found.reason === Reason.known) worst = isWorse(worst, found.value)
      reason = Reason.worse(reason, found.reason)
    }
    return { value: reason === Reason.known ? worst : Number.NaN, reason }
  }
}

/** The figure with what the table says of one of the days. */
const onDay = (
  { name, of: exprs }: Figure,
  kernelOf: KernelOf
): ((row: number, said: Said, today: Today) => Found) => {
  const parts = exprs.map((expr) => partOf(expr, kernelOf))
  const terms = new Array<number>(parts.length)
  return (row, said, today) => {
    let lacks = Reason.known
    const take = (at: number, { reason, value }: Found) => {
      terms[at] = value
      lacks = Reason.worse(lacks, reason)
    }
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!
      if (part._tag === "Figure") {
        take(at, part.ask(row, said))
        continue
      }
      const cell = part._tag === "Term" ? said.get(part.id) : undefined
      if (cell === undefined) take(at, today(at))
      else if (cell._tag === "Known") terms[at] = Number(cell.value)
      else {
        const reason = Reason.code(cell.reason)
        const { fallback } = part as Term
        if (fallback !== undefined && Reason.isMissing(reason)) take(at, fallback(row))
        else lacks = Reason.worse(lacks, reason)
      }
    }
    if (lacks !== Reason.known) return { value: Number.NaN, reason: lacks }
    const value = UnitEconomics.figure(name, terms)
    return { value, reason: Number.isNaN(value) ? zeroOverZero : Reason.known }
  }
}

const zeroOverZero = Reason.code("zeroOverZero")

/** A fact, and what stands in where it has no value. */
interface Term {
  readonly _tag: "Term"
  readonly id: string
  readonly fallback?: (row: number) => Found
}

type Part =
  | Term
  /** A figure that is itself made of what the table says. */
  | { readonly _tag: "Figure"; readonly ask: (row: number, said: Said) => Found }
  /** The same on every day. */
  | { readonly _tag: "Measured" }

const partOf = (expr: Expr, kernelOf: KernelOf): Part => {
  switch (expr._tag) {
    case "Fact":
      return { _tag: "Term", id: expr.fact.id }
    case "Derived":
      return partOf(expr.of, kernelOf)
    case "Default": {
      const part = partOf(expr.value, kernelOf)
      return part._tag === "Term" ? { ...part, fallback: single(expr.fallback, kernelOf) } : part
    }
    case "Figure":
      return expr.of.some(isOfTable) ? { _tag: "Figure", ask: within(expr, kernelOf) } : { _tag: "Measured" }
    default:
      return { _tag: "Measured" }
  }
}

const isOfTable = (expr: Expr): boolean => {
  switch (expr._tag) {
    case "Fact":
      return Economics.isTerm(expr.fact.id)
    case "Derived":
      return isOfTable(expr.of)
    case "Default":
      return isOfTable(expr.value)
    case "Figure":
      return expr.of.some(isOfTable)
    default:
      return false
  }
}

/** A figure within a figure asks for its own terms. */
const within = (figure: Figure, kernelOf: KernelOf) => {
  const ask = onDay(figure, kernelOf)
  const asked = figure.of.map((expr) => single(expr, kernelOf))
  return (row: number, said: Said): Found => ask(row, said, (at) => asked[at]!(row))
}

/** Of one row; the kernel is made when first asked. */
const single = (expr: Expr, kernelOf: KernelOf): ((row: number) => Found) => {
  const [one, value, why] = [new Int32Array(1), new Float64Array(1), new Uint8Array(1)]
  let kernel: NumberKernel | undefined
  return (row) => {
    kernel ??= kernelOf(expr)
    one[0] = row
    kernel(one, 1, value, why)
    return { value: value[0]!, reason: why[0]! }
  }
}
