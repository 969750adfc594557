/** Kernels of the figures of `UnitEconomics`. Neighbouring rows are often about one item: the last answer is kept. */
import * as Reason from "../../../domain/Reason.js"
import type { NumberKernel } from "../Column.js"
import * as UnitEconomics from "../UnitEconomics.js"

const zeroOverZero = Reason.code("zeroOverZero")

/** `parts` are the terms; an unknown one makes the figure unknown (`Reason.worse`). */
export const compile = (
  name: UnitEconomics.FigureName,
  parts: ReadonlyArray<NumberKernel>,
  block: number
): NumberKernel => {
  const columns = parts.map(() => new Float64Array(block))
  const partReasons = new Uint8Array(block)
  const figure = memoized(name)
  const terms = new Array<number>(parts.length)
  return (rows, count, values, reasons) => {
    reasons.fill(Reason.known, 0, count)
    for (const [at, part] of parts.entries()) {
      part(rows, count, columns[at]!, partReasons)
      for (let i = 0; i < count; i++) reasons[i] = Reason.worse(reasons[i]!, partReasons[i]!)
    }
    for (let i = 0; i < count; i++) {
      values[i] = Number.NaN
      if (reasons[i] !== Reason.known) continue
      for (let at = 0; at < columns.length; at++) terms[at] = columns[at]![i]!
      values[i] = figure(...terms)
      if (Number.isNaN(values[i]!)) reasons[i] = zeroOverZero
    }
  }
}

/** A figure that answers at once when it is asked the same again. An unknown term (NaN) makes it unknown. */
export const memoized = (name: UnitEconomics.FigureName): ((...terms: ReadonlyArray<number>) => number) => {
  let asked: ReadonlyArray<number> = []
  let answer = Number.NaN
  return (...terms) => {
    if (terms.length === asked.length && terms.every((one, at) => one === asked[at])) return answer
    asked = terms
    answer = terms.some(Number.isNaN) ? Number.NaN : UnitEconomics.figure(name, terms)
    return answer
  }
}
