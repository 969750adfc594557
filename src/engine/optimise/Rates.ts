/**
 * What is known of click rates (clicks per view) and order rates (orders per click) before a stream is looked at: learned from all
 * streams of the account, so that one with few counts is judged by what its like turned out to be. Empirical Bayes.
 *
 * The prior is a mixture over a fixed grid: click rate ~ Beta(a_i, b_i), order rate ~ Beta(c_j, d_j), with weights w_ij. Shapes stand
 * still, weights are learned by EM on the marginal likelihood
 *
 *     Σ_ij w_ij · BB(clicks; views, a_i, b_i) · BB(orders; clicks, c_j, d_j)        (BB: beta-binomial)
 *
 * It is concave in w, so EM finds its one maximum from anywhere: nothing is chosen, and the same counts give the same weights. Unlike
 * one beta it has room for "dead" streams beside paying ones, and for click and order rates that go together. Laird 1978 and
 * Koenker & Mizera 2014 (nonparametric maximum likelihood of a mixing distribution); the design page asks for a mixture.
 */
import { lnBeta, lnGamma } from "./Distribution.js"

/** Betas of a grid: `a` successes of `a + b` trials that one would seem to have seen. */
export interface Grid {
  readonly a: Float64Array
  readonly b: Float64Array
}

/** A prior: weights w_ij at `i × orders.a.length + j`, adding up to 1. */
export interface Prior {
  readonly weights: Float64Array
}

/** What counts say of one stream. `views ≥ clicks ≥ orders ≥ 0`. */
export interface Trial {
  readonly views: number
  readonly clicks: number
  readonly orders: number
}

/** Rates around `first · ratio^i`, each as sure as `successes` successes make one: neighbours overlap, so no rate falls between two. */
const gridOf = (successes: number, first: number, ratio: number, size: number, dead: Grid): Grid => {
  const means = Array.from({ length: size }, (_, i) => first * ratio ** i)
  return {
    a: Float64Array.from([...dead.a, ...means.map(() => successes)]),
    b: Float64Array.from([...dead.b, ...means.map((mean) => (successes * (1 - mean)) / mean)])
  }
}

/** 0.05% to 30%, and streams that are as good as never clicked. */
export const clickGrid: Grid = gridOf(3, 0.0006, 1.75, 12, {
  a: Float64Array.of(1),
  b: Float64Array.of(4000)
})
/** 0.3% to 50%, and streams whose clicks order as good as never. */
export const orderGrid: Grid = gridOf(3, 0.003, 1.75, 10, { a: Float64Array.of(1), b: Float64Array.of(1500) })

const rows = clickGrid.a.length
const columns = orderGrid.a.length
const cells = rows * columns

const normaliser = (grid: Grid): Float64Array => grid.a.map((a, i) => lnBeta(a, grid.b[i]!))
const clickNormaliser = normaliser(clickGrid)
const orderNormaliser = normaliser(orderGrid)

/**
 * Where nothing was learned yet: click rates around 2%, order rates around 2.5%, both within a factor of about three (assumed: what
 * sellers report of search advertising lies within). It weighs as much as `priorStreams` streams.
 */
export const assumed: Prior = {
  weights: (() => {
    const bump = (grid: Grid, centre: number, spread: number) =>
      grid.a.map((a, i) => Math.exp(-0.5 * (Math.log(a / (a + grid.b[i]!) / centre) / spread) ** 2))
    const clicks = bump(clickGrid, 0.02, 1)
    const orders = bump(orderGrid, 0.025, 1.1)
    return scaled(
      Float64Array.from(
        { length: cells },
        (_, at) => clicks[Math.floor(at / columns)]! * orders[at % columns]!
      )
    )
  })()
}

function scaled(weights: Float64Array): Float64Array {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** How many streams the assumed prior is worth, and how many the account's is to one of its groups. */
const priorStreams = 10
const accountStreams = 40

/** Likelihoods of one row of the grid up to a common factor, written at `offset`. */
const likelihoods = (
  grid: Grid,
  normal: Float64Array,
  hits: number,
  trials: number,
  into: Float64Array,
  offset: number
): void => {
  let most = Number.NEGATIVE_INFINITY
  const size = grid.a.length
  // All but the first of a grid have one `a`.
  const first = lnGamma(grid.a[0]! + hits)
  const others = lnGamma(grid.a[1]! + hits)
  for (let i = 0; i < size; i++) {
    const b = grid.b[i]!
    const ln =
      (i === 0 ? first : others) + lnGamma(b + trials - hits) - lnGamma(grid.a[i]! + b + trials) - normal[i]!
    into[offset + i] = ln
    if (ln > most) most = ln
  }
  for (let i = 0; i < size; i++) into[offset + i] = Math.exp(into[offset + i]! - most)
}

const emSteps = 80

/** The account's prior. The order of the trials must not depend on that of the rows: sums are taken in it. */
export const learn = (trials: ReadonlyArray<Trial>): Prior => fitted(trials, assumed, priorStreams, emSteps)

/** The prior of a group of streams: its own weights, drawn to the account's by as much as it is small. */
export const learnGroup = (trials: ReadonlyArray<Trial>, account: Prior): Prior =>
  fitted(trials, account, accountStreams, emSteps / 2)

const fitted = (trials: ReadonlyArray<Trial>, base: Prior, baseStreams: number, steps: number): Prior => {
  const width = rows + columns
  const seen = new Float64Array(trials.length * width)
  for (let t = 0; t < trials.length; t++) {
    const { clicks, orders, views } = trials[t]!
    likelihoods(clickGrid, clickNormaliser, clicks, views, seen, t * width)
    likelihoods(orderGrid, orderNormaliser, orders, clicks, seen, t * width + rows)
  }
  let weights = base.weights
  for (let step = 0; step < steps; step++) {
    const next = base.weights.map((weight) => weight * baseStreams)
    for (let t = 0; t < trials.length; t++) share(seen, t * width, weights, next)
    weights = scaled(next)
  }
  return { weights }
}

const part = new Float64Array(cells)

/** Adds the shares of the cells in one stream to `into`; they add up to 1. */
const share = (seen: Float64Array, at: number, weights: Float64Array, into: Float64Array): void => {
  let total = 0
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const cell = i * columns + j
      const mass = weights[cell]! * seen[at + i]! * seen[at + rows + j]!
      part[cell] = mass
      total += mass
    }
  for (let cell = 0; cell < cells; cell++) into[cell]! += part[cell]! / total
}

