/** Sales funnel of the items: opens, carts, orders, buyouts by period and by day (seed 002, "Sales funnel"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Funnel.js"
import * as Periods from "../../endpoints/Periods.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as Windows from "../../Windows.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"
import * as Reach from "./Reach.js"

type SortField = (typeof Wire.sortFields)[number]

export interface ProductsRequest extends Reach.Compared, Asked.Filters {
  readonly items?: Asked.Items
  readonly skipDeleted?: boolean
  readonly sort?: Periods.Sort<SortField>
}

/** A row per day, or per week. */
type Level = "day" | "week"

export interface HistoryRequest {
  readonly days: Days.DayRange
  readonly items: ReadonlyArray<ItemId>
  readonly by?: Level
  readonly skipDeleted?: boolean
}

export interface GroupsRequest extends Asked.Filters {
  readonly days: Days.DayRange
  readonly by?: Level
  readonly skipDeleted?: boolean
}

export interface ItemHistory extends Attributes {
  readonly itemId: ItemId
  readonly rows: ReadonlyArray<HistoryRow>
  readonly currency: string | undefined
}

/** Told apart by the asked filter and the attributes that are filled (field note A04). */
export interface GroupHistory extends Attributes {
  readonly rows: ReadonlyArray<HistoryRow>
  readonly currency: string | undefined
}

/** Histories that arrived, of these days; an item the marketplace does not know is among the failures (A03). */
export interface Histories extends Batches.Batched<ItemId, ItemHistory> {
  readonly days: Days.DayRange
  /** Entries of items that were not asked for (A16). */
  readonly foreign: number
}

/** Periods within the last 365 days (A02). */
export const productsReach: Reach.Reach = { oldest: 365, newest: 0 }
/** The last seven days, up to yesterday (A03). */
const historyReach: Reach.Reach = { oldest: 7, newest: 1 }

/** Days and items of one history call. */
const windowDays = 7
const itemsPerCall = 20
/** Calls that one `history` may spend on finding unknown items: enough for two among twenty. */
export const mostBisections = 20

const pageSize = 1000

const products = <A extends { readonly itemId: ItemId }>(
  api: Client["api"],
  request: ProductsRequest,
  read: (row: typeof Wire.FunnelProduct.Type, currency: string | undefined) => A | undefined
): Stream.Stream<A, CallError> =>
  Stream.unwrap(
    Effect.map(Reach.clipBoth("getFunnelProducts", request, productsReach), ({ days, past }) =>
      Asked.stream("getFunnelProducts", request.items, 1000, (nmIds) =>
        Pages.byOffset(pageSize, (limit, offset) =>
          Effect.map(
            api.funnel.getFunnelProducts({
              payload: {
                selectedPeriod: Periods.ofRange(days),
                pastPeriod: past === undefined ? undefined : Periods.ofRange(past),
                nmIds,
                ...Asked.filtersToWire(request),
                skipDeletedNm: request.skipDeleted,
                orderBy: request.sort,
                limit,
                offset
              }
            }),
            ({ data }) => (data?.products ?? []).map((row) => read(row, data?.currency))
          )
        )
      )
    )
  )

export const make = ({ api }: Client) => ({
  /**
   * Items page by page, each once. A period is clipped to the last 365 days; read it back from `current.days`. With
   * `compare` a past period is always sent, since the marketplace would otherwise choose one (A02).
   */
  products: (request: ProductsRequest) => products(api, request, item),

  /** As `products`, of each item what it did in the period and nothing else. */
  figures: (request: ProductsRequest) => products(api, request, figures),

  /**
   * Histories of any number of items, the days clipped to the last week. On a 400 a chunk is halved until the item
   * that the marketplace does not know is alone, with at most `mostBisections` further calls in all.
   */
  history: (request: HistoryRequest): Effect.Effect<Histories, CallError> =>
    Effect.gen(function* () {
      const days = yield* Reach.clip("getFunnelProductHistory", request.days, historyReach)
      const call = (window: Days.DayRange, items: ReadonlyArray<ItemId>) =>
        Effect.map(
          api.funnel.getFunnelProductHistory({
            payload: {
              selectedPeriod: Periods.ofRange(window),
              nmIds: items,
              skipDeletedNm: request.skipDeleted,
              aggregationLevel: request.by
            }
          }),
          (entries) => [Asked.only(items, entries.map(itemHistory))]
        )
      const left = yield* Ref.make(mostBisections)
      const parts = yield* Effect.forEach(Windows.cut(days, windowDays), (window) =>
        bisecting(Asked.chunks(request.items, itemsPerCall), left, (items) => call(window, items))
      )
      const answers = parts.flatMap(({ values }) => values)
      return {
        days,
        values: merged(answers.flatMap(({ rows }) => rows)),
        failures: parts.flatMap(({ failures }) => failures),
        foreign: answers.reduce((sum, { foreign }) => sum + foreign, 0)
      }
    }),

  /** Histories of groups; brands x subjects x tags may make at most 16 (seed 002), a longer ask is refused unsent. */
  groups: (
    request: GroupsRequest
  ): Effect.Effect<
    { readonly days: Days.DayRange; readonly groups: ReadonlyArray<GroupHistory> },
    CallError
  > =>
    Effect.gen(function* () {
      const days = yield* Reach.clip("getFunnelGroupedHistory", request.days, historyReach)
      const { data } = yield* api.funnel.getFunnelGroupedHistory({
        payload: {
          selectedPeriod: Periods.ofRange(days),
          ...Asked.filtersToWire(request),
          skipDeletedNm: request.skipDeleted,
          aggregationLevel: request.by
        }
      })
      return { days, groups: data.map(groupHistory) }
    })
})

