/**
 * Views of days that are over, seen twice on one day by the same rules or of the same rows: they are corrected a little,
 * they never vanish. Needs a single earlier run, where `Plausibility` wants three of other days. Pure.
 */
import * as Days from "../../domain/Days.js"
import { type Figure, hasAsManyRows, type Seen } from "./Plausibility.js"

/** An earlier figure, and whose it was: `rulesOf` the run that saw it. */
export interface SeenBy extends Seen {
  readonly rules: string
}

/** Figures that an earlier run of today contradicts, in words for people. */
export const vanished = (
  now: ReadonlyArray<Figure>,
  earlier: ReadonlyArray<SeenBy>,
  run: { readonly nowMs: number; readonly rules: string }
): ReadonlyArray<string> => {
  const today = Days.ofMarket(run.nowMs)
  const ofToday = earlier.filter(({ at }) => at < run.nowMs && Days.ofMarket(at) === today)
  const isComparable = (seen: SeenBy, figure: Figure) =>
    isOfSameRows(seen, figure) || (seen.rules === run.rules && hasAsManyRows(seen, figure))
  return now.filter(isOfWholeDays).flatMap((figure) => {
    const most = ofToday
      .filter((seen) => seen.fact === figure.fact && isComparable(seen, figure))
      .reduce<SeenBy | undefined>((best, one) => (one.total > (best?.total ?? 0) ? one : best), undefined)
    return most !== undefined && most.total >= leastViews && figure.total * farFactor <= most.total
      ? [
          `${figure.fact} is ${Math.round(figure.total)} in all, earlier today it was ${most.total} for the same days`
        ]
      : []
  })
}

/** Whichever rules asked for them. */
const isOfSameRows = (seen: SeenBy, { rows, rowsHash }: Figure): boolean =>
  rowsHash !== "" && seen.rowsHash === rowsHash && seen.rows === rows

const leastViews = 100
const farFactor = 10

/** Views alone: a spend that was too large an hour ago would make the right one look small. */
const isOfWholeDays = ({ fact }: Figure): boolean => /\.views@\d+d$/.test(fact)
