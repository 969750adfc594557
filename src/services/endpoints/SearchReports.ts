/** Seed 002, "Search reports". They need a paid plan, else 403; some bounds depend on the plan (field note A11). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import * as Periods from "./Periods.js"
import { batch, flag, list, maybe, number, text, underData, whole } from "./Shapes.js"

const area = {
  area: "searchReports",
  host: "analytics",
  tokenCategory: "analytics",
  limits: { personal: Operation.limit("1 min", 3, 3), base: Operation.hourly(1) },
  errors: [400, 401, 402, 403, 429],
  errorShape: "detail"
} as const

/** Values of `orderBy.field` (not-shown §7.1). */
export const metricFields = [
  "avgPosition",
  "openCard",
  "addToCart",
  "openToCart",
  "orders",
  "cartToOrder",
  "visibility"
] as const
/** The same with prices: report and details. */
export const sortFields = [...metricFields, "minPrice", "maxPrice"] as const

/** Search texts are the best by one of these. */
export const TopOrderBy = Schema.Literal("openCard", "addToCart", "openToCart", "orders", "cartToOrder")
/** Which positions count. */
export const PositionCluster = Schema.Literal("all", "firstHundred", "secondHundred", "below")

/** Search texts of a call on the dearest plan; 30 on the others. */
export const mostTexts = 100

const periods = { currentPeriod: Periods.Period, pastPeriod: Schema.optional(Periods.Period) }
/** Both are true unless set. */
const includes = {
  includeSubstitutedSKUs: Schema.optional(Schema.Boolean),
  includeSearchTexts: Schema.optional(Schema.Boolean)
}
const page = { limit: Periods.limitUpTo(1000), offset: Periods.Offset }

interface Checked {
  readonly currentPeriod: Periods.Period
  readonly pastPeriod?: Periods.Period | undefined
  readonly includeSubstitutedSKUs?: boolean | undefined
  readonly includeSearchTexts?: boolean | undefined
}

/** The rules that the bodies share, and the parameters of the CSV reports on search. */
export const rules = (request: Checked): true | string =>
  request.includeSubstitutedSKUs === false && request.includeSearchTexts === false
    ? "includeSubstitutedSKUs and includeSearchTexts must not both be false"
    : Periods.pastNotLonger(request.currentPeriod, request.pastPeriod)

/** The seven metrics; an average position of 0 means no shows (A13). */
const metrics = {
  avgPosition: Periods.paired,
  openCard: Periods.paired,
  addToCart: Periods.paired,
  openToCart: Periods.paired,
  orders: Periods.paired,
  cartToOrder: Periods.paired,
  visibility: Periods.paired
}

const described = {
  nmId: whole,
  name: text,
  vendorCode: text,
  subjectName: text,
  brandName: text,
  isCardRated: flag,
  rating: number,
  feedbackRating: number,
  price: maybe(Periods.PriceSpan)
}

export const SearchItem = Schema.Struct({
  ...described,
  mainPhoto: text,
  isAdvertised: flag,
  isSubstitutedSKU: flag,
  ...metrics
})

export const SearchGroup = Schema.Struct({
  subjectName: text,
  subjectId: whole,
  brandName: text,
  tagName: text,
  tagId: whole,
  metrics: maybe(Schema.Struct(metrics)),
  items: list(SearchItem)
})

export const SearchTextRow = Schema.Struct({
  text,
  ...described,
  frequency: Periods.paired,
  weekFrequency: number,
  medianPosition: Periods.paired,
  avgPosition: Periods.paired,
  openCard: Periods.ranked,
  addToCart: Periods.ranked,
  openToCart: Periods.ranked,
  orders: Periods.ranked,
  cartToOrder: Periods.ranked,
  visibility: Periods.paired
})

const Visibility = list(Schema.Struct({ dt: text, visibility: number, open: number }))

/** Main page. */
export const SearchReport = Schema.Struct({
  commonInfo: maybe(
    Schema.Struct({
      supplierRating: Periods.paired,
      advertisedProducts: Periods.paired,
      totalProducts: number
    })
  ),
  positionInfo: maybe(
    Schema.Struct({
      average: Periods.paired,
      median: Periods.paired,
      chartItems: list(Schema.Struct({ dt: text, average: number, median: number })),
      clusters: maybe(
        Schema.Struct({
          firstHundred: Periods.paired,
          secondHundred: Periods.paired,
          below: Periods.paired
        })
      )
    })
  ),
  visibilityInfo: maybe(
    Schema.Struct({
      visibility: Periods.paired,
      openCard: Periods.paired,
      byDay: Visibility,
      byWeek: Visibility,
      byMonth: Visibility
    })
  ),
  groups: list(SearchGroup),
  currency: text
})

