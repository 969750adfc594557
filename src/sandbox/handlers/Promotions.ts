/** Seed 001 "Promo calendar". Auto, finished and unknown promotions are refused with 422 (field note P02). */
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Faults from "../Faults.js"
import * as Moscow from "../Moscow.js"
import * as Buyers from "../market/Buyers.js"
import * as Calendar from "../market/Calendar.js"
import * as Promotions from "../market/Promotions.js"
import type * as World from "../market/World.js"
import * as Stock from "../shop/Stock.js"

export const handlers: Call.Handlers<
  "listPromotions" | "getPromotionDetails" | "listPromotionItems" | "uploadPromotionItems"
> = {
  listPromotions: (call) => {
    const { startDateTime, endDateTime, allPromo, limit = 1000, offset = 0 } = call.query
    const from = Date.parse(startDateTime)
    const to = Date.parse(endDateTime)
    if (!(from <= to)) return Either.left(refuse(400, "startDateTime must not be after endDateTime"))
    const promotions = Promotions.all(call.world, call.nowMs)
      .filter((p) => p.startsAt <= to && p.endsAt >= from && (allPromo || p.endsAt > call.nowMs))
      .slice(offset, offset + limit)
      .map(listed)
    return Either.right(Answer.json({ data: { promotions } }))
  },

  getPromotionDetails: (call) => {
    const promotions = call.query.promotionIDs.flatMap((id) => {
      const promotion = Promotions.byId(call.world, id, call.nowMs)
      return promotion === undefined ? [] : [detailed(call, promotion)]
    })
    return Either.right(Answer.json({ data: { promotions } }))
  },

  listPromotionItems: (call) =>
    Either.map(open(call, call.query.promotionID), ({ id }) => {
      const { inAction, limit = 1000, offset = 0 } = call.query
      const nomenclatures = Promotions.itemIds(call.world)
        .filter((itemId) => Promotions.isIn(call.world, id, itemId, call.nowMs) === inAction)
        .slice(offset, offset + limit)
        .map((itemId) => entry(call, id, itemId, inAction))
      return Answer.json({ data: { nomenclatures } })
    }),

  /** Files a task; the same task again answers with the same id and `alreadyExists` (field note P04). */
  uploadPromotionItems: (call) =>
    Either.map(open(call, call.payload.data.promotionID), ({ id }) => {
      const { nomenclatures, uploadNow } = call.payload.data
      const items = [...nomenclatures].sort((a, b) => a - b)
      const key = `${id}/${uploadNow}/${items.join(",")}`
      const known = call.world.promotions.uploads.get(key)
      if (known !== undefined) return Answer.json({ data: { alreadyExists: true, uploadID: known } })
      const uploadID = file(call, id, key, items, uploadNow)
      return Answer.json({ data: { alreadyExists: false, uploadID } })
    })
}

const open = (call: Call.Context, id: number): Either.Either<Calendar.Promotion, Refusal> => {
  const promotion = Promotions.byId(call.world, id, call.nowMs)
  if (promotion === undefined) return Either.left(refuse(422, `promotion ${id} does not exist`))
  if (promotion.type === "auto") return Either.left(refuse(422, `promotion ${id} is an auto promotion`))
  return promotion.endsAt <= call.nowMs
    ? Either.left(refuse(422, `promotion ${id} is over`))
    : Either.right(promotion)
}

/** Files a task and records it. Who enters is decided now, and seen when the task is applied. */
const file = (
  call: Call.Context,
  id: number,
  key: string,
  asked: ReadonlyArray<number>,
  isPricedNow: boolean
): number => {
  const { nowMs, world } = call
  const uploadId = Promotions.nextUploadId(world)
  const troubles = call.faults === undefined ? [] : Faults.taskTroubles(call.faults, call.operation)
  const delays = troubles.flatMap(({ kind, ms }) => (kind === "slowTask" ? [ms ?? Days.hourMs] : []))
  const appliesAt =
    nowMs + (delays.length === 0 ? Promotions.taskDelayMs(world, uploadId) : Math.max(...delays))
  const before = Promotions.members(world, id, Number.POSITIVE_INFINITY)
  const [isOpen, isAlready] = [new Set(Promotions.itemIds(world)), new Set(before)]
  const entered = [...new Set(asked)].filter(
    (itemId) =>
      isOpen.has(itemId) &&
      (isAlready.has(itemId) || !troubles.some((fault) => keepsOut(fault, world, uploadId, itemId, nowMs)))
  )
  Promotions.file(world, key, {
    uploadId,
    promotionId: id,
    filedAt: nowMs,
    appliesAt,
    asked,
    entered,
    isPricedNow
  })
  Call.record(call, {
    slot: "promotion",
    target: { promotionId: id },
    before,
    after: Promotions.members(world, id, Number.POSITIVE_INFINITY),
    task: { uploadId, asked, entered, isPricedNow },
    effectiveAt: appliesAt
  })
  return uploadId
}

/** Whether a fault leaves an item of a task out; those it names, else a share of all by their number. */
const keepsOut = (
  fault: Faults.Fault,
  world: World.World,
  uploadId: number,
  itemId: number,
  nowMs: number
): boolean => {
  switch (fault.kind) {
    case "leftOut":
      return (
        fault.items?.includes(itemId) ??
        Dice.unit(Dice.roll(world.seed, 805, uploadId, itemId)) < (fault.share ?? 1)
      )
    case "soldOutLeftOut": {
      const { platform, seller } = Stock.ofItem(world, itemId, nowMs)
      return platform + seller === 0
    }
    default:
      return false
  }
}

const listed = (promotion: Calendar.Promotion) => ({
  id: promotion.id,
  name: promotion.name,
  startDateTime: Moscow.utcText(promotion.startsAt),
  endDateTime: Moscow.utcText(promotion.endsAt),
  type: promotion.type
})

const detailed = (call: Call.Context, promotion: Calendar.Promotion) => {
  const total = Promotions.itemIds(call.world).length
  const joined = Promotions.members(call.world, promotion.id, call.nowMs).length
  return {
    ...listed(promotion),
    description: `${promotion.name}: скидки для покупателей`,
    advantages: ["Плашка", "Баннер", "Топ выдачи"],
    inPromoActionLeftovers: joined * 40,
    inPromoActionTotal: joined,
    notInPromoActionLeftovers: (total - joined) * 40,
    notInPromoActionTotal: total - joined,
    participationPercentage: total === 0 ? 0 : Math.round((100 * joined) / total),
    exceptionProductsCount: 0,
    ranging: Calendar.ladder(call.world.seed, promotion.id)
  }
}

/** Prices are roubles with fractions, discounts whole percent (field note P05); the price is what buyers pay now. */
const entry = ({ nowMs, world }: Call.Context, promotionId: number, id: number, inAction: boolean) => {
  const { discount, planDiscount, planPriceKopecks } = Promotions.terms(world, promotionId, id, nowMs)
  return {
    id,
    inAction,
    price: Buyers.priceKopecks(world, id, nowMs) / 100,
    currencyCode: "RUB",
    planPrice: planPriceKopecks / 100,
    discount,
    planDiscount
  }
}
