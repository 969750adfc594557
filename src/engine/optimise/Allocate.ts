/**
 * One price of money per budget. Of each stream a list of bids is open; the bid chosen is
 *
 *     argmax over bids of  worth(bid) − κ · spend(bid)          κ = 1 + λ for profit, λ for orders and revenue
 *
 * with the smallest λ ≥ 0 at which the spend of all fits the budget: then no rouble can be moved to where it earns more (KKT). Design
 * page, `optimise` (3). With the share s(b), elasticity e(b) = α(1 − s(b)) and CTR ∝ b^η, what the next bit of spend brings,
 *
 *     cpm: worth/spend at b · (e + η)/(e + 1)          cpc: worth/spend at b · (e + η)/(e + η + 1)
 *
 * only falls as the bid rises (η ≤ 1): so a stream's list is a stair of ever smaller returns, the best bid for κ is the last stair
 * that returns κ or more, and all budgets are served by taking stairs in order of their return until the money is gone. Therefore more
 * budget never earns less. κ is found by halving its range, and a stream whose stair no longer depends on κ is done with. A stair is
 * looked for about the bid at which the formula above returns κ, and where that errs by steps that double.
 */
import * as Curve from "./Curve.js"

/** The streams of one budget, in an order that does not depend on that of the rows. */
export interface Streams {
  readonly size: number
  readonly exponent: Float64Array
  readonly half: Float64Array
  /** Views a day at a share of 1. */
  readonly demand: Float64Array
  /** Goal units per view at the bid `reference`. */
  readonly worth: Float64Array
  /** Kopecks per view and kopeck of bid, at the bid `reference`. */
  readonly cost: Float64Array
  readonly reference: Float64Array
  /** η of this payment: clicks per view grow by bid^η. */
  readonly clickExponent: number
  /** 1 where clicks are paid: their cost grows with CTR. */
  readonly paysClicks: Uint8Array
}

/**
 * The bids that are open, ascending: `off` (nothing shown) if `canBeOff`, steps from `lowFrom` to `lowTo`, the present bid if `stays` is
 * above 0, steps from `highFrom` to `highTo`. Steps count in `step` kopecks; a part with `from > to` is empty.
 */
export interface Open {
  readonly canBeOff: Uint8Array
  readonly step: Float64Array
  readonly lowFrom: Int32Array
  readonly lowTo: Int32Array
  readonly stays: Float64Array
  readonly highFrom: Int32Array
  readonly highTo: Int32Array
}

export const open = (size: number): Open => ({
  canBeOff: new Uint8Array(size),
  step: new Float64Array(size),
  lowFrom: new Int32Array(size),
  lowTo: new Int32Array(size).fill(-1),
  stays: new Float64Array(size),
  highFrom: new Int32Array(size),
  highTo: new Int32Array(size).fill(-1)
})

/** How many bids are open, off included. */
const count = (o: Open, i: number): number =>
  o.canBeOff[i]! +
  Math.max(0, o.lowTo[i]! - o.lowFrom[i]! + 1) +
  (o.stays[i]! > 0 ? 1 : 0) +
  Math.max(0, o.highTo[i]! - o.highFrom[i]! + 1)

/** Kopecks; 0 is off. */
const bidAt = (o: Open, i: number, index: number): number => {
  let at = index - o.canBeOff[i]!
  if (at < 0) return 0
  const lows = Math.max(0, o.lowTo[i]! - o.lowFrom[i]! + 1)
  if (at < lows) return (o.lowFrom[i]! + at) * o.step[i]!
  at -= lows
  if (o.stays[i]! > 0) {
    if (at === 0) return o.stays[i]!
    at -= 1
  }
  return (o.highFrom[i]! + at) * o.step[i]!
}

/** Views a day. */
export const viewsAt = (s: Pick<Streams, "demand" | "exponent" | "half">, i: number, bid: number): number =>
  s.demand[i]! * Curve.share(bid, s.exponent[i]!, s.half[i]!)

/** How clicks per view at this bid compare with those at the reference. */
export const clickFactor = (s: Streams, i: number, bid: number): number =>
  s.clickExponent === 0 || bid <= 0 ? 1 : Curve.power(bid / s.reference[i]!, s.clickExponent)

/** Kopecks a day. */
export const spendAt = (s: Streams, i: number, bid: number): number =>
  viewsAt(s, i, bid) * s.cost[i]! * bid * (s.paysClicks[i] === 1 ? clickFactor(s, i, bid) : 1)

