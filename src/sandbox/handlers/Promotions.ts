/** Seed 001 "Promo calendar". Auto, finished and unknown promotions are refused with 422 (field note P02). */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import * as Promotions from "../market/Promotions.js"
import * as Timeline from "../Timeline.js"

export const handlers: Call.Handlers<
  "listPromotions" | "getPromotionDetails" | "listPromotionItems" | "uploadPromotionItems"
> = {
  listPromotions: (call) => {
    const { startDateTime, endDateTime, allPromo, limit = 1000, offset = 0 } = call.query
    const from = Date.parse(startDateTime)
    const to = Date.parse(endDateTime)
    if (!(from <= to)) return Either.left(refuse(400, "startDateTime must not be after endDateTime"))
    const promotions = Promotions.all(call.world)
      .filter((p) => p.startsAt <= to && p.endsAt >= from && (allPromo || p.endsAt > call.nowMs))
      .slice(offset, offset + limit)
      .map(listed)
    return Either.right(Answer.json({ data: { promotions } }))
  },

  getPromotionDetails: (call) => {
    const promotions = call.query.promotionIDs.flatMap((id) => {
      const promotion = Promotions.byId(call.world, id)
      return promotion === undefined ? [] : [detailed(call, promotion)]
    })
    return Either.right(Answer.json({ data: { promotions } }))
  },

  listPromotionItems: (call) =>
    Either.map(open(call, call.query.promotionID), (promotion) => {
      const { inAction, limit = 1000, offset = 0 } = call.query
      const joined = Timeline.at(Promotions.enrolled(call.world, promotion.id), call.nowMs)
      const nomenclatures = Promotions.itemIds(call.world)
        .filter((id) => joined.has(id) === inAction)
        .slice(offset, offset + limit)
        .map((id) => Promotions.entry(call.world, promotion, id, inAction))
      return Answer.json({ data: { nomenclatures } })
    }),

  /** Files a task; the same task again answers with the same id and `alreadyExists` (field note P04). */
  uploadPromotionItems: (call) =>
    Either.map(open(call, call.payload.data.promotionID), (promotion) => {
      const { nomenclatures, uploadNow } = call.payload.data
      const items = [...nomenclatures].sort((a, b) => a - b)
      const key = `${promotion.id}/${uploadNow}/${items.join(",")}`
      const known = call.world.uploads.get(key)
      if (known !== undefined) return Answer.json({ data: { alreadyExists: true, uploadID: known } })
      const uploadID = 7_000_001 + call.world.uploads.size
      call.world.uploads.set(key, uploadID)
      enrol(call, promotion, items)
      return Answer.json({ data: { alreadyExists: false, uploadID } })
    })
}

const open = (call: Call.Context, id: number): Either.Either<Promotions.Promotion, Refusal> => {
  const promotion = Promotions.byId(call.world, id)
  if (promotion === undefined) return Either.left(refuse(422, `promotion ${id} does not exist`))
  if (promotion.type === "auto") return Either.left(refuse(422, `promotion ${id} is an auto promotion`))
  return promotion.endsAt <= call.nowMs
    ? Either.left(refuse(422, `promotion ${id} is over`))
    : Either.right(promotion)
}

const enrol = (call: Call.Context, promotion: Promotions.Promotion, items: ReadonlyArray<number>): void => {
  const fit = new Set(Promotions.itemIds(call.world))
  const timeline = Promotions.enrolled(call.world, promotion.id)
  const before = Timeline.latest(timeline)
  const after = new Set([...before, ...items.filter((id) => fit.has(id))])
  const effectiveAt = Timeline.write(timeline, call.nowMs, Timeline.delays.database, after)
  Call.record(call, {
    slot: "promotion",
    target: { promotionId: promotion.id },
    before: [...before].sort((a, b) => a - b),
    after: [...after].sort((a, b) => a - b),
    effectiveAt
  })
}

const listed = (promotion: Promotions.Promotion) => ({
  id: promotion.id,
  name: promotion.name,
  startDateTime: Moscow.utcText(promotion.startsAt),
  endDateTime: Moscow.utcText(promotion.endsAt),
  type: promotion.type
})

const detailed = (call: Call.Context, promotion: Promotions.Promotion) => {
  const total = Promotions.itemIds(call.world).length
  const joined = Timeline.at(Promotions.enrolled(call.world, promotion.id), call.nowMs).size
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
    ranging: [
      { condition: "productsInPromotion", participationRate: 10, boost: 7 },
      { condition: "calculateProducts", participationRate: 20, boost: 20 },
      { condition: "allProducts", participationRate: 50, boost: 30 }
    ]
  }
}
