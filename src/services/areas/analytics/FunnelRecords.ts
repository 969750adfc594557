/**
 * Records of the sales funnel in the seller's words: `openCount` is opens, `cartCount` carts, `orderCount` orders
 * (field note A01). Money comes in whole base units and percentages as whole numbers (A08).
 */
import * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type * as Wire from "../../endpoints/Funnel.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"

/** What the report says of an item; take attributes from one trusted source, this one was wrong before (A08). */
export interface Attributes {
  readonly title: string | undefined
  readonly vendorCode: string | undefined
  readonly brand: string | undefined
  readonly subjectId: number | undefined
  readonly subject: string | undefined
}

/**
 * Counts of a period or a day. Orders differ from those of the feed and of the assembly lists, and carts may be fewer
 * than orders (A07): compare trends only.
 */
export interface Counts {
  /** Times the item's card was opened. */
  readonly opens: number | undefined
  readonly carts: number | undefined
  readonly orders: number | undefined
  readonly orderSumKopecks: Money.Kopecks | undefined
  readonly buyouts: number | undefined
  readonly buyoutSumKopecks: Money.Kopecks | undefined
  readonly wishlistAdds: number | undefined
}

/** Shares as the marketplace rounds them, whole percent; `rates` makes finer ones from the counts. */
export interface Rates {
  readonly openToCartPercent: number | undefined
  readonly cartToOrderPercent: number | undefined
  readonly buyoutPercent: number | undefined
}

/** The part bought by members of the platform's club. */
export interface ClubNumbers {
  readonly orders: number | undefined
  readonly orderSumKopecks: Money.Kopecks | undefined
  readonly buyouts: number | undefined
  readonly buyoutSumKopecks: Money.Kopecks | undefined
  readonly cancels: number | undefined
  readonly cancelSumKopecks: Money.Kopecks | undefined
  readonly averagePriceKopecks: Money.Kopecks | undefined
  readonly buyoutPercent: number | undefined
  readonly ordersPerDay: number | undefined
}

/** Numbers of an item over one period. */
export interface PeriodNumbers extends Counts, Rates {
  /** The period as answered (A02): trust it, not the one that was asked for. */
  readonly days: Days.DayRange | undefined
  readonly cancels: number | undefined
  readonly cancelSumKopecks: Money.Kopecks | undefined
  readonly averagePriceKopecks: Money.Kopecks | undefined
  readonly ordersPerDay: number | undefined
  /** Share of the seller's order sum, percent. */
  readonly orderSharePercent: number | undefined
  /** Average time until the goods are ready, minutes. */
  readonly readyMinutes: number | undefined
  /** Share of orders sent from a near warehouse, percent; the constant 100 since August 2026 (not-shown §7.5). */
  readonly localPercent: number | undefined
  readonly club: ClubNumbers | undefined
}

/** Change against the past period as the marketplace computed it, percent; `readyMinutes` is a difference. */
export interface Changes {
  readonly opensPercent: number | undefined
  readonly cartsPercent: number | undefined
  readonly ordersPercent: number | undefined
  readonly orderSumPercent: number | undefined
  readonly buyoutsPercent: number | undefined
  readonly buyoutSumPercent: number | undefined
  readonly cancelsPercent: number | undefined
  readonly cancelSumPercent: number | undefined
  readonly averagePricePercent: number | undefined
  readonly ordersPerDayPercent: number | undefined
  readonly orderSharePercent: number | undefined
  readonly wishlistAddsPercent: number | undefined
  readonly readyMinutes: number | undefined
  readonly localPercent: number | undefined
  readonly rates: Rates
}

export interface FunnelItem extends Attributes {
  readonly itemId: ItemId
  readonly tags: ReadonlyArray<{ readonly id: number | undefined; readonly name: string | undefined }>
  /** Quality of the card, 0 to 10. */
  readonly cardRating: number | undefined
  /** Buyers' rating, 0 to 5. */
  readonly feedbackRating: number | undefined
  readonly stock: {
    /** Units in warehouses of the platform. */
    readonly platform: number | undefined
    /** Units in warehouses of the seller. */
    readonly seller: number | undefined
    readonly valueKopecks: Money.Kopecks | undefined
  }
  readonly current: PeriodNumbers | undefined
  /** Absent without a past period: nothing to compare with, not zero (A12). */
  readonly past: PeriodNumbers | undefined
  readonly changes: Changes | undefined
  readonly currency: string | undefined
}

/** A Moscow day, or the first day of a week. Buyouts are booked on the order day and grow for weeks (A06). */
export interface HistoryRow extends Counts, Rates {
  readonly day: Days.Day
}

