/** Kernels of the figures of `UnitEconomics`. Neighbouring rows are often about one item: the last answer is kept. */
import * as Reason from "../../../domain/Reason.js"
import type { NumberKernel } from "../Column.js"
import * as UnitEconomics from "../UnitEconomics.js"

const zeroOverZero = Reason.code("zeroOverZero")

/** `parts` are the terms; the first unknown one makes the figure unknown. */
export const compile = (
  name: UnitEconomics.FigureName,
  parts: ReadonlyArray<NumberKernel>,
  block: number
): NumberKernel => {
  const columns = parts.map(() => new Float64Array(block))
  const partReasons = new Uint8Array(block)
  const figure = remembering(name, parts.length)
  const terms = new Float64Array(parts.length)
  return (rows, count, values, reasons) => {
    reasons.fill(Reason.known, 0, count)
    for (let at = 0; at < parts.length; at++) {
      parts[at]!(rows, count, columns[at]!, partReasons)
      for (let i = 0; i < count; i++) if (reasons[i] === Reason.known) reasons[i] = partReasons[i]!
    }
    for (let i = 0; i < count; i++) {
      values[i] = Number.NaN
      if (reasons[i] !== Reason.known) continue
      for (let at = 0; at < columns.length; at++) terms[at] = columns[at]![i]!
      values[i] = figure(terms)
      if (Number.isNaN(values[i]!)) reasons[i] = zeroOverZero
    }
  }
}

/** A figure that answers at once when it is asked the same again. An unknown term (NaN) makes it unknown. */
export const memoized = (name: UnitEconomics.FigureName): ((...terms: ReadonlyArray<number>) => number) => {
  let figure: ((terms: Float64Array) => number) | undefined
  return (...terms) => {
    figure ??= remembering(name, terms.length)
    return figure(Float64Array.from(terms))
  }
}

/** Of terms in a list that the caller may use again: one made for each row would be half a million of them in a large account. */
const remembering = (name: UnitEconomics.FigureName, count: number): ((terms: Float64Array) => number) => {
  const asked = new Float64Array(count).fill(Number.NaN)
  let answer = Number.NaN
  return (terms) => {
    let isSame = true
    let isUnknown = false
    for (let at = 0; at < count; at++) {
      const term = terms[at]!
      if (term !== term) isUnknown = true
      if (term === asked[at]) continue
      isSame = false
      asked[at] = term
    }
    if (isSame) return answer
    answer = isUnknown ? Number.NaN : UnitEconomics.figure(name, asked)
    return answer
  }
}
