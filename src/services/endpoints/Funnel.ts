/** Seed 002, "Sales funnel". Money is whole base units and percentages are whole numbers (field note A08). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import * as Periods from "./Periods.js"
import { answer, batch, list, maybe, number, rows, text, underData, whole } from "./Shapes.js"

const area = {
  area: "funnel",
  host: "analytics",
  tokenCategory: "analytics",
  limits: { personal: Operation.limit("1 min", 3, 3), base: Operation.hourly(2) },
  errors: [400, 401, 402, 403, 429],
  errorShape: "detail"
} as const

/** Values of `orderBy.field` (not-shown §7.1). */
export const sortFields = [
  "openCard",
  "addToCart",
  "orderCount",
  "orderSum",
  "buyoutCount",
  "buyoutSum",
  "cancelCount",
  "cancelSum",
  "avgPrice",
  "stockMpQty",
  "stockPlatformQty",
  "shareOrderPercent",
  "addToWishlist",
  "timeToReady",
  "localizationPercent",
  "platformClub.orderCount",
  "platformClub.orderSum",
  "platformClub.buyoutSum",
  "platformClub.buyoutCount",
  "platformClub.cancelSum",
  "platformClub.cancelCount",
  "platformClub.avgPrice",
  "platformClub.buyoutPercent",
  "platformClub.avgOrderCountPerDay"
] as const

const TimeToReady = Schema.Struct({ days: number, hours: number, mins: number })

const Club = Schema.Struct({
  orderCount: number,
  orderSum: number,
  buyoutSum: number,
  buyoutCount: number,
  cancelSum: number,
  cancelCount: number,
  avgPrice: number,
  buyoutPercent: number,
  avgOrderCountPerDay: number
})

const Conversions = Schema.Struct({
  addToCartPercent: number,
  cartToOrderPercent: number,
  buyoutPercent: number
})

/** Metrics of one period. */
export const FunnelMetrics = Schema.Struct({
  period: maybe(Periods.AnsweredPeriod),
  openCount: whole,
  cartCount: whole,
  orderCount: whole,
  orderSum: number,
  buyoutCount: whole,
  buyoutSum: number,
  cancelCount: whole,
  cancelSum: number,
  avgPrice: number,
  avgOrdersCountPerDay: number,
  shareOrderPercent: number,
  addToWishlist: whole,
  timeToReady: maybe(TimeToReady),
  localizationPercent: number,
  platformClub: maybe(Club),
  conversions: maybe(Conversions)
})

/** Change of each metric against the past period, percent. */
export const FunnelComparison = Schema.Struct({
  openCountDynamic: number,
  cartCountDynamic: number,
  orderCountDynamic: number,
  orderSumDynamic: number,
  buyoutCountDynamic: number,
  buyoutSumDynamic: number,
  cancelCountDynamic: number,
  cancelSumDynamic: number,
  avgPriceDynamic: number,
  avgOrdersCountPerDayDynamic: number,
  shareOrderPercentDynamic: number,
  addToWishlistDynamic: number,
  timeToReadyDynamic: maybe(TimeToReady),
  localizationPercentDynamic: number,
  platformClubDynamic: maybe(Club),
  conversions: maybe(Conversions)
})

/** A record of getFunnelProducts; `past` and `comparison` are absent without a past period (A12). */
export const FunnelProduct = Schema.Struct({
  product: maybe(
    Schema.Struct({
      nmId: whole,
      title: text,
      vendorCode: text,
      brandName: text,
      subjectId: whole,
      subjectName: text,
      tags: list(Schema.Struct({ id: whole, name: text })),
      productRating: number,
      feedbackRating: number,
      stocks: maybe(Schema.Struct({ platform: whole, mp: whole, balanceSum: number }))
    })
  ),
  statistic: maybe(
    Schema.Struct({
      selected: maybe(FunnelMetrics),
      past: maybe(FunnelMetrics),
      comparison: maybe(FunnelComparison)
    })
  )
})

