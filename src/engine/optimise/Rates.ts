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
 *
 * Where carts are told they stand between clicks and orders, of which there are fewer (decision 0113):
 *
 *     Σ_ij w_ij · BB(clicks; views, a_i, b_i) · BB(carts; clicks, c_j, d_j) · Σ_l v_jl · BB(orders; carts, e_l, f_l)
 *
 * with v learned beside w. That is concave in each of them only; EM always begins at the assumed prior, so the same counts still give
 * the same weights.
 */
import { lnBeta, lnGamma } from "./Distribution.js"

/** Betas of a grid: `a` successes of `a + b` trials that one would seem to have seen. */
export interface Grid {
  readonly a: Float64Array
  readonly b: Float64Array
}

/** A prior: weights w_ij at `i × orderGrid.a.length + j`, adding up to 1. */
export interface Prior {
  readonly weights: Float64Array
  /** Where carts are told: v_jl at `j × boughtGrid.a.length + l`, those of each j adding up to 1. */
  readonly bought?: Float64Array
}

/** What counts say of one stream. `views ≥ clicks ≥ carts ≥ orders ≥ 0`; carts are asked for where the prior knows them. */
export interface Trial {
  readonly views: number
  readonly clicks: number
  readonly carts?: number
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
/** Of orders, or carts where those are told, per click: 0.3% to 50%, and streams whose clicks lead as good as never to one. */
export const orderGrid: Grid = gridOf(3, 0.003, 1.75, 10, { a: Float64Array.of(1), b: Float64Array.of(1500) })
/** Of orders per cart, which lie closer together: 2% to 80%, and carts that are as good as never bought. */
export const boughtGrid: Grid = gridOf(12, 0.02, 1.36, 13, { a: Float64Array.of(1), b: Float64Array.of(300) })

const rows = clickGrid.a.length
const columns = orderGrid.a.length
const cells = rows * columns
const layers = boughtGrid.a.length

/** Up to here half a million streams ask for the same counts again and again. */
const mostKept = 16_384

/** Writes the likelihoods of counts at `offset`, up to a common factor. What is reckoned of a count is kept, and serves all streams. */
const likelihoodsOf = ({ a, b }: Grid) => {
  const size = a.length
  const normal = a.map((own, i) => lnBeta(own, b[i]!))
  // ln Γ(b + k) at `k × size`, 0 where nobody has asked; behind them is room for three of which `k` is not kept.
  const gammas = new Float64Array((mostKept + 3) * size)
  const gammasOf = (k: number, spare: number): number => {
    const isKept = k < mostKept && Number.isInteger(k)
    const at = (isKept ? k : mostKept + spare) * size
    if (!isKept || gammas[at] === 0) for (let i = 0; i < size; i++) gammas[at + i] = lnGamma(b[i]! + k)
    return at
  }
  return (hits: number, trials: number, into: Float64Array, offset: number): void => {
    const missed = gammasOf(trials - hits, 0)
    // All but the first of a grid have one `a`.
    const ofFirst = gammasOf(a[0]! + trials, 1)
    const ofOthers = gammasOf(a[1]! + trials, 2)
    let most = lnGamma(a[0]! + hits) + gammas[missed]! - gammas[ofFirst]! - normal[0]!
    into[offset] = most
    const others = lnGamma(a[1]! + hits)
    for (let i = 1; i < size; i++) {
      const ln = others + gammas[missed + i]! - gammas[ofOthers + i]! - normal[i]!
      into[offset + i] = ln
      if (ln > most) most = ln
    }
    for (let i = 0; i < size; i++) into[offset + i] = Math.exp(into[offset + i]! - most)
  }
}

const clickLikelihoods = likelihoodsOf(clickGrid)
const orderLikelihoods = likelihoodsOf(orderGrid)
const boughtLikelihoods = likelihoodsOf(boughtGrid)

const bump = (grid: Grid, centre: number, spread: number): Float64Array =>
  grid.a.map((a, i) => Math.exp(-0.5 * (Math.log(a / (a + grid.b[i]!) / centre) / spread) ** 2))

const around = (perClick: number): Float64Array => {
  const clicks = bump(clickGrid, 0.02, 1)
  const orders = bump(orderGrid, perClick, 1.1)
  return scaled(
    Float64Array.from({ length: cells }, (_, at) => clicks[Math.floor(at / columns)]! * orders[at % columns]!)
  )
}

/**
 * Where nothing was learned yet: click rates around 2%, order rates around 2.5%, both within a factor of about three (assumed: what
 * sellers report of search advertising lies within). It weighs as much as `priorStreams` streams.
 */
export const assumed: Prior = { weights: around(0.025) }

/** The same where carts are told: around 8% of clicks, of which around 30% are bought (assumed as well). */
export const assumedWithCarts: Prior = {
  weights: around(0.08),
  bought: (() => {
    const own = scaled(bump(boughtGrid, 0.3, 0.6))
    return Float64Array.from({ length: columns * layers }, (_, at) => own[at % layers]!)
  })()
}

function scaled(weights: Float64Array): Float64Array {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** How many streams the assumed prior is worth, and how many the account's is to one of its groups. */
const priorStreams = 10
const accountStreams = 40

const emSteps = 80

/** The account's prior. The order of the trials must not depend on that of the rows: sums are taken in it. */
export const learn = (trials: ReadonlyArray<Trial>, isToldOfCarts: boolean): Prior =>
  fitted(trials, isToldOfCarts ? assumedWithCarts : assumed, priorStreams, emSteps)

/** The prior of a group of streams: its own weights, drawn to the account's by as much as it is small. */
export const learnGroup = (trials: ReadonlyArray<Trial>, account: Prior): Prior =>
  fitted(trials, account, accountStreams, emSteps / 2)

/**
 * Of every stream that will be judged, and more carts than orders: else they are counted in some other way, and orders go by clicks.
 * One without carts would look as if all of its carts had been bought.
 */
export class Carts {
  private carts = 0
  private orders = 0

  add({ carts = Number.NaN, orders }: Trial): void {
    this.carts += carts
    this.orders += orders
  }

  get areTold(): boolean {
    return this.carts > this.orders
  }
}

/** Carts, or orders where carts are not told: what clicks lead to next. A stream without clicks has none of either. */
const nextOf = (prior: Prior, { carts, orders }: Trial): number =>
  prior.bought === undefined ? orders : (carts ?? orders)

const fitted = (trials: ReadonlyArray<Trial>, base: Prior, baseStreams: number, steps: number): Prior => {
  const width = rows + columns + layers
  const seen = new Float64Array(trials.length * width)
  for (let t = 0; t < trials.length; t++) likely(base, trials[t]!, seen, t * width)
  const drawn = base.bought === undefined ? undefined : drawnTo(base, base.bought, baseStreams)
  let { bought, weights } = base
  for (let step = 0; step < steps; step++) {
    const next = base.weights.map((weight) => weight * baseStreams)
    const nextBought = drawn?.slice()
    for (let t = 0; t < trials.length; t++) share(seen, t * width, { weights, bought }, next, nextBought)
    weights = scaled(next)
    bought = nextBought === undefined ? undefined : scaledByColumn(nextBought)
  }
  return bought === undefined ? { weights } : { weights, bought }
}

/** What the base says of orders per cart, in streams: of a column as many as it has there, and one. */
const drawnTo = ({ weights }: Prior, bought: Float64Array, baseStreams: number): Float64Array => {
  const own = new Float64Array(columns).fill(1)
  for (let cell = 0; cell < cells; cell++) own[cell % columns]! += weights[cell]! * baseStreams
  return bought.map((share, at) => share * own[Math.floor(at / layers)]!)
}

const scaledByColumn = (bought: Float64Array): Float64Array => {
  const all = new Float64Array(bought.length)
  for (let j = 0; j < columns; j++) all.set(scaled(bought.subarray(j * layers, (j + 1) * layers)), j * layers)
  return all
}

/** Likelihoods of a trial in the rows, columns and layers, one after another from `offset` on. */
const likely = (prior: Prior, trial: Trial, into: Float64Array, offset: number): void => {
  const { clicks, orders, views } = trial
  const next = nextOf(prior, trial)
  clickLikelihoods(clicks, views, into, offset)
  orderLikelihoods(next, clicks, into, offset + rows)
  if (prior.bought !== undefined) boughtLikelihoods(orders, next, into, offset + rows + columns)
}

const part = new Float64Array(cells)
/** By column: the likelihood of the orders, given the carts; 1 where no carts are told. */
const boughtSeen = new Float64Array(columns).fill(1)

const seeBought = (bought: Float64Array | undefined, seen: Float64Array, at: number): void => {
  if (bought === undefined) {
    boughtSeen.fill(1)
    return
  }
  for (let j = 0; j < columns; j++) {
    let sum = 0
    for (let l = 0; l < layers; l++) sum += bought[j * layers + l]! * seen[at + l]!
    boughtSeen[j] = sum
  }
}

/** Adds the shares of the cells in one stream to `into`, and those of the layers to `intoBought`; each adds up to 1. */
const share = (
  seen: Float64Array,
  at: number,
  { bought, weights }: { readonly weights: Float64Array; readonly bought: Float64Array | undefined },
  into: Float64Array,
  intoBought: Float64Array | undefined
): void => {
  const layersAt = at + rows + columns
  seeBought(bought, seen, layersAt)
  let total = 0
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const cell = i * columns + j
      const mass = weights[cell]! * seen[at + i]! * seen[at + rows + j]! * boughtSeen[j]!
      part[cell] = mass
      total += mass
    }
  for (let cell = 0; cell < cells; cell++) into[cell]! += part[cell]! / total
  if (bought === undefined || intoBought === undefined) return
  for (let j = 0; j < columns; j++) {
    let own = 0
    for (let i = 0; i < rows; i++) own += part[i * columns + j]!
    const each = own / total / boughtSeen[j]!
    for (let l = 0; l < layers; l++)
      intoBought[j * layers + l]! += each * bought[j * layers + l]! * seen[layersAt + l]!
  }
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

const trialSeen = new Float64Array(rows + columns + layers)
const clickSeen = trialSeen.subarray(0, rows)
const orderSeen = trialSeen.subarray(rows, rows + columns)
const layerSeen = trialSeen.subarray(rows + columns)
/** Of orders per click, by column. */
const orderMean = new Float64Array(columns)
const orderSquare = new Float64Array(columns)

/** Looks at a trial: what its rows and columns are likely to be, and the mean and mean square of orders per click in each column. */
const look = (prior: Prior, trial: Trial): void => {
  likely(prior, trial, trialSeen, 0)
  const next = nextOf(prior, trial)
  for (let j = 0; j < columns; j++) {
    const a = orderGrid.a[j]! + next
    const all = orderGrid.a[j]! + orderGrid.b[j]! + trial.clicks
    orderMean[j] = a / all
    orderSquare[j] = (a * (a + 1)) / (all * (all + 1))
  }
  if (prior.bought === undefined) return
  seeBought(prior.bought, trialSeen, rows + columns)
  for (let j = 0; j < columns; j++) {
    let mean = 0
    let square = 0
    for (let l = 0; l < layers; l++) {
      const weight = prior.bought[j * layers + l]! * layerSeen[l]!
      const a = boughtGrid.a[l]! + trial.orders
      const all = boughtGrid.a[l]! + boughtGrid.b[l]! + next
      mean += (weight * a) / all
      square += (weight * a * (a + 1)) / (all * (all + 1))
    }
    orderSeen[j]! *= boughtSeen[j]!
    orderMean[j]! *= mean / boughtSeen[j]!
    orderSquare[j]! *= square / boughtSeen[j]!
  }
}

/** Means and errors of the posterior, a mixture of products of betas. */
export const posterior = (prior: Prior, trial: Trial): Posterior => {
  const { clicks, views } = trial
  look(prior, trial)
  // One by one: taking them out of lists leaves two kilobytes a stream to collect.
  let mass = 0
  let ctr = 0
  let ctrSquare = 0
  let cvr = 0
  let both = 0
  let bothSquare = 0
  for (let i = 0; i < rows; i++) {
    const seen = clickSeen[i]!
    if (seen < negligible) continue
    let weight = 0
    let mean = 0
    let square = 0
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
  /** Clicks per view ~ Beta(a, b), orders per click ~ Beta(c, d), or one with its mean and variance where carts stand between. */
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

/** The posterior as a list, for its quantiles; what weighs less than `least` of it is left out. */
export const parts = (prior: Prior, trial: Trial, least: number): ReadonlyArray<Part> => {
  const { clicks, views } = trial
  look(prior, trial)
  // One by one: taking them out of lists leaves two kilobytes a stream to collect.
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
      if (weight <= mass * least) continue
      const mean = orderMean[j]!
      // As many clicks as a beta of this mean and mean square has behind it.
      const behind = (mean - orderSquare[j]!) / (orderSquare[j]! - mean * mean)
      all.push({
        weight: weight / kept,
        a: clickGrid.a[i]! + clicks,
        b: clickGrid.b[i]! + views - clicks,
        c: mean * behind,
        d: (1 - mean) * behind
      })
    }
  return all
}
