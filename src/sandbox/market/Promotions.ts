/** The promo calendar: promotions around the origin and the items that may join them. */

import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"
import * as Blueprint from "./Blueprint.js"
import * as World from "./World.js"

export interface Promotion {
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
export const all = (world: World.World): ReadonlyArray<Promotion> =>
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

export const byId = (world: World.World, id: number): Promotion | undefined =>
  all(world).find((promotion) => promotion.id === id)

/** Items a promotion is open to. */
export const itemIds = (world: World.World): ReadonlyArray<number> =>
  Array.from(
    { length: Math.min(mostItems, world.scale.campaigns * world.scale.items) },
    (_, i) => Blueprint.firstItemId + i
  )

/** Items enrolled in a promotion over time; some were from the start. */
export const enrolled = (world: World.World, id: number): Timeline.Timeline<ReadonlySet<number>> => {
  const kept = world.enrolled.get(id)
  if (kept !== undefined) return kept
  const early = itemIds(world).filter((item) => Dice.unit(Dice.roll(world.seed, 801, id, item)) < 0.2)
  const made = Timeline.of<ReadonlySet<number>>(new Set(early))
  world.enrolled.set(id, made)
  return made
}

/** Prices are roubles with fractions, discounts whole percent (field note P05). */
export const entry = (world: World.World, promotion: Promotion, itemId: number, inAction: boolean) => {
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
