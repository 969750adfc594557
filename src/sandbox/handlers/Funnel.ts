/** Seed 002 "Sales funnel": metrics of items against a past period, and histories of at most the last week. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Change from "../analytics/Change.js"
import * as FunnelMetrics from "../analytics/FunnelMetrics.js"
import * as Goods from "../analytics/Goods.js"
import * as Periods from "../analytics/Periods.js"
import * as Reviews from "../analytics/Reviews.js"
import type * as Call from "../Call.js"
import type { Days } from "../market/Statistics.js"
import * as Stock from "../shop/Stock.js"

export const handlers: Call.Handlers<
  "getFunnelProducts" | "getFunnelProductHistory" | "getFunnelGroupedHistory"
> = {
  getFunnelProducts: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const bounds = { backDays: Periods.year }
      const selected = yield* Periods.read(payload.selectedPeriod, call.nowMs, bounds)
      const past = yield* Periods.pastOfFunnel(payload.pastPeriod, selected, call.nowMs)
      const goods = Goods.select(call, {
        itemIds: payload.nmIds,
        subjectIds: payload.subjectIds,
        brandNames: payload.brandNames,
        tagIds: payload.tagIds,
        skipDeleted: payload.skipDeletedNm
      })
      const { field = "openCard", mode = "desc" } = payload.orderBy ?? {}
      const rows = yield* Change.sorted(
        rowsOf(call, goods, selected, past),
        { field, mode },
        fields,
        (row) => row.good.id
      )
      const products = Change.page(rows, payload.offset ?? 0, payload.limit ?? 50).map(product)
      return Answer.json({ data: { products, currency: "RUB" } })
    }),

  /** One unknown item fails the whole call (field note A03). */
  getFunnelProductHistory: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const days = yield* Periods.read(payload.selectedPeriod, call.nowMs, week)
      const goods = Goods.select(call, { itemIds: payload.nmIds })
      const unknown = payload.nmIds.find((id) => !goods.some((good) => good.id === id))
      if (unknown !== undefined) return yield* Either.left(refuse(400, `nmIds: item ${unknown} is not found`))
      const shown = goods.filter((good) => !(payload.skipDeletedNm === true && good.isDeleted))
      const level = payload.aggregationLevel ?? "day"
      return Answer.json(
        shown.map((good) => ({
          product: attributes(good),
          history: history(call, [good], days, level),
          currency: "RUB"
        }))
      )
    }),

  /** One entry for each combination of the filters that holds items; wrapped in `data` (field note A04). */
  getFunnelGroupedHistory: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const days = yield* Periods.read(payload.selectedPeriod, call.nowMs, week)
      const goods = Goods.select(call, { skipDeleted: payload.skipDeletedNm })
      const entries = yield* combinations(payload)
      const data = entries.flatMap((group) => {
        const members = goods.filter((good) => isIn(good, group))
        if (members.length === 0) return []
        const subjectName = group.subjectId === undefined ? "" : (members[0]?.subjectName ?? "")
        return [
          {
            product: {
              nmId: 0,
              title: "",
              vendorCode: "",
              brandName: group.brandName ?? "",
              subjectId: group.subjectId ?? 0,
              subjectName
            },
            history: history(call, members, days, payload.aggregationLevel ?? "day"),
            currency: "RUB"
          }
        ]
      })
      return Answer.json({ data })
    })
}

/** "At most the last week" (seed 002). */
const week = { backDays: 7, mostDays: 7 }

const rowsOf = (call: Call.Context, goods: ReadonlyArray<Goods.Good>, selected: Days, past: Days) => {
  const { world, nowMs } = call
  const sums = goods.map((good) => ({
    good,
    now: FunnelMetrics.ofDays(world, good.id, selected, nowMs),
    before: FunnelMetrics.ofDays(world, good.id, past, nowMs)
  }))
  const all = (read: (row: (typeof sums)[number]) => number) => sums.reduce((sum, row) => sum + read(row), 0)
  const nowKopecks = all((row) => row.now.orderKopecks)
  const beforeKopecks = all((row) => row.before.orderKopecks)
  return sums.map(({ good, now, before }) => ({
    good,
    selected: FunnelMetrics.record(good.id, now, selected, nowKopecks),
    past: FunnelMetrics.record(good.id, before, past, beforeKopecks),
    stock: Stock.ofItem(world, good.id, nowMs),
    cardRating: Reviews.cardRating(world, good.id),
    feedbackRating: Reviews.mean(Reviews.ofAllTime(world, good.id, nowMs)) ?? 0
  }))
}