/** Goal units a day. */
export const worthAt = (s: Streams, i: number, bid: number): number =>
  viewsAt(s, i, bid) * s.worth[i]! * clickFactor(s, i, bid)

/**
 * What the stair up to this index returns per kopeck. It is asked most, some fifteen times of a stream: `viewsAt` stands here in
 * place, for each number that a call hands back has to be collected.
 */
const returnOf = (s: Streams, o: Open, i: number, index: number): number => {
  const from = bidAt(o, i, index - 1)
  const to = bidAt(o, i, index)
  const demand = s.demand[i]!
  const half = s.half[i]!
  const exponent = s.exponent[i]!
  const fewer = from <= 0 ? 0 : demand / (1 + Math.exp(exponent * Math.log(half / from)))
  const more = to <= 0 ? 0 : demand / (1 + Math.exp(exponent * Math.log(half / to)))
  const before = fewer * clickFactor(s, i, from)
  const after = more * clickFactor(s, i, to)
  const paid = s.paysClicks[i] === 1 ? after * to - before * from : more * to - fewer * from
  const spend = s.cost[i]! * paid
  const worth = s.worth[i]! * (after - before)
  // Without spend there is nothing to weigh: free views are taken, worthless ones not.
  return spend > 0 ? worth / spend : worth > 0 ? Number.POSITIVE_INFINITY : 0
}

/** Handed back as an answer and not as a number: of half a million streams that spares some million numbers. */
const returns = (s: Streams, o: Open, i: number, index: number, kappa: number): boolean =>
  returnOf(s, o, i, index) >= kappa

/** The open bid nearest below a bid, about. */
const indexOf = (o: Open, i: number, bid: number): number => {
  const at = Math.round(bid / o.step[i]!)
  const upTo = (from: number, to: number): number => Math.max(0, Math.min(at, to) - from + 1)
  const isPast = o.stays[i]! > 0 && o.stays[i]! <= bid
  return (
    o.canBeOff[i]! -
    1 +
    upTo(o.lowFrom[i]!, o.lowTo[i]!) +
    (isPast ? 1 : 0) +
    upTo(o.highFrom[i]!, o.highTo[i]!)
  )
}

/**
 * About the bid at which the next bit of spend returns `kappa`: two of Newton's steps along ln(return), which falls ever faster in
 * ln(bid). Not a number where nothing is worth anything.
 */
const bidOf = (s: Streams, i: number, kappa: number): number => {
  const exponent = s.exponent[i]!
  const clicks = s.clickExponent
  const paid = s.paysClicks[i] === 1 ? clicks : 0
  const free = clicks - paid
  const lnHalf = Math.log(s.half[i]!)
  const level =
    Math.log(s.worth[i]! / (s.cost[i]! * kappa)) - (free === 0 ? 0 : free * Math.log(s.reference[i]!))
  let ln = lnHalf
  for (let round = 0; round < 2; round++) {
    const share = 1 / (1 + Math.exp(exponent * (lnHalf - ln)))
    const elasticity = exponent * (1 - share)
    const gained = elasticity + clicks
    const spent = elasticity + paid + 1
    const falls = 1 - free + exponent * share * elasticity * (1 / gained - 1 / spent)
    ln += (level + (free - 1) * ln + Math.log(gained / spent)) / falls
  }
  return Math.exp(ln)
}

/** Fewer stairs than that are halved sooner than the bid is reckoned. */
const few = 16

/** The last stair between two that returns `kappa` or more; `least` if none above it does. */
const stair = (s: Streams, o: Open, i: number, kappa: number, least: number, most: number): number => {
  let low = least
  let high = most
  const about = high - low > few ? indexOf(o, i, bidOf(s, i, kappa)) : (low + high + 1) >> 1
  let next = about < high ? Math.max(about, low + 1) : high
  let reach = 1
  while (low < high) {
    const at = next > low && next <= high ? next : (low + high + 1) >> 1
    const isTaken = returns(s, o, i, at, kappa)
    if (isTaken) low = at
    else high = at - 1
    next = isTaken ? at + reach : at - reach
    reach *= 2
  }
  return low
}

