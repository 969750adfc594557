/**
 * Parameters of a CSV report by its type (not-shown §7.3). Mind the spelling: `nmIDs` with `subjectIds` in the detail
 * type, `nmIDs`, `subjectIDs`, `tagIDs` in STOCK_HISTORY_REPORT_CSV, `nmIds`, `subjectIds`, `tagIds` in the others.
 */
import * as Schema from "effect/Schema"
import { ItemId } from "../../domain/Ids.js"
import { sortFields as funnelFields } from "./Funnel.js"
import { Availability, StockOrder, StockPeriod, StockType } from "./Inventory.js"
import { FilterId, filters, limitUpTo, nmIds, orderBy, periodUpTo } from "./Periods.js"
import { metricFields, mostTexts, PositionCluster, rules, TopOrderBy } from "./SearchReports.js"
import { Day, spanWithin, upTo } from "./Shapes.js"

/** Days a report may cover unless it is about stock: one year. */
export const mostDays = 366

const ReportPeriod = periodUpTo(mostDays)
const flag = Schema.optional(Schema.Boolean)

const detail = {
  ...filters(),
  startDate: Day,
  endDate: Day,
  /** IANA name; Europe/Moscow when left out. */
  timezone: Schema.optional(Schema.NonEmptyString),
  aggregationLevel: Schema.optional(Schema.Literal("day", "week", "month")),
  skipDeletedNm: flag
}

interface Dates {
  readonly startDate: typeof Day.Type
  readonly endDate: typeof Day.Type
}
const withinYear = ({ endDate, startDate }: Dates) => spanWithin(startDate, endDate, mostDays)

/** Needs the premium plan. */
export const DetailParams = Schema.Struct({ nmIDs: Schema.optional(upTo(ItemId, 1000)), ...detail }).pipe(
  Schema.filter(withinYear)
)

/** Needs the premium plan. */
export const GroupedParams = Schema.Struct(detail).pipe(Schema.filter(withinYear))

const search = {
  currentPeriod: ReportPeriod,
  /** Not longer than the current one. */
  pastPeriod: Schema.optional(ReportPeriod),
  ...nmIds(1000),
  includeSubstitutedSKUs: flag,
  includeSearchTexts: flag
}

const SearchOrder = orderBy(metricFields)

export const SearchGroupParams = Schema.Struct({
  ...search,
  ...filters(),
  subjectIds: Schema.Array(FilterId),
  orderBy: SearchOrder,
  positionCluster: PositionCluster
}).pipe(Schema.filter(rules))

/** `subjectId` and `tagId` 0 mean all. The order takes the fields of the funnel. */
export const SearchProductParams = Schema.Struct({
  ...search,
  subjectId: Schema.optional(FilterId),
  brandName: Schema.optional(Schema.String),
  tagId: Schema.optional(FilterId),
  positionCluster: PositionCluster,
  orderBy: orderBy(funnelFields)
}).pipe(Schema.filter(rules))

/** `limit` above 30 needs a higher plan. */
export const SearchTextParams = Schema.Struct({
  ...search,
  ...filters(),
  topOrderBy: TopOrderBy,
  orderBy: SearchOrder,
  limit: limitUpTo(mostTexts)
}).pipe(Schema.filter(rules))

const stock = { currentPeriod: StockPeriod, stockType: StockType, skipDeletedNm: Schema.Boolean }

export const StockMetricsParams = Schema.Struct({
  nmIDs: Schema.optional(Schema.Array(ItemId)),
  subjectIDs: Schema.optional(Schema.Array(FilterId)),
  brandNames: Schema.optional(Schema.Array(Schema.String)),
  tagIDs: Schema.optional(Schema.Array(FilterId)),
  ...stock,
  availabilityFilters: Schema.Array(Availability),
  orderBy: StockOrder
})

export const StockDailyParams = Schema.Struct({
  ...nmIds(),
  ...filters(),
  ...stock
})
