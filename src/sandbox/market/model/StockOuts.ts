/** Days on which an item is sold out. Its advertising is not shown then, and costs nothing. */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Model.js"

/** By this chance once in so many days, for some days. */
const blockDays = 30
const chance = 0.3
const outDays = [2, 7] as const

/** Whether the item of a stream is sold out on a Moscow day. */
export const isOut = ({ itemSeed, model }: Setting, day: number): boolean => {
  if (model.stock === "endless") return false
  const block = Math.floor(day / blockDays)
  const hash = Dice.roll(itemSeed, 931, block)
  if (Dice.unit(Dice.mix(hash, 1)) >= chance) return false
  const days = Math.round(Dice.between(Dice.mix(hash, 2), ...outDays))
  const first = block * blockDays + (Dice.uint(Dice.mix(hash, 3)) % (blockDays - outDays[1]))
  return day >= first && day < first + days
}
