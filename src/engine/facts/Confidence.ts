/**
 * What hits of trials prove about a rate: exact one-sided binomial tests, turned into the number of trials that
 * decides (`ctr < 1%` at 95%: 0 clicks need 299 views, 1 click 473). Pure arithmetic, no facts.
 */
import type { ConfidentCondition } from "../language/Policy.js"

/** A rate below (`<`, `<=`) or above (`>`, `>=`) the threshold. For a continuous rate the bound itself weighs nothing. */
export type Side = "below" | "above"

export type Level = ConfidentCondition["level"]

/** A test with its level; `threshold` is a ratio, given again per row because it may be computed. */
export interface Proof {
  readonly holds: (hits: number, trials: number, threshold: number) => boolean
  /** Below: the fewest trials that suffice for these hits; above: the most. Undefined for a threshold outside 0–100%. */
  readonly decisive: (hits: number, threshold: number) => number | undefined
}

/** The test of a condition. A written threshold gets a table that all policies share; computed ones are tested per row. */
export const of = (condition: ConfidentCondition): Proof => {
  const { op, level } = condition
  const side: Side = op === "<" || op === "<=" ? "below" : "above"
  const literal = condition.threshold._tag === "Literal" ? Number(condition.threshold.value) : undefined
  const table = literal === undefined ? undefined : tableOf(side, literal, level)
  const decisive = (hits: number, threshold: number): number | undefined =>
    valid(hits, threshold) ? (table ?? new Decisive(side, threshold, level)).at(hits) : undefined
  const holds = (hits: number, trials: number, threshold: number): boolean => {
    if (!valid(hits, threshold)) return false
    // More hits than trials cannot be, but is reported: the fewest trials that fit are the careful reading.
    const tried = Math.max(hits, trials)
    if (table === undefined && hits <= tableHits) return tail(side, hits, tried, threshold) <= error(level)
    const bound = decisive(hits, threshold)
    return bound !== undefined && (side === "below" ? tried >= bound : tried <= bound)
  }
  return { holds, decisive }
}

const valid = (hits: number, threshold: number): boolean =>
  Number.isInteger(hits) && hits >= 0 && threshold > 0 && threshold < 1

/** Exact up to this many hits; above, the Wilson bound with corrections for steps and skew, which only add trials. */
export const tableHits = 2000

/** Trials that decide, by hits; each is computed when first asked for. */
class Decisive {
  private readonly known: Array<number | undefined> = []
  constructor(
    private readonly side: Side,
    private readonly threshold: number,
    private readonly level: Level
  ) {}

  at(hits: number): number {
    const remembered = this.known[hits]
    if (remembered !== undefined) return remembered
    if (hits > tableHits) return wilson(this.side, hits, this.threshold, this.level)
    const made = exact(this.side, hits, this.threshold, this.level)
    this.known[hits] = made
    return made
  }
}

const tables = new Map<string, Decisive>()
const maxTables = 256

const tableOf = (side: Side, threshold: number, level: Level): Decisive => {
  const key = `${side} ${threshold} ${level}`
  const remembered = tables.get(key)
  if (remembered !== undefined) return remembered
  if (tables.size >= maxTables) tables.clear()
  const made = new Decisive(side, threshold, level)
  tables.set(key, made)
  return made
}

const error = (level: Level): number => (level === 95 ? 0.05 : 0.01)

const exact = (side: Side, hits: number, threshold: number, level: Level): number => {
  const most = error(level)
  const guess = wilson(side, hits, threshold, level)
  return side === "below"
    ? first(guess, hits, (trials) => tail(side, hits, trials, threshold) <= most)
    : first(guess, hits - 1, (trials) => tail(side, hits, trials, threshold) > most) - 1
}

/** The first number above `floor` from which on `holds` is true, looked for around a guess. */
const first = (guess: number, floor: number, holds: (n: number) => boolean): number => {
  let no = floor
  let yes = Math.max(guess, floor + 1)
  for (let step = 1; !holds(yes); step *= 2) {
    no = yes
    yes += step
  }
  for (let step = 1; yes - no > 1; step *= 2) {
    const probe = Math.max(no + 1, yes - step)
    if (!holds(probe)) {
      no = probe
      break
    }
    yes = probe
  }
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

/** Normal quantiles of the levels. */
const quantile = { 95: 1.6448536269514722, 99: 2.3263478740408408 } as const

/** Trials at which the Wilson bound meets the threshold, moved by half a hit and by the skew of the binomial. */
const wilson = (side: Side, hits: number, p: number, level: Level): number => {
  const q = 1 - p
  const plain = quantile[level]
  const spread = Math.max(1, hits) * q
  const skew = (Math.abs(1 - 2 * p) / (6 * Math.sqrt(spread))) * (plain * plain - 1)
  const z = plain + skew + 1 / spread
  const sign = side === "below" ? 1 : -1
  const half = Math.max(0, hits + sign * 0.5)
  const root = (sign * z * Math.sqrt(p * q) + Math.sqrt(z * z * p * q + 4 * p * half)) / (2 * p)
  return side === "below" ? Math.ceil(root * root) + 1 : Math.max(0, Math.floor(root * root) - 1)
}

/**
 * How likely hits this few (below) or this many (above) are when the rate is exactly `p`. Summed from the largest
 * term outward, each from the one before; the largest comes from its logarithm, so nothing underflows.
 */
export const tail = (side: Side, hits: number, trials: number, p: number): number => {
  const odds = p / (1 - p)
  const mean = trials * p
  if (side === "below" ? hits >= trials : hits <= 0) return 1
  // The sum over the shorter side of the mean: the other one is what is left of 1.
  if (side === "below" && hits > mean) return 1 - tail("above", hits + 1, trials, p)
  if (side === "above" && hits < mean) return 1 - tail("below", hits - 1, trials, p)
  let term = Math.exp(logTerm(hits, trials, p))
  let sum = term
  for (let i = hits; term > sum * 1e-17; ) {
    if (side === "below" ? i === 0 : i === trials) break
    term *= side === "below" ? i / ((trials - i + 1) * odds) : ((trials - i) * odds) / (i + 1)
    i += side === "below" ? -1 : 1
    sum += term
  }
  return sum
}

/** Logarithm of the probability of exactly `k` of `n`, by the saddle point, which loses no digits for large `n`. */
const logTerm = (k: number, n: number, p: number): number => {
  const q = 1 - p
  if (k === 0) return n * Math.log1p(-p)
  if (k === n) return n * Math.log(p)
  const excess = k - n * p
  const deviance =
    k * Math.log1p(excess / (n * p)) - excess + (n - k) * Math.log1p(-excess / (n * q)) + excess
  const factorials = stirlingError(n) - stirlingError(k) - stirlingError(n - k)
  return factorials - deviance + 0.5 * Math.log(n / (2 * Math.PI * k * (n - k)))
}

/** What Stirling's formula leaves out of the logarithm of n!. */
const stirlingError = (n: number): number => {
  if (n > 15) {
    const square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / n
  }
  let factorial = 0
  for (let i = 2; i <= n; i++) factorial += Math.log(i)
  return factorial - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI)
}
