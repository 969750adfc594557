/**
 * What a policy with `optimise` expected of one budget on one day of the marketplace, and what came of it. Design page "Decisions that
 * earn", `optimise`: a rule whose predictions were off falls back to looking only.
 */
import * as Schema from "effect/Schema"
import { coded } from "../../../domain/Coded.js"

/** An estimate with the range in which nine of ten such days lie. */
export const Expected = Schema.Struct({ low: Schema.Number, mean: Schema.Number, high: Schema.Number })

export type Range = typeof Expected.Type

/** Of one day: kopecks, and orders to the hundredth. */
export const DayExpected = Schema.Struct({ spendKopecks: Expected, orders: Expected })
export type DayExpected = typeof DayExpected.Type

/** What is judged of a day, in the order in which it is told. */
export const figures = ["spend", "orders"] as const
export type Figure = (typeof figures)[number]

/**
 * What became of the bids that a day was expected with. `stood`: nobody else changed any, and the share `sent` (0 to 1) of the planned
 * changes was in force, by number and by the part of the day's buyers that had yet to come: 0 where the plan was only shown or held.
 * The others make a day that nobody can judge. `sent` is rounded to the thousandth.
 */
export const Outcome = Schema.Union(
  coded("stood", { sent: Schema.Number }),
  coded("bids_moved", {}),
  coded("bids_unknown", {}),
  coded("paused", { minutes: Schema.Int })
)
export type Outcome = typeof Outcome.Type

/** By the marketplace's statistics; revenue is the value of the orders, absent where it is not told. */
export const Realised = Schema.Struct({
  spendKopecks: Schema.Int,
  orders: Schema.Int,
  revenueKopecks: Schema.optionalWith(Schema.Int, { exact: true })
})
export type Realised = typeof Realised.Type

const names = { policy: Schema.String, budget: Schema.String, day: Schema.String }

/** What a later plan found of a day; what is absent was known before, or is not known yet. */
export const DayFound = Schema.Struct({
  ...names,
  outcome: Schema.optionalWith(Outcome, { exact: true }),
  realised: Schema.optionalWith(Realised, { exact: true })
}).annotations({ identifier: "DayFound" })
export type DayFound = typeof DayFound.Type

/** As the plan was made; the store keeps it. */
export const Made = Schema.Struct({
  /** Campaigns that the budget pays for, ascending. */
  campaigns: Schema.Array(Schema.Int),
  dailyKopecks: Schema.Int,
  /** Changes that were planned, those that are held or came to nothing among them. */
  changes: Schema.Int,
  /** A whole day with the bids as they stood, and with all changes made. */
  before: DayExpected,
  after: DayExpected,
  /** Digest of the bids as they stood (`Standing`). */
  standing: Schema.String
})
export type Made = typeof Made.Type

export interface ForecastDay extends Made, DayFound {
  /** When the plan was made, epoch milliseconds. */
  readonly madeAtMs: number
  /** When a person said that it counts no more. */
  readonly forgivenAtMs?: number
}

/** What tells the days of an account apart. */
export const keyOf = ({ budget, day, policy }: Pick<ForecastDay, "policy" | "budget" | "day">): string =>
  `${policy} ${budget} ${day}`

/** The days with what was found of them since. */
export const withFound = (
  days: ReadonlyArray<ForecastDay>,
  found: ReadonlyArray<DayFound>
): ReadonlyArray<ForecastDay> => {
  const byKey = new Map(found.map((one) => [keyOf(one), one]))
  return days.map((day) => ({ ...day, ...byKey.get(keyOf(day)) }))
}

/** What is expected of a day of which this share of the changes was in force. */
export const expectedOf = ({ after, before }: Pick<Made, "before" | "after">, sent: number): DayExpected => ({
  spendKopecks: between(before.spendKopecks, after.spendKopecks, sent),
  orders: between(before.orders, after.orders, sent)
})

const between = (from: Range, to: Range, share: number): Range => ({
  low: from.low + (to.low - from.low) * share,
  mean: from.mean + (to.mean - from.mean) * share,
  high: from.high + (to.high - from.high) * share
})
