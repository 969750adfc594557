/** Seed 002 "Order feed": paged by snapshot, the newest status first (field notes A09, A10). */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as FeedRows from "../analytics/FeedRows.js"
import * as Goods from "../analytics/Goods.js"
import * as Ordering from "../analytics/Ordering.js"
import type * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"

export const handlers: Call.Handlers<"getOrderFeed"> = {
  getOrderFeed: (call) =>
    Either.gen(function* () {
      const { payload, world } = call
      const { start, end } = payload.selectedPeriod
      const { snapshotTime, offset = 0, limit = 50 } = payload.pagination ?? {}
      const snapshotMs = yield* snapshotOf(snapshotTime, call.nowMs)
      const fromMs = yield* startOf(start, call.nowMs)
      const toMs = end === undefined ? call.nowMs : Date.parse(end)
      if (!(fromMs <= toMs)) return yield* Either.left(refuse(400, "selectedPeriod: start is after end"))
      const goods = Goods.select(world, {
        itemIds: payload.nmIds,
        subjectIds: payload.subjectIds,
        brandNames: payload.brandNames,
        tagIds: payload.tagIds
      })
      const rows = FeedRows.between(world, goods, fromMs, toMs, snapshotMs)
      const orders = Ordering.page(rows, offset, limit).map((row) => FeedRows.wire(world, row))
      return Answer.json({ data: { snapshotTime: Moscow.timeText(snapshotMs), currency: "RUB", orders } })
    })
}

const longestMs = 31 * 86_400_000
/** The period may have been computed a while before the request arrives. */
const toleranceMs = 3_600_000

const startOf = (text: string, nowMs: number): Either.Either<number, Refusal> => {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms < nowMs - longestMs - toleranceMs
    ? Either.left(refuse(400, "selectedPeriod.start must be a date-time within the last 31 days"))
    : Either.right(ms)
}

/** Whole seconds, as the answer spells it, so that the first page and the later ones see the same. */
const snapshotOf = (text: string | undefined, nowMs: number): Either.Either<number, Refusal> => {
  const ms = text === undefined ? nowMs : Date.parse(text)
  return Number.isNaN(ms) || ms > nowMs
    ? Either.left(refuse(400, "pagination.snapshotTime must be the one of the first answer"))
    : Either.right(Math.floor(ms / 1000) * 1000)
}
