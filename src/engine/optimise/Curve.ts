/**
 * Which share of a stream's views a bid wins: logistic in ln(bid),
 *
 *     share(b) = b^α / (b^α + half^α)      so      ln(b) = ln(half) + logit(share) / α
 *
 * Recommended levels name bids for known shares, which is a straight line; the stream's own days show by how much views rose with
 * the bid, which is α · (1 − share) on average; both are joined with what the account's other streams have (a normal prior over
 * ln α and ln(half / floor)). A curve that contradicts itself is refused. Design page, `optimise` (2).
 */
import type { CurveSource, Nothing } from "./Decision.js"
import type { Day, Level, LevelName, Maybe } from "./Stream.js"

/**
 * What each level stands for. Reach levels: the middle of the published range (contract "Codes": 50–60, 61–75, 76–100% of the
 * cluster's views). No share is published for the others, so theirs is assumed, and weighs less.
 */
const levelShares: Readonly<Record<LevelName, { readonly share: number; readonly error: number }>> = {
  reach_min: { share: 0.55, error: 0.17 },
  reach_medium: { share: 0.68, error: 0.17 },
  reach_max: { share: 0.86, error: 0.2 },
  competitive: { share: 0.5, error: 0.3 },
  leaders: { share: 0.75, error: 0.3 },
  top2: { share: 0.9, error: 0.3 },
  place_11_34: { share: 0.35, error: 0.3 },
  place_3_10: { share: 0.65, error: 0.3 },
  place_1_2: { share: 0.9, error: 0.3 }
}

/** A normal belief over ln α and ln half (before a stream is looked at: ln(half / floor)). */
export interface Belief {
  readonly lnExponent: number
  readonly lnHalf: number
  readonly varExponent: number
  readonly varHalf: number
  readonly covariance: number
}

/** Exponents of 1.5 to 4, half of the views for 1.7 times the floor: assumed until the account shows otherwise. */
export const assumed: Belief = {
  lnExponent: Math.log(2.5),
  lnHalf: Math.log(1.7),
  varExponent: 0.3 ** 2,
  varHalf: 0.45 ** 2,
  covariance: 0
}

export interface Curve extends Belief {
  readonly source: CurveSource
}

export const share = (bid: number, exponent: number, half: number): number =>
  bid <= 0 ? 0 : 1 / (1 + power(half / bid, exponent))

/** `base ** exponent` of a base above 0, to about 1e-14: three times as fast, and an account asks for it many million times. */
export const power = (base: number, exponent: number): number => Math.exp(exponent * Math.log(base))

/** What a curve is made of; `prior` is over ln(half / floor). */
export interface Evidence {
  readonly floorKopecks: number
  readonly levels: Maybe<ReadonlyArray<Level>>
  readonly history?: ReadonlyArray<Day>
}

/** The curve of a stream, or how it contradicts itself. */
export const of = (evidence: Evidence, prior: Belief): Curve | Nothing => {
  const { floorKopecks } = evidence
  const moves = evidence.history === undefined ? undefined : elasticity(evidence.history)
  if (moves !== undefined && moves.slope + 3 * moves.error < 0)
    return { code: "contradictory_history", elasticity: moves.slope, error: moves.error }
  const levels = evidence.levels._tag === "Known" ? usable(evidence.levels.value, floorKopecks) : []
  const contradiction = contradictionOf(levels)
  const isSure = moves !== undefined && moves.slope > 0 && moves.error < 0.35
  if (contradiction !== undefined && !isSure) return contradiction
  const own = ofOthers(floorKopecks, prior)
  const byLevels = contradiction !== undefined || levels.length === 0 ? own : throughLevels(levels, own)
  const joined = moves === undefined ? byLevels : throughMoves(moves, byLevels)
  const source =
    byLevels === own
      ? moves === undefined
        ? "pooled"
        : "history"
      : moves === undefined
        ? "levels"
        : "levels_and_history"
  const { covariance, lnExponent, lnHalf, varExponent, varHalf } = joined
  return { covariance, lnExponent, lnHalf, varExponent, varHalf, source }
}

/** The curve of a stream that shows nothing of its own. */
export const ofOthers = (floorKopecks: number, prior: Belief): Belief =>
  copy(prior, prior.lnHalf + Math.log(Math.max(1, floorKopecks)))

/** Field by field: half a million spreads take seconds. */
const copy = ({ covariance, lnExponent, varExponent, varHalf }: Belief, lnHalf: number): Belief => ({
  covariance,
  lnExponent,
  lnHalf,
  varExponent,
  varHalf
})

