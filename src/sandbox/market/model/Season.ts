/** The year of a subject: demand swells and falls, and now and then a sale brings buyers, and rivals, for some days. */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Model.js"

export interface Season {
  /** How many times the usual: views there are to win, rivals' bids, orders per click. */
  readonly demand: number
  readonly rivals: number
  readonly orders: number
}

const usual: Season = { demand: 1, rivals: 1, orders: 1 }

const yearDays = 365.25
/** How far demand swings about its mean in a year. */
const swings = [0.1, 0.35] as const
/** A sale: by this chance once in so many days of a subject. */
const saleBlockDays = 45
const saleChance = 0.7
const saleDays = [3, 7] as const
const sale = { demand: [1.4, 1.8], rivals: [1.1, 1.3], orders: [1.1, 1.3] } as const

export const of = ({ model, subjectSeed }: Setting, day: number): Season => {
  if (model.season === "none") return usual
  const hash = Dice.roll(subjectSeed, 921)
  const swing = Dice.between(Dice.mix(hash, 1), ...swings)
  const wave = 1 + swing * Math.sin(2 * Math.PI * (day / yearDays + Dice.unit(Dice.mix(hash, 2))))
  const now = saleOf(hash, day)
  return { ...now, demand: now.demand * wave }
}

const saleOf = (hash: number, day: number): Season => {
  const block = Math.floor(day / saleBlockDays)
  const own = Dice.mix(Dice.mix(hash, 3), block)
  if (Dice.unit(Dice.mix(own, 1)) >= saleChance) return usual
  const days = Math.round(Dice.between(Dice.mix(own, 2), ...saleDays))
  const first = block * saleBlockDays + (Dice.uint(Dice.mix(own, 3)) % (saleBlockDays - saleDays[1]))
  if (day < first || day >= first + days) return usual
  return {
    demand: Dice.between(Dice.mix(own, 4), ...sale.demand),
    rivals: Dice.between(Dice.mix(own, 5), ...sale.rivals),
    orders: Dice.between(Dice.mix(own, 6), ...sale.orders)
  }
}
