/**
 * Steps of bids for a token that is not served the call which tells them: `bid_step:` of the configuration stands in, and bids per 1000
 * views in roubles move by whole roubles anyway. Others are left alone. Pure.
 */
import * as Plural from "../../domain/Plural.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Payment from "../../engine/language/check/Payment.js"
import type { Policy } from "../../engine/language/Policy.js"
import type * as Config from "../config/Config.js"

export const operation = "getPromotionConfig"

/** What the configuration says of bids; without one the currency is the rouble. */
export type Known = Pick<Config.Config, "bidStep" | "currency">

/** With both steps written nothing is left to ask for. */
export const areAllWritten = ({ cpc, cpm }: Config.Config["bidStep"]): boolean =>
  cpc !== undefined && cpm !== undefined

/** Calls that the configuration saves, by source. */
export const spared = (known: Known | undefined): ReadonlyMap<string, number> =>
  new Map(known !== undefined && areAllWritten(known.bidStep) ? [["promotionConfig", 1]] : [])

/** Payments whose bids the policies may set and whose step is not known; `isAll` where one of them sets no others. */
export const unknown = (policies: ReadonlyArray<Policy>, known: Known | undefined) => {
  const lacks = (payment: Payment.PaymentType) =>
    known?.bidStep[payment] === undefined && (payment === "cpc" || (known?.currency ?? "RUB") !== "RUB")
  const set = policies.map(paymentsOf)
  const payments = both.filter((payment) => lacks(payment) && set.some((some) => some.includes(payment)))
  return { payments, isAll: set.some((some) => some.length > 0 && some.every(lacks)) }
}

/** Steps that the policy itself asks for, in conditions or values, and nobody tells. */
export const asked = (policy: Policy, known: Known | undefined): ReadonlyArray<Payment.PaymentType> => {
  const ids = new Set(FactRefs.ofPolicy(policy).map(({ id }) => id))
  return both.filter(
    (payment) => known?.bidStep[payment] === undefined && ids.has(`account.bid_step.${payment}`)
  )
}

/** What happens to rows that ask for them, and what mends it. */
export const askedWords = (payments: ReadonlyArray<Payment.PaymentType>): string =>
  `${operation} is not served: ${payments.map((payment) => `bid_step.${payment}`).join(" and ")} ${Plural.choose(payments.length, "is", "are")} unknown, and nothing is decided by it, until bidhelm.yaml tells it in bid_step:`

/** What happens to those bids, and what mends it; empty where there are none. */
export const words = (payments: ReadonlyArray<Payment.PaymentType>): string =>
  payments.length === 0
    ? ""
    : `${operation} is not served: bids of campaigns paid by ${payments.join(" and ")} stay as they are until bidhelm.yaml tells their steps in bid_step:`

const both = ["cpm", "cpc"] as const

/** Clusters have bids of their own per 1000 views alone. */
const paymentsOf = ({ each, rules, where }: Policy): ReadonlyArray<Payment.PaymentType> => {
  if (!rules.some(({ action }) => setsBids.has(action._tag))) return []
  const one = each === "cluster" ? "cpm" : Payment.decided(where)
  return one === undefined ? both : [one]
}

const setsBids: ReadonlySet<string> = new Set(["RaiseBid", "LowerBid", "SetBid", "AdjustBid", "Optimise"])
