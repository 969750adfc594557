/** How wrong the bids are that the marketplace recommends, and where it has none. They stay for a week at a time. */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Model.js"

/** Share of clusters and items without a recommendation. */
const missing = 0.15
/** All levels of a cluster are off together, and each a little on its own, together no farther than `most`. */
const together = [0.75, 1.3] as const
const alone = [0.92, 1.08] as const
const most = [0.7, 1.3] as const

/** Whether there is a recommendation for a cluster, or for a whole item, on a Moscow day. */
export const isThere = ({ model }: Setting, seed: number, day: number): boolean =>
  model.levels === "exact" ||
  (model.levels === "wrong" && Dice.unit(Dice.mix(ofWeek(seed, day), 1)) >= missing)

/** How many times the true bid a level shows; levels are told apart by a number. */
export const factor = ({ model }: Setting, seed: number, day: number, level: number): number => {
  if (model.levels !== "wrong") return 1
  const hash = ofWeek(seed, day)
  const off = Dice.between(Dice.mix(hash, 2), ...together) * Dice.between(Dice.mix(hash, 3 + level), ...alone)
  return Math.min(most[1], Math.max(most[0], off))
}

const ofWeek = (seed: number, day: number): number => Dice.roll(seed, 951, Math.floor(day / 7))
