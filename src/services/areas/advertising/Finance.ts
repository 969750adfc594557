/** Money of an account and its campaigns (seed 001, "Finances"). Amounts are whole base units. */
import * as Effect from "effect/Effect"
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import * as Batches from "../../Batches.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Amounts from "../Amounts.js"

export interface Deposit {
  readonly sumRoubles: Money.Roubles
  readonly source: "account" | "balance" | "bonuses"
  /** Percent must be the one the balance names; not together with the source `bonuses`. */
  readonly cashback?: { readonly sumRoubles: Money.Roubles; readonly percent: number }
}

const sources = { account: 0, balance: 1, bonuses: 3 } as const

export const make = ({ api }: Client) => ({
  balance: Effect.map(api.finance.getBalance(), (wire) => ({
    /** Prepaid account. */
    balanceRoubles: Amounts.whole(wire.balance),
    /** Computed settlement limit; cannot be topped up. */
    netRoubles: Amounts.whole(wire.net),
    bonusRoubles: Amounts.whole(wire.bonus),
    currency: wire.currency,
    /** Promo bonuses with the share of a top-up they may cover. */
    cashbacks: wire.cashbacks.map(({ sum, percent, expiration_date }) => ({
      sumRoubles: Amounts.whole(sum),
      percent,
      expiresAt: expiration_date
    }))
  })),

  /** One call per campaign. */
  budgets: (ids: ReadonlyArray<CampaignId>) =>
    Batches.run(ids, 1, (chunk) => Effect.forEach(chunk, (campaignId) => budget(api, campaignId)), {
      concurrency: 4
    }),

  budget: (campaignId: CampaignId) => budget(api, campaignId),

  /**
   * Tops a campaign up. Never repeat it by itself: read the budget before and after (field note M28). Answers the
   * new total, undefined when the marketplace did not tell.
   */
  deposit: (
    campaignId: CampaignId,
    { sumRoubles, source, cashback }: Deposit
  ): Effect.Effect<Money.Roubles | undefined, CallError, WritePermit> =>
    Effect.map(
      api.finance.depositCampaignBudget({
        urlParams: { id: campaignId },
        payload: {
          sum: sumRoubles,
          type: sources[source],
          return: true,
          ...(cashback === undefined
            ? {}
            : { cashback_sum: cashback.sumRoubles, cashback_percent: cashback.percent })
        }
      }),
      ({ total }) => Amounts.whole(total)
    ),

  /** What was charged, over any number of days. */
  costHistory: (days: Days.DayRange) =>
    Batches.run(months(days), 1, (chunk) =>
      Effect.forEach(chunk, ({ from, to }) => api.finance.getCostHistory({ urlParams: { from, to } })).pipe(
        Effect.map((answers) =>
          answers.flat().map((row) => ({
            campaignId: row.advertId,
            campaignName: row.campName,
            chargedAt: row.updTime,
            sumRoubles: Amounts.whole(row.updSum),
            /** 0 until the document is issued (field note M31). */
            document: row.updNum,
            paymentType: row.paymentType,
            currency: row.currency
          }))
        )
      )
    ),

  /** What was paid in, over any number of days. */
  payments: (days: Days.DayRange) =>
    Batches.run(months(days), 1, (chunk) =>
      Effect.forEach(chunk, ({ from, to }) =>
        api.finance.getPaymentHistory({ urlParams: { from, to } })
      ).pipe(
        Effect.map((answers) =>
          answers.flat().map((row) => ({
            paymentId: row.id,
            paidAt: row.date,
            sumRoubles: Amounts.whole(row.sum),
            type: row.type,
            processed: row.statusId === undefined ? undefined : row.statusId === 1,
            cardStatus: row.cardStatus,
            currency: row.currency
          }))
        )
      )
    )
})

const budget = (api: Client["api"], campaignId: CampaignId) =>
  Effect.map(api.finance.getCampaignBudget({ urlParams: { id: campaignId } }), ({ total, currency }) => ({
    campaignId,
    totalRoubles: Amounts.whole(total),
    currency
  }))

export type Balance = Readonly<Effect.Effect.Success<ReturnType<typeof make>["balance"]>>
export type Budget = Readonly<Effect.Effect.Success<ReturnType<typeof budget>>>

/** Ranges of at most 31 days that cover a range. */
const months = (days: Days.DayRange): ReadonlyArray<Days.DayRange> => {
  const ranges: Array<Days.DayRange> = []
  for (let from = days.from; from <= days.to; from = Days.shift(from, 31)) {
    const end = Days.shift(from, 30)
    ranges.push({ from, to: end < days.to ? end : days.to })
  }
  return ranges
}
