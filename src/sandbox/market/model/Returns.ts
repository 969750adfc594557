/**
 * What becomes of orders. The statistics count an order when it is made; what is cancelled or sent back earns nothing,
 * and a way back costs. Without returns every order earns its margin, as all figures of the plain market assume.
 */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Model.js"

export interface Returns {
  /** Shares of the orders: cancelled before they arrive, which the statistics show, and sent back, which they do not. */
  readonly cancelled: number
  readonly returned: number
  /** Kopecks that an order sent back costs. */
  readonly costKopecks: number
}

/** Plain: cancelled ones are shown, but take nothing from the margin. */
const plain = { cancelled: 0.06, returned: 0, costKopecks: 0 }

const cancelled = [0.04, 0.12] as const
const returned = [0.03, 0.35] as const
const costKopecks = 6_000

export const of = ({ itemSeed, model }: Setting): Returns =>
  model.returns === "none"
    ? plain
    : {
        cancelled: Dice.between(Dice.roll(itemSeed, 941), ...cancelled),
        returned: Dice.between(Dice.roll(itemSeed, 942), ...returned),
        costKopecks
      }

/** Kopecks that an order is expected to earn before advertising, at a margin between 0 and 1 of the price. */
export const worthKopecks = (setting: Setting, priceKopecks: number, margin: number): number => {
  if (setting.model.returns === "none") return priceKopecks * margin
  const { cancelled, costKopecks, returned } = of(setting)
  return priceKopecks * margin * (1 - cancelled - returned) - returned * costKopecks
}
