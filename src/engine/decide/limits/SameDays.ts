/**
 * Views of days that are over, seen twice on one day by the same rules or of the same rows: they are corrected a little,
 * they never vanish. Needs a single earlier run, where `Plausibility` wants three of other days. Pure.
 */
import * as Days from "../../../domain/Days.js"
import { type Figure, isOfSameRows, type Run, type Seen } from "./Plausibility.js"

/** Figures that an earlier run of today contradicts, in words for people. */
export const vanished = (
  now: ReadonlyArray<Figure>,
  earlier: ReadonlyArray<Seen>,
  run: Run
): ReadonlyArray<string> => {
  const today = Days.ofMarket(run.nowMs)
  const ofToday = earlier.filter(({ at }) => at < run.nowMs && Days.ofMarket(at) === today)
  return now.filter(isOfWholeDays).flatMap((figure) => {
    const most = ofToday
      .filter((seen) => seen.fact === figure.fact && isOfSameRows(seen, figure, run.rules))
      .reduce<Seen | undefined>((best, one) => (one.total > (best?.total ?? 0) ? one : best), undefined)
    return most !== undefined && most.total >= leastViews && figure.total * farFactor <= most.total
      ? [
          `${figure.fact} is ${Math.round(figure.total)} in all, earlier today it was ${most.total} for the same days`
        ]
      : []
  })
}

const leastViews = 100
const farFactor = 10

/** Views alone: a spend that was too large an hour ago would make the right one look small. */
const isOfWholeDays = ({ fact }: Figure): boolean => /\.views@\d+d$/.test(fact)