/** Days after which a day's buyouts, cancellations and returns hardly change any more (field note A06). */
export const settleDays = 30

/** False for a day whose buyouts still grow: show it as preliminary and never learn from it. */
export const settled = (day: Days.Day, today: Days.Day): boolean =>
  Days.length({ from: day, to: today }) - 1 >= settleDays

/** Rates from counts, percent and not rounded (A08); buyouts against all orders of the same days. */
export const rates = ({ buyouts, carts, opens, orders }: Partial<Counts>): Rates => ({
  openToCartPercent: Measures.percent(carts, opens),
  cartToOrderPercent: Measures.percent(orders, carts),
  buyoutPercent: Measures.percent(buyouts, orders)
})

/** A record of an item; absent when the answer does not say which item it is. */
export const item = (wire: typeof Wire.FunnelProduct.Type, currency: string | undefined) => {
  const { product, statistic } = wire
  const itemId = Asked.itemId(product?.nmId)
  if (itemId === undefined) return undefined
  const found: FunnelItem = {
    itemId,
    ...attributes(product),
    tags: (product?.tags ?? []).map(({ id, name }) => ({ id, name })),
    cardRating: product?.productRating,
    feedbackRating: product?.feedbackRating,
    stock: {
      platform: product?.stocks?.platform,
      seller: product?.stocks?.mp,
      valueKopecks: Amounts.decimal(product?.stocks?.balanceSum)
    },
    current: numbers(statistic?.selected),
    past: numbers(statistic?.past),
    changes: changes(statistic?.comparison),
    currency
  }
  return found
}

/** What the answer says of an item or group; empty texts and zeros say nothing (A04). */
export const attributes = (product: (typeof Wire.HistoryEntry.Type)["product"]): Attributes => ({
  title: Measures.filled(product?.title),
  vendorCode: Measures.filled(product?.vendorCode),
  brand: Measures.filled(product?.brandName),
  subjectId: Measures.id(product?.subjectId),
  subject: Measures.filled(product?.subjectName)
})

/** Rows by day; one without a readable date is left out, and a day that comes twice counts once. */
export const history = (wire: (typeof Wire.HistoryEntry.Type)["history"]): ReadonlyArray<HistoryRow> => {
  const rows = new Map<Days.Day, HistoryRow>()
  for (const row of wire) {
    const day = Measures.day(row.date)
    if (day === undefined || rows.has(day)) continue
    rows.set(day, {
      day,
      ...counts(row),
      wishlistAdds: row.addToWishlistCount,
      openToCartPercent: row.addToCartConversion,
      cartToOrderPercent: row.cartToOrderConversion,
      buyoutPercent: row.buyoutPercent
    })
  }
  return [...rows.values()].sort(TextOrder.by(({ day }) => day))
}

type WireMetrics = typeof Wire.FunnelMetrics.Type
type Countable = Pick<
  WireMetrics,
  "openCount" | "cartCount" | "orderCount" | "orderSum" | "buyoutCount" | "buyoutSum"
>

const counts = (wire: Countable) => ({
  opens: wire.openCount,
  carts: wire.cartCount,
  orders: wire.orderCount,
  orderSumKopecks: Amounts.decimal(wire.orderSum),
  buyouts: wire.buyoutCount,
  buyoutSumKopecks: Amounts.decimal(wire.buyoutSum)
})

const conversions = (wire: WireMetrics["conversions"]): Rates => ({
  openToCartPercent: wire?.addToCartPercent,
  cartToOrderPercent: wire?.cartToOrderPercent,
  buyoutPercent: wire?.buyoutPercent
})

const numbers = (wire: WireMetrics | undefined): PeriodNumbers | undefined =>
  wire === undefined
    ? undefined
    : {
        days: Measures.period(wire.period),
        ...counts(wire),
        ...conversions(wire.conversions),
        wishlistAdds: wire.addToWishlist,
        cancels: wire.cancelCount,
        cancelSumKopecks: Amounts.decimal(wire.cancelSum),
        averagePriceKopecks: Amounts.decimal(wire.avgPrice),
        ordersPerDay: wire.avgOrdersCountPerDay,
        orderSharePercent: wire.shareOrderPercent,
        readyMinutes: minutes(wire.timeToReady),
        localPercent: wire.localizationPercent,
        club: club(wire.platformClub)
      }

const club = (wire: WireMetrics["platformClub"]): ClubNumbers | undefined =>
  wire === undefined
    ? undefined
    : {
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

const changes = (wire: typeof Wire.FunnelComparison.Type | undefined): Changes | undefined =>
  wire === undefined
    ? undefined
    : {
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
