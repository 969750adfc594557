/**
 * Figures of a promotion's own days (decision 0119): where the seller's table says otherwise on some of them than today, the figure is
 * asked for each way of it, and the least counts; it is unknown as soon as one of them is.
 */
import * as Reason from "../../../domain/Reason.js"
import type { Expr } from "../../language/Policy.js"
import type { NumberKernel } from "../Column.js"
import type { SaidAhead } from "../Spaces.js"
import * as UnitEconomics from "../UnitEconomics.js"

/** A term as today's columns have it: its value, or the byte of the reason why it has none. */
export interface Today {
  readonly value: (at: number) => number
  readonly reason: (at: number) => number
}

/** Asks the figure for a row's days ahead; a reason other than 0 tells why there is no value. */
export type Least = (
  row: number,
  ahead: SaidAhead,
  today: Today
) => { readonly value: number; readonly reason: number }

/** `kernelOf` makes the kernel of what stands in for a missing value. */
export const of = (
  name: UnitEconomics.FigureName,
  exprs: ReadonlyArray<Expr>,
  kernelOf: (expr: Expr) => NumberKernel
): Least => {
  const parts = exprs.map(partOf)
  const kernels = parts.map((part) => part?.fallback && once(() => kernelOf(part.fallback!)))
  const terms = new Array<number>(parts.length)
  const [one, value, why] = [new Int32Array(1), new Float64Array(1), new Uint8Array(1)]
  return (row, ahead, today) => {
    let [least, reason] = [Number.POSITIVE_INFINITY, Reason.known]
    for (const said of ahead) {
      let lacks = Reason.known
      for (let at = 0; at < parts.length; at++) {
        const part = parts[at]
        const cell = part === undefined ? undefined : said.get(part.id)
        const kernel = kernels[at]
        if (cell === undefined) {
          terms[at] = today.value(at)
          lacks = Reason.worse(lacks, today.reason(at))
        } else if (cell._tag === "Known") terms[at] = Number(cell.value)
        else if (kernel !== undefined && Reason.isMissing(Reason.code(cell.reason))) {
          one[0] = row
          kernel()(one, 1, value, why)
          terms[at] = value[0]!
          lacks = Reason.worse(lacks, why[0]!)
        } else lacks = Reason.worse(lacks, Reason.code(cell.reason))
      }
      if (lacks === Reason.known) {
        const made = UnitEconomics.figure(name, terms)
        if (Number.isNaN(made)) lacks = zeroOverZero
        else least = Math.min(least, made)
      }
      reason = Reason.worse(reason, lacks)
    }
    return { value: reason === Reason.known ? least : Number.NaN, reason }
  }
}

const zeroOverZero = Reason.code("zeroOverZero")

/** The fact of the table that a term is, and what stands in where it has no value. */
const partOf = (expr: Expr): { readonly id: string; readonly fallback?: Expr } | undefined => {
  switch (expr._tag) {
    case "Fact":
      return { id: expr.fact.id }
    case "Derived":
      return partOf(expr.of)
    case "Default": {
      const part = partOf(expr.value)
      return part === undefined ? undefined : { ...part, fallback: expr.fallback }
    }
    default:
      return undefined
  }
}

const once = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}