/** What is believed of a stream once it was looked at. */
export interface Posterior {
  /** Mean clicks per view, orders per click, and orders per view; they go together, so the third is no product. */
  readonly ctr: number
  readonly cvr: number
  readonly ordersPerView: number
  /** Standard deviation of clicks per view and orders per view. */
  readonly ctrError: number
  readonly ordersPerViewError: number
}

/** Click rates this much less likely than the likeliest change no figure. */
const negligible = 1e-12

const clickSeen = new Float64Array(rows)
const orderSeen = new Float64Array(columns)
const orderMean = new Float64Array(columns)
const orderSquare = new Float64Array(columns)

/** Means and errors of the posterior, a mixture of products of betas. */
export const posterior = (prior: Prior, { clicks, orders, views }: Trial): Posterior => {
  likelihoods(clickGrid, clickNormaliser, clicks, views, clickSeen, 0)
  likelihoods(orderGrid, orderNormaliser, orders, clicks, orderSeen, 0)
  for (let j = 0; j < columns; j++) {
    const a = orderGrid.a[j]! + orders
    const all = orderGrid.a[j]! + orderGrid.b[j]! + clicks
    orderMean[j] = a / all
    orderSquare[j] = (a * (a + 1)) / (all * (all + 1))
  }
  let [mass, ctr, ctrSquare, cvr, both, bothSquare] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < rows; i++) {
    const seen = clickSeen[i]!
    if (seen < negligible) continue
    let [weight, mean, square] = [0, 0, 0]
    for (let j = 0; j < columns; j++) {
      const cell = prior.weights[i * columns + j]! * orderSeen[j]!
      weight += cell
      mean += cell * orderMean[j]!
      square += cell * orderSquare[j]!
    }
    const a = clickGrid.a[i]! + clicks
    const all = clickGrid.a[i]! + clickGrid.b[i]! + views
    const first = a / all
    const second = (a * (a + 1)) / (all * (all + 1))
    mass += seen * weight
    ctr += seen * weight * first
    ctrSquare += seen * weight * second
    cvr += seen * mean
    both += seen * mean * first
    bothSquare += seen * square * second
  }
  return {
    ctr: ctr / mass,
    cvr: cvr / mass,
    ordersPerView: both / mass,
    ctrError: Math.sqrt(Math.max(0, ctrSquare / mass - (ctr / mass) ** 2)),
    ordersPerViewError: Math.sqrt(Math.max(0, bothSquare / mass - (both / mass) ** 2))
  }
}

/** One product of betas of a posterior. */
export interface Part {
  readonly weight: number
  /** Clicks per view ~ Beta(a, b), orders per click ~ Beta(c, d). */
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

/** The posterior as a list, for its quantiles; what weighs less than `least` of it is left out. */
export const parts = (prior: Prior, { clicks, orders, views }: Trial, least: number): ReadonlyArray<Part> => {
  likelihoods(clickGrid, clickNormaliser, clicks, views, clickSeen, 0)
  likelihoods(orderGrid, orderNormaliser, orders, clicks, orderSeen, 0)
  let mass = 0
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const weight = prior.weights[i * columns + j]! * clickSeen[i]! * orderSeen[j]!
      part[i * columns + j] = weight
      mass += weight
    }
  let kept = 0
  for (let cell = 0; cell < cells; cell++) if (part[cell]! > mass * least) kept += part[cell]!
  const all: Array<Part> = []
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const weight = part[i * columns + j]!
      if (weight > mass * least)
        all.push({
          weight: weight / kept,
          a: clickGrid.a[i]! + clicks,
          b: clickGrid.b[i]! + views - clicks,
          c: orderGrid.a[j]! + orders,
          d: orderGrid.b[j]! + clicks - orders
        })
    }
  return all
}