interface Point {
  readonly share: number
  readonly error: number
  readonly bidKopecks: number
}

/**
 * Levels by share. 0 is no advice (field note M27). No level is advised below the floor, so of several at the floor only the highest
 * share says something: there, the floor itself may do.
 */
const usable = (levels: ReadonlyArray<Level>, floorKopecks: number): ReadonlyArray<Point> => {
  const points = levels.map(pointOf)
  const sorted = points.every(isInPlace)
    ? points
    : points.filter(({ bidKopecks }) => bidKopecks > 0).sort(byShare)
  const atFloor = sorted.reduce((count, { bidKopecks }) => count + (bidKopecks <= floorKopecks ? 1 : 0), 0)
  if (atFloor < 2) return sorted
  const highest = sorted.findLastIndex(({ bidKopecks }) => bidKopecks <= floorKopecks)
  return sorted.filter(({ bidKopecks }, i) => bidKopecks > floorKopecks || i === highest)
}

const pointOf = ({ bidKopecks, name }: Level): Point => {
  const { error, share: wanted } = levelShares[name]
  return { share: wanted, error, bidKopecks }
}

const byShare = (a: Point, b: Point): number => a.share - b.share || a.bidKopecks - b.bidKopecks

const isInPlace = (point: Point, at: number, all: ReadonlyArray<Point>): boolean =>
  point.bidKopecks > 0 && (at === 0 || byShare(all[at - 1]!, point) <= 0)

/**
 * Each level is off by up to 30% (design page), so neighbours may change places by that. What falls by more, or from the lowest share
 * to the highest, is no noise.
 */
const contradictionOf = (levels: ReadonlyArray<Point>): Nothing | undefined => {
  const falls = (lower: Point, higher: Point, by: number): Nothing | undefined =>
    higher.share > lower.share && higher.bidKopecks < lower.bidKopecks * (1 - by)
      ? {
          code: "contradictory_levels",
          lowerKopecks: lower.bidKopecks,
          higherKopecks: higher.bidKopecks
        }
      : undefined
  const first = levels[0]
  const last = levels.at(-1)
  if (first === undefined || last === undefined) return undefined
  let found = falls(first, last, 0.1)
  for (let i = 1; i < levels.length; i++) found ??= falls(levels[i - 1]!, levels[i]!, 0.45)
  return found
}

/** What all levels of one answer are off by together, as a standard error of ln(bid). */
const sharedError = 0.1

/** Regression of ln(bid) on logit(share) with the prior over its two terms, ln(half) and 1/α. */
const throughLevels = (levels: ReadonlyArray<Point>, prior: Belief): Belief => {
  const slope = Math.exp(-prior.lnExponent)
  const varSlope = slope * slope * prior.varExponent
  let aa = 1 / prior.varHalf
  let ab = 0
  let bb = 1 / varSlope
  let ya = prior.lnHalf / prior.varHalf
  let yb = slope / varSlope
  for (const { bidKopecks, error, share: wanted } of levels) {
    const x = Math.log(wanted / (1 - wanted))
    const weight = 1 / (error * error)
    const y = Math.log(bidKopecks)
    aa += weight
    ab += weight * x
    bb += weight * x * x
    ya += weight * y
    yb += weight * x * y
  }
  const det = aa * bb - ab * ab
  const found = (aa * yb - ab * ya) / det
  const fitted = Math.min(1, Math.max(0.15, found))
  // Bounded, the slope no longer is what the line was drawn with: the line then is drawn through the same middle.
  const lnHalf = (ya - ab * fitted) / aa
  return {
    lnExponent: -Math.log(fitted),
    lnHalf,
    varExponent: aa / det / (fitted * fitted),
    varHalf: bb / det + sharedError * sharedError,
    covariance: ab / det / fitted
  }
}

/** By how much views rise with the bid, as days at different bids show: d ln(views) / d ln(bid). */
interface Moves {
  readonly slope: number
  readonly error: number
  readonly days: ReadonlyArray<{ readonly lnBid: number; readonly weight: number }>
}

/** Days of one bid differ by this much in ln(views) without any reason of their own (weekdays, demand, rivals; assumed). */
const dayError = 0.2

