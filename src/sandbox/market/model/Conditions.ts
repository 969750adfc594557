/** How a stream of traffic is on one Moscow day: everything that decides what a bid wins there and what that earns. */
import type { Payment, Traffic } from "../Market.js"
import type * as Auction from "./Auction.js"
import * as Rivals from "./Rivals.js"
import * as Season from "./Season.js"
import * as Steepness from "./Steepness.js"
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
      exponent: Steepness.exponent(setting, seed),
      answer: Steepness.answer(setting, seed),
      byPlace: model.ctr === "flat" ? 0 : byPlace,
      price: model.price,
      floorKopecks: traffic.floorKopecks[payment]
    }
  }
}
