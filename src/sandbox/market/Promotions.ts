/** Who is in which promotion of an account, at what price, and which tier they have reached (seed 001 "Promo calendar"). */
import * as Dice from "../Dice.js"
import * as Timeline from "../Timeline.js"
import * as Blueprint from "./Blueprint.js"
import * as Calendar from "./Calendar.js"
import * as World from "./World.js"

/** A promotion as it stands at an instant; undefined if there is none of that id, or not any more. */
export const byId = (world: World.World, id: number, nowMs: number): Calendar.Promotion | undefined =>
  Calendar.at(world.promotions, world.originMs, id, nowMs)

/** Every promotion that was not deleted, by id. */
export const all = (world: World.World, nowMs: number): ReadonlyArray<Calendar.Promotion> =>
  Calendar.ids.flatMap((id) => byId(world, id, nowMs) ?? [])

const mostItems = 60

/** Items that promotions are open to. */
export const itemIds = (world: World.World): ReadonlyArray<number> =>
  Array.from(
    { length: Math.min(mostItems, world.scale.campaigns * world.scale.items) },
    (_, i) => Blueprint.firstItemId + i
  )

/** Whether an item is in a promotion at an instant: from the start, by a task, or without the seller. */
export const isIn = (world: World.World, id: number, itemId: number, atMs: number): boolean =>
  isEarly(world, id, itemId) || hasCome(world, id, itemId, atMs)

/** Items in a promotion at an instant, ascending; those of every filed task for the instant infinity. */
export const members = (world: World.World, id: number, atMs: number): ReadonlyArray<number> =>
  itemIds(world).filter((itemId) => isIn(world, id, itemId, atMs))

/** Items in at an instant that were not in from the start, ascending. */
export const cameLater = (world: World.World, id: number, atMs: number): ReadonlyArray<number> =>
  itemIds(world).filter((itemId) => hasCome(world, id, itemId, atMs))

/** Some items are in from the start. */
const isEarly = (world: World.World, id: number, itemId: number): boolean =>
  Dice.unit(Dice.roll(world.seed, 801, id, itemId)) < 0.2

const hasCome = (world: World.World, id: number, itemId: number, atMs: number): boolean => {
  const since = world.promotions.entered.get(id)?.get(itemId)
  return since !== undefined && since <= atMs
}

/** Whether an item has the price of a promotion at an instant, which may be before that starts. */
export const isPriced = (world: World.World, id: number, itemId: number, atMs: number): boolean =>
  (world.promotions.priced.get(id)?.get(itemId) ?? Number.POSITIVE_INFINITY) <= atMs

/** Items that promotions are open to are in from an instant on; who is in earlier stays in earlier. */
export const enter = (world: World.World, id: number, itemIds: ReadonlyArray<number>, atMs: number): void => {
  const kept = world.promotions.entered.get(id) ?? new Map<number, number>()
  world.promotions.revision++
  world.promotions.entered.set(id, kept)
  for (const itemId of itemIds)
    if (!isEarly(world, id, itemId)) kept.set(itemId, Math.min(atMs, kept.get(itemId) ?? atMs))
}

/** What the participation at an instant has earned, percent of views; 0 below the first tier. */
export const boostPercent = (world: World.World, id: number, atMs: number): number => {
  const [joined, total] = [members(world, id, atMs).length, itemIds(world).length]
  const reached = Calendar.ladder(world.seed, id).filter(
    ({ participationRate }) => total > 0 && joined * 100 >= participationRate * total
  )
  return reached.at(-1)?.boost ?? 0
}

/** What a promotion asks of an item. Money in kopecks, discounts whole percent (field note P05). */
export interface Terms {
  readonly priceKopecks: number
  readonly planPriceKopecks: number
  readonly discount: number
  readonly planDiscount: number
}

const whole = 10_000

