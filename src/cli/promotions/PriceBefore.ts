/**
 * What an item cost before it joined a promotion. Where another promotion ran when it was filed, the price of then is that one's, and the
 * one to restore is from before; and so on back. Pure.
 */
import type { PromotionId } from "../../domain/Ids.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import type { Filing } from "./Filed.js"

/**
 * `AsFiled`: no promotion that we filed it for ran then; of others nothing is kept. `Earlier`: as it was before the promotion named, which
 * ran then. `Unknown`: nobody knows whether the promotion named made the price of then.
 */
export type PriceBefore =
  | { readonly _tag: "AsFiled"; readonly filing: Filing }
  | { readonly _tag: "Earlier"; readonly filing: Filing; readonly promotionId: PromotionId }
  | { readonly _tag: "Unknown"; readonly promotionId: PromotionId }

/** Of a filing, among all that were ever filed, oldest first. */
export const of = (filing: Filing, all: ReadonlyArray<Filing>): PriceBefore => {
  const running = all.filter((other) => other.itemId === filing.itemId && ranAt(other, filing))
  if (running.length === 0) return { _tag: "AsFiled", filing }
  const priceKopecks = filing.details.priceKopecks
  const known = priceKopecks !== undefined
  const made =
    running.findLast(({ details }) => known && details.planPriceKopecks === priceKopecks) ??
    running.findLast(({ details }) => known && details.priceKopecks === priceKopecks) ??
    // Of one without an end nobody knows that it still ran, and its price from before may be of long ago.
    running.findLast(({ details, row }) => row.state === "applied" && details.endsAt !== undefined)
  if (made === undefined) return { _tag: "Unknown", promotionId: running.at(-1)!.promotionId }
  const before = of(made, all)
  return before._tag === "AsFiled" ? { ...before, _tag: "Earlier", promotionId: made.promotionId } : before
}

/** Whether an earlier filing's promotion ran when a later one was sent, and its item may have been in. */
const ranAt = ({ details, row, sentAt }: Filing, later: Filing): boolean => {
  if (sentAt >= later.sentAt || leftOut.has(row.state)) return false
  const from = Enrolment.isPricedNow(details) ? sentAt : (details.startsAt ?? sentAt)
  return from <= later.sentAt && later.sentAt < (details.endsAt ?? Number.POSITIVE_INFINITY)
}

const leftOut: ReadonlySet<string> = new Set(["not_applied", "conflict"])
