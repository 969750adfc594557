/** Reviews that buyers wrote, by item, day and stars; a pure function of the seed. Today's are not counted yet. */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import type * as World from "../market/World.js"

/** Reviews with one star first and five stars last. */
export type Stars = readonly [number, number, number, number, number]

export const none: Stars = [0, 0, 0, 0, 0]
const historyDays = 400

/** Reviews of an item on these Moscow days, yesterday's the latest. */
export const ofDays = (world: World.World, itemId: number, days: Days, nowMs: number): Stars => {
  const last = Math.min(days.to, Moscow.dayOf(nowMs) - 1)
  const first = Math.max(days.from, firstDay(world))
  const item = Dice.roll(world.seed, 911, itemId)
  const quality = Dice.unit(Dice.mix(item, 1))
  const rate = Dice.between(Dice.mix(item, 2), 0, 1.6)
  const stars: [number, number, number, number, number] = [0, 0, 0, 0, 0]
  for (let day = first; day <= last; day++) {
    const dice = Dice.mix(item, 100 + day)
    const count = Math.floor(rate * Dice.unit(dice) + 0.35 * quality)
    for (let i = 0; i < count; i++) {
      const index = starIndex(Dice.unit(Dice.mix(dice, 1 + i)), quality)
      stars[index]++
    }
  }
  return stars
}

/** All reviews an item has had up to yesterday. */
export const ofAllTime = (world: World.World, itemId: number, nowMs: number): Stars =>
  ofDays(world, itemId, { from: firstDay(world), to: Moscow.dayOf(nowMs) }, nowMs)

export const count = (stars: Stars): number => stars.reduce((sum, n) => sum + n, 0)

/** Mean of the stars with two decimals; undefined without reviews. */
export const mean = (stars: Stars): number | undefined => {
  const reviews = count(stars)
  if (reviews === 0) return undefined
  const sum = stars.reduce((total, n, i) => total + n * (i + 1), 0)
  return Math.round((sum / reviews) * 100) / 100
}

export const add = (a: Stars, b: Stars): Stars => [
  a[0] + b[0],
  a[1] + b[1],
  a[2] + b[2],
  a[3] + b[3],
  a[4] + b[4]
]

/** How well the card is filled, 6 to 10. */
export const cardRating = (world: World.World, itemId: number): number =>
  Math.round(Dice.between(Dice.roll(world.seed, 912, itemId), 60, 100)) / 10

const firstDay = (world: World.World): number => Moscow.dayOf(world.originMs) - historyDays

const starIndex = (u: number, quality: number): 0 | 1 | 2 | 3 | 4 => {
  const five = 0.45 + 0.45 * quality
  if (u < five) return 4
  const rest = (u - five) / (1 - five)
  return rest < 0.45 ? 3 : rest < 0.65 ? 2 : rest < 0.8 ? 1 : 0
}
