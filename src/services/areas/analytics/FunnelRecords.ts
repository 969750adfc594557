/**
 * Records of the sales funnel in the seller's words: `openCount` is opens, `cartCount` carts, `orderCount` orders
 * (field note A01). Money comes in whole base units and percentages as whole numbers (A08).
 */
import * as Days from "../../../domain/Days.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type * as Wire from "../../endpoints/Funnel.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"

/** Days after which a day's buyouts, cancellations and returns hardly change any more (field note A06). */
export const settleDays = 30

/** False for a day whose buyouts still grow: show it as preliminary and never learn from it. */
export const settled = (day: Days.Day, today: Days.Day): boolean =>
  Days.length({ from: day, to: today }) - 1 >= settleDays

/** Rates from counts, percent and not rounded (A08); buyouts against all orders of the same days. */
export const rates = ({ buyouts, carts, opens, orders }: Partial<ReturnType<typeof counts>>): Rates => ({
  openToCartPercent: Measures.percent(carts, opens),
  cartToOrderPercent: Measures.percent(orders, carts),
  buyoutPercent: Measures.percent(buyouts, orders)
})

/** A record of an item; absent when the answer does not say which item it is. */
export const item = (wire: typeof Wire.FunnelProduct.Type, currency: string | undefined) => {
  const { product, statistic } = wire
  const itemId = Asked.itemId(product?.nmId)
  if (itemId === undefined) return undefined
  return {
    itemId,
    ...attributes(product),
    tags: (product?.tags ?? []).map(({ id, name }) => ({ id, name })),
    /** Quality of the card, 0 to 10. */
    cardRating: product?.productRating,
    /** Buyers' rating, 0 to 5. */
    feedbackRating: product?.feedbackRating,
    stock: {
      /** Units in warehouses of the platform. */
      platform: product?.stocks?.platform,
      /** Units in warehouses of the seller. */
      seller: product?.stocks?.mp,
      valueKopecks: Amounts.decimal(product?.stocks?.balanceSum)
    },
    current: numbers(statistic?.selected),
    /** Absent without a past period: nothing to compare with, not zero (A12). */
    past: numbers(statistic?.past),
    changes: changes(statistic?.comparison),
    currency
  }
}

export type FunnelItem = Readonly<NonNullable<ReturnType<typeof item>>>

/**
 * What the answer says of an item or group; empty texts and zeros say nothing (A04). Take attributes from one trusted
 * source, this one was wrong before (A08).
 */
export const attributes = (product: (typeof Wire.HistoryEntry.Type)["product"]) => ({
  title: Measures.filled(product?.title),
  vendorCode: Measures.filled(product?.vendorCode),
  brand: Measures.filled(product?.brandName),
  subjectId: Measures.id(product?.subjectId),
  subject: Measures.filled(product?.subjectName)
})

export type Attributes = Readonly<ReturnType<typeof attributes>>

/** Rows by day; one without a readable date is left out, and a day that comes twice counts once. */
export const history = (wire: (typeof Wire.HistoryEntry.Type)["history"]): ReadonlyArray<HistoryRow> => {
  const rows = new Map<Days.Day, HistoryRow>()
  for (const row of wire) {
    const day = Measures.day(row.date)
    if (day !== undefined && !rows.has(day)) rows.set(day, dayOf(day, row))
  }
  return [...rows.values()].sort(TextOrder.by(({ day }) => day))
}

/** A Moscow day, or the first day of a week. Buyouts are booked on the order day and grow for weeks (A06). */
export type HistoryRow = Readonly<ReturnType<typeof dayOf>>

const dayOf = (day: Days.Day, row: (typeof Wire.HistoryEntry.Type)["history"][number]) => ({
  day,
  ...counts(row),
  wishlistAdds: row.addToWishlistCount,
  openToCartPercent: row.addToCartConversion,
  cartToOrderPercent: row.cartToOrderConversion,
  buyoutPercent: row.buyoutPercent
})

type WireMetrics = typeof Wire.FunnelMetrics.Type
type Countable = Pick<
  WireMetrics,
  "openCount" | "cartCount" | "orderCount" | "orderSum" | "buyoutCount" | "buyoutSum"
