/**
 * Which clusters go among the minus phrases for good: those of which it is all but sure that even at the floor 1000 views cost more
 * than they leave. Design page, `optimise` (4), `minus: with 99% confidence`.
 */
import type { Estimate } from "./Estimate.js"
import type * as Rates from "./Rates.js"
import * as Value from "./Value.js"

/**
 * Never on fewer views, however poor the account's other streams are: what is judged is then this stream, and not its like. The
 * marketplace lists clusters from 100 views on; three times as many are asked for here (assumed).
 */
export const leastViews = 300

/** Orders per view at which the floor's price is just earned back; endless where an order leaves nothing. */
export const breakEven = (estimate: Estimate, floorCostKopecks: number): number =>
  estimate.worth.profitKopecks > 0
    ? floorCostKopecks / estimate.worth.profitKopecks
    : Number.POSITIVE_INFINITY

/**
 * `floorCostKopecks`: what a view costs at the floor. The exact probability is dear, so it is only asked for where mean and error
 * leave it possible: a posterior that leans to the right has its 99% point beyond two errors.
 */
export const isSure = (
  estimate: Estimate,
  prior: Rates.Prior,
  floorCostKopecks: number,
  confidence: number
): boolean => {
  const price = breakEven(estimate, floorCostKopecks)
  const { ordersPerView, ordersPerViewError } = estimate.rates
  if (estimate.trial.views < leastViews || price === Number.POSITIVE_INFINITY) return false
  if (ordersPerView + ordersPerViewError > price) return false
  return Value.chanceBelow(prior, estimate.trial, price) >= confidence
}
