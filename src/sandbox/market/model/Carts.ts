/** How many carts there are for each order: by the order rate alone, or by stream too, for some carts are idle ones. */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Setting.js"

/** Times the carts that the order rate would have, from few idle ones to many. */
const varied = [0.6, 1.8] as const

/** Carts per click of a stream, given the plain market's: no fewer than its orders, no more than its clicks. */
export const rate = (
  { model }: Setting,
  streamSeed: number,
  plain: { readonly cartRate: number; readonly orderRate: number }
): number => {
  if (model.carts === "steady") return plain.cartRate
  const [least, most] = varied
  const times = least * (most / least) ** Dice.unit(Dice.roll(streamSeed, 903))
  return Math.min(1, Math.max(plain.orderRate, plain.cartRate * times))
}
