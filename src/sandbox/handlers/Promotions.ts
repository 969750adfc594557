/** Seed 001 "Promo calendar". Auto, finished and unknown promotions are refused with 422 (field note P02). */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Blueprint from "../market/Blueprint.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

export const handlers: Call.Handlers<
  "listPromotions" | "getPromotionDetails" | "listPromotionItems" | "uploadPromotionItems"
> = {
  listPromotions: (call) => {
    const { startDateTime, endDateTime, allPromo, limit = 1000, offset = 0 } = call.query
    const from = Date.parse(startDateTime)
    const to = Date.parse(endDateTime)
    if (!(from <= to)) return Either.left(refuse(400, "startDateTime must not be after endDateTime"))
    const promotions = calendarOf(call.world)
      .filter((p) => p.startsAt <= to && p.endsAt >= from && (allPromo || p.endsAt > call.nowMs))
      .slice(offset, offset + limit)
      .map(listed)
    return Either.right(Answer.json({ data: { promotions } }))
  },

  getPromotionDetails: (call) => {
    const promotions = call.query.promotionIDs.flatMap((id) => {
      const promotion = byId(call.world, id)
      return promotion === undefined ? [] : [detailed(call, promotion)]
    })
    return Either.right(Answer.json({ data: { promotions } }))
  },

  listPromotionItems: (call) =>
    Either.map(open(call, call.query.promotionID), (promotion) => {
      const { inAction, limit = 1000, offset = 0 } = call.query
      const joined = Timeline.at(enrolled(call.world, promotion.id), call.nowMs)
      const nomenclatures = itemIds(call.world)
        .filter((id) => joined.has(id) === inAction)
        .slice(offset, offset + limit)
        .map((id) => entry(call.world, promotion, id, inAction))
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

const open = (call: Call.Context, id: number): Either.Either<Promotion, Refusal> => {
  const promotion = byId(call.world, id)
  if (promotion === undefined) return Either.left(refuse(422, `promotion ${id} does not exist`))
  if (promotion.type === "auto") return Either.left(refuse(422, `promotion ${id} is an auto promotion`))
  return promotion.endsAt <= call.nowMs
    ? Either.left(refuse(422, `promotion ${id} is over`))
    : Either.right(promotion)
}

const enrol = (call: Call.Context, promotion: Promotion, items: ReadonlyArray<number>): void => {
  const fit = new Set(itemIds(call.world))
  const timeline = enrolled(call.world, promotion.id)
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

const listed = (promotion: Promotion) => ({
  id: promotion.id,
  name: promotion.name,
  startDateTime: Moscow.utcText(promotion.startsAt),
  endDateTime: Moscow.utcText(promotion.endsAt),
  type: promotion.type
})

const detailed = (call: Call.Context, promotion: Promotion) => {
  const total = itemIds(call.world).length
  const joined = Timeline.at(enrolled(call.world, promotion.id), call.nowMs).size
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

// The promo calendar: promotions around the origin and the items that may join them.

interface Promotion {
  readonly id: number
  readonly name: string
  readonly type: "regular" | "auto"
  readonly startsAt: number
  readonly endsAt: number
}

const names = [
  "Неделя скидок",
  "Чёрная пятница",
  "Тёплая зима",
  "Автоакция: бестселлеры",
  "Подарки к празднику",
  "Семейные выходные",
  "Распродажа остатков",
  "Автоакция: новинки",
  "Спортивный сезон",
  "Школьный базар"
]
const mostItems = 60

/** Every promotion of the calendar, by start. The first ended before the origin. */
const calendarOf = (world: World.World): ReadonlyArray<Promotion> =>
  names.map((name, i) => {
    const day = Moscow.dayOf(world.originMs) - 12 + 4 * i
    return {
      id: 1001 + i,
      name,
      type: i % 4 === 3 ? "auto" : "regular",
      startsAt: Moscow.startOf(day),
      endsAt: Moscow.startOf(day + 9)
    }
  })

const byId = (world: World.World, id: number): Promotion | undefined =>
  calendarOf(world).find((promotion) => promotion.id === id)

/** Items a promotion is open to. */
const itemIds = (world: World.World): ReadonlyArray<number> =>
  Array.from(
    { length: Math.min(mostItems, world.scale.campaigns * world.scale.items) },
    (_, i) => Blueprint.firstItemId + i
  )

/** Items enrolled in a promotion over time; some were from the start. */
const enrolled = (world: World.World, id: number): Timeline.Timeline<ReadonlySet<number>> => {
  const kept = world.enrolled.get(id)
  if (kept !== undefined) return kept
  const early = itemIds(world).filter((item) => Dice.unit(Dice.roll(world.seed, 801, id, item)) < 0.2)
  const made = Timeline.of<ReadonlySet<number>>(new Set(early))
  world.enrolled.set(id, made)
  return made
}

/** Prices are roubles with fractions, discounts whole percent (field note P05). */
const entry = (world: World.World, promotion: Promotion, itemId: number, inAction: boolean) => {
  const item = World.item(world, itemId)
  const hash = Dice.roll(world.seed, 802, promotion.id, itemId)
  const discount = 5 + (Dice.uint(hash) % 20)
  const planDiscount = discount + 5 + (Dice.uint(Dice.mix(hash, 1)) % 15)
  return {
    id: itemId,
    inAction,
    price: item.priceKopecks / 100,
    currencyCode: "RUB",
    planPrice: Math.round(item.priceKopecks * (1 - planDiscount / 100)) / 100,
    discount,
    planDiscount
  }
}
