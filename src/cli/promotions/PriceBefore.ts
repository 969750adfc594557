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

/** When a promotion runs, epoch milliseconds. */
export interface Dates {
  readonly startsAt?: number | undefined
  readonly endsAt?: number | undefined
}

/** By promotion, as the calendar has them today: of those that are over it has none. */
export type Today = ReadonlyMap<PromotionId, Dates>

/** Of a filing, among all that were ever filed, oldest first. */
export const of = (filing: Filing, all: ReadonlyArray<Filing>, today: Today): PriceBefore => {
  const earlier = all.filter((other) => other.itemId === filing.itemId && mayBeIn(other, filing))
  const running = earlier.filter((other) => ranAt(other, filing, today))
  const priceKopecks = filing.details.priceKopecks
  const known = priceKopecks !== undefined
  const isAtPlan = ({ details }: Filing) => known && details.planPriceKopecks === priceKopecks
  const made =
    running.findLast(isAtPlan) ??
    running.findLast(({ details }) => known && details.priceKopecks === priceKopecks)
  // Its start may have been moved to before the filing since it was filed for, and nobody tells that any more.
  const moved = earlier.findLast((one) => isAtPlan(one) && isGoneUnbegun(one, filing, today))
  if (made === undefined && moved !== undefined) return { _tag: "Unknown", promotionId: moved.promotionId }
  if (running.length === 0) return { _tag: "AsFiled", filing }
  const seen =
    made ??
    // Of one without an end nobody knows that it still ran, and its price from before may be of long ago.
    running.findLast(
      ({ details, promotionId, row }) =>
        row.state === "applied" && (details.endsAt ?? today.get(promotionId)?.endsAt) !== undefined
    )
  if (seen === undefined) return { _tag: "Unknown", promotionId: running.at(-1)!.promotionId }
  const before = of(seen, all, today)
  return before._tag === "AsFiled" ? { ...before, _tag: "Earlier", promotionId: seen.promotionId } : before
}

/** Whether an item may have been in the promotion of an earlier filing. */
const mayBeIn = ({ row, sentAt }: Filing, later: Filing): boolean =>
  sentAt < later.sentAt && !leftOut.has(row.state)

/** Whether an earlier filing's promotion ran when a later one was sent: by its days of today, for they may have been moved since it was filed. */
const ranAt = ({ details, promotionId, sentAt }: Filing, later: Filing, today: Today): boolean => {
  const { endsAt = details.endsAt, startsAt = details.startsAt } = today.get(promotionId) ?? {}
  const from = Enrolment.isPricedNow(details) ? sentAt : (startsAt ?? sentAt)
  return from <= later.sentAt && later.sentAt < (endsAt ?? Number.POSITIVE_INFINITY)
}

/** Whether a promotion that the calendar has no more had, by the days it was filed with, not begun when a later one was sent. */
const isGoneUnbegun = ({ details, promotionId }: Filing, later: Filing, today: Today): boolean =>
  !today.has(promotionId) && !Enrolment.isPricedNow(details) && (details.startsAt ?? 0) > later.sentAt

const leftOut: ReadonlySet<string> = new Set(["not_applied", "conflict"])
