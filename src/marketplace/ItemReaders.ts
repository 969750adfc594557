/** Reads the sources of item facts: reports of seed 002 that take up to a page of items a call. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Days from "../domain/Days.js"
import type { ItemId } from "../domain/Ids.js"
import type { Kopecks } from "../domain/Money.js"
import { type Given, unknown } from "../engine/facts/Cell.js"
import { stockRateDays } from "../engine/facts/ItemWords.js"
import type * as Sources from "../engine/facts/Sources.js"
import { type FactRequest, type FactRow, factRows, type SourceFailure } from "../engine/gather/FactSource.js"
import type { Figures, FunnelItem } from "../services/areas/analytics/Funnel.js"
import * as Funnel from "../services/areas/analytics/Funnel.js"
import type { StockItem, StockMetrics } from "../services/areas/analytics/Inventory.js"
import * as Inventory from "../services/areas/analytics/Inventory.js"
import type { RatedItem } from "../services/areas/analytics/ItemRating.js"
import * as ItemRating from "../services/areas/analytics/ItemRating.js"
import * as PaidPlan from "../services/areas/analytics/PaidPlan.js"
import * as Reach from "../services/areas/analytics/Reach.js"

import type { Client } from "../services/MarketplaceClient.js"
import type { CallError } from "../services/MarketplaceError.js"
import * as OddEntries from "../services/OddEntries.js"
import * as PlainBytes from "../services/PlainBytes.js"
import { type Answered, failure, oddOnes, orAbsent } from "./facts/Answered.js"

export type ItemSource = Extract<Sources.SourceId, "itemStocks" | "itemCards" | "itemFunnel" | "itemReviews">

type Reader = (request: FactRequest) => Effect.Effect<Answered>

/** One reader per source of items; `campaignCurrency` is known once campaigns were read. */
export const make = (
  client: Client,
  campaignCurrency: () => string | undefined
): Readonly<Record<ItemSource, Reader>> => {
  const inventory = Inventory.make(client)
  const funnel = Funnel.make(client)
  const rating = ItemRating.make(client)
  return {
    itemStocks: (request) =>
      reading("getStockProducts", request, (items) =>
        Effect.gen(function* () {
          const stream = inventory.items(
            { days: yield* lastDays(stockRateDays), owner: "all", withDeleted: true },
            { items },
            { availability: [], sort: { field: "stockSum", mode: "desc" } }
          )
          return priced(
            "getStockProducts",
            [...(yield* Stream.runCollect(stream))],
            campaignCurrency(),
            stockRow
          )
        }).pipe(PlainBytes.without(besideStock))
      ),
    itemCards: (request) =>
      reading("getFunnelProducts", request, (items) =>
        Effect.gen(function* () {
          const stream = funnel.products({ days: yield* lastDays(1), items })
          return { rows: [...(yield* Stream.runCollect(stream))].map(cardRow), failures: [] }
        })
      ),
    itemFunnel: (request) =>
      over("getFunnelProducts", request, Funnel.productsReach, (items, days) =>
        Effect.map(
          Stream.runCollect(funnel.figures({ days, items })).pipe(PlainBytes.without(besideFunnel)),
          (found) => {
            const [others, ofTheseDays] = Arr.partition(found, (one) => isOf(days, one.days))
            const read = priced("getFunnelProducts", ofTheseDays, campaignCurrency(), funnelRow)
            const answered = others[0]?.days
            if (answered === undefined) return read
            const failures = [
              ...read.failures,
              ofOtherDays("getFunnelProducts", others.length, days, answered)
            ]
            return { ...read, failures }
          }
        )
      ),
    itemReviews: (request) =>
      over("getItemRating", request, ItemRating.reach, (items, days) =>
        Effect.map(Stream.runCollect(rating.items({ days, items })), (found) => ({
          rows: [...found].map(reviewRow),
          failures: []
        }))
      )
  }
}

