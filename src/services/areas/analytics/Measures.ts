/** Metric pairs of the reports, and rates made from counts. What is absent stays absent, never zero (field note A12). */
import * as Days from "../../../domain/Days.js"
import type { Pair, RankedPair } from "../../endpoints/Periods.js"

/** A metric of the period; `changePercent` against the past period, absent when none was asked for. */
export interface Measure {
  readonly current: number | undefined
  readonly changePercent: number | undefined
}

/** A measure that also tells what share of the competitors does worse, percent. */
export interface RankedMeasure extends Measure {
  readonly percentile: number | undefined
}

export const measure = (pair: Pair | undefined): Measure => ({
  current: pair?.current,
  changePercent: pair?.dynamics
})

export const ranked = (pair: RankedPair | undefined): RankedMeasure => ({
  ...measure(pair),
  percentile: pair?.percentile
})

/** An average or median position; 0 means that there were no shows, so there is no position (field note A13). */
export const position = (place: number | undefined): number | undefined =>
  place === undefined || place <= 0 ? undefined : place

/** As `measure`, for positions. */
export const positions = (pair: Pair | undefined): Measure =>
  position(pair?.current) === undefined ? { current: undefined, changePercent: undefined } : measure(pair)

/** Percent of a whole, not rounded; absent when a number is absent or the whole is 0. */
export const percent = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole === 0 ? undefined : (part / whole) * 100

/** The date of a row, which is a plain Moscow day and is not shifted (field note A05). */
export const day = (date: string | undefined): Days.Day | undefined => {
  const text = date?.slice(0, 10)
  return text === undefined ? undefined : Days.parse(text)
}

/** A period as answered; absent unless both ends are days. */
export const period = (
  answered: { readonly start?: string | undefined; readonly end?: string | undefined } | undefined
): Days.DayRange | undefined => {
  const { end, start } = answered ?? {}
  if (start === undefined || end === undefined) return undefined
  if (last.start !== start || last.end !== end) last = { start, end, range: rangeOf(start, end) }
  return last.range
}

/** All records of a report are of one period: what was read last is mostly asked again. */
let last: { readonly start: string; readonly end: string; readonly range: Days.DayRange | undefined } = {
  start: "",
  end: "",
  range: undefined
}

const rangeOf = (start: string, end: string): Days.DayRange | undefined => {
  const [from, to] = [day(start), day(end)]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** A text that says something; the marketplace spells "none" as an empty one in places (field note A04). */
export const filled = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text

/** A number that names something; 0 names nothing (field notes A04, A08). */
export const id = (number: number | undefined): number | undefined =>
  number === undefined || number === 0 ? undefined : number
