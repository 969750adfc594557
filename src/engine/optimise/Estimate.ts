/** What is believed of one stream: its rates, its curve, its demand and what it pays; or why nothing can be decided about it. */
import * as Curve from "./Curve.js"
import type { Nothing } from "./Decision.js"
import * as Demand from "./Demand.js"
import * as Learn from "./Learn.js"
import type * as Rates from "./Rates.js"
import { posterior } from "./Rates.js"
import type { Counts, Stream, Worth } from "./Stream.js"
import * as Value from "./Value.js"

export interface Estimate {
  readonly _tag: "Estimate"
  readonly counts: Counts
  readonly worth: Worth
  readonly trial: Rates.Trial
  readonly rates: Rates.Posterior
  readonly curve: Curve.Curve
  readonly exponent: number
  readonly halfKopecks: number
  readonly demandPerDay: number
  /** Share of the bid that is paid. */
  readonly paidShare: number
  /** The bid that the counted clicks per view belong to. */
  readonly referenceKopecks: number
}

export const of = (stream: Stream, learned: Learn.Learned): Estimate | Nothing => {
  const { counts: given, history, payment, worth } = stream
  if (stream.standing._tag === "Minus") return { code: "in_minus" }
  if (worth._tag === "Absent") return { code: "no_margin", because: worth.reason }
  if (given._tag === "Absent") return { code: "no_statistics", because: given.reason }
  const counts = given.value
  if (!Value.arePossible(counts)) return { code: "impossible_statistics" }
  const { capKopecks, floorKopecks, stepKopecks } = stream
  if (Math.ceil(floorKopecks / stepKopecks - 1e-9) * stepKopecks > capKopecks)
    return { code: "floor_above_cap" }
  const curve = Curve.of(stream, learned.curve[payment])
  if ("code" in curve) return curve
  const trial = Value.trialOf(counts)
  const exponent = Math.exp(curve.lnExponent)
  const half = Math.exp(curve.lnHalf)
  const paid = Demand.paid(payment, counts, history, stream.bidKopecks)
  return {
    _tag: "Estimate",
    counts,
    worth: worth.value,
    trial,
    rates: posterior(Learn.priorOf(learned, stream), trial),
    curve,
    exponent,
    halfKopecks: half,
    demandPerDay: Demand.viewsPerDay(counts, history, stream.bidKopecks, exponent, half),
    paidShare: Demand.ownPaidShare(payment, paid, learned.paidShare[payment]),
    referenceKopecks: paid.bidKopecks
  }
}
