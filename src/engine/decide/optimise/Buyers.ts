/** When on a day of the marketplace its buyers come: few buy at night, and an evening counts for more than its hours. */

import * as Days from "../../../domain/Days.js"
import type * as Past from "./Past.js"

const dayHours = 24
/** This share of a day's buyers comes before 7 in the morning, the others evenly (assumed). */
const nightHours = 7
const nightShare = 0.12

/** Share of a day's buyers that have come after so much of it. */
export const come = (passedMs: number): number => {
  const hours = Math.min(dayHours, Math.max(0, passedMs / Days.hourMs))
  return hours <= nightHours
    ? (nightShare * hours) / nightHours
    : nightShare + ((1 - nightShare) * (hours - nightHours)) / (dayHours - nightHours)
}

/** Share of a day's buyers that came outside of these spans; `dayMs` is when the day begins, epoch milliseconds. */
export const shareOutside = (spans: ReadonlyArray<Past.Span>, dayMs: number): number =>
  1 - spans.reduce((sum, { fromMs, toMs }) => sum + come(toMs - dayMs) - come(fromMs - dayMs), 0)
