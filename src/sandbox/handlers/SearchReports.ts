/** Seed 002 "Search reports". The sandbox's seller has the paid plan; its lack is a fault to inject (field note A11). */
import type * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Groups from "../../domain/Groups.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Change from "../analytics/Change.js"
import * as Goods from "../analytics/Goods.js"
import * as Periods from "../analytics/Periods.js"
import * as ReportSearch from "../analytics/ReportSearch.js"
import * as Reviews from "../analytics/Reviews.js"
import * as SearchFigures from "../analytics/SearchFigures.js"
import * as SearchRows from "../analytics/SearchRows.js"
import * as SearchTexts from "../analytics/SearchTexts.js"
import type * as Call from "../Call.js"
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"

export const handlers: Call.Handlers<
  | "getSearchReport"
  | "getSearchReportGroups"
  | "getSearchReportDetails"
  | "getProductSearchTexts"
  | "getProductSearchOrders"
> = {
  getSearchReport: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload, payload.positionCluster)
      const rows = SearchRows.ofGoods(call, goodsOf(call, payload), asked)
      const groups = SearchRows.groupsOf(rows, payload.tagIds)
      const sorted = yield* Change.sorted(groups, payload.orderBy, groupFields, SearchRows.groupId)
      return Answer.json({
        data: {
          ...mainReport(call, rows, asked),
          groups: Change.page(sorted, payload.offset, payload.limit).map((group) =>
            SearchRows.groupWire(call, group)
          ),
          currency: "RUB"
        }
      })
    }),

  /** Only with a filter by brand, subcategory or label (seed 002). */
  getSearchReportGroups: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const filters = [payload.brandNames, payload.subjectIds, payload.tagIds]
      if (filters.every((list) => list === undefined || list.length === 0))
        return yield* Either.left(refuse(400, "a filter by brandNames, subjectIds or tagIds is required"))
      const asked = yield* askedOf(call, payload, payload.positionCluster)
      const rows = SearchRows.ofGoods(call, goodsOf(call, payload), asked)
      const groups = SearchRows.groupsOf(rows, payload.tagIds)
      const sorted = yield* Change.sorted(groups, payload.orderBy, withoutPrices, SearchRows.groupId)
      const page = Change.page(sorted, payload.offset, payload.limit)
      return Answer.json({
        data: { groups: page.map((group) => SearchRows.groupWire(call, group)), currency: "RUB" }
      })
    }),

  getSearchReportDetails: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload, payload.positionCluster)
      const goods = Goods.select(call, {
        itemIds: payload.nmIds,
        subjectIds: Goods.oneOrAll(payload.subjectId, 0),
        brandNames: Goods.oneOrAll(payload.brandName, ""),
        tagIds: Goods.oneOrAll(payload.tagId, 0)
      })
      const rows = SearchRows.ofGoods(call, SearchRows.included(goods, payload), asked)
      const sorted = yield* Change.sorted(rows, payload.orderBy, itemFields, (row) => row.good.id)
      const page = Change.page(sorted, payload.offset, payload.limit)
      return Answer.json({
        data: { products: page.map((row) => SearchRows.item(call, row)), currency: "RUB" }
      })
    }),

  /** The best texts of each item by `topOrderBy`, then all of them in the order asked for. */
  getProductSearchTexts: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload, "all")
      const goods = SearchRows.included(Goods.select(call, { itemIds: payload.nmIds }), payload)
      const rows = SearchRows.ofGoods(call, goods, asked).flatMap((row) =>
        ReportSearch.bestRows(row, payload.topOrderBy, payload.limit)
      )
      const sorted = yield* Change.sorted(rows, payload.orderBy, textFields, (row) => row.good.id)
      return Answer.json({
        data: { items: sorted.map((row) => ReportSearch.wire(call, row)), currency: "RUB" }
      })
    }),

  /** Without the item there is nothing to say: `data` is empty (field note A12). */
  getProductSearchOrders: (call) =>
    Either.gen(function* () {
      const { payload, nowMs } = call
      const days = yield* Periods.read(payload.period, nowMs, { backDays: Periods.year, mostDays: 7 })
      const [good] = Goods.select(call, { itemIds: [payload.nmId] })
      const data = good === undefined ? {} : ReportSearch.byDay(call, good.id, payload.searchTexts, days)
      return Answer.json({ data })
    })
}

interface Periodic {
  readonly currentPeriod: Periods.Period
  readonly pastPeriod?: Periods.Period | undefined
}

const askedOf = (
  call: Call.Context,
  payload: Periodic,
  cluster: SearchFigures.PositionCluster
): Either.Either<SearchRows.Asked, Refusal> =>
  Either.gen(function* () {
    const bounds = { backDays: Periods.year }
    const current = yield* Periods.read(payload.currentPeriod, call.nowMs, bounds)
    const past = yield* Periods.pastNotLonger(payload.pastPeriod, current, call.nowMs, bounds)
    return { current, past, cluster }
  })

