/** Sets of numbers as sorted, disjoint intervals with open or closed ends; infinity is a value like any other. */
import type { CompareOp } from "../Policy.js"

export interface Interval {
  readonly low: number
  readonly lowOpen: boolean
  readonly high: number
  readonly highOpen: boolean
}

/** No interval means that no number is left. */
export type Ranges = ReadonlyArray<Interval>

export const interval = (low: number, high: number, lowOpen = false, highOpen = false): Interval => ({
  low,
  lowOpen,
  high,
  highOpen
})

export const everything: Ranges = [interval(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)]

/** The numbers that stand in this relation to a bound. */
export const from = (op: CompareOp, bound: number): Ranges => {
  const below = (open: boolean) => interval(Number.NEGATIVE_INFINITY, bound, false, open)
  const above = (open: boolean) => interval(bound, Number.POSITIVE_INFINITY, open, false)
  switch (op) {
    case "<":
      return [below(true)].filter(inhabited)
    case "<=":
      return [below(false)]
    case ">":
      return [above(true)].filter(inhabited)
    case ">=":
      return [above(false)]
    case "=":
      return [interval(bound, bound)]
    case "!=":
      return [below(true), above(true)].filter(inhabited)
  }
}

/** These numbers alone. */
export const only = (values: ReadonlyArray<number>): Ranges =>
  sorted(values).map((value) => interval(value, value))

/** Every number but these. */
export const allBut = (values: ReadonlyArray<number>): Ranges => {
  const ends = [Number.NEGATIVE_INFINITY, ...sorted(values), Number.POSITIVE_INFINITY]
  return ends
    .slice(1)
    .map((high, at) => interval(ends[at]!, high, at > 0, at < ends.length - 2))
    .filter(inhabited)
}

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(values)].sort((a, b) => a - b)

/** One pass over both, which are sorted: of two intervals the one that ends first meets nothing further on. */
export const intersect = (a: Ranges, b: Ranges): Ranges => {
  const both: Array<Interval> = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i]!, b[j]!]
    const met = meet(x, y)
    if (inhabited(met)) both.push(met)
    // Infinity less infinity is no number, and false.
    const order = x.high - y.high || Number(y.highOpen) - Number(x.highOpen)
    if (order <= 0) i++
    if (order >= 0) j++
  }
  return both
}

/** The whole numbers of a set: every end moves to the next one inside. */
export const whole = (ranges: Ranges): Ranges =>
  ranges
    .map(({ high, highOpen, low, lowOpen }) => {
      const first = Number.isFinite(low) ? (lowOpen ? Math.floor(low) + 1 : Math.ceil(low)) : low
      const last = Number.isFinite(high) ? (highOpen ? Math.ceil(high) - 1 : Math.floor(high)) : high
      return interval(first, last)
    })
    .filter(inhabited)

export const holds = (ranges: Ranges, value: number): boolean => {
  // The last of the intervals that begin at the value or below is the only one that may hold it, or the one before.
  let [from, to] = [0, ranges.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ranges[middle]!.low <= value) from = middle + 1
    else to = middle
  }
  return ranges.slice(Math.max(0, from - 2), from).some((one) => isIn(one, value))
}

const isIn = ({ high, highOpen, low, lowOpen }: Interval, value: number): boolean =>
  (value > low || (value === low && !lowOpen)) && (value < high || (value === high && !highOpen))

export const lowest = (ranges: Ranges): number => ranges[0]?.low ?? Number.POSITIVE_INFINITY
export const highest = (ranges: Ranges): number => ranges.at(-1)?.high ?? Number.NEGATIVE_INFINITY

const meet = (x: Interval, y: Interval): Interval => ({
  low: Math.max(x.low, y.low),
  lowOpen: (x.low >= y.low && x.lowOpen) || (y.low >= x.low && y.lowOpen),
  high: Math.min(x.high, y.high),
  highOpen: (x.high <= y.high && x.highOpen) || (y.high <= x.high && y.highOpen)
})

const inhabited = ({ high, highOpen, low, lowOpen }: Interval): boolean =>
  low < high || (low === high && !lowOpen && !highOpen)