/** One item or one group with its days or weeks; the product fields of a group may be 0 or empty (A04). */
export const HistoryEntry = Schema.Struct({
  product: maybe(
    Schema.Struct({
      nmId: whole,
      title: text,
      vendorCode: text,
      brandName: text,
      subjectId: whole,
      subjectName: text
    })
  ),
  history: list(
    Schema.Struct({
      date: text,
      openCount: whole,
      cartCount: whole,
      orderCount: whole,
      orderSum: number,
      buyoutCount: whole,
      buyoutSum: number,
      buyoutPercent: number,
      addToCartConversion: number,
      cartToOrderConversion: number,
      addToWishlistCount: whole
    })
  ),
  currency: text
})

const getFunnelProducts = Operation.read(
  HttpApiEndpoint.post("getFunnelProducts", "/api/analytics/v3/sales-funnel/products")
    .setPayload(
      Schema.Struct({
        selectedPeriod: Periods.Period,
        pastPeriod: Schema.optional(Periods.Period),
        ...Periods.nmIds(1000),
        ...Periods.filters(),
        skipDeletedNm: Schema.optional(Schema.Boolean),
        orderBy: Schema.optional(Periods.orderBy(sortFields)),
        limit: Schema.optional(Periods.limitUpTo(1000)),
        offset: Schema.optional(Periods.Offset)
      }).pipe(
        Schema.filter(({ selectedPeriod, pastPeriod }) => Periods.pastAsLong(selectedPeriod, pastPeriod))
      )
    )
    .addSuccess(underData(Schema.Struct({ products: list(FunnelProduct), currency: text }))),
  {
    ...area,
    batch: { field: "nmIds", min: 0, max: 1000 },
    paging: { kind: "offset", rows: "data.products", most: 1_000 },
    entries: Operation.apart("data.products", FunnelProduct),
    notes: ["A01", "A02", "A06", "A07"]
  }
)

/** The last week only (A03). */
const history = {
  selectedPeriod: Periods.periodUpTo(7),
  skipDeletedNm: Schema.optional(Schema.Boolean),
  aggregationLevel: Schema.optional(Schema.Literal("day", "week"))
}

const getFunnelProductHistory = Operation.read(
  HttpApiEndpoint.post("getFunnelProductHistory", "/api/analytics/v3/sales-funnel/products/history")
    .setPayload(Schema.Struct({ ...history, nmIds: batch(ItemId, 20) }))
    /** A bare array; one unknown item fails the whole call (A03, A04). */
    .addSuccess(rows(HistoryEntry)),
  {
    ...area,
    batch: { field: "nmIds", min: 1, max: 20 },
    entries: Operation.apart("", HistoryEntry),
    notes: ["A03", "A04", "A06"]
  }
)

/** How many groups the filters make; an empty list counts as one value. */
const groupsOf = (filters: {
  readonly brandNames?: ReadonlyArray<unknown> | undefined
  readonly subjectIds?: ReadonlyArray<unknown> | undefined
  readonly tagIds?: ReadonlyArray<unknown> | undefined
}): number =>
  [filters.brandNames, filters.subjectIds, filters.tagIds].reduce(
    (product, values) => product * Math.max(1, values?.length ?? 0),
    1
  )

const getFunnelGroupedHistory = Operation.read(
  HttpApiEndpoint.post("getFunnelGroupedHistory", "/api/analytics/v3/sales-funnel/grouped/history")
    .setPayload(
      Schema.Struct({ ...history, ...Periods.filters() }).pipe(
        Schema.filter(
          (request) =>
            groupsOf(request) <= 16 ||
            `brandNames x subjectIds x tagIds make ${groupsOf(request)} groups; at most 16 are allowed`
        )
      )
    )
    .addSuccess(answer({ data: list(HistoryEntry) })),
  {
    ...area,
    entries: Operation.whole("groups carry no key, so nobody could tell which one is missing"),
    notes: ["A03", "A04", "A06"]
  }
)

export const group = HttpApiGroup.make("funnel")
  .add(getFunnelProducts)
  .add(getFunnelProductHistory)
  .add(getFunnelGroupedHistory)
