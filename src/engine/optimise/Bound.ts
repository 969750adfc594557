/**
 * Both bounds of a budget at once: what it may spend, and what spend may be of revenue. Each has a price:
 *
 *     max Σ worth − λ (Σ spend − budget) − δ (Σ spend − drr · Σ revenue)
 *       = Σ (worth + δ · drr · revenue) − (κ₀ + λ + δ) · spend + what does not depend on bids
 *
 * so the second bound only makes worth of revenue and money dearer, and `Allocate` stays as it is. δ is found by halving.
 */
import * as Allocate from "./Allocate.js"

export interface Limits {
  /** Kopecks a day; infinite where nothing limits it. */
  readonly budget: number
  readonly drr: number | undefined
  /** Of streams that are not decided. */
  readonly otherSpend: number
  readonly otherRevenue: number
}

/** What prices are already: bids of today are never bought more cheaply than the bids that are aimed at. */
export interface Prices {
  readonly kappa: number
  readonly delta: number
}

export interface Settled extends Allocate.Allocation, Prices {}

/** `revenue`: kopecks per view at the reference bid, as `worth` is. */
export const settle = (
  s: Allocate.Streams,
  revenue: Float64Array,
  o: Allocate.Open,
  limits: Limits,
  least: Prices
): Settled => {
  const room = limits.budget - limits.otherSpend
  const solve = (delta: number): Settled => {
    const worth =
      delta === 0 ? s.worth : s.worth.map((own, i) => own + delta * (limits.drr ?? 0) * revenue[i]!)
    const allocation = Allocate.within({ ...s, worth }, o, room, least.kappa + delta - least.delta)
    return { ...allocation, delta }
  }
  const fits = ({ bids }: Settled): boolean => {
    if (limits.drr === undefined) return true
    let [spend, sales] = [limits.otherSpend, limits.otherRevenue]
    for (let i = 0; i < s.size; i++) {
      spend += Allocate.spendAt(s, i, bids[i]!)
      sales += Allocate.viewsAt(s, i, bids[i]!) * revenue[i]! * Allocate.clickFactor(s, i, bids[i]!)
    }
    return spend <= limits.drr * sales
  }
  const free = solve(least.delta)
  if (fits(free)) return free
  return dearer(solve, fits, least.delta, scaleOf(s))
}

/** Worth per kopeck is near 1 for profit, but tiny for orders: δ starts from what a view's worth is to its cost. */
const scaleOf = (s: Allocate.Streams): number => {
  let [worth, cost] = [0, 0]
  for (let i = 0; i < s.size; i++) {
    worth += s.worth[i]!
    cost += s.cost[i]! * s.half[i]!
  }
  return worth > 0 && cost > 0 ? worth / cost : 1
}

const dearer = (
  solve: (delta: number) => Settled,
  fits: (one: Settled) => boolean,
  from: number,
  scale: number
): Settled => {
  let low = from
  let high = from + scale / 4
  let found = solve(high)
  for (let i = 0; i < 12 && !fits(found); i++) {
    low = high
    high = from + (high - from) * 4
    found = solve(high)
  }
  // No price makes it fit: with money this dear the bids are those that come nearest.
  if (!fits(found)) return { ...found, isOverspent: true }
  for (let i = 0; i < 14; i++) {
    const middle = (low + high) / 2
    const tried = solve(middle)
    if (fits(tried)) [found, high] = [tried, middle]
    else low = middle
  }
  return found
}
