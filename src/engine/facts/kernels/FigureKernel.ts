/** Kernels of the figures of `UnitEconomics`. Neighbouring rows are often about one item: the last answer is kept. */
import * as Reason from "../../../domain/Reason.js"
import type { NumberKernel } from "../Column.js"
import type { Table } from "../Table.js"
import * as UnitEconomics from "../UnitEconomics.js"
import type { Worst } from "./AheadKernel.js"

const zeroOverZero = Reason.code("zeroOverZero")

/** Of figures of a promotion's days, where some row has days ahead on which the seller's table says something else. */
interface Ahead {
  readonly table: Table
  readonly worst: Worst
}

/** `parts` are the terms; an unknown one makes the figure unknown (`Reason.worse`). */
export const compile = (
  name: UnitEconomics.FigureName,
  parts: ReadonlyArray<NumberKernel>,
  block: number,
  ahead?: Ahead
): NumberKernel => {
  const plain = ofToday(name, parts, block)
  if (ahead === undefined) return plain
  const { table, worst } = ahead
  const [one, term, why] = [new Int32Array(1), new Float64Array(1), new Uint8Array(1)]
  const today = (at: number) => {
    parts[at]!(one, 1, term, why)
    return { value: term[0]!, reason: why[0]! }
  }
  return (rows, count, values, reasons) => {
    plain(rows, count, values, reasons)
    for (let i = 0; i < count; i++) {
      const said = table.ahead(rows[i]!)
      if (said === undefined) continue
      one[0] = rows[i]!
      const found = worst(rows[i]!, said, today)
      values[i] = found.value
      reasons[i] = found.reason
    }
  }
}

const ofToday = (
  name: UnitEconomics.FigureName,
  parts: ReadonlyArray<NumberKernel>,
  block: number
): NumberKernel => {
  const columns = parts.map(() => new Float64Array(block))
  const partReasons = new Uint8Array(block)
  const figure = memoizedOf(name)
  const terms = new Float64Array(parts.length)
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
      values[i] = figure(terms)
      if (Number.isNaN(values[i]!)) reasons[i] = zeroOverZero
    }
  }
}

/** A figure that answers at once when it is asked the same again. An unknown term (NaN) makes it unknown. */
export const memoized = (name: UnitEconomics.FigureName): ((...terms: ReadonlyArray<number>) => number) => {
  const figure = memoizedOf(name)
  return (...terms) => figure(terms)
}

/** The same of terms in a list, which is the caller's: a large account asks for a million figures. */
const memoizedOf = (name: UnitEconomics.FigureName): ((terms: Terms) => number) => {
  let asked = new Float64Array(0)
  let answer = Number.NaN
  const isAsked = (terms: Terms) => {
    if (terms.length !== asked.length) return false
    for (let at = 0; at < asked.length; at++) if (terms[at] !== asked[at]) return false
    return true
  }
  return (terms) => {
    if (isAsked(terms)) return answer
    if (terms.length === asked.length) asked.set(terms)
    else asked = Float64Array.from(terms)
    answer = lacksOne(terms) ? Number.NaN : UnitEconomics.figure(name, terms)
    return answer
  }
}

const lacksOne = (terms: Terms): boolean => {
  for (let at = 0; at < terms.length; at++) if (Number.isNaN(terms[at])) return true
  return false
}

type Terms = Float64Array | ReadonlyArray<number>