/** A day of one search text, or of all of them. */
export const TextDay = Schema.Struct({ dt: text, avgPosition: number, orders: whole })

/** Orders and positions by day and text. */
export const TextOrders = Schema.Struct({
  total: list(TextDay),
  items: list(Schema.Struct({ text, frequency: number, dateItems: list(TextDay) }))
})

const getSearchReport = Operation.read(
  HttpApiEndpoint.post("getSearchReport", "/api/v2/search-report/report")
    .setPayload(
      Schema.Struct({
        ...periods,
        ...Periods.nmIds(),
        ...Periods.filters(),
        positionCluster: PositionCluster,
        orderBy: Periods.orderBy(sortFields),
        ...includes,
        ...page
      }).pipe(Schema.filter(rules))
    )
    .addSuccess(underData(SearchReport)),
  {
    ...area,
    paging: { kind: "offset", rows: "data.groups", most: 1_000 },
    entries: Operation.apart("data.groups", SearchGroup),
    notes: ["A11", "A12", "A13"]
  }
)

const getSearchReportGroups = Operation.read(
  HttpApiEndpoint.post("getSearchReportGroups", "/api/v2/search-report/table/groups")
    .setPayload(
      Schema.Struct({
        ...periods,
        ...Periods.nmIds(),
        ...Periods.filters(),
        positionCluster: PositionCluster,
        orderBy: Periods.orderBy(metricFields),
        ...includes,
        ...page
      }).pipe(
        Schema.filter(rules),
        Schema.filter(
          ({ brandNames, subjectIds, tagIds }) =>
            [brandNames, subjectIds, tagIds].some((values) => (values?.length ?? 0) > 0) ||
            "give a filter by brandNames, subjectIds or tagIds: without one there are no groups"
        )
      )
    )
    .addSuccess(underData(Schema.Struct({ groups: list(SearchGroup), currency: text }))),
  {
    ...area,
    paging: { kind: "offset", rows: "data.groups", most: 1_000 },
    entries: Operation.apart("data.groups", SearchGroup),
    notes: ["A11", "A12", "A13"]
  }
)

const getSearchReportDetails = Operation.read(
  HttpApiEndpoint.post("getSearchReportDetails", "/api/v2/search-report/table/details")
    .setPayload(
      Schema.Struct({
        ...periods,
        /** The three together select a group. */
        subjectId: Schema.optional(Periods.FilterId),
        brandName: Schema.optional(Schema.String),
        tagId: Schema.optional(Periods.FilterId),
        ...Periods.nmIds(50),
        positionCluster: PositionCluster,
        orderBy: Periods.orderBy(sortFields),
        ...includes,
        ...page
      }).pipe(Schema.filter(rules))
    )
    .addSuccess(underData(Schema.Struct({ products: list(SearchItem), currency: text }))),
  {
    ...area,
    batch: { field: "nmIds", max: 50 },
    paging: { kind: "offset", rows: "data.products", most: 1_000 },
    entries: Operation.apart("data.products", SearchItem),
    notes: ["A11", "A12", "A13"]
  }
)

const getProductSearchTexts = Operation.read(
  HttpApiEndpoint.post("getProductSearchTexts", "/api/v2/search-report/product/search-texts")
    .setPayload(
      Schema.Struct({
        ...periods,
        nmIds: batch(ItemId, 50),
        topOrderBy: TopOrderBy,
        orderBy: Periods.orderBy(metricFields),
        ...includes,
        limit: Periods.limitUpTo(mostTexts)
      }).pipe(Schema.filter(rules))
    )
    .addSuccess(underData(Schema.Struct({ items: list(SearchTextRow), currency: text }))),
  {
    ...area,
    batch: { field: "nmIds", max: 50 },
    entries: Operation.apart("data.items", SearchTextRow),
    notes: ["A11", "A12"]
  }
)

const getProductSearchOrders = Operation.read(
  HttpApiEndpoint.post("getProductSearchOrders", "/api/v2/search-report/product/orders")
    .setPayload(
      Schema.Struct({
        period: Periods.periodUpTo(7),
        nmId: ItemId,
        searchTexts: batch(Schema.String, mostTexts)
      })
    )
    .addSuccess(underData(TextOrders)),
  {
    ...area,
    batch: { field: "searchTexts", min: 1, max: 30 },
    entries: Operation.whole("the days of the texts are compared with the total of all"),
    notes: ["A11", "A12"]
  }
)

export const group = HttpApiGroup.make("searchReports")
  .add(getSearchReport)
  .add(getSearchReportGroups)
  .add(getSearchReportDetails)
  .add(getProductSearchTexts)
  .add(getProductSearchOrders)
