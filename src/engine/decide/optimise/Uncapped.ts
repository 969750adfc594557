/**
 * Campaigns that a shared budget pays for and whose bids the rule may not set, for `cap:` has no amount for how they are paid. What they
 * spend comes off the budget, so that all others would be lowered and parked to make room for bids that nobody judged.
 */
import type { UnchangedReason } from "../RowReason.js"
import type * as Budgets from "./Budgets.js"

/** Why nothing of a budget is decided; undefined where every campaign that spends of it has a cap, or has a budget to itself. */
export const verdict = (own: Budgets.Own): UnchangedReason | undefined => {
  if (own.length === 1) return undefined
  const uncapped = own.flatMap(({ elsewhere, uncapped }) =>
    uncapped !== undefined && elsewhere.spendKopecksPerDay > 0
      ? [{ payment: uncapped, spendKopecks: elsewhere.spendKopecksPerDay }]
      : []
  )
  const [first] = uncapped
  return first === undefined
    ? undefined
    : {
        code: "budget_pays_uncapped",
        payment: first.payment,
        campaigns: uncapped.length,
        spendKopecks: Math.round(uncapped.reduce((sum, one) => sum + one.spendKopecks, 0))
      }
}