const groupHistory = (entry: typeof Wire.HistoryEntry.Type): GroupHistory => ({
  ...attributes(entry.product),
  rows: history(entry.history),
  currency: entry.currency
})

const itemHistory = (entry: typeof Wire.HistoryEntry.Type): ItemHistory | undefined => {
  const itemId = Asked.itemId(entry.product?.nmId)
  return itemId === undefined ? undefined : { itemId, ...groupHistory(entry) }
}

/** One history per item, its rows from all windows. */
const merged = (histories: ReadonlyArray<ItemHistory>): ReadonlyArray<ItemHistory> => {
  const items = new Map<ItemId, ItemHistory>()
  for (const history of histories) {
    const before = items.get(history.itemId)
    items.set(history.itemId, {
      ...history,
      rows: Windows.join([before?.rows ?? [], history.rows], ({ day }) => day)
    })
  }
  return [...items.values()]
}

/** Chunks on their own, a refused one in halves while calls are left for it. */
const bisecting = <V>(
  chunks: ReadonlyArray<Asked.Items>,
  left: Ref.Ref<number>,
  call: (items: ReadonlyArray<ItemId>) => Effect.Effect<ReadonlyArray<V>, CallError>
): Effect.Effect<Batches.Batched<ItemId, V>> =>
  Effect.gen(function* () {
    const first = yield* Batches.runChunks(
      chunks.flatMap((chunk) => (chunk === undefined ? [] : [chunk])),
      call
    )
    let values = first.values
    const failures: Array<Batches.Failure<ItemId>> = []
    const queue = [...first.failures]
    for (let failure = queue.shift(); failure !== undefined; failure = queue.shift()) {
      const { error, keys } = failure
      const halve = error._tag === "Refused" && error.status === 400 && keys.length > 1
      if (!halve || (yield* Ref.get(left)) < 2) {
        failures.push(failure)
        continue
      }
      yield* Ref.update(left, (calls) => calls - 2)
      const halves = yield* Batches.runChunks(Arr.chunksOf(keys, Math.ceil(keys.length / 2)), call)
      values = [...values, ...halves.values]
      queue.unshift(...halves.failures)
    }
    return { values, failures }
  })

// Records of the sales funnel in the seller's words: `openCount` is opens, `cartCount` carts, `orderCount` orders
// (field note A01). Money comes in whole base units and percentages as whole numbers (A08).

/** Days after which a day's buyouts, cancellations and returns hardly change any more (field note A06). */
const settleDays = 30

/** False for a day whose buyouts still grow: show it as preliminary and never learn from it. */
export const settled = (day: Days.Day, today: Days.Day): boolean => Days.between(day, today) >= settleDays

/** Rates from counts, percent and not rounded (A08); buyouts against all orders of the same days. */
export const rates = ({ buyouts, carts, opens, orders }: Partial<ReturnType<typeof counts>>): Rates => ({
  openToCartPercent: Measures.percent(carts, opens),
  cartToOrderPercent: Measures.percent(orders, carts),
  buyoutPercent: Measures.percent(buyouts, orders)
})

/** A record of an item; absent when the answer does not say which item it is. */
const item = (wire: typeof Wire.FunnelProduct.Type, currency: string | undefined) => {
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

/** What an item did in the period, and the period as answered; absent when the answer does not say which item it is. */
const figures = ({ product, statistic }: typeof Wire.FunnelProduct.Type, currency: string | undefined) => {
  const itemId = Asked.itemId(product?.nmId)
  if (itemId === undefined) return undefined
  const wire = statistic?.selected
  return { itemId, days: wire && Measures.period(wire.period), current: wire && counts(wire), currency }
}

export type Figures = Readonly<NonNullable<ReturnType<typeof figures>>>

/**
 * What the answer says of an item or group; empty texts and zeros say nothing (A04). Take attributes from one trusted
 * source, this one was wrong before (A08).
 */
const attributes = (product: (typeof Wire.HistoryEntry.Type)["product"]) => ({
  title: Measures.filled(product?.title),
  vendorCode: Measures.filled(product?.vendorCode),
  brand: Measures.filled(product?.brandName),
  subjectId: Measures.id(product?.subjectId),
  subject: Measures.filled(product?.subjectName)
})

type Attributes = Readonly<ReturnType<typeof attributes>>

/** Rows by day; one without a readable date is left out, and a day that comes twice counts once. */
const history = (wire: (typeof Wire.HistoryEntry.Type)["history"]): ReadonlyArray<HistoryRow> => {
  const rows = new Map<Days.Day, HistoryRow>()
  for (const row of wire) {
    const day = Measures.day(row.date)
    if (day !== undefined && !rows.has(day)) rows.set(day, dayOf(day, row))
  }
  return [...rows.values()].sort(TextOrder.by(({ day }) => day))
}

/** A Moscow day, or the first day of a week. Buyouts are booked on the order day and grow for weeks (A06). */
type HistoryRow = Readonly<ReturnType<typeof dayOf>>

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
