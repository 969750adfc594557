/** How a stream of traffic is on one Moscow day: everything that decides what a bid wins there and what that earns. */
import * as Dice from "../../Dice.js"
import type { Payment, Traffic } from "../Market.js"
import type * as Auction from "./Auction.js"
import type { Setting } from "./Model.js"
import * as Rivals from "./Rivals.js"
import * as Season from "./Season.js"
import * as StockOuts from "./StockOuts.js"

export interface Conditions {
  /** How many times the usual: views there are to win, and orders per click. 0 views while the item is sold out. */
  readonly demand: number
  readonly orders: number
  readonly auction: Auction.Auction
}

/** By which power of the place clicks fall where they do. */
const byPlace = 0.2

const kept = new WeakMap<Traffic, Map<number, Conditions>>()

/** Always the same for the same stream, payment and day; kept, because every look at a day asks for it. */
export const of = (traffic: Traffic, payment: Payment, day: number): Conditions => {
  const { model } = traffic.setting
  const isSame = model.rivals === "still" && model.season === "none" && model.stock === "endless"
  const key = (isSame ? 0 : day) * 2 + (payment === "cpm" ? 0 : 1)
  let known = kept.get(traffic)
  if (known === undefined) {
    known = new Map()
    kept.set(traffic, known)
  }
  let found = known.get(key)
  if (found === undefined) {
    found = made(traffic, payment, day)
    known.set(key, found)
  }
  return found
}

const made = (traffic: Traffic, payment: Payment, day: number): Conditions => {
  const { setting, seed } = traffic
  const { model } = setting
  const season = Season.of(setting, day)
  return {
    demand: StockOuts.isOut(setting, day) ? 0 : season.demand,
    orders: season.orders,
    auction: {
      rivalKopecks: traffic.rivalKopecks[payment] * Rivals.factor(setting, seed, day) * season.rivals,
      exponent: exponentOf(setting, seed),
      answer: answerOf(setting, seed),
      byPlace: model.ctr === "flat" ? 0 : byPlace,
      price: model.price,
      floorKopecks: traffic.floorKopecks[payment]
    }
  }
}

// How steeply a stream's share of views rises with the bid (Auction.ts).

/** Exponents of the varied market: at 1.5 the next view costs little more, at 4 the rival's bid is nearly a wall. */
const exponents = [1.5, 4] as const

const exponentOf = ({ model }: Setting, streamSeed: number): number =>
  model.curve === "cubic" ? 3 : Dice.between(Dice.roll(streamSeed, 901), ...exponents)

/** Share of the streams whose rivals answer to our bid, and the powers by which they do. */
const answering = 0.4
const powers = [0.2, 0.5] as const

/** By which power of our bid over theirs the rivals of a stream raise their own; 0 where they do not answer. */
const answerOf = ({ model }: Setting, streamSeed: number): number => {
  const hash = Dice.roll(streamSeed, 902)
  return model.answers === "some" && Dice.unit(hash) < answering
    ? Dice.between(Dice.mix(hash, 1), ...powers)
    : 0
}