type Row = ReturnType<typeof rowsOf>[number]

const attributes = (good: Goods.Good) => ({
  nmId: good.id,
  title: good.title,
  vendorCode: good.vendorCode,
  brandName: good.brandName,
  subjectId: good.subjectId,
  subjectName: good.subjectName
})

const product = ({ good, selected, past, stock, cardRating, feedbackRating }: Row) => ({
  product: {
    ...attributes(good),
    tags: good.tags,
    productRating: cardRating,
    feedbackRating,
    stocks: {
      platform: stock.platform,
      mp: stock.seller,
      balanceSum: Change.wholeRoubles((stock.platform + stock.seller) * good.priceKopecks)
    }
  },
  statistic: { selected, past, comparison: FunnelMetrics.comparison(selected, past) }
})

const fields: Change.Fields<Row> = {
  openCard: (row) => row.selected.openCount,
  addToCart: (row) => row.selected.cartCount,
  orderCount: (row) => row.selected.orderCount,
  orderSum: (row) => row.selected.orderSum,
  buyoutCount: (row) => row.selected.buyoutCount,
  buyoutSum: (row) => row.selected.buyoutSum,
  cancelCount: (row) => row.selected.cancelCount,
  cancelSum: (row) => row.selected.cancelSum,
  avgPrice: (row) => row.selected.avgPrice,
  stockMpQty: (row) => row.stock.seller,
  stockPlatformQty: (row) => row.stock.platform,
  shareOrderPercent: (row) => row.selected.shareOrderPercent,
  addToWishlist: (row) => row.selected.addToWishlist,
  timeToReady: ({ selected: { timeToReady: t } }) => (t.days * 24 + t.hours) * 60 + t.mins,
  localizationPercent: (row) => row.selected.localizationPercent,
  "platformClub.orderCount": (row) => row.selected.platformClub.orderCount,
  "platformClub.orderSum": (row) => row.selected.platformClub.orderSum,
  "platformClub.buyoutSum": (row) => row.selected.platformClub.buyoutSum,
  "platformClub.buyoutCount": (row) => row.selected.platformClub.buyoutCount,
  "platformClub.cancelSum": (row) => row.selected.platformClub.cancelSum,
  "platformClub.cancelCount": (row) => row.selected.platformClub.cancelCount,
  "platformClub.avgPrice": (row) => row.selected.platformClub.avgPrice,
  "platformClub.buyoutPercent": (row) => row.selected.platformClub.buyoutPercent,
  "platformClub.avgOrderCountPerDay": (row) => row.selected.platformClub.avgOrderCountPerDay
}

const history = (call: Call.Context, goods: ReadonlyArray<Goods.Good>, days: Days, level: "day" | "week") => {
  const ids = goods.map((good) => good.id)
  return Periods.parts(days, level).map((part) =>
    FunnelMetrics.historyRow(part.from, FunnelMetrics.ofItems(call.world, ids, part, call.nowMs))
  )
}

interface Combination {
  readonly brandName: string | undefined
  readonly subjectId: number | undefined
  readonly tagId: number | undefined
}

interface Lists {
  readonly brandNames?: ReadonlyArray<string> | undefined
  readonly subjectIds?: ReadonlyArray<number> | undefined
  readonly tagIds?: ReadonlyArray<number> | undefined
}

/** Every brand with every subject with every label asked for; an empty list stands for all of its kind. */
const combinations = (lists: Lists): Either.Either<ReadonlyArray<Combination>, Refusal> => {
  const orAll = <A>(list: ReadonlyArray<A> | undefined): ReadonlyArray<A | undefined> =>
    list === undefined || list.length === 0 ? [undefined] : [...new Set(list)]
  const all = orAll(lists.brandNames).flatMap((brandName) =>
    orAll(lists.subjectIds).flatMap((subjectId) =>
      orAll(lists.tagIds).map((tagId) => ({ brandName, subjectId, tagId }))
    )
  )
  return all.length > 16
    ? Either.left(refuse(400, `the filters make ${all.length} groups, at most 16 are given`))
    : Either.right(all)
}

const isIn = (good: Goods.Good, group: Combination): boolean =>
  (group.brandName === undefined || good.brandName === group.brandName) &&
  (group.subjectId === undefined || good.subjectId === group.subjectId) &&
  (group.tagId === undefined || good.tags.some((tag) => tag.id === group.tagId))