/** Fields of the stock report that no fact is made of. */
const besideStock: PlainBytes.LeftOut = new Set([
  ...["isDeleted", "subjectName", "name", "brandName", "mainPhoto", "hasSizes", "availability", "maxPrice"],
  ...[
    "ordersCount",
    "ordersSum",
    "buyoutCount",
    "buyoutSum",
    "buyoutPercent",
    "stockSum",
    "avgStockTurnover"
  ],
  ...["toClientCount", "fromClientCount", "officeMissingTime"],
  ...["lostOrdersCount", "lostOrdersSum", "lostBuyoutsCount", "lostBuyoutsSum"]
])

/** Fields of the sales funnel that no fact of a period is made of. */
const besideFunnel: PlainBytes.LeftOut = new Set([
  ...[
    "title",
    "vendorCode",
    "brandName",
    "subjectId",
    "subjectName",
    "productRating",
    "feedbackRating",
    "stocks"
  ],
  ...["cancelCount", "cancelSum", "avgPrice", "avgOrdersCountPerDay", "shareOrderPercent", "addToWishlist"],
  ...["timeToReady", "localizationPercent", "platformClub", "conversions"]
])

/** Moscow days up to today. */
const lastDays = (count: number): Effect.Effect<Days.DayRange> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const to = Days.ofMarket(nowMs)
    return { from: Days.shift(to, 1 - count), to }
  })

/** Nothing is asked for no item: an empty list would mean all of them to the marketplace. */
const reading = (
  operation: string,
  { keys }: FactRequest,
  read: (items: ReadonlyArray<ItemId>) => Effect.Effect<Answered, CallError>
): Effect.Effect<Answered> => {
  const items = [...new Set(keys.flatMap(({ itemId }) => (itemId === undefined ? [] : [itemId])))]
  if (items.length === 0) return Effect.succeed({ rows: [], failures: [] })
  return OddEntries.apart(read(items)).pipe(
    Effect.map(({ answer, odd }) => ({
      ...answer,
      failures: [...answer.failures, ...oddOnes(operation, odd)]
    })),
    Effect.catchAll((error) =>
      Effect.succeed({ rows: [], failures: [refused(operation, items.length, error)] })
    )
  )
}

/** A report with a window is asked for the whole window or not at all: a part of it would be other numbers. */
const over = (
  operation: string,
  request: FactRequest,
  reach: Reach.Reach,
  read: (items: ReadonlyArray<ItemId>, days: Days.DayRange) => Effect.Effect<Answered, CallError>
): Effect.Effect<Answered> =>
  reading(operation, request, (items) =>
    Effect.gen(function* () {
      const { days } = request
      if (days === undefined) return { rows: [], failures: [] }
      const covered = yield* Reach.now(reach)
      return days.from >= covered.from && days.to <= covered.to
        ? yield* read(items, days)
        : { rows: [], failures: [outOfReach(operation, items.length, days, covered)] }
    })
  )

const outOfReach = (operation: string, keys: number, days: Days.DayRange, covered: Days.DayRange) => ({
  operation,
  keys,
  message: `${operation}: the report covers ${covered.from} to ${covered.to} (Moscow days), and the window is ${days.from} to ${days.to}; choose a window within it`,
  stopsAccount: false,
  reason: "failed" as const
})

/** There may have been orders in the days asked for: nobody read them. */
const ofOtherDays = (operation: string, keys: number, asked: Days.DayRange, answered: Days.DayRange) => ({
  operation,
  keys,
  message: `${operation}: the report was asked for ${asked.from} to ${asked.to} and answered for ${answered.from} to ${answered.to}; its figures of these items stay unknown`,
  stopsAccount: false,
  reason: "failed" as const
})

/** A plan that does not hold the report leaves its facts unknown, not missing: they exist, and cannot be read. */
const refused = (operation: string, keys: number, error: CallError) => ({
  ...failure(operation, keys, error),
  message: PaidPlan.told(error).message
})

/** The answered period is the one that counts (field note A02). One that is not named cannot be doubted. */
const isOf = (asked: Days.DayRange, answered: Days.DayRange | undefined): boolean =>
  answered === undefined || (answered.from === asked.from && answered.to === asked.to)

// Facts of an item as such, from the stock report, the sales funnel and the rating report (seed 002).