/** Undefined where the bid moved too little to tell. */
const elasticity = (history: ReadonlyArray<Day>): Moves | undefined => {
  const days = history
    .filter(({ bidKopecks, liveShare }) => bidKopecks > 0 && liveShare > 0.2)
    .map(({ bidKopecks, daysAgo, liveShare, views }) => ({
      daysAgo,
      lnBid: Math.log(bidKopecks),
      lnViews: Math.log((views + 0.5) / liveShare),
      weight: 1 / (dayError * dayError + 1 / (views + 0.5))
    }))
    .sort((a, b) => a.daysAgo - b.daysAgo || a.lnBid - b.lnBid || a.lnViews - b.lnViews)
  const total = days.reduce((sum, { weight }) => sum + weight, 0)
  if (days.length < 3) return undefined
  const lnBid = days.reduce((sum, day) => sum + day.weight * day.lnBid, 0) / total
  const lnViews = days.reduce((sum, day) => sum + day.weight * day.lnViews, 0) / total
  const spread = days.reduce((sum, day) => sum + day.weight * (day.lnBid - lnBid) ** 2, 0)
  const error = 1 / Math.sqrt(spread)
  if (!(error < 3)) return undefined
  const slope =
    days.reduce((sum, day) => sum + day.weight * (day.lnBid - lnBid) * (day.lnViews - lnViews), 0) / spread
  return { slope, error, days }
}

/** The curve's own slope over the same days, to which the observed one is compared. */
const slopeOf = ({ days }: Moves, lnExponent: number, lnHalf: number): number => {
  const [exponent, half] = [Math.exp(lnExponent), Math.exp(lnHalf)]
  let [total, x, y, xx, xy] = [0, 0, 0, 0, 0]
  for (const { lnBid, weight } of days) {
    const lnShare = Math.log(share(Math.exp(lnBid), exponent, half))
    total += weight
    x += weight * lnBid
    y += weight * lnShare
    xx += weight * lnBid * lnBid
    xy += weight * lnBid * lnShare
  }
  return (xy - (x * y) / total) / (xx - (x * x) / total)
}

/** One observation of a function of two unknowns, made linear around the last guess and joined by Bayes; three rounds settle it. */
const throughMoves = (moves: Moves, prior: Belief): Belief => {
  let at = prior
  for (let round = 0; round < 3; round++) {
    const here = slopeOf(moves, at.lnExponent, at.lnHalf)
    const d = 1e-4
    const g = (slopeOf(moves, at.lnExponent + d, at.lnHalf) - here) / d
    const h = (slopeOf(moves, at.lnExponent, at.lnHalf + d) - here) / d
    const pg = prior.varExponent * g + prior.covariance * h
    const ph = prior.covariance * g + prior.varHalf * h
    const variance = g * pg + h * ph + moves.error * moves.error
    const expected = here + g * (prior.lnExponent - at.lnExponent) + h * (prior.lnHalf - at.lnHalf)
    const surprise =
      Math.max(-3, Math.min(3, (moves.slope - expected) / Math.sqrt(variance))) / Math.sqrt(variance)
    at = {
      lnExponent: bounded(prior.lnExponent + pg * surprise),
      lnHalf: prior.lnHalf + ph * surprise,
      varExponent: prior.varExponent - (pg * pg) / variance,
      varHalf: prior.varHalf - (ph * ph) / variance,
      covariance: prior.covariance - (pg * ph) / variance
    }
  }
  return at
}

const bounded = (lnExponent: number): number => Math.max(Math.log(0.8), Math.min(Math.log(8), lnExponent))

/**
 * The account's own belief: the mean of what its streams show where they show something, each by how much it narrowed the assumed
 * one, drawn to that by as much as five streams weigh. Its spread stays as assumed, so that a stream with levels keeps its own.
 */
export const learn = (streams: ReadonlyArray<Evidence>): Belief => {
  let [exponents, exponentWeight, halves, halfWeight] = [0, 0, 0, 0]
  for (const stream of streams) {
    const curve = of(stream, assumed)
    if ("code" in curve || curve.source === "pooled") continue
    const told = 1 - Math.min(1, curve.varExponent / assumed.varExponent)
    const toldHalf = 1 - Math.min(1, curve.varHalf / assumed.varHalf)
    // A posterior is the prior's mean by what was not told, and the stream's own by what was: dividing gives its own back.
    exponentWeight += told
    exponents += curve.lnExponent - (1 - told) * assumed.lnExponent
    halfWeight += toldHalf
    halves += curve.lnHalf - Math.log(Math.max(1, stream.floorKopecks)) - (1 - toldHalf) * assumed.lnHalf
  }
  const priorStreams = 5
  return {
    ...assumed,
    lnExponent: (exponents + priorStreams * assumed.lnExponent) / (exponentWeight + priorStreams),
    lnHalf: (halves + priorStreams * assumed.lnHalf) / (halfWeight + priorStreams)
  }
}