/** The terms at an instant. They hold for who is in, too: when the conditions change, its price changes with them. */
export const terms = (world: World.World, id: number, itemId: number, atMs: number): Terms => {
  const { priceKopecks } = World.item(world, itemId)
  const hash = Dice.roll(world.seed, 802, id, itemId)
  const discount = 5 + (Dice.uint(hash) % 20)
  const planDiscount = discount + 5 + (Dice.uint(Dice.mix(hash, 1)) % 15)
  const first = Math.round(priceKopecks * (1 - planDiscount / 100))
  const shares = world.promotions.planShares.get(id)
  const share = shares === undefined ? whole : Timeline.at(shares, atMs)
  if (share === whole) return { priceKopecks, planPriceKopecks: first, discount, planDiscount }
  const planPriceKopecks = Math.round((first * share) / whole)
  return {
    priceKopecks,
    planPriceKopecks,
    discount,
    planDiscount: Math.ceil(100 - (100 * planPriceKopecks) / priceKopecks)
  }
}

/** Instants at which anything of a promotion changes, or did: dates, plan prices, who is in, and its end. */
export const edges = (world: World.World, id: number): ReadonlyArray<number> => {
  const { dates, deletedAt, entered, planShares, priced } = world.promotions
  const moved = dates.get(id)?.steps ?? [
    { at: Number.NEGATIVE_INFINITY, value: Calendar.planned(world.originMs, id) }
  ]
  return [
    ...moved.flatMap(({ at, value }) => [at, value.startsAt, value.endsAt]),
    ...(planShares.get(id)?.steps ?? []).map(({ at }) => at),
    ...(entered.get(id)?.values() ?? []),
    ...(priced.get(id)?.values() ?? []),
    deletedAt.get(id) ?? Number.POSITIVE_INFINITY
  ].filter(Number.isFinite)
}

// Tasks, and what the marketplace itself does to a promotion.

/** How long a task takes unless somebody asks for longer: at most as long as the database does (seed 001 "Timing"). */
export const taskDelayMs = (world: World.World, uploadId: number): number =>
  Math.floor(Dice.between(Dice.roll(world.seed, 804, uploadId), 0.7, 1) * Timeline.delays.database)

/** The number of the next task. */
export const nextUploadId = ({ promotions }: World.World): number => 7_000_001 + promotions.uploads.size

/** Files a task under its content; what enters is in once it is applied. */
export const file = (world: World.World, key: string, task: Calendar.Task): void => {
  const { priced, tasks, uploads } = world.promotions
  uploads.set(key, task.uploadId)
  tasks.push(task)
  enter(world, task.promotionId, task.entered, task.appliesAt)
  if (!task.isPricedNow) return
  const kept = priced.get(task.promotionId) ?? new Map<number, number>()
  priced.set(task.promotionId, kept)
  for (const itemId of task.entered)
    kept.set(itemId, Math.min(task.appliesAt, kept.get(itemId) ?? task.appliesAt))
}

/** From now on nobody knows the promotion. */
export const remove = (world: World.World, id: number, nowMs: number): void => {
  world.promotions.revision++
  world.promotions.deletedAt.set(id, nowMs)
}

/** From now on the promotion has these dates. */
export const move = (world: World.World, id: number, dates: Calendar.Dates, nowMs: number): void => {
  const { dates: all } = world.promotions
  world.promotions.revision++
  const kept = all.get(id) ?? Timeline.of(Calendar.planned(world.originMs, id))
  all.set(id, kept)
  Timeline.set(kept, nowMs, dates)
}

/** From now on every plan price of the promotion is so many percent less than it was. */
export const cheapen = (world: World.World, id: number, percent: number, nowMs: number): void => {
  const { planShares } = world.promotions
  world.promotions.revision++
  const kept = planShares.get(id) ?? Timeline.of(whole)
  planShares.set(id, kept)
  Timeline.set(kept, nowMs, Math.round((Timeline.at(kept, nowMs) * (100 - percent)) / 100))
}