/** Price and stock. A price of zero is no price. */
export const stockRow = (item: StockItem, money: Money): FactRow =>
  ofStock(
    { itemId: item.itemId },
    money(positive(item.minPriceKopecks)),
    orAbsent(counted(item.metrics?.stock)),
    stockDays(item.metrics),
    orAbsent(item.vendorCode?.trim() || undefined)
  )

const ofStock = factRows("item.price", "item.stock", "item.stock_days", "item.vendor_code")

/**
 * How long the stock lasts: 0 when nothing is left, else the report's own figure, endless where nothing is sold. A
 * figure it did not compute, or a zero beside stock that lies there, is made from stock and orders per day.
 */
export const stockDays = (metrics: StockMetrics | undefined): Given => {
  const stock = counted(metrics?.stock)
  const lasts = metrics?.lasts
  if (stock === 0) return 0
  if (lasts?._tag === "Known" && lasts.value > 0) return lasts.value / 24
  if (lasts?._tag === "Endless") return Number.POSITIVE_INFINITY
  const perDay = metrics?.ordersPerDay
  if (stock === undefined || perDay === undefined || perDay < 0) return unknown("absent")
  return perDay === 0 ? Number.POSITIVE_INFINITY : stock / perDay
}

/** What the card shows now. A rating of zero means that nobody has rated the item. */
const cardRow = (item: FunnelItem): FactRow =>
  ofCard(
    { itemId: item.itemId },
    orAbsent(counted(item.stock.platform)),
    orAbsent(counted(item.stock.seller)),
    orAbsent(positive(item.feedbackRating))
  )

const ofCard = factRows("item.stock.platform", "item.stock.seller", "item.rating")

/** What all visitors did, from ads and otherwise. Nothing is known of an item without a record of these days. */
const funnelRow = ({ current, itemId }: Figures, money: Money): FactRow =>
  ofFunnel(
    { itemId },
    orAbsent(current?.opens),
    orAbsent(current?.carts),
    orAbsent(current?.orders),
    money(current?.orderSumKopecks),
    orAbsent(current?.buyouts),
    money(current?.buyoutSumKopecks)
  )

const ofFunnel = factRows(
  "item.card_opens",
  "item.all_carts",
  "item.all_orders",
  "item.all_revenue",
  "item.buyouts",
  "item.buyout_revenue"
)

/** New reviews of the days asked. */
const reviewRow = (item: RatedItem): FactRow =>
  ofReviews({ itemId: item.itemId }, orAbsent(item.reviews.current))

const ofReviews = factRows("item.reviews")

/** An amount as a fact, if it may be compared with the amounts of the campaigns. */
export type Money = (kopecks: Kopecks | undefined) => Given

interface Priced {
  readonly itemId: ItemId
  readonly currency: string | undefined
}

/**
 * Rows of a report with amounts. Amounts of another currency than the campaigns' could not be compared with theirs, so
 * they stay unknown and are told as a failure; counts stand.
 */
export const priced = <A extends Priced>(
  operation: string,
  items: ReadonlyArray<A>,
  campaignCurrency: string | undefined,
  rowOf: (item: A, money: Money) => FactRow
): Answered => {
  const isForeign = ({ currency }: Priced): boolean =>
    campaignCurrency !== undefined && currency !== undefined && currency !== campaignCurrency
  const foreign = items.filter(isForeign)
  return {
    rows: items.map((item) => rowOf(item, isForeign(item) ? () => unknown("failed") : orAbsent)),
    failures: foreign.length === 0 ? [] : [otherCurrency(operation, foreign, campaignCurrency)]
  }
}

const otherCurrency = (
  operation: string,
  items: ReadonlyArray<Priced>,
  campaignCurrency: string | undefined
): SourceFailure => ({
  operation,
  keys: items.length,
  message: `${operation}: amounts are in ${items[0]?.currency}, those of the campaigns in ${campaignCurrency}, so they cannot be compared. Amounts of this report stay unknown; use its counts, such as item.stock`,
  stopsAccount: false,
  reason: "failed"
})

const positive = <A extends number>(value: A | undefined): A | undefined =>
  value === undefined || value <= 0 ? undefined : value

/** Units on hand; fewer than none is no count. */
const counted = (units: number | undefined): number | undefined =>
  units === undefined || units < 0 ? undefined : units
