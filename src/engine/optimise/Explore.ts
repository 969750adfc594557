/**
 * Who is shown although the estimates alone would not: streams that may well be better than they are believed to be. A bounded part of
 * the budget, given by what one may hope to learn per kopeck, with no chance in it: the same facts explore the same streams.
 *
 * With orders per view believed to be m ± e and t needed to earn the price back, one may hope for
 *
 *     E[max(0, X − t)] = (m − t) · Φ((m − t) / e) + e · φ((m − t) / e)
 *
 * (expected improvement, Mockus 1975; knowledge gradient of one step, Frazier & Powell 2008). Design page, `optimise` (5).
 */
import { normalBelow, normalDensity } from "./Distribution.js"

export interface Candidate {
  /** Its place in the order of the streams; ties go to the first. */
  readonly at: number
  /** It is on trial: what was begun goes on before anything new is tried. */
  readonly isBegun: boolean
  /** Hope per kopeck of price: at the floor, in parts of what is needed. */
  readonly hope: number
  readonly costKopecksPerDay: number
}

/** As a part of `needed`. 0 where nothing is needed or nothing is unknown. */
export const hope = (mean: number, error: number, needed: number): number => {
  if (!(needed > 0 && needed < Number.POSITIVE_INFINITY && error > 0)) return 0
  const z = (mean - needed) / error
  return Math.max(0, ((mean - needed) * normalBelow(z) + error * normalDensity(z)) / needed)
}

/** Less hope than this is none: the stream is known to be weak. */
const leastHope = 0.01

/** Those that fit into the allowance (kopecks a day), most hope first; one that does not fit makes room for a smaller one. */
export const choose = (candidates: ReadonlyArray<Candidate>, allowance: number): ReadonlySet<number> => {
  const sorted = candidates
    .filter(
      ({ costKopecksPerDay, hope: own, isBegun }) => costKopecksPerDay > 0 && (isBegun || own >= leastHope)
    )
    .sort((a, b) => Number(b.isBegun) - Number(a.isBegun) || b.hope - a.hope || a.at - b.at)
  const chosen = new Set<number>()
  let left = allowance
  for (const { at, costKopecksPerDay } of sorted) {
    if (costKopecksPerDay > left) continue
    chosen.add(at)
    left -= costKopecksPerDay
  }
  return chosen
}
