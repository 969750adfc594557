/** Seed 002, "CSV reports": a task is created under an id of the caller's, polled, and its file downloaded. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ItemId, ReportId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { sortFields as funnelFields } from "./Funnel.js"
import { Availability, StockOrder, StockPeriod, StockType } from "./Inventory.js"
import { FilterId, filters, limitUpTo, nmIds, orderBy, periodUpTo } from "./Periods.js"
import { metricFields, mostTexts, PositionCluster, rules, TopOrderBy } from "./SearchReports.js"
import { answer, Day, list, spanWithin, text, upTo, whole } from "./Shapes.js"

// Parameters of a CSV report by its type (not-shown §7.3). Mind the spelling: `nmIDs` with `subjectIds` in the
// detail type, `nmIDs`, `subjectIDs`, `tagIDs` in STOCK_HISTORY_REPORT_CSV, `nmIds`, `subjectIds`, `tagIds` in the
// others.

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
const DetailParams = Schema.Struct({ nmIDs: Schema.optional(upTo(ItemId, 1000)), ...detail }).pipe(
  Schema.filter(withinYear)
)

/** Needs the premium plan. */
const GroupedParams = Schema.Struct(detail).pipe(Schema.filter(withinYear))

const search = {
  currentPeriod: ReportPeriod,
  /** Not longer than the current one. */
  pastPeriod: Schema.optional(ReportPeriod),
  ...nmIds(1000),
  includeSubstitutedSKUs: flag,
  includeSearchTexts: flag
}

const SearchOrder = orderBy(metricFields)

const SearchGroupParams = Schema.Struct({
  ...search,
  ...filters(),
  subjectIds: Schema.Array(FilterId),
  orderBy: SearchOrder,
  positionCluster: PositionCluster
}).pipe(Schema.filter(rules))

/** `subjectId` and `tagId` 0 mean all. The order takes the fields of the funnel. */
const SearchProductParams = Schema.Struct({
  ...search,
  subjectId: Schema.optional(FilterId),
  brandName: Schema.optional(Schema.String),
  tagId: Schema.optional(FilterId),
  positionCluster: PositionCluster,
  orderBy: orderBy(funnelFields)
}).pipe(Schema.filter(rules))

/** `limit` above 30 needs a higher plan. */
const SearchTextParams = Schema.Struct({
  ...search,
  ...filters(),
  topOrderBy: TopOrderBy,
  orderBy: SearchOrder,
  limit: limitUpTo(mostTexts)
}).pipe(Schema.filter(rules))

const stock = { currentPeriod: StockPeriod, stockType: StockType, skipDeletedNm: Schema.Boolean }

const StockMetricsParams = Schema.Struct({
  nmIDs: Schema.optional(Schema.Array(ItemId)),
  subjectIDs: Schema.optional(Schema.Array(FilterId)),
  brandNames: Schema.optional(Schema.Array(Schema.String)),
  tagIDs: Schema.optional(Schema.Array(FilterId)),
  ...stock,
  availabilityFilters: Schema.Array(Availability),
  orderBy: StockOrder
})

const StockDailyParams = Schema.Struct({
  ...nmIds(),
  ...filters(),
  ...stock
})

const area = {
  area: "csvReports",
  host: "analytics",
  tokenCategory: "analytics",
  limits: { personal: Operation.limit("1 min", 3, 3), base: Operation.hourly(1) },
  errors: [400, 401, 402, 403, 429],
  errorShape: "detail"
} as const

/** Reports of one seller per Moscow day; a retry is taken to count too (not stated). */
const quota = { group: "csvReports", perDay: 20 } as const

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200D|\u20E3|\uFE0F/u

/** Emoji in a name are refused (A24). */
const ReportName = Schema.NonEmptyString.pipe(
  Schema.filter((name) => !emoji.test(name) || "a report's name must be plain text without emoji", {
    arbitrary: () => (fc) => fc.stringMatching(/^[A-Za-z0-9а-яА-Я .,-]{1,40}$/)
  })
)

