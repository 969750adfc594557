/**
 * The most that can be earned from a budget, where everything that can be chosen is a list of points (spend, gain) and
 * time may be shared between two of them: then only the upper hull of each list counts, and a budget is best spent by
 * taking the hulls' segments by falling slope. This is the exact solution of the linear programme; the slope of the last
 * segment is the shadow price of the budget.
 */

export interface Point {
  readonly spend: number
  readonly gain: number
}

/** Time shared between two points of a list: `share` of it at `high`. */
export interface Mix<P extends Point> {
  readonly low: P
  readonly high: P
  readonly share: number
}

export interface Filled<P extends Point> {
  /** One for each hull, in their order. */
  readonly mixes: ReadonlyArray<Mix<P>>
  /** What one more of the budget would earn beside itself; 0 where the budget does not bind. */
  readonly lambda: number
}

/**
 * The upper hull of points that are given as columns: their indexes by rising spend, from nothing (spend 0, gain 0) on and
 * as long as one more of spend gains more than itself. Nothing itself is not named.
 */
export const hull = (spend: Float64Array, gain: Float64Array): ReadonlyArray<number> => {
  const order = inOrder(spend)
  const kept: Array<number> = []
  const slopeTo = (from: number | undefined, to: number): number => {
    const [spent, gained] = from === undefined ? [0, 0] : [spend[from] as number, gain[from] as number]
    return ((gain[to] as number) - gained) / ((spend[to] as number) - spent)
  }
  for (const point of order) {
    const last = kept.at(-1)
    if ((spend[point] as number) <= (last === undefined ? 0 : (spend[last] as number))) {
      // As dear as the last one, or nothing: the better of both stays.
      if (last === undefined || (gain[point] as number) <= (gain[last] as number)) continue
      kept.pop()
    }
    while (kept.length > 0 && slopeTo(kept.at(-2), kept.at(-1) as number) <= slopeTo(kept.at(-1), point))
      kept.pop()
    if (slopeTo(kept.at(-1), point) > 1) kept.push(point)
  }
  return kept
}

const inOrder = (spend: Float64Array): Uint32Array | Array<number> => {
  const order = Uint32Array.from(spend, (_, i) => i)
  for (let i = 1; i < spend.length; i++)
    if ((spend[i] as number) < (spend[i - 1] as number))
      return [...order].sort((a, b) => (spend[a] as number) - (spend[b] as number) || a - b)
  return order
}

const slope = (from: Point, to: Point): number => (to.gain - from.gain) / (to.spend - from.spend)

/** Spends a budget on hulls as well as can be; each begins with what is there for nothing. */
export const fill = <P extends Point>(hulls: ReadonlyArray<ReadonlyArray<P>>, budget: number): Filled<P> => {
  const segments = hulls.flatMap((points, index) =>
    points.slice(1).map((high, i) => {
      const low = points[i] as P
      return { index, low, high, slope: slope(low, high) }
    })
  )
  segments.sort((a, b) => b.slope - a.slope || a.index - b.index)
  const mixes: Array<Mix<P>> = hulls.map(([none]) => ({ low: none as P, high: none as P, share: 1 }))
  let left = budget - hulls.reduce((sum, [none]) => sum + (none?.spend ?? 0), 0)
  for (const { high, index, low, slope } of segments) {
    const more = high.spend - low.spend
    if (more > left) {
      mixes[index] = { low, high, share: left / more }
      return { mixes, lambda: slope - 1 }
    }
    mixes[index] = { low, high, share: 1 }
    left -= more
  }
  return { mixes, lambda: 0 }
}

export const spendOf = <P extends Point>({ high, low, share }: Mix<P>): number =>
  low.spend + share * (high.spend - low.spend)

export const gainOf = <P extends Point>({ high, low, share }: Mix<P>): number =>
  low.gain + share * (high.gain - low.gain)
