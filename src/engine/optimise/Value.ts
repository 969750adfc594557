/**
 * What views are worth: 1000 views = 1000 × CTR × CVR × what an order leaves; a click = CVR × what an order leaves. Means and 90%
 * intervals of the posterior that `Rates` learned. Design page, `optimise` (1).
 */
import type { Interval } from "./Decision.js"
import { betaBelow, normalBelow } from "./Distribution.js"
import * as Rates from "./Rates.js"
import type { Counts } from "./Stream.js"

/** More hits than trials cannot be, but is reported (late orders, two carts of a click): the fewest trials that fit are the careful reading. */
export const trialOf = ({ carts, clicks, orders, views }: Counts): Rates.Trial => {
  const tried = Math.max(clicks, orders)
  const trial = { views: Math.max(views, tried), clicks: tried, orders }
  return carts === undefined ? trial : { ...trial, carts: Math.max(orders, Math.min(carts, tried)) }
}

/** False where counts are negative, no numbers, or of no time at all. */
export const arePossible = ({ clicks, liveDays, orders, spendKopecks, views }: Counts): boolean =>
  [views, clicks, orders, spendKopecks, liveDays].every((count) => Number.isFinite(count) && count >= 0) &&
  liveDays > 0

/**
 * The 90% interval of orders per view, or per click, around the posterior's `mean`. Each part is taken for a gamma distribution of its
 * mean and variance, the cube root of which is nearly normal (Wilson & Hilferty 1931); the mixture's quantiles are then found by
 * halving. Some percent off, and quick: an account has a hundred thousand of them. What is decided by a probability asks `chanceBelow`.
 */
export const interval = (
  per: "view" | "click",
  prior: Rates.Prior,
  trial: Rates.Trial,
  mean: number
): Interval =>
  between(
    mean,
    Rates.parts(prior, trial, 0.005).map(({ a, b, c, d, weight }) => {
      const orders = beta(c, d)
      if (per === "click") return cubeRoot(weight, orders)
      const clicks = beta(a, b)
      return cubeRoot(weight, { first: clicks.first * orders.first, second: clicks.second * orders.second })
    })
  )

/** First and second moment. */
interface Moments {
  readonly first: number
  readonly second: number
}

const beta = (a: number, b: number): Moments => ({
  first: a / (a + b),
  second: (a * (a + 1)) / ((a + b) * (a + b + 1))
})

/** A part whose cube root is normal. */
interface CubeRoot {
  readonly weight: number
  readonly mean: number
  readonly error: number
}

const cubeRoot = (weight: number, { first, second }: Moments): CubeRoot => {
  const ninth = (second / (first * first) - 1) / 9
  const scale = Math.cbrt(first)
  return { weight, mean: scale * (1 - ninth), error: Math.max(1e-12, scale * Math.sqrt(ninth)) }
}

const below = (parts: ReadonlyArray<CubeRoot>, root: number): number => {
  let sum = 0
  for (const part of parts) sum += part.weight * normalBelow((root - part.mean) / part.error)
  return sum
}

const between = (mean: number, parts: ReadonlyArray<CubeRoot>): Interval => {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const part of parts) {
    least = Math.min(least, part.mean - 2.5 * part.error)
    most = Math.max(most, part.mean + 2.5 * part.error)
  }
  const at = (probability: number): number => {
    let [low, high] = [least, most]
    for (let i = 0; i < 18; i++) {
      const middle = (low + high) / 2
      if (below(parts, middle) < probability) low = middle
      else high = middle
    }
    return Math.max(0, (low + high) / 2) ** 3
  }
  return { low: at(0.05), mean, high: at(0.95) }
}

/** P(orders per view < x): how sure it is that a view brings less than it costs. */
export const chanceBelow = (prior: Rates.Prior, trial: Rates.Trial, ordersPerView: number): number =>
  belowProduct(Rates.parts(prior, trial, 1e-5), ordersPerView)

/** Σ weight · E over the click rate of P(order rate < x / click rate). */
const belowProduct = (parts: ReadonlyArray<Rates.Part>, x: number): number =>
  x <= 0 ? 0 : parts.reduce((sum, part) => sum + part.weight * belowPart(part, x), 0)

/** Five points of Gauss and Hermite over ln(click rate), whose spread is small beside that of the order rate. */
const points = [-2.8569700138728, -1.3556261799742, 0, 1.3556261799742, 2.8569700138728]
const masses = [0.0112574113277, 0.2220759220056, 0.5333333333333, 0.2220759220056, 0.0112574113277]

const belowPart = ({ a, b, c, d }: Rates.Part, x: number): number => {
  const mean = a / (a + b)
  const spread = Math.sqrt(Math.log1p(b / (a * (a + b + 1))))
  let sum = 0
  for (let i = 0; i < points.length; i++) {
    const ctr = mean * Math.exp(points[i]! * spread - (spread * spread) / 2)
    sum += masses[i]! * betaBelow(x / ctr, c, d)
  }
  return sum
}
