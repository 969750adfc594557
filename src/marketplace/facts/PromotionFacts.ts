/** Facts of promotions and of items in them (seed 001 "Promo calendar"). */
import type { PromotionId } from "../../domain/Ids.js"
import * as Cells from "../../engine/facts/Cell.js"
import { type FactRow, factRow, factRows, valueIn } from "../../engine/gather/FactSource.js"
import type * as Promo from "../../services/areas/promotions/Promo.js"
import type { PromotionDetails } from "../../services/endpoints/Promo.js"
import { orAbsent } from "./Answered.js"

/** Promotions are announced about a month ahead (field note P06). */
export const aheadDays = 45

type Details = typeof PromotionDetails.Type
type Listed = Pick<Details, "endDateTime" | "id" | "name" | "startDateTime" | "type">

/** A promotion without an id is nobody's. */
export const row = (details: Details, nowMs: number): ReadonlyArray<FactRow> => {
  const { id } = details
  if (id === undefined) return []
  const tier = tierOf(details)
  return [
    factRow(
      { promotionId: id },
      {
        ...listed(details, nowMs),
        "promotion.participation": orAbsent(participation(details)),
        "promotion.boost": orAbsent(percent(tier?.boost)),
        "promotion.boost.next": orAbsent(percent(tier?.next?.boost)),
        "promotion.items_to_next_tier": orAbsent(tier?.next?.items)
      }
    )
  ]
}

/** Whole percent: a zero may be few of many, and nobody takes part only where nobody is counted. */
const participation = ({
  inPromoActionTotal: joined,
  notInPromoActionTotal: others,
  participationPercentage
}: Details): number | undefined => {
  if (participationPercentage !== 0 || joined === 0) return percent(participationPercentage)
  return joined === undefined || others === undefined ? undefined : joined / (joined + others)
}

/** By the calendar's list alone: figures are not known. */
export const listedRow = (one: Listed, nowMs: number): ReadonlyArray<FactRow> =>
  one.id === undefined ? [] : [factRow({ promotionId: one.id }, listed(one, nowMs))]

const listed = ({ endDateTime, id, name, startDateTime, type }: Listed, nowMs: number) => {
  const [startsAt, endsAt] = [instant(startDateTime), instant(endDateTime)]
  const since = (atMs: number | undefined, fromMs: number | undefined) =>
    atMs === undefined || fromMs === undefined ? Cells.unknown("absent") : atMs - fromMs
  return {
    "promotion.id": orAbsent(id),
    "promotion.name": orAbsent(name),
    "promotion.type": type === "regular" || type === "auto" ? type : Cells.unknown("absent"),
    "promotion.starts_in": since(startsAt, nowMs),
    "promotion.ends_in": since(endsAt, nowMs),
    "promotion.lasts": since(endsAt, startsAt)
  }
}

/** Promotions of these rows that the marketplace fills by itself. */
export const automatic = (rows: ReadonlyArray<FactRow>): ReadonlyArray<PromotionId> =>
  rows.flatMap((row) => {
    const { target } = row
    const isAuto = target !== "account" && valueIn(row, "promotion.type") === "auto"
    return isAuto && target.promotionId !== undefined ? [target.promotionId] : []
  })

export interface Tier {
  /** Percent that the participation has earned; 0 below the first tier. */
  readonly boost: number
  /** The next tier, and how many further items reach it; undefined on the highest. */
  readonly next: { readonly boost: number; readonly items: number } | undefined
}

/** Where the promotion stands on its ladder; undefined where it has none, or a figure of it was not answered. */
export const tierOf = ({
  inPromoActionTotal: joined,
  notInPromoActionTotal: others,
  ranging
}: Pick<Details, "inPromoActionTotal" | "notInPromoActionTotal" | "ranging">): Tier | undefined => {
  const ladder = (ranging ?? []).flatMap(({ boost, participationRate: rate }) =>
    boost === undefined || rate === undefined ? [] : [{ boost, rate }]
  )
  if (joined === undefined || others === undefined || ladder.length === 0) return undefined
  if (ladder.length !== ranging?.length) return undefined
  const total = joined + others
  const sorted = ladder.toSorted((a, b) => a.rate - b.rate)
  const reached = sorted.filter(({ rate }) => total > 0 && joined * 100 >= rate * total)
  const next = sorted.find(({ rate }) => joined * 100 < rate * total)
  return {
    boost: reached.at(-1)?.boost ?? 0,
    next:
      next === undefined
        ? undefined
        : { boost: next.boost, items: Math.ceil((next.rate * total) / 100) - joined }
  }
}

type Item = Promo.Item

export const itemRow = (promotionId: PromotionId, item: Item): ReadonlyArray<FactRow> => {
  const { enrolled, itemId, planPriceKopecks, priceKopecks } = item
  if (itemId === undefined) return []
  return [
    rowOfItem(
      { promotionId, itemId },
      orAbsent(enrolled),
      orAbsent(priceKopecks),
      orAbsent(planPriceKopecks),
      orAbsent(percent(item.discountPercent)),
      orAbsent(percent(item.planDiscountPercent)),
      priceKopecks === undefined || planPriceKopecks === undefined || priceKopecks === 0
        ? Cells.unknown("absent")
        : (priceKopecks - planPriceKopecks) / priceKopecks
    )
  ]
}

const rowOfItem = factRows(
  "promotion_item.in_action",
  "promotion_item.price",
  "promotion_item.plan_price",
  "promotion_item.discount",
  "promotion_item.plan_discount",
  "promotion_item.price_drop"
)

/** The calendar's period from an instant on, as it is asked for: UTC without fractions (field note P01). */
export const ahead = (nowMs: number): { readonly from: string; readonly to: string } => ({
  from: stamp(nowMs),
  to: stamp(nowMs + aheadDays * 86_400_000)
})

const stamp = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`

/** Epoch milliseconds of a date-time of the calendar, which is UTC (seed 001, list entry), also where it does not say so. */
export const instant = (text: string | undefined): number | undefined => {
  const isBare = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(text ?? "")
  const atMs = text === undefined ? Number.NaN : Date.parse(isBare ? `${text}Z` : text)
  return Number.isNaN(atMs) ? undefined : atMs
}

const percent = (whole: number | undefined): number | undefined =>
  whole === undefined ? undefined : Number(`${whole}e-2`)
