/** Seed 002 "Item rating": reviews of a period by stars, summed for the seller and shown by item. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import * as Change from "../analytics/Change.js"
import * as FunnelMetrics from "../analytics/FunnelMetrics.js"
import * as Goods from "../analytics/Goods.js"
import * as Periods from "../analytics/Periods.js"
import * as Reviews from "../analytics/Reviews.js"
import type * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"

/** Periods end yesterday and reach 364 days back from there (field note A20). */
export const handlers: Call.Handlers<"getItemRating"> = {
  getItemRating: (call) =>
    Either.gen(function* () {
      const { payload, world, nowMs } = call
      const bounds = { backDays: Periods.year, lastDay: Moscow.dayOf(nowMs) - 1 }
      const current = yield* Periods.read(payload.currentPeriod, nowMs, bounds)
      const past =
        payload.pastPeriod === undefined ? undefined : yield* Periods.read(payload.pastPeriod, nowMs, bounds)
      const goods = Goods.select(call, {
        itemIds: payload.nmIds,
        subjectIds: payload.subjectIds,
        brandNames: payload.brandNames,
        tagIds: payload.tagIds
      })
      const rows = goods
        .filter((good) => payload.onlyShadowedNms !== true || isShadowed(call, good.id))
        .filter(
          (good) =>
            payload.isNotIncludeNmsWithoutSales !== true ||
            FunnelMetrics.ofDays(world, good.id, current, nowMs).orders > 0
        )
        .map((good) => rowOf(call, good, current, past))
      const sorted = yield* Change.sorted(rows, payload.orderBy, fields, (row) => row.good.id)
      const items = Change.page(sorted, payload.offset, payload.limit ?? 100)
      return Answer.json({ data: { ...summary(rows), items: items.map(wire) } })
    })
}

const isShadowed = (call: Call.Context, itemId: number): boolean =>
  Dice.unit(Dice.roll(call.world.seed, 941, itemId)) < 0.1

const rowOf = (call: Call.Context, good: Goods.Good, current: Days, past: Days | undefined) => {
  const { world, nowMs } = call
  const hash = Dice.roll(world.seed, 942, good.id)
  const now = Reviews.ofDays(world, good.id, current, nowMs)
  return {
    good,
    now,
    past: past === undefined ? undefined : Reviews.ofDays(world, good.id, past, nowMs),
    total: Reviews.ofAllTime(world, good.id, nowMs),
    cardRating: Reviews.cardRating(world, good.id),
    // With too few reviews there is no comparison with other sellers (field note A20).
    percentile: Reviews.count(now) < 3 ? null : Dice.uint(Dice.mix(hash, 1)) % 101,
    disqualified: Math.floor(Reviews.count(now) * 0.15 * Dice.unit(Dice.mix(hash, 2))),
    isShadowed: isShadowed(call, good.id),
    pinned: Dice.unit(Dice.mix(hash, 3)) < 0.2
  }
}

const names = ["oneStar", "twoStar", "threeStar", "fourStar", "fiveStar"] as const

type Row = Readonly<ReturnType<typeof rowOf>>

const wire = (row: Row) => {
  const { good, now, past } = row
  const [tag] = good.tags
  return {
    nmId: good.id,
    title: good.title,
    vendorCode: good.vendorCode,
    subjectId: good.subjectId,
    subjectName: good.subjectName,
    brandName: good.brandName,
    tagName: tag?.name ?? "",
    tagId: tag?.id ?? 0,
    pinnedFeedback: row.pinned,
    rating: row.cardRating,
    feedbackRating: {
      ...Change.pair(Reviews.mean(now) ?? 0, past === undefined ? undefined : (Reviews.mean(past) ?? 0)),
      percentile: row.percentile
    },
    feedbackCount: Change.pair(Reviews.count(now), past === undefined ? undefined : Reviews.count(past)),
    ...Object.fromEntries(names.map((name, i) => [name, Change.pair(now[i] ?? 0, past?.[i])])),
    disqualified: row.disqualified,
    isShadowed: row.isShadowed
  }
}

/** What the seller gained in all; `total` counts the reviews of all time. */
const summary = (rows: ReadonlyArray<Row>) => {
  const sum = (read: (row: Row) => Reviews.Stars) =>
    rows.reduce<Reviews.Stars>((all, row) => Reviews.add(all, read(row)), Reviews.none)
  const now = sum((row) => row.now)
  const total = sum((row) => row.total)
  const past = rows[0]?.past === undefined ? undefined : sum((row) => row.past ?? Reviews.none)
  return {
    sellerRating: Change.pair(
      Reviews.mean(now) ?? 0,
      past === undefined ? undefined : (Reviews.mean(past) ?? 0)
    ),
    feedbackIncrease: {
      ...Change.pair(Reviews.count(now), past === undefined ? undefined : Reviews.count(past)),
      total: Reviews.count(total),
      ...Object.fromEntries(
        names.map((name, i) => [name, { ...Change.pair(now[i] ?? 0, past?.[i]), total: total[i] ?? 0 }])
      )
    }
  }
}

const fields: Change.Fields<Row> = {
  feedbackRating: (row) => Reviews.mean(row.now) ?? 0,
  feedbackCount: (row) => Reviews.count(row.now),
  fiveStar: (row) => row.now[4],
  fourStar: (row) => row.now[3],
  threeStar: (row) => row.now[2],
  twoStar: (row) => row.now[1],
  oneStar: (row) => row.now[0],
  disqualified: (row) => row.disqualified
}