const typed = <const Type extends string, A, I>(reportType: Type, params: Schema.Schema<A, I>) =>
  Schema.Struct({
    id: ReportId,
    reportType: Schema.Literal(reportType),
    /** Made by the marketplace when left out. */
    userReportName: Schema.optional(ReportName),
    params
  })

/** What is asked for: the report's type decides how its parameters are spelled (not-shown §7.3). */
export const ReportRequest = Schema.Union(
  typed("DETAIL_HISTORY_REPORT", DetailParams),
  typed("GROUPED_HISTORY_REPORT", GroupedParams),
  typed("SEARCH_QUERIES_PREMIUM_REPORT_GROUP", SearchGroupParams),
  typed("SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT", SearchProductParams),
  typed("SEARCH_QUERIES_PREMIUM_REPORT_TEXT", SearchTextParams),
  typed("STOCK_HISTORY_REPORT_CSV", StockMetricsParams),
  typed("STOCK_HISTORY_DAILY_CSV", StockDailyParams)
)

/** A confirmation in words; nothing hangs on it. */
const Confirmation = answer({ data: text })

const createCsvReport = Operation.read(
  HttpApiEndpoint.post("createCsvReport", "/api/v2/nm-report/downloads")
    .setPayload(ReportRequest)
    .addSuccess(Confirmation),
  {
    ...area,
    retry: "verify",
    verifyBy: "listCsvReports filtered by the id, which the caller chose",
    quota,
    notes: ["A21", "A22", "A24"]
  }
)

/**
 * `createdAt` is when generation ended, `YYYY-MM-DD HH:MM:SS` of Moscow; `size` is bytes. Words of `status` beside
 * WAITING, PROCESSING, SUCCESS, RETRY and FAILED may come (T19).
 */
export const CsvTask = Schema.Struct({
  id: Schema.String,
  createdAt: text,
  status: text,
  name: text,
  size: whole,
  startDate: text,
  endDate: text
})

/** An id the marketplace does not know is refused with 400; without a filter every tool's recent tasks come (A23). */
const listCsvReports = Operation.read(
  HttpApiEndpoint.get("listCsvReports", "/api/v2/nm-report/downloads")
    .setUrlParams(
      Schema.Struct({
        "filter[downloadIds]": Schema.optional(Schema.Array(ReportId).pipe(Schema.minItems(1)))
      })
    )
    .addSuccess(answer({ data: list(CsvTask) })),
  {
    ...area,
    batch: { field: "filter[downloadIds]" },
    entries: Operation.apart("data", CsvTask),
    notes: ["A21", "A23"]
  }
)

const retryCsvReport = Operation.read(
  HttpApiEndpoint.post("retryCsvReport", "/api/v2/nm-report/downloads/retry")
    .setPayload(Schema.Struct({ downloadId: ReportId }))
    .addSuccess(Confirmation),
  {
    ...area,
    retry: "verify",
    verifyBy: "listCsvReports status of the id",
    quota,
    notes: ["A21"]
  }
)

/** A ZIP with one CSV, now and then the CSV itself (A25); a refusal is JSON. */
const report = { accept: "application/zip, text/csv, application/octet-stream, application/json;q=0.5" }

const downloadCsvReport = Operation.read(
  HttpApiEndpoint.get(
    "downloadCsvReport"
  )`/api/v2/nm-report/downloads/file/${HttpApiSchema.param("downloadId", ReportId)}`.addSuccess(
    HttpApiSchema.Uint8Array({ contentType: "application/zip" })
  ),
  { ...area, file: report, notes: ["A24", "A25"] }
)

export const group = HttpApiGroup.make("csvReports")
  .add(createCsvReport)
  .add(listCsvReports)
  .add(retryCsvReport)
  .add(downloadCsvReport)
