/** How steeply a stream's share of views rises with the bid: the exponent of its curve (Auction.ts). */
import * as Dice from "../../Dice.js"
import type { Setting } from "./Setting.js"

/** Exponents of the varied market: at 1.5 the next view costs little more, at 4 the rival's bid is nearly a wall. */
const varied = [1.5, 4] as const

export const exponent = ({ model }: Setting, streamSeed: number): number =>
  model.curve === "cubic" ? 3 : Dice.between(Dice.roll(streamSeed, 901), ...varied)

/** Share of the streams whose rivals answer to our bid, and the powers by which they do. */
const answering = 0.4
const powers = [0.2, 0.5] as const

/** By which power of our bid over theirs the rivals of a stream raise their own; 0 where they do not answer. */
export const answer = ({ model }: Setting, streamSeed: number): number => {
  const hash = Dice.roll(streamSeed, 902)
  return model.answers === "some" && Dice.unit(hash) < answering
    ? Dice.between(Dice.mix(hash, 1), ...powers)
    : 0
}
