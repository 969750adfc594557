/**
 * How rivals change from day to day: they drift around their usual bid, and newcomers come for some days. Pure in the
 * day, so that any day can be asked for alone.
 */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Model.js"

/** What is left of a day's move on the next day, how big a move is (of the logarithm), and the days that still count. */
const kept = 0.9
const moveDeviation = 0.06
const memoryDays = 40

/** Newcomers: at most one in so many days for a stream, by this chance, for some days, with so much more of a bid. */
const blockDays = 10
const chance = 0.25
const stayDays = [4, 15] as const
const raises = [1.15, 1.6] as const

/** How many times their usual bid the rivals of a stream bid on a Moscow day. */
export const factor = ({ model }: Setting, streamSeed: number, day: number): number =>
  model.rivals === "still" ? 1 : Math.exp(drift(streamSeed, day)) * newcomers(streamSeed, day)

const drift = (streamSeed: number, day: number): number => {
  const seed = Dice.roll(streamSeed, 911)
  let [sum, weight] = [0, 1]
  for (let ago = 0; ago < memoryDays; ago++) {
    sum += weight * moveOf(Dice.mix(seed, day - ago))
    weight *= kept
  }
  return sum
}

/** Three uniform numbers added: bell-shaped enough, and never far out. */
const moveOf = (hash: number): number =>
  2 *
  moveDeviation *
  (Dice.unit(Dice.mix(hash, 1)) + Dice.unit(Dice.mix(hash, 2)) + Dice.unit(Dice.mix(hash, 3)) - 1.5)

const newcomers = (streamSeed: number, day: number): number => {
  const seed = Dice.roll(streamSeed, 912)
  const block = Math.floor(day / blockDays)
  let product = 1
  for (let back = 0; back <= Math.ceil(stayDays[1] / blockDays); back++) {
    const hash = Dice.mix(seed, block - back)
    if (Dice.unit(Dice.mix(hash, 1)) >= chance) continue
    const first = (block - back) * blockDays + (Dice.uint(Dice.mix(hash, 2)) % blockDays)
    const days = Math.round(Dice.between(Dice.mix(hash, 3), ...stayDays))
    if (day >= first && day < first + days) product *= Dice.between(Dice.mix(hash, 4), ...raises)
  }
  return product
}