interface Filters extends SearchRows.Includes {
  readonly nmIds?: ReadonlyArray<number> | undefined
  readonly subjectIds?: ReadonlyArray<number> | undefined
  readonly brandNames?: ReadonlyArray<string> | undefined
  readonly tagIds?: ReadonlyArray<number> | undefined
}

const goodsOf = (call: Call.Context, filters: Filters): ReadonlyArray<Goods.Good> =>
  SearchRows.included(Goods.select(call, { ...filters, itemIds: filters.nmIds }), filters)

const withoutPrices = SearchRows.fieldsBy((row: SearchRows.GroupRow) => row.now)
const groupFields: Change.Fields<SearchRows.GroupRow> = {
  ...withoutPrices,
  minPrice: ({ group }) => Math.min(...group.goods.map((good) => SearchRows.prices(good).minPrice)),
  maxPrice: ({ group }) => Math.max(...group.goods.map((good) => SearchRows.prices(good).maxPrice))
}
const itemFields: Change.Fields<SearchRows.Row> = {
  ...SearchRows.fieldsBy((row: SearchRows.Row) => row.now),
  minPrice: ({ good }) => SearchRows.prices(good).minPrice,
  maxPrice: ({ good }) => SearchRows.prices(good).maxPrice
}
const textFields = SearchRows.fieldsBy((row: ReportSearch.Row) => row.now)

/** The main page of the search report: the seller, positions and visibility over time (seed 002 "Main page"). */
const mainReport = (context: Context, rows: ReadonlyArray<SearchRows.Row>, asked: SearchRows.Asked) => {
  const now = SearchFigures.together(rows.map((row) => row.now))
  const past =
    asked.past === undefined ? undefined : SearchFigures.together(rows.flatMap((row) => row.past ?? []))
  const pair = (read: (figures: SearchFigures.Figures) => number) =>
    Change.pair(read(now), past === undefined ? undefined : read(past))
  const byDay = figuresByDay(context, rows, asked.current)
  const chart = (parts: ReadonlyArray<Days>) =>
    parts.flatMap((part) => {
      const days = Periods.each(part).flatMap((day) => byDay.get(day) ?? [])
      if (days.length === 0) return []
      const sum = SearchFigures.together(days)
      return [{ dt: Moscow.dayText(part.from), visibility: sum.visibility, open: sum.opens }]
    })
  return {
    commonInfo: {
      supplierRating: { current: sellerRating(context, rows) },
      advertisedProducts: {
        current: rows.filter((row) => SearchRows.isAdvertised(context.world, row.good.id, context.nowMs))
          .length
      },
      totalProducts: rows.length
    },
    positionInfo: {
      average: pair((f) => f.position),
      median: pair((f) => f.median),
      chartItems: [...byDay].map(([day, figures]) => ({
        dt: Moscow.dayText(day),
        average: figures.position,
        median: figures.median
      })),
      clusters: {
        firstHundred: itemsIn(rows, "firstHundred", asked.past !== undefined),
        secondHundred: itemsIn(rows, "secondHundred", asked.past !== undefined),
        below: itemsIn(rows, "below", asked.past !== undefined)
      }
    },
    visibilityInfo: {
      visibility: pair((f) => f.visibility),
      openCard: pair((f) => f.opens),
      byDay: chart(Periods.parts(asked.current, "day")),
      byWeek: chart(Periods.parts(asked.current, "week")),
      byMonth: chart(Periods.months(asked.current))
    }
  }
}

/** All items of the rows together, by day, ascending; only the texts that the rows count. */
const figuresByDay = (
  { world, nowMs }: Context,
  rows: ReadonlyArray<SearchRows.Row>,
  days: Days
): ReadonlyMap<number, SearchFigures.Figures> => {
  const found = new Map<number, Arr.NonEmptyArray<SearchFigures.Figures>>()
  for (const { good, now } of rows) {
    const counted = new Set(now.texts.map((text) => text.text))
    for (const [day, texts] of SearchTexts.ofDays(world, good.id, days, nowMs)) {
      const figures = SearchFigures.ofTextDays(texts.filter((text) => counted.has(text.text)))
      Groups.add(found, day, figures)
    }
  }
  const ascending = [...found].sort(([a], [b]) => a - b)
  return new Map(ascending.map(([day, all]) => [day, SearchFigures.together(all)]))
}

const itemsIn = (
  rows: ReadonlyArray<SearchRows.Row>,
  cluster: SearchFigures.PositionCluster,
  compared: boolean
) => {
  const now = rows.filter((row) => SearchFigures.isIn(row.now.position, cluster)).length
  const past = rows.filter((row) => SearchFigures.isIn(row.past?.position ?? 0, cluster)).length
  return Change.pair(now, compared ? past : undefined)
}

const sellerRating = ({ world, nowMs }: Context, rows: ReadonlyArray<SearchRows.Row>): number => {
  const all = rows.reduce<Reviews.Stars>(
    (sum, row) => Reviews.add(sum, Reviews.ofAllTime(world, row.good.id, nowMs)),
    Reviews.none
  )
  return Reviews.mean(all) ?? 0
}