>

/**
 * Counts of a period or a day. Orders differ from those of the feed and of the assembly lists, and carts may be fewer
 * than orders (A07): compare trends only.
 */
const counts = (wire: Countable) => ({
  /** Times the item's card was opened. */
  opens: wire.openCount,
  carts: wire.cartCount,
  orders: wire.orderCount,
  orderSumKopecks: Amounts.decimal(wire.orderSum),
  buyouts: wire.buyoutCount,
  buyoutSumKopecks: Amounts.decimal(wire.buyoutSum)
})

/** Shares as the marketplace rounds them, whole percent; `rates` makes finer ones from the counts. */
const conversions = (wire: WireMetrics["conversions"]) => ({
  openToCartPercent: wire?.addToCartPercent,
  cartToOrderPercent: wire?.cartToOrderPercent,
  buyoutPercent: wire?.buyoutPercent
})

type Rates = Readonly<ReturnType<typeof conversions>>

/** Numbers of an item over one period. */
const numbers = (wire: WireMetrics | undefined) =>
  wire && {
    /** The period as answered (A02): trust it, not the one that was asked for. */
    days: Measures.period(wire.period),
    ...counts(wire),
    ...conversions(wire.conversions),
    wishlistAdds: wire.addToWishlist,
    cancels: wire.cancelCount,
    cancelSumKopecks: Amounts.decimal(wire.cancelSum),
    averagePriceKopecks: Amounts.decimal(wire.avgPrice),
    ordersPerDay: wire.avgOrdersCountPerDay,
    /** Share of the seller's order sum, percent. */
    orderSharePercent: wire.shareOrderPercent,
    /** Average time until the goods are ready, minutes. */
    readyMinutes: minutes(wire.timeToReady),
    /** Share of orders sent from a near warehouse, percent; the constant 100 since August 2026 (not-shown §7.5). */
    localPercent: wire.localizationPercent,
    club: club(wire.platformClub)
  }

/** The part bought by members of the platform's club. */
const club = (wire: WireMetrics["platformClub"]) =>
  wire && {
    orders: wire.orderCount,
    orderSumKopecks: Amounts.decimal(wire.orderSum),
    buyouts: wire.buyoutCount,
    buyoutSumKopecks: Amounts.decimal(wire.buyoutSum),
    cancels: wire.cancelCount,
    cancelSumKopecks: Amounts.decimal(wire.cancelSum),
    averagePriceKopecks: Amounts.decimal(wire.avgPrice),
    buyoutPercent: wire.buyoutPercent,
    ordersPerDay: wire.avgOrderCountPerDay
  }

/** Change against the past period as the marketplace computed it, percent; `readyMinutes` is a difference. */
const changes = (wire: typeof Wire.FunnelComparison.Type | undefined) =>
  wire && {
    opensPercent: wire.openCountDynamic,
    cartsPercent: wire.cartCountDynamic,
    ordersPercent: wire.orderCountDynamic,
    orderSumPercent: wire.orderSumDynamic,
    buyoutsPercent: wire.buyoutCountDynamic,
    buyoutSumPercent: wire.buyoutSumDynamic,
    cancelsPercent: wire.cancelCountDynamic,
    cancelSumPercent: wire.cancelSumDynamic,
    averagePricePercent: wire.avgPriceDynamic,
    ordersPerDayPercent: wire.avgOrdersCountPerDayDynamic,
    orderSharePercent: wire.shareOrderPercentDynamic,
    wishlistAddsPercent: wire.addToWishlistDynamic,
    readyMinutes: minutes(wire.timeToReadyDynamic),
    localPercent: wire.localizationPercentDynamic,
    rates: conversions(wire.conversions)
  }

/** A part that is left out adds nothing; without any part there is no time, which is not zero. */
const minutes = (time: WireMetrics["timeToReady"]): number | undefined =>
  time === undefined || [time.days, time.hours, time.mins].every((part) => part === undefined)
    ? undefined
    : ((time.days ?? 0) * 24 + (time.hours ?? 0)) * 60 + (time.mins ?? 0)
