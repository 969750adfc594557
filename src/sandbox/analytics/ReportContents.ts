/** What a CSV report holds, by its type; its periods, and how far back they may reach (not-shown §7.3, §7.4). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ReportRequest } from "../../services/endpoints/CsvReports.js"
import type { Refusal } from "../Answer.js"
import type { Context } from "../Call.js"
import type { Days } from "../market/Statistics.js"
import type { Report } from "../shop/State.js"
import type * as Csv from "./Csv.js"
import * as Goods from "./Goods.js"
import * as Ordering from "./Ordering.js"
import * as Periods from "./Periods.js"
import * as ReportFunnel from "./ReportFunnel.js"
import * as ReportSearch from "./ReportSearch.js"
import * as ReportStock from "./ReportStock.js"
import type * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as StockRows from "./StockRows.js"

export type Request = typeof ReportRequest.Type

/** Days the report is about and those it is compared with; the refusal names the earliest date (field note A24). */
export const periodsOf = (
  request: Request,
  nowMs: number
): Either.Either<{ readonly days: Days; readonly past: Days | undefined }, Refusal> =>
  Either.gen(function* () {
    switch (request.reportType) {
      case "DETAIL_HISTORY_REPORT":
      case "GROUPED_HISTORY_REPORT": {
        const { startDate: start, endDate: end } = request.params
        return {
          days: yield* Periods.read({ start, end }, nowMs, { backDays: Periods.year }),
          past: undefined
        }
      }
      case "STOCK_HISTORY_REPORT_CSV":
      case "STOCK_HISTORY_DAILY_CSV": {
        const bounds = { backDays: Periods.threeMonths }
        return { days: yield* Periods.read(request.params.currentPeriod, nowMs, bounds), past: undefined }
      }
      default: {
        const bounds = { backDays: Periods.year }
        const days = yield* Periods.read(request.params.currentPeriod, nowMs, bounds)
        return { days, past: yield* Periods.pastNotLonger(request.params.pastPeriod, days, nowMs, bounds) }
      }
    }
  })

/** The request a task was made from. */
export const requestOf = (report: Report): Request => {
  const { id, params, reportType } = report
  return Schema.decodeUnknownSync(ReportRequest)({ id, reportType, params })
}

/** The report's table as of the context's now. */
export const table = (context: Context, request: Request, days: Days, past: Days | undefined): Csv.Table => {
  const select = (filter: Goods.Filter) => Goods.select(context.world, filter)
  switch (request.reportType) {
    case "DETAIL_HISTORY_REPORT": {
      const { nmIDs, skipDeletedNm, aggregationLevel = "day", ...filter } = request.params
      const goods = select({ ...filter, itemIds: nmIDs, skipDeleted: skipDeletedNm })
      return ReportFunnel.detail(context, goods, days, aggregationLevel)
    }
    case "GROUPED_HISTORY_REPORT": {
      const { skipDeletedNm, aggregationLevel = "day", ...filter } = request.params
      return ReportFunnel.grouped(
        context,
        select({ ...filter, skipDeleted: skipDeletedNm }),
        days,
        aggregationLevel
      )
    }
    case "STOCK_HISTORY_REPORT_CSV":
      return stockMetrics(context, request.params, days)
    case "STOCK_HISTORY_DAILY_CSV": {
      const { nmIds, skipDeletedNm, stockType, ...filter } = request.params
      const goods = select({ ...filter, itemIds: nmIds, skipDeleted: skipDeletedNm })
      return ReportStock.daily(context, goods, { days, type: stockType })
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_GROUP": {
      const { nmIds, positionCluster, orderBy, ...filter } = request.params
      const goods = SearchRows.included(select({ ...filter, itemIds: nmIds }), filter)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: positionCluster })
      const groups = SearchRows.groupsOf(rows, filter.tagIds)
      return ReportSearch.groups(ordered(groups, orderBy, (row) => row.now, SearchRows.groupId))
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT": {
      const { brandName, nmIds, subjectId, tagId, ...rest } = request.params
      const filter = {
        itemIds: nmIds,
        subjectIds: Goods.oneOrAll(subjectId, 0),
        brandNames: Goods.oneOrAll(brandName, ""),
        tagIds: Goods.oneOrAll(tagId, 0)
      }
      const goods = SearchRows.included(select(filter), rest)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: rest.positionCluster })
      return ReportSearch.items(
        context,
        ordered(rows, rest.orderBy, (row) => row.now, itemId)
      )
    }
    case "SEARCH_QUERIES_PREMIUM_REPORT_TEXT": {
      const { limit, nmIds, orderBy, topOrderBy, ...filter } = request.params
      const goods = SearchRows.included(select({ ...filter, itemIds: nmIds }), filter)
      const rows = SearchRows.ofGoods(context, goods, { current: days, past, cluster: "all" })
      const sorted = ordered(rows, orderBy, (row) => row.now, itemId)
      return ReportSearch.texts(context, sorted, topOrderBy, limit)
    }
  }
}

type StockParams = Extract<Request, { readonly reportType: "STOCK_HISTORY_REPORT_CSV" }>["params"]

const stockMetrics = (context: Context, params: StockParams, days: Days): Csv.Table => {
  const asked = { days, type: params.stockType }
  const goods = Goods.select(context.world, {
    itemIds: params.nmIDs,
    subjectIds: params.subjectIDs,
    brandNames: params.brandNames,
    tagIds: params.tagIDs,
    skipDeleted: params.skipDeletedNm
  })
  const rows = StockRows.ofGoods(context, goods, asked, params.availabilityFilters)
  const sorted = Ordering.sorted(rows, params.orderBy, StockRows.fields, itemId)
  return ReportStock.metrics(
    context,
    Either.getOrElse(sorted, () => rows),
    asked
  )
}

const itemId = (row: { readonly good: Goods.Good }): number => row.good.id

/** By the asked field; one the report does not know leaves the order of the items. */
const ordered = <A>(
  rows: ReadonlyArray<A>,
  orderBy: Ordering.OrderBy,
  figuresOf: (row: A) => SearchFigures.Figures,
  idOf: (row: A) => number
): ReadonlyArray<A> =>
  Either.getOrElse(Ordering.sorted(rows, orderBy, SearchRows.fieldsBy(figuresOf), idOf), () => rows)