export interface Allocation {
  /** Chosen bids in kopecks, 0 for off, in the order of the streams. */
  readonly bids: Float64Array
  /** What the next stair not taken for want of money returns; `least` where money is no bound. */
  readonly kappa: number
  readonly spend: number
  /** Even the lowest bids spend more than there is. */
  readonly isOverspent: boolean
}

/** The bids that fit the budget (kopecks a day), at the least price of money, which is `least` or more. */
export const within = (s: Streams, o: Open, budget: number, least: number): Allocation => {
  const stairs = new Int32Array(s.size)
  const bids = new Float64Array(s.size)
  let spend = 0
  for (let i = 0; i < s.size; i++) {
    const index = stair(s, o, i, least, 0, count(o, i) - 1)
    stairs[i] = index
    bids[i] = bidAt(o, i, index)
    spend += spendAt(s, i, bids[i]!)
  }
  if (spend <= budget) return { bids, kappa: least, spend, isOverspent: false }
  const search = new Search(s, o, least, stairs)
  search.narrow(budget)
  return search.fill(budget)
}

/** Between `dearest`, at which all fits, and `cheapest`, at which it does not. */
class Search {
  private readonly lower: Int32Array
  private active: Int32Array
  private settled = 0
  private dearest: number
  private cheapest: number

  constructor(
    private readonly s: Streams,
    private readonly o: Open,
    least: number,
    /** The stairs at `least`, which is as far as any bid goes. */
    private readonly upper: Int32Array
  ) {
    this.lower = new Int32Array(s.size)
    this.cheapest = least
    this.dearest = least
    const active = new Int32Array(s.size)
    let size = 0
    for (let i = 0; i < s.size; i++) {
      if (upper[i] === 0) this.settled += spendAt(s, i, bidAt(o, i, 0))
      else {
        active[size++] = i
        const first = returnOf(s, o, i, 1)
        if (first < Number.POSITIVE_INFINITY) this.dearest = Math.max(this.dearest, first)
      }
    }
    this.active = active.subarray(0, size)
    this.dearest = this.dearest * (1 + 1e-9) + 1e-300
  }

  narrow(budget: number): void {
    for (let round = 0; round < 60 && this.active.length > 0; round++) {
      const low = Math.max(this.cheapest, this.dearest * 1e-9)
      if (this.dearest <= low * (1 + 1e-12)) return
      const kappa = Math.sqrt(low * this.dearest)
      const found = new Int32Array(this.active.length)
      let spend = this.settled
      for (let a = 0; a < this.active.length; a++) {
        const i = this.active[a]!
        found[a] = stair(this.s, this.o, i, kappa, this.lower[i]!, this.upper[i]!)
        spend += spendAt(this.s, i, bidAt(this.o, i, found[a]!))
      }
      const fits = spend <= budget
      if (fits) this.dearest = kappa
      else this.cheapest = kappa
      this.keep(found, fits ? this.lower : this.upper)
    }
  }

  private keep(found: Int32Array, into: Int32Array): void {
    let still = 0
    for (let a = 0; a < this.active.length; a++) {
      const i = this.active[a]!
      into[i] = found[a]!
      if (this.lower[i] === this.upper[i])
        this.settled += spendAt(this.s, i, bidAt(this.o, i, this.lower[i]!))
      else this.active[still++] = i
    }
    this.active = this.active.subarray(0, still)
  }

  /** The stairs that return as much as money costs are taken one by one, best first, until one does not fit: none is skipped. */
  fill(budget: number): Allocation {
    const { o, s } = this
    const stairs: Array<{ readonly i: number; readonly index: number; readonly gain: number }> = []
    for (const i of this.active)
      for (let index = this.lower[i]! + 1; index <= this.upper[i]!; index++)
        stairs.push({ i, index, gain: returnOf(s, o, i, index) })
    stairs.sort((a, b) => b.gain - a.gain || a.i - b.i || a.index - b.index)
    const bids = Float64Array.from({ length: s.size }, (_, i) => bidAt(o, i, this.lower[i]!))
    let spend = bids.reduce((sum, bid, i) => sum + spendAt(s, i, bid), 0)
    const isOverspent = spend > budget
    for (const { gain, i, index } of stairs) {
      const bid = bidAt(o, i, index)
      const more = spend + spendAt(s, i, bid) - spendAt(s, i, bids[i]!)
      if (more > budget) return { bids, kappa: gain, spend, isOverspent }
      bids[i] = bid
      spend = more
    }
    return { bids, kappa: this.dearest, spend, isOverspent }
  }
}
