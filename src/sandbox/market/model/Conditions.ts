/** How a stream of traffic is on one Moscow day: everything that decides what a bid wins there and what that earns. */
import * as Dice from "../../Dice.js"
import type { Payment, Traffic } from "../Market.js"
import type * as Auction from "./Auction.js"
import type { Setting } from "./Model.js"

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
  const season = seasonOf(setting, day)
  return {
    demand: isSoldOut(setting, day) ? 0 : season.demand,
    orders: season.orders,
    auction: {
      rivalKopecks: traffic.rivalKopecks[payment] * rivalsFactor(setting, seed, day) * season.rivals,
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

interface Season {
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

/** The year of a subject: demand swells and falls, and now and then a sale brings buyers, and rivals, for some days. */
const seasonOf = ({ model, subjectSeed }: Setting, day: number): Season => {
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

// Rivals drift around their usual bid, and newcomers come for some days. Pure in the day, so that any day can be asked for alone.

/** What is left of a day's move on the next day, how big a move is (of the logarithm), and the days that still count. */
const moveKept = 0.9
const moveDeviation = 0.06
const memoryDays = 40

/** Newcomers: at most one in so many days for a stream, by this chance, for some days, with so much more of a bid. */
const blockDays = 10
const newcomerChance = 0.25
const stayDays = [4, 15] as const
const newcomerRaises = [1.15, 1.6] as const

/** How many times their usual bid the rivals of a stream bid on a Moscow day. */
const rivalsFactor = ({ model }: Setting, streamSeed: number, day: number): number =>
  model.rivals === "still" ? 1 : Math.exp(drift(streamSeed, day)) * newcomers(streamSeed, day)

const drift = (streamSeed: number, day: number): number => {
  const seed = Dice.roll(streamSeed, 911)
  let [sum, weight] = [0, 1]
  for (let ago = 0; ago < memoryDays; ago++) {
    sum += weight * moveOf(Dice.mix(seed, day - ago))
    weight *= moveKept
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
    if (Dice.unit(Dice.mix(hash, 1)) >= newcomerChance) continue
    const first = (block - back) * blockDays + (Dice.uint(Dice.mix(hash, 2)) % blockDays)
    const days = Math.round(Dice.between(Dice.mix(hash, 3), ...stayDays))
    if (day >= first && day < first + days) product *= Dice.between(Dice.mix(hash, 4), ...newcomerRaises)
  }
  return product
}

/** By this chance once in so many days, for some days. */
const soldOutBlockDays = 30
const soldOutChance = 0.3
const soldOutDays = [2, 7] as const

/** Whether the item of a stream is sold out on a Moscow day. */
export const isSoldOut = ({ itemSeed, model }: Setting, day: number): boolean => {
  if (model.stock === "endless") return false
  const block = Math.floor(day / soldOutBlockDays)
  const hash = Dice.roll(itemSeed, 931, block)
  if (Dice.unit(Dice.mix(hash, 1)) >= soldOutChance) return false
  const days = Math.round(Dice.between(Dice.mix(hash, 2), ...soldOutDays))
  const first =
    block * soldOutBlockDays + (Dice.uint(Dice.mix(hash, 3)) % (soldOutBlockDays - soldOutDays[1]))
  return day >= first && day < first + days
}
