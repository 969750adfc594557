/**
 * Whether a deposit without an answer was paid, by the money alone: top-ups carry no campaign, so only the account's
 * source that fell and the campaign's budget that rose by the same sum can tell. Pure.
 */
import * as Schema from "effect/Schema"
import type { Part } from "./Change.js"
import * as Kinds from "./Kinds.js"

/** The money around a deposit, whole base units; `spentRoubles` is charged to the campaign since the day `spentFrom`. */
export const Purse = Schema.Struct({
  balanceRoubles: Schema.Number,
  netRoubles: Schema.Number,
  bonusRoubles: Schema.Number,
  budgetRoubles: Schema.Number,
  spentRoubles: Schema.Number,
  spentFrom: Schema.String
})
export type Purse = typeof Purse.Type

/** `paid`: both moved by the sum, the source by what of it promo bonuses do not pay. `unpaid`: neither moved. `unclear`: anything else, which no later sum can mend. */
export type Verdict = "paid" | "unpaid" | "unclear"

/** Nothing is looked at earlier: budgets are shown three minutes late. Milliseconds after the request left. */
export const firstLookMs = 3 * 60_000
/** Pause between two looks, which must agree. */
export const betweenMs = 60_000
/** Before this long nothing counts as unpaid; and what is not clear then is left to a person. */
export const decideMs = 10 * 60_000
/** Older evidence says nothing any more. */
export const oldestMs = 24 * 3_600_000

/** Budgets are cut to whole units and each day's charges are rounded. */
const roundingRoubles = 3

export const verdict = (
  before: Purse,
  now: Purse,
  change: Part<"kind" | "after" | "before" | "details">
): Verdict => {
  const sum = (Kinds.paysOf(change)?.amount(change) ?? 0) / 100
  const owed = sum - (Kinds.paysOf(change)?.cashback?.(change) ?? 0) / 100
  const source = sourceOf[Kinds.moneySourceOf(change)]
  const fell = before[source] - now[source]
  const rose = now.budgetRoubles - before.budgetRoubles + (now.spentRoubles - before.spentRoubles)
  if (fell === owed && near(rose, sum)) return "paid"
  return fell === 0 && near(rose, 0) ? "unpaid" : "unclear"
}

/** Which money pays a deposit. */
export const sourceOf = { balance: "balanceRoubles", net: "netRoubles", bonus: "bonusRoubles" } as const

const near = (roubles: number, wanted: number): boolean => Math.abs(roubles - wanted) <= roundingRoubles
