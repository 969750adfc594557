/**
 * Where nine of ten days lie, given the mean and variance of what is predicted. Money is positive and errs by factors, so its
 * logarithm is taken for normal; orders are counted, so they are Poisson, or negative binomial where the mean itself is uncertain.
 */
import type { Interval } from "./Decision.js"
import { z90 } from "./Distribution.js"

/** Share of the days that an interval promises to hold. */
export const promised = 0.9

const tail = (1 - promised) / 2

/** Of an amount that is never negative; the mean stays the mean, and lies between the ends. */
export const ofAmount = (mean: number, variance: number): Interval => {
  if (!(mean > 0)) return { low: 0, mean: 0, high: Math.sqrt(Math.max(0, variance)) * z90 }
  const logVariance = Math.log1p(Math.max(0, variance) / (mean * mean))
  const half = z90 * Math.sqrt(logVariance)
  const median = mean * Math.exp(-logVariance / 2)
  return { low: median * Math.exp(-half), mean, high: Math.max(mean, median * Math.exp(half)) }
}

/** Above this mean a count is as good as an amount. */
const manyCounts = 2000

/**
 * Of a count; `variance` holds the count's own (at least the mean). The ends are whole numbers and belong to the interval, so that it
 * holds the promised share or, of small counts, more.
 */
export const ofCount = (mean: number, variance: number): Interval => {
  if (!(mean > 0)) return { low: 0, mean: 0, high: 0 }
  if (mean > manyCounts) {
    const { high, low } = ofAmount(mean, variance)
    return { low: Math.floor(low), mean, high: Math.ceil(high) }
  }
  const beyond = Math.max(0, variance - mean)
  return { low: quantile(mean, beyond, tail, false), mean, high: quantile(mean, beyond, 1 - tail, true) }
}

/** The least k with P(X ≤ k) above a share, or at it; `beyond` is the variance that Poisson's does not explain. */
const quantile = (mean: number, beyond: number, share: number, orAt: boolean): number => {
  const size = beyond > mean * 1e-6 ? (mean * mean) / beyond : undefined
  const most = Math.ceil(mean + 40 * Math.sqrt(mean + beyond) + 40)
  const lnStep = Math.log(size === undefined ? mean : mean / (size + mean))
  let lnChance = size === undefined ? -mean : size * Math.log(size / (size + mean))
  let below = 0
  for (let k = 0; k < most; k++) {
    below += Math.exp(lnChance)
    if (orAt ? below >= share : below > share) return k
    lnChance += lnStep + Math.log((size === undefined ? 1 : k + size) / (k + 1))
  }
  return most
}
